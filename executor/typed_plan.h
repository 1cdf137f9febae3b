/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as an executor for values of one type sees it. */
#ifndef SPMMI_TYPED_PLAN_H
#define SPMMI_TYPED_PLAN_H

#include "format/plan.h"
#include "wanted.h"

struct spmmi_typed_plan {
    struct spmm_plan plan;                  /* borrows the arrays of the plan that it was made of */
    uint32_t variant_of[SPMMI_VARIANT_MAX]; /* the variants of that plan that these are */
};

/* The plan with the variants for values of this type alone; 0: of the plan's type. Its values are NULL where they would
 * have to be rounded. TYPE where the plan has no variant for another type than its own: values are never widened. */
spmm_status_t spmmi_typed_plan(const spmm_plan_t *plan, spmm_dtype_t type, struct spmmi_typed_plan *typed,
                               spmm_diag_t *diag);

/* Of these variants those alone that wanted products can reach on this target, from the first wanted n on. */
void spmmi_typed_plan_want(struct spmmi_typed_plan *typed, uint32_t target,
                           const struct spmmi_wanted *wanted);

/* The values of the plan, if it has any, rounded to that type: allocated where they are rounded, else NULL.
 * Errors: ARGUMENT (a value is too large for the type), MEMORY. */
spmm_status_t spmmi_typed_values(const spmm_plan_t *plan, spmm_dtype_t type, int threads, void **values,
                                 spmm_diag_t *diag);
/* Bytes of them. */
uint64_t spmmi_typed_values_bytes(const spmm_plan_t *plan, spmm_dtype_t type);

#endif
