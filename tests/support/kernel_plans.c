/* SPDX-License-Identifier: Apache-2.0 */
/* See kernel_plans.h. */
#include "kernel_plans.h"

#include <stdlib.h>
#include <string.h>

#include "plan_seal.h"

#define GPU_UNIT_MAX 128u /* maximum height of the panel kernels on GPUs */

int test_kernels_of(const char *target, spmm_kernel_info_t kernels[TEST_KERNELS_MAX])
{
    int count = 0;
    spmm_kernel_info_t info = {.struct_size = sizeof info};
    for (int i = 0; spmm_kernel_at(i, &info) == SPMM_OK; i++)
        if (strcmp(info.target, target) == 0 && count < TEST_KERNELS_MAX)
            kernels[count++] = info;
    return count;
}

int test_kernel_takes(const spmm_kernel_info_t *kernel, spmm_dtype_t dtype)
{
    return (spmmi_family_of(kernel->family)->types & SPMMI_TYPE_BIT(dtype)) != 0;
}

spmm_dtype_t test_kernel_type(const spmm_kernel_info_t *kernel, int turn)
{
    int dtype = turn % 4;
    while (!test_kernel_takes(kernel, (spmm_dtype_t)(SPMM_F32 + dtype)))
        dtype = (dtype + 1) % 4;
    return (spmm_dtype_t)(SPMM_F32 + dtype);
}

static uint32_t item_size_of(const struct spmmi_schedule *schedule, int turn)
{
    /* rows family: in small matrices, the boundaries of items of 8 and 16 nonzeros may move by half a block,
     * and those of longer items by a quarter (8 and 16 lanes). */
    static const uint32_t sizes[] = {8, 64, 16, 1024}, few[] = {1, 7, 1000};
    if (schedule->item_size_max == 0)
        return 0;
    return schedule->item_sizes == SPMMI_ITEM_SIZE_POWER ? sizes[turn % 4] : few[turn % 3];
}

/* Sets the height of the units and the number of stage slots. */
static void shape_set(spmm_plan_t *plan, const struct spmmi_family *family, int turn)
{
    static const uint32_t slots[] = {439, 33, 64};
    uint32_t unit_rows = family->unit_min;
    for (int i = 0; i < turn % 4 && 2 * unit_rows <= family->unit_max; i++)
        unit_rows *= 2;
    if (family->compute == SPMMI_COMPUTE_TENSOR && unit_rows > GPU_UNIT_MAX)
        unit_rows = GPU_UNIT_MAX;
    test_plan_family(plan, family, unit_rows);
    for (uint32_t i = 0; i < plan->part_count && family->slots_max > 0; i++)
        plan->parts[i].stage_slots = slots[turn % 3];
}

spmm_plan_t *test_kernel_plan(const spmm_kernel_info_t *kernel, const struct test_matrix *a,
                              spmm_dtype_t dtype, int turn)
{
    static const spmm_compute_t either[] = {SPMM_COMPUTE_F32, SPMM_COMPUTE_3XTF32, SPMM_COMPUTE_TF32};
    const struct spmmi_family *const family = spmmi_family_of(kernel->family);
    const struct spmmi_schedule *const schedule = spmmi_schedule_of(kernel->family, kernel->schedule);
    const struct test_plan_options options = {dtype, kernel->schedule, item_size_of(schedule, turn), 1, 0};
    spmm_plan_t *plan = test_plan_whole(a, options, a->name);
    shape_set(plan, family, turn);
    if (family->compute == SPMMI_COMPUTE_TENSOR && dtype == SPMM_F32)
        for (uint32_t i = 0; i < plan->variant_count; i++)
            plan->variants[i].compute = turn % 2 == 0 ? SPMM_COMPUTE_TF32 : SPMM_COMPUTE_3XTF32;
    if (family->compute == SPMMI_COMPUTE_EITHER && dtype == SPMM_F32)
        for (uint32_t i = 0; i < plan->variant_count; i++)
            plan->variants[i].compute = either[turn % 3];
    if (turn / 2 % 2 == 1)
        test_plan_reorder(plan, (uint64_t)turn, 0);
    if (family->takes_long_rows && turn / 4 % 2 == 1 && test_kernel_takes(kernel, dtype))
        (void)test_plan_split_long_rows(plan, test_long_rows_min(a));
    return plan;
}
