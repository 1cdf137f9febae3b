/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as an executor uses it, and the memory that the executor takes. */
#ifndef SPMMI_SETTLE_H
#define SPMMI_SETTLE_H

#include <spmm/executor.h>

#include "needs.h"
#include "typed_plan.h"

struct spmmi_settled_plan {
    struct spmmi_typed_plan typed; /* its variants are those that run */
    uint64_t given_up;             /* bit i: variant i runs a part that it was not chosen for */
    struct spmmi_needs needs;      /* all memory of create; set by spmmi_plan_settle_counted only */
};

/* Returns the target of a device, as in struct spmmi_variant. */
uint32_t spmmi_device_target(int device);

/* Checks that device is AUTO, the CPU, or the number of a GPU that CUDA shows.
 * Errors: ARGUMENT, NO_DEVICE. */
spmm_status_t spmmi_device_check(int device, spmm_diag_t *diag);

/* Finds whether there are values and whether all are equal. This reads all values if the executor may be on a
 * GPU, so call it only once. */
struct spmmi_first_values spmmi_values_look(const spmm_plan_t *plan, int device,
                                            const spmm_executor_options_t *options);

/* Selects the wanted variants of the plan for the type of the options. *hash (hash may be
 * NULL) is spmmi_parts_hash of the typed plan with all its variants: it tells plans apart.
 * Errors: TYPE, NO_VARIANT. */
spmm_status_t spmmi_plan_settle(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_settled_plan *settled, uint64_t *hash, spmm_diag_t *diag);

/* The same, and fits the parts into the budgets of the options: gives up parts if all together need
 * too much memory, unless a kernel is forced. Errors: as spmmi_plan_settle, PLAN_BUDGET, and the
 * errors of making the executor. */
spmm_status_t spmmi_plan_settle_counted(const spmm_plan_t *plan, int device,
                                        const spmm_executor_options_t *options,
                                        struct spmmi_first_values first, struct spmmi_settled_plan *settled,
                                        uint64_t *hash, spmm_diag_t *diag);

#endif
