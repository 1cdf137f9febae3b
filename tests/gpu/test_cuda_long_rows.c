/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of two parts on the GPU: windows, row blocks or block-row groups, and the long rows, whose
 * kernels may run concurrently. Products are compared with the long double reference and the CPU twin and
 * obey the laws of products. Work that follows in the stream finds both parts complete. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_chain.h"
#include "cuda_product.h"
#include "tests/support/plan_build.h"

#define REPEATS 50

/* Numbers of columns: single and odd ones, words, tiles, and more than one pass of column-major operands. */
static const int64_t widths[] = {1, 3, 8, 16, 17, 32, 40, 64, 128, 130, 256, 300};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static const struct shape {
    spmm_family_t family;
    spmm_compute_t compute;
    uint32_t unit_rows;
    spmm_schedule_t schedule;
    uint32_t item_size; /* steps per item; 1 cuts nearly all units, whose sums another kernel adds */
    int is_reordered;
} shapes[] = {
    {SPMM_FAMILY_WINDOW, SPMM_COMPUTE_3XTF32, 8, SPMM_SCHEDULE_DENSE, 1000, 0},
    {SPMM_FAMILY_WINDOW, SPMM_COMPUTE_F64, 8, SPMM_SCHEDULE_PACKED, 1, 1},
    {SPMM_FAMILY_PANEL, SPMM_COMPUTE_TF32, 64, SPMM_SCHEDULE_PACKED, 1, 1},
    {SPMM_FAMILY_PANEL, SPMM_COMPUTE_F64, 128, SPMM_SCHEDULE_DENSE, 1000, 0},
    {SPMM_FAMILY_BCSR, SPMM_COMPUTE_3XTF32, 64, SPMM_SCHEDULE_DENSE, 1000, 1},
    {SPMM_FAMILY_WINDOW, SPMM_COMPUTE_TF32, 8, SPMM_SCHEDULE_PACKED, 1000, 1},
    {SPMM_FAMILY_PANEL, SPMM_COMPUTE_3XTF32, 128, SPMM_SCHEDULE_DENSE, 1, 0},
    {SPMM_FAMILY_BCSR, SPMM_COMPUTE_F64, 128, SPMM_SCHEDULE_DENSE, 1, 0},
    {SPMM_FAMILY_PANEL, SPMM_COMPUTE_F64, 64, SPMM_SCHEDULE_PACKED, 50, 1},
    {SPMM_FAMILY_WINDOW, SPMM_COMPUTE_F16, 8, SPMM_SCHEDULE_DENSE, 1000, 0},
    {SPMM_FAMILY_PANEL, SPMM_COMPUTE_BF16, 64, SPMM_SCHEDULE_PACKED, 1, 1},
    {SPMM_FAMILY_BCSR, SPMM_COMPUTE_F16, 64, SPMM_SCHEDULE_DENSE, 1000, 0},
};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

static spmm_dtype_t type_of(const struct shape *shape)
{
    return shape->compute <= SPMM_COMPUTE_BF16 ? (spmm_dtype_t)shape->compute : SPMM_F32;
}

static spmm_plan_t *plan_make(const struct test_matrix *a, const struct shape *shape)
{
    const struct test_plan_options options = {type_of(shape), shape->schedule, shape->item_size, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    (shape->family == SPMM_FAMILY_BCSR ? test_plan_groups : test_plan_units)(plan, shape->unit_rows,
                                                                             shape->compute);
    if (shape->is_reordered)
        test_plan_reorder(plan, 11, 0);
    (void)test_plan_split_long_rows(plan, test_long_rows_min(a));
    return plan;
}

static spmm_executor_t *executor_make(const struct test_matrix *a, const struct shape *shape)
{
    spmm_plan_t *plan = plan_make(a, shape);
    assert_true(plan->variants[0].part_count == 2);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    spmm_plan_destroy(plan);
    return executor;
}

static void every_matrix(enum test_values values)
{
    int turn = (int)values;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, values);
        for (int s = 0; s < SHAPE_COUNT; s++) {
            struct test_cuda_pair pair = test_cuda_pair_make(plan_make(a, &shapes[s]), NULL);
            for (int i = 0; i < 5; i++, turn++) {
                const struct test_product product =
                    test_cuda_turn(widths[turn % WIDTH_COUNT], turn / 5, turn, values);
                test_cuda_product_check(pair.gpu, pair.cpu, a, type_of(&shapes[s]), &product);
            }
            test_cuda_pair_free(&pair);
        }
        test_matrix_free(a);
    }
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL);
}

static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER);
}

