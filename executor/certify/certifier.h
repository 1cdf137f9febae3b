/* SPDX-License-Identifier: Apache-2.0 */
/* What a certifier holds: A from the plan, not from the executor whose products it checks. */
#ifndef SPMMI_CERTIFIER_H
#define SPMMI_CERTIFIER_H

#include "certify_side.h"
#include "executor/executor_state.h"

#define SPMMI_OPS 2 /* of spmm_op_t */

struct spmm_certifier {
    const spmm_plan_t *plan;
    const spmm_executor_t *executor;
    spmm_certifier_options_t options;      /* settled; allocator is NULL */
    struct spmmi_device_memory memory;     /* of the GPU */
    int has_op[SPMMI_OPS];                 /* the plan has a variant of it */
    struct spmmi_certify_csr a[SPMMI_OPS]; /* on the CPU: op N the arrays of the plan, op T those below */
    int64_t *row_ptr;
    int32_t *col_ind;
    void *values;
    void *rounded; /* values of the plan, where those of the executor have a narrower type */
    struct spmmi_certify_device *device[SPMMI_OPS]; /* on a GPU instead */
};

/* Those of the caller, checked; vectors is 1 or more. */
spmm_status_t spmmi_certifier_options(const spmm_certifier_options_t *from, spmm_certifier_options_t *to,
                                      spmm_diag_t *diag);

#endif
