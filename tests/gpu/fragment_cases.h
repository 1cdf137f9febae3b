/* SPDX-License-Identifier: Apache-2.0 */
/* Every compute type of the tensor cores with every shape of the families window, panel and bcsr. */
#ifndef TEST_FRAGMENT_CASES_H
#define TEST_FRAGMENT_CASES_H

#include "tests/support/plan_build.h"
#include "tests/support/products.h"

struct test_fragment_case {
    spmm_dtype_t dtype;
    spmm_compute_t compute;
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, granule; /* steps of an item: 1 cuts nearly all units */
    int is_reordered;
};

#define TEST_FRAGMENT_TYPES 5
#define TEST_FRAGMENT_SHAPES 11
/* Type i % 5 in shape i % 11: all pairs. */
#define TEST_FRAGMENT_CASES (TEST_FRAGMENT_TYPES * TEST_FRAGMENT_SHAPES)
struct test_fragment_case test_fragment_case(int index);

/* Both ops. */
spmm_plan_t *test_fragment_plan(const struct test_matrix *a, const struct test_fragment_case *of);
/* On the GPU, of such a plan. */
spmm_executor_t *test_fragment_executor(const struct test_matrix *a, const struct test_fragment_case *of);

#endif
