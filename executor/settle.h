/* SPDX-License-Identifier: Apache-2.0 */
/* The plan that an executor is made of, and the memory that it takes. */
#ifndef SPMMI_SETTLE_H
#define SPMMI_SETTLE_H

#include <spmm/executor.h>

#include "needs.h"
#include "typed_plan.h"

struct spmmi_settled_plan {
    struct spmmi_typed_plan typed; /* its variants are those that run */
    uint64_t given_up;             /* bit i: variant i runs by a part that it was not chosen for */
    struct spmmi_needs needs;      /* all that create takes, where it was counted */
};

/* As of struct spmmi_variant. */
uint32_t spmmi_device_target(int device);

/* Is it AUTO, the CPU, or the number of a GPU that CUDA shows? Errors: ARGUMENT, NO_DEVICE. */
spmm_status_t spmmi_device_check(int device, spmm_diag_t *diag);

/* Reads all values where the executor may be on a GPU: once a call. */
struct spmmi_first_values spmmi_values_look(const spmm_plan_t *plan, int device,
                                            const spmm_executor_options_t *options);

/* The plan for the type of the options with the variants that are wanted. *hash, unless it is NULL: that of all
 * variants for the type, as a plan is told by. Errors: TYPE, NO_VARIANT. */
spmm_status_t spmmi_plan_settle(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_settled_plan *settled, uint64_t *hash, spmm_diag_t *diag);

/* The same, within the budgets of the options: parts are given up where all are too much, unless a kernel is forced.
 * Errors: these, PLAN_BUDGET, and those of making the executor. */
spmm_status_t spmmi_plan_settle_counted(const spmm_plan_t *plan, int device,
                                        const spmm_executor_options_t *options,
                                        struct spmmi_first_values first, struct spmmi_settled_plan *settled,
                                        uint64_t *hash, spmm_diag_t *diag);

#endif
