/* SPDX-License-Identifier: Apache-2.0 */
/* A few plans of every family and schedule, for tests of properties that all of them share. */
#ifndef TEST_FAMILY_CASES_H
#define TEST_FAMILY_CASES_H

#include "plan_build.h"

struct test_family_case {
    const char *matrix;
    struct test_plan_options options;
    spmm_family_t family; /* a tensor-core family; only used with unit_rows */
    uint32_t unit_rows;   /* 0: the family of the schedule */
    int is_long_rows;     /* long rows are split off into a separate part */
};

#define TEST_FAMILY_CASES 15
extern const struct test_family_case test_family_cases[TEST_FAMILY_CASES];

/* Makes the plan of a case for both ops, complete, so that it can be saved. a is the matrix that the case
 * names. Free it with spmm_plan_destroy. */
spmm_plan_t *test_family_plan(const struct test_family_case *of, const struct test_matrix *a);

#endif
