/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan built by hand one that passes spmmi_plan_check: statistics, digests, a trace and a source. */
#ifndef TEST_PLAN_SEAL_H
#define TEST_PLAN_SEAL_H

#include "format/family.h"
#include "format/plan.h"
#include "plan_build.h"

/* Statistics and digests of the plan's arrays as they are. */
void test_plan_seal(spmm_plan_t *plan);

/* A sealed plan with a trace entry for each variant and a source. Free with spmm_plan_destroy. */
spmm_plan_t *test_plan_whole(const struct test_matrix *a, struct test_plan_options options,
                             const char *source);

/* Metrics of row blocks for the plan's first part, which is tiled: in range, not those of its matrix. */
void test_plan_row_block_metrics(spmm_plan_t *plan);

/* May a variant for a plan of this type compute so with this family? Values of fewer bytes are rounded from the plan's;
 * tensor cores multiply f32 as tf32 or 3xtf32 alone. */
int test_plan_may_compute(spmm_dtype_t dtype, const struct spmmi_family *family, int compute);

/* Equal in everything that a file keeps? */
int test_plans_equal(const spmm_plan_t *a, const spmm_plan_t *b);

#endif
