/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on the GPU against the long double reference and the CPU twin: every number type, register tile,
 * panel height, order of B and C; stages that are cut, segments, orders of the units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/executor.h>

#include "cuda_product.h"
#include "tests/support/plan_build.h"

static const int64_t widths[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static const struct {
    double alpha, beta;
} factors[] = {{1, 0}, {1, 1}, {-0.5, 0}, {2, -0.5}, {0, 0}, {0, 2}};
#define FACTOR_COUNT ((int)(sizeof factors / sizeof factors[0]))

static const struct layout {
    struct test_plan_options plan;
    uint32_t panel_rows, stage_slots;
    int is_reordered;
} layouts[] = {
    {{SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 32, 439, 0},
    {{SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 7, 1, 0}, 64, 32, 1},
    {{SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 256, 40, 1},
    {{SPMM_F64, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 128, 32, 0},
    {{SPMM_F64, SPMM_SCHEDULE_SEGMENTED, 1, 1, 0}, 256, 439, 0},
    {{SPMM_F16, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 64, 33, 1},
    {{SPMM_F16, SPMM_SCHEDULE_SEGMENTED, 16, 1, 0}, 32, 439, 0},
    {{SPMM_BF16, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, 128, 439, 0},
    {{SPMM_BF16, SPMM_SCHEDULE_SEGMENTED, 5, 1, 0}, 256, 47, 1},
};
#define LAYOUT_COUNT ((int)(sizeof layouts / sizeof layouts[0]))

struct pair {
    spmm_executor_t *gpu, *cpu;
};

static spmm_executor_t *executor_make(const spmm_plan_t *plan, int device)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.device = device;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {0};
    if (spmm_executor_create(plan, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

static struct pair pair_make(const struct test_matrix *a, const struct layout *layout)
{
    spmm_plan_t *plan = test_plan_build(a, layout->plan);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        plan->parts[i].panel_rows = layout->panel_rows;
        plan->parts[i].stage_slots = layout->stage_slots;
    }
    if (layout->is_reordered)
        test_plan_reorder(plan, 7, 0);
    const struct pair pair = {executor_make(plan, 0), executor_make(plan, SPMM_DEVICE_CPU)};
    spmm_plan_destroy(plan);
    return pair;
}

static void pair_free(struct pair *pair)
{
    spmm_executor_destroy(pair->gpu);
    spmm_executor_destroy(pair->cpu);
}

static void widths_and_orders(const struct test_matrix *a, const struct layout *layout,
                              enum test_values values, int turn)
{
    struct pair pair = pair_make(a, layout);
    for (int w = 0; w < WIDTH_COUNT; w++, turn++) {
        const int64_t gap = turn % 3 == 0 ? 0 : turn % 9;
        const struct test_product product = {
            .op = (spmm_op_t)(turn / 4 % 2),
            .n = widths[w],
            .b_order = (spmm_order_t)(turn & 1),
            .c_order = (spmm_order_t)(turn >> 1 & 1),
            .b_gap = gap,
            .c_gap = turn % 2 == 0 ? gap : 4,
            .shift = turn % 5 == 1 ? turn % 4 : 0,
            .alpha = factors[turn % FACTOR_COUNT].alpha,
            .beta = factors[turn % FACTOR_COUNT].beta,
            .values = values,
        };
        test_cuda_product_check(pair.gpu, pair.cpu, a, layout->plan.dtype, &product);
    }
    pair_free(&pair);
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        for (int l = 0; l < LAYOUT_COUNT; l++)
            widths_and_orders(a, &layouts[l], TEST_VALUES_REAL, i * LAYOUT_COUNT + l);
        test_matrix_free(a);
    }
}

/* Every register tile in both orders of B and C, aligned and not; short enough for compute-sanitizer. */
static void every_tiled_instance_is_met(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        struct pair pair = pair_make(a, &layouts[l]);
        for (int64_t n = 1; n <= 32; n *= 2)
            for (int turn = 0; turn < 8; turn++) {
                const struct test_product product = {
                    .n = n,
                    .b_order = (spmm_order_t)(turn & 1),
                    .c_order = (spmm_order_t)(turn >> 1 & 1),
                    .shift = turn >> 2,
                    .alpha = 1,
                    .values = TEST_VALUES_REAL,
                };
                test_cuda_product_check(pair.gpu, pair.cpu, a, layouts[l].plan.dtype, &product);
            }
        pair_free(&pair);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tiled_instance_is_met),
        cmocka_unit_test(every_matrix_meets_the_error_bound),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
