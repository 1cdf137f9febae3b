/* SPDX-License-Identifier: Apache-2.0 */
/* A few plans of every family and schedule, for tests of what is the same for all of them. */
#ifndef TEST_FAMILY_CASES_H
#define TEST_FAMILY_CASES_H

#include "plan_build.h"

struct test_family_case {
    const char *matrix;
    struct test_plan_options options;
    spmm_family_t family; /* of tensor cores */
    uint32_t unit_rows;   /* 0: the family that the schedule is of */
    int is_long_rows;     /* long rows are a part of their own */
};

#define TEST_FAMILY_CASES 15
extern const struct test_family_case test_family_cases[TEST_FAMILY_CASES];

/* Of both ops, whole, so that it can be saved. a: the matrix that the case names. Free with spmm_plan_destroy. */
spmm_plan_t *test_family_plan(const struct test_family_case *of, const struct test_matrix *a);

#endif
