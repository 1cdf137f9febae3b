/* SPDX-License-Identifier: Apache-2.0 */
/* A plan restricted to one value type, as an executor for that type sees it. */
#ifndef SPMMI_TYPED_PLAN_H
#define SPMMI_TYPED_PLAN_H

#include "format/plan.h"
#include "wanted.h"

struct spmmi_typed_plan {
    struct spmm_plan plan;                  /* borrows the arrays of the original plan */
    uint32_t variant_of[SPMMI_VARIANT_MAX]; /* index of each variant in the original plan */
};

/* Selects the variants of the plan for values of this type; 0: the plan's type. The values are NULL if
 * they have to be rounded. TYPE: the plan has no variant for this type, and it is not the plan's own.
 * Values are never widened. */
spmm_status_t spmmi_typed_plan(const spmm_plan_t *plan, spmm_dtype_t type, struct spmmi_typed_plan *typed,
                               spmm_diag_t *diag);

/* Keeps only the variants that wanted products can reach on this target; raises their
 * n_min to the first wanted n. */
void spmmi_typed_plan_want(struct spmmi_typed_plan *typed, uint32_t target,
                           const struct spmmi_wanted *wanted);

/* Rounds the values of the plan to this type into new memory, which the caller frees. *values is
 * NULL if the plan has no values or has this type already. Errors: ARGUMENT (a value is too
 * large for the type), MEMORY. */
spmm_status_t spmmi_typed_values(const spmm_plan_t *plan, spmm_dtype_t type, int threads, void **values,
                                 spmm_diag_t *diag);
/* Returns the bytes that spmmi_typed_values allocates. */
uint64_t spmmi_typed_values_bytes(const spmm_plan_t *plan, spmm_dtype_t type);

#endif
