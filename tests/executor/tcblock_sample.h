/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of the window, panel and bcsr families for both ops. */
#ifndef SPMM_TESTS_TCBLOCK_PLAN_H
#define SPMM_TESTS_TCBLOCK_PLAN_H

#include "tests/support/plan_build.h"

/* Properties of the parts. */
struct tcblock_parts {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, item_size;
    int is_reordered;
};

/* Returns the type of A's values for a compute type. */
spmm_dtype_t tcblock_type(spmm_compute_t compute);

/* Makes the plan. Free it with spmm_plan_destroy. */
spmm_plan_t *tcblock_plan(const struct test_matrix *a, spmm_compute_t compute,
                          const struct tcblock_parts *parts);

#endif
