/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_sample.h. */
#include "tcblock_sample.h"

spmm_dtype_t tcblock_type(spmm_compute_t compute)
{
    return compute >= SPMM_COMPUTE_TF32 ? SPMM_F32 : (spmm_dtype_t)compute;
}

spmm_plan_t *tcblock_plan(const struct test_matrix *a, spmm_compute_t compute,
                          const struct tcblock_parts *parts)
{
    const struct test_plan_options options = {tcblock_type(compute), parts->schedule, parts->item_size, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    if (parts->family == SPMM_FAMILY_BCSR)
        test_plan_groups(plan, parts->unit_rows, compute);
    else
        test_plan_units(plan, parts->unit_rows, compute);
    if (parts->is_reordered)
        test_plan_reorder(plan, 5, 0);
    return plan;
}
