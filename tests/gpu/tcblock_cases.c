/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_cases.h. */
#include "tcblock_cases.h"

static const struct {
    spmm_dtype_t dtype;
    spmm_compute_t compute;
} types[TEST_TCBLOCK_TYPES] = {
    {SPMM_F32, SPMM_COMPUTE_TF32}, {SPMM_F32, SPMM_COMPUTE_3XTF32}, {SPMM_F64, SPMM_COMPUTE_F64},
    {SPMM_F16, SPMM_COMPUTE_F16},  {SPMM_BF16, SPMM_COMPUTE_BF16},
};

static const struct {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, item_size;
    int is_reordered;
} shapes[TEST_TCBLOCK_SHAPES] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 1000, 0},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 1000, 1},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 1, 0},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, 1000, 1},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 1, 0},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 128, 1, 0},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 128, 50, 1},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1000, 0},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1, 1},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 1000, 1},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 1, 0},
};

struct test_tcblock_case test_tcblock_case(int index)
{
    const int type = index % TEST_TCBLOCK_TYPES, shape = index % TEST_TCBLOCK_SHAPES;
    return (struct test_tcblock_case){
        types[type].dtype,       types[type].compute,     shapes[shape].family,      shapes[shape].schedule,
        shapes[shape].unit_rows, shapes[shape].item_size, shapes[shape].is_reordered};
}

spmm_plan_t *test_tcblock_plan(const struct test_matrix *a, const struct test_tcblock_case *of)
{
    const struct test_plan_options options = {of->dtype, of->schedule, of->item_size, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    if (of->family == SPMM_FAMILY_BCSR)
        test_plan_groups(plan, of->unit_rows, of->compute);
    else
        test_plan_units(plan, of->unit_rows, of->compute);
    if (of->is_reordered)
        test_plan_reorder(plan, 11, 0);
    return plan;
}

spmm_executor_t *test_tcblock_executor(const struct test_matrix *a, const struct test_tcblock_case *of)
{
    spmm_plan_t *plan = test_tcblock_plan(a, of);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    spmm_plan_destroy(plan);
    return executor;
}
