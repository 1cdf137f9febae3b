/* SPDX-License-Identifier: Apache-2.0 */
/* Plans built by hand from small matrices, with any schedule and granule: tests of the executor need no
 * inspector. */
#ifndef TEST_PLAN_BUILD_H
#define TEST_PLAN_BUILD_H

#include "format/plan.h"
#include "matrices.h"

struct test_plan_options {
    spmm_dtype_t dtype;
    spmm_schedule_t schedule;
    uint32_t granule;
    int has_transpose; /* 1: a variant for op = T as well */
    int has_no_values;
};

/* One variant for each op, for any n, layout and target. Free with spmm_plan_destroy. */
spmm_plan_t *test_plan_build(const struct test_matrix *a, struct test_plan_options options);

/* Values of a matrix as numbers of a type, in CSR order; free with free(). */
void *test_values_of(const struct test_matrix *a, spmm_dtype_t dtype);

#endif