/* Checks all widths in all layouts, aligned and not, with every pair of factors. */
static void every_width_layout_and_factor_meets_the_error_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        spmm_executor_t *executor = executor_make(a, &shapes[s]);
        for (int turn = 0; turn < 8 * WIDTH_COUNT; turn++) {
            struct test_product product = test_cuda_plain(widths[turn / 8], turn);
            product.shift = turn / 4 % 2;
            product.alpha = test_cuda_factors[(turn + s) % TEST_CUDA_FACTORS].alpha;
            product.beta = test_cuda_factors[(turn + s) % TEST_CUDA_FACTORS].beta;
            test_cuda_product_check(executor, NULL, a, type_of(&shapes[s]), &product);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        spmm_executor_t *executor = executor_make(a, &shapes[s]);
        for (int64_t column = 0; column < a->cols; column += 3) {
            const struct test_product product = test_cuda_plain(1 + column % 40, column % 6 == 0 ? 3 : 0);
            test_cuda_product_canary(executor, a, type_of(&shapes[s]), &product, column);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void repeats_give_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const struct test_product product = test_cuda_plain(41, s);
        spmm_executor_t *executor = executor_make(a, &shapes[s]);
        test_cuda_product_repeat(executor, a, type_of(&shapes[s]), &product, REPEATS);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void a_graph_replays_the_product(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 0; s < 4 * SHAPE_COUNT; s++) {
        const struct shape *shape = &shapes[s % SHAPE_COUNT];
        const struct test_product product = test_cuda_plain(s % 3 == 0 ? 300 : 40, s / SHAPE_COUNT);
        spmm_executor_t *executor = executor_make(a, shape);
        test_cuda_product_graph(executor, a, type_of(shape), &product, 10);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Both parts hold equal values. A captured product reads these arrays, so that a replay sees new values. */
static void graphs_see_new_values_where_all_were_the_same(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const spmm_dtype_t dtype = type_of(&shapes[s]);
        const struct test_product product = test_cuda_plain(40, s);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = 0.25;
        spmm_executor_t *executor = executor_make(a, &shapes[s]);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = test_real((uint64_t)p, (uint64_t)s + 7);
        void *values = test_values_of(a, dtype);
        test_cuda_product_graph_of(executor, a, dtype, &product, values);
        test_cuda_product_check(executor, NULL, a, dtype, &product);
        free(values);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void new_values_reach_both_parts_and_ops(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_INTEGER);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const spmm_dtype_t dtype = type_of(&shapes[s]);
        spmm_executor_t *executor = executor_make(a, &shapes[s]);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = test_integer((uint64_t)p, (uint64_t)s + 7);
        void *values = test_values_of(a, dtype);
        assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
        for (int op = 0; op < 2; op++) {
            struct test_product product = test_cuda_plain(12, s);
            product.op = (spmm_op_t)op;
            product.values = TEST_VALUES_INTEGER;
            test_cuda_product_check(executor, NULL, a, dtype, &product);
        }
        free(values);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void memory_report_before_equals_the_one_after(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        spmm_plan_t *plan = plan_make(a, &shapes[s]);
        uint64_t bytes = 0;
        assert_int_equal(spmm_executor_memory_bytes(plan, 0, NULL, NULL, &bytes, NULL), SPMM_OK);
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        spmm_executor_info_t info = {.struct_size = sizeof info};
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
        assert_int_equal(info.device_bytes, bytes);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void kernels_say_what_they_are(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_executor_t *executor = executor_make(a, &shapes[0]);
    const spmm_dense_t b = {NULL, a->cols, 8, 8, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {NULL, a->rows, 8, 8, SPMM_ROW_MAJOR, SPMM_F32};
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, "cuda/window/dense/peeled/3xtf32");
    spmm_executor_destroy(executor);
    test_matrix_free(a);
}

/* ---- What follows in the stream ---- */

#define CHAIN_N 64

static void a_product_that_follows_finds_both_parts_complete(void **state)
{
    (void)state;
    struct test_matrix *a = test_chain_matrix(TEST_CHAIN_ROWS, 1);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        spmm_executor_t *executor = executor_make(a, &shapes[s]);
        for (int layouts = 0; layouts < 4; layouts += 3)
            test_chain_check(executor, a, type_of(&shapes[s]), CHAIN_N, layouts);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_layout_and_factor_meets_the_error_bound),
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(repeats_give_the_same_bits),
        cmocka_unit_test(a_graph_replays_the_product),
        cmocka_unit_test(graphs_see_new_values_where_all_were_the_same),
        cmocka_unit_test(new_values_reach_both_parts_and_ops),
        cmocka_unit_test(memory_report_before_equals_the_one_after),
        cmocka_unit_test(kernels_say_what_they_are),
        cmocka_unit_test(a_product_that_follows_finds_both_parts_complete),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
