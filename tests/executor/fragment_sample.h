/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of the window, panel and bcsr families, of both ops. */
#ifndef SPMM_TESTS_FRAGMENT_PLAN_H
#define SPMM_TESTS_FRAGMENT_PLAN_H

#include "tests/support/plan_build.h"

/* What its parts are. */
struct fragment_parts {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, granule;
    int is_reordered;
};

/* The numbers that a compute type is for. */
spmm_dtype_t fragment_type(spmm_compute_t compute);

/* Free with spmm_plan_destroy. */
spmm_plan_t *fragment_plan(const struct test_matrix *a, spmm_compute_t compute,
                           const struct fragment_parts *parts);

#endif
