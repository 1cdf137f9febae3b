/* SPDX-License-Identifier: Apache-2.0 */
/* Completes a plan that was built by hand so that it passes spmmi_plan_check: statistics, digests, trace and
 * source. */
#ifndef TEST_PLAN_SEAL_H
#define TEST_PLAN_SEAL_H

#include "format/family.h"
#include "format/plan.h"
#include "plan_build.h"

/* Computes statistics and digests of the plan's current arrays. */
void test_plan_seal(spmm_plan_t *plan);

/* Makes a sealed plan with a source and one trace entry per variant. Free it with spmm_plan_destroy. */
spmm_plan_t *test_plan_whole(const struct test_matrix *a, struct test_plan_options options,
                             const char *source);

/* Sets row-block metrics for the plan's first part, which must be tiled. They are in range, but not those of
 * the matrix. */
void test_plan_row_block_metrics(spmm_plan_t *plan);

/* Returns 1 if a variant of a plan with values of type dtype may have this compute type in this family.
 * Values of smaller types are rounded from the plan's. Tensor cores multiply f32 only as tf32 or 3xtf32. */
int test_plan_may_compute(spmm_dtype_t dtype, const struct spmmi_family *family, int compute);

/* Returns 1 if the plans are equal in everything that a file stores. */
int test_plans_equal(const spmm_plan_t *a, const spmm_plan_t *b);

#endif
