/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a certifier. It has A from the plan, not from the executor whose products it checks. */
#ifndef SPMMI_CERTIFIER_H
#define SPMMI_CERTIFIER_H

#include "certify_side.h"
#include "executor/executor_state.h"

#define SPMMI_OPS 2 /* number of values of spmm_op_t */

struct spmm_certifier {
    const spmm_plan_t *plan;
    const spmm_executor_t *executor;
    spmm_certifier_options_t options;      /* checked, defaults filled in; allocator is NULL */
    struct spmmi_device_memory memory;     /* source of GPU memory */
    int has_op[SPMMI_OPS];                 /* whether the plan has a variant of the op */
    struct spmmi_certify_csr a[SPMMI_OPS]; /* CPU: op N has the arrays of the plan, op T the next three */
    int64_t *row_ptr;
    int32_t *col_ind;
    void *values;
    void *rounded; /* values of the plan, rounded, if the executor's type is narrower; else NULL */
    struct spmmi_certify_device *device[SPMMI_OPS]; /* GPU: in place of a */
};

/* Checks the caller's options and fills in defaults; vectors is then at least 1. */
spmm_status_t spmmi_certifier_options(const spmm_certifier_options_t *from, spmm_certifier_options_t *to,
                                      spmm_diag_t *diag);

#endif
