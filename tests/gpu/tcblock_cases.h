/* SPDX-License-Identifier: Apache-2.0 */
/* Test cases that combine every compute type of the tensor cores with every shape of the window, panel and
 * bcsr families. */
#ifndef TEST_TCBLOCK_CASES_H
#define TEST_TCBLOCK_CASES_H

#include "tests/support/plan_build.h"
#include "tests/support/products.h"

struct test_tcblock_case {
    spmm_dtype_t dtype;
    spmm_compute_t compute;
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, item_size; /* item_size: steps per item; 1 cuts nearly all units */
    int is_reordered;
};

#define TEST_TCBLOCK_TYPES 5
#define TEST_TCBLOCK_SHAPES 11
/* Case i has type i % 5 and shape i % 11. As 5 and 11 are coprime, the cases are all pairs. */
#define TEST_TCBLOCK_CASES (TEST_TCBLOCK_TYPES * TEST_TCBLOCK_SHAPES)
struct test_tcblock_case test_tcblock_case(int index);

/* Builds a plan for both ops. */
spmm_plan_t *test_tcblock_plan(const struct test_matrix *a, const struct test_tcblock_case *of);
/* Makes an executor on the GPU from such a plan. */
spmm_executor_t *test_tcblock_executor(const struct test_matrix *a, const struct test_tcblock_case *of);

#endif
