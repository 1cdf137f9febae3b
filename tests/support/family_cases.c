/* SPDX-License-Identifier: Apache-2.0 */
/* See family_cases.h. */
#include "family_cases.h"

#include <stdlib.h>

#include "kernels/dense/dense_shape.h"
#include "kernels/wide/wide_shape.h"
#include "plan_seal.h"

/* The cases with nonzero splits: on a GPU, all thread blocks share one row, with one or many columns; or they
 * share two rows; or a few long rows are among short ones. */
const struct test_family_case test_family_cases[TEST_FAMILY_CASES] = {
    {"1 x 9000 dense", {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0}, 0, 0, 0},
    {"2 x 6000 short-fat", {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0}, 0, 0, 0},
    {"power law", {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0}, 0, 0, 0},
    {"dense row among sparse", {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0}, 0, 0, 0},
    {"dense", {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, 0, 0, 0},
    {"dense", {SPMM_F16, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 0, 0, 0},
    {"dense row among sparse", {SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 8, 1, 0}, 0, 0, 0},
    {"dense", {SPMM_F32, SPMM_SCHEDULE_DENSE, 1, 1, 0}, SPMM_FAMILY_WINDOW, 8, 0},
    {"dense row among sparse", {SPMM_F64, SPMM_SCHEDULE_PACKED, 1, 1, 0}, SPMM_FAMILY_WINDOW, 8, 1},
    {"power law", {SPMM_F32, SPMM_SCHEDULE_PACKED, 1000, 1, 0}, SPMM_FAMILY_PANEL, 64, 1},
    {"one dense row", {SPMM_F32, SPMM_SCHEDULE_DENSE, 1000, 1, 0}, SPMM_FAMILY_BCSR, 64, 1},
    {"dense", {SPMM_F16, SPMM_SCHEDULE_DENSE, 1000, 1, 0}, SPMM_FAMILY_BCSR, 64, 0},
    {"dense", {SPMM_F16, SPMMI_DENSE_GEMM, 0, 1, 0}, 0, 0, 0},
    {"dense row among sparse", {SPMM_F32, SPMMI_DENSE_GEMM, 0, 1, 0}, 0, 0, 0},
    {"dense row among sparse", {SPMM_F32, SPMMI_WIDE_COLUMN_PANELS, 0, 1, 0}, 0, 0, 0},
};

static spmm_compute_t compute_of(spmm_dtype_t type)
{
    return type == SPMM_F64 ? SPMM_COMPUTE_F64 : type == SPMM_F16 ? SPMM_COMPUTE_F16 : SPMM_COMPUTE_3XTF32;
}

spmm_plan_t *test_family_plan(const struct test_family_case *of, const struct test_matrix *a)
{
    spmm_plan_t *plan = test_plan_whole(a, of->options, of->matrix);
    if (of->family == SPMM_FAMILY_BCSR)
        test_plan_groups(plan, of->unit_rows, compute_of(of->options.dtype));
    else if (of->unit_rows > 0)
        test_plan_units(plan, of->unit_rows, compute_of(of->options.dtype));
    if (of->is_long_rows && test_plan_split_long_rows(plan, test_long_rows_min(a)) == 0)
        abort();
    return plan;
}
