/* SPDX-License-Identifier: Apache-2.0 */
/* Products that are built to come near the error bounds of docs/accuracy.md, on the CPU. Every compute type
 * stays within its bound, and comes near it, which shows that the bound is not too loose and that the test
 * can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/adversary.h"

/* For each compute type, the adversary that comes nearest to its bound, and the least share of the bound it
 * must reach. */
static const struct {
    spmm_compute_t compute;
    struct test_adversary_target target;
    const char *adversary;
    double share;
} ways[] = {
    {SPMM_COMPUTE_TF32, {SPMM_F32, 24}, "one product below ties", 0.99},
    {SPMM_COMPUTE_3XTF32, {SPMM_F32, 24}, "one product above ties", 0.7},
    {SPMM_COMPUTE_F64, {SPMM_F64, 53}, "lost in blocks", 0.95},
    {SPMM_COMPUTE_F16, {SPMM_F16, 24}, "lost in blocks and cancelled", 0.45},
    {SPMM_COMPUTE_BF16, {SPMM_BF16, 24}, "lost in blocks and cancelled", 0.45},
};
#define WAY_COUNT ((int)(sizeof ways / sizeof ways[0]))

static const struct {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, item_size;
} shapes[] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, SPMMI_STEPS_MAX},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 1},
};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

static spmm_plan_t *plan_make(const struct test_matrix *a, int way, int shape)
{
    const struct test_plan_options options = {ways[way].target.dtype, shapes[shape].schedule,
                                              shapes[shape].item_size, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    if (shapes[shape].family == SPMM_FAMILY_BCSR)
        test_plan_groups(plan, shapes[shape].unit_rows, ways[way].compute);
    else
        test_plan_units(plan, shapes[shape].unit_rows, ways[way].compute);
    return plan;
}

static double largest_share; /* largest error / error bound of all products */

static void check(int adversary, int way, int shape)
{
    const struct test_adversary_target *target = &ways[way].target;
    struct test_matrix *a = test_adversary_matrix(adversary, target);
    spmm_plan_t *plan = plan_make(a, way, shape);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    const double share =
        test_adversary_share(adversary, target, a, executor, TEST_ADVERSARY_COLUMNS, test_product_run);
    if (share > largest_share)
        largest_share = share;
    const int is_worst = strcmp(a->name, ways[way].adversary) == 0 && shapes[shape].item_size > 1;
    if (!(share <= 1) || (is_worst && share < ways[way].share))
        fail_msg("%s, %s/%s, items of %u steps: %g of the bound of %s", a->name,
                 spmm_family_name(shapes[shape].family), spmm_schedule_name(shapes[shape].schedule),
                 shapes[shape].item_size, share, spmm_compute_name(ways[way].compute));
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void every_compute_type_is_within_its_bound_and_near_it(void **state)
{
    (void)state;
    for (int way = 0; way < WAY_COUNT; way++)
        for (int shape = 0; shape < SHAPE_COUNT; shape++)
            for (int adversary = 0; adversary < test_adversary_count(); adversary++)
                check(adversary, way, shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compute_type_is_within_its_bound_and_near_it),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0)
        printf("scorecard: E17 %.3f of the error bound at most, over %d adversarial products on the CPU\n",
               largest_share, WAY_COUNT * SHAPE_COUNT * test_adversary_count());
    return failed;
}
