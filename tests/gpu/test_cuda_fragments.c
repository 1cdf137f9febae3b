/* SPDX-License-Identifier: Apache-2.0 */
/* Every compute type of the window and panel families on the GPU against the long double reference and the CPU twin,
 * and the laws of products: NaN and infinity stay in their rows, same bits every time and from a graph, new values,
 * permuted output. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/inspector.h>

#include "cuda_product.h"
#include "tests/support/plan_build.h"

#define REPEATS 100

/* Columns: tiles of 8 and 16 bytes a lane, once and twice, of all types; odd ones; more than a pass. */
static const int64_t widths[] = {1, 3, 8, 9, 16, 17, 24, 32, 33, 40, 64, 72, 100, 128, 130, 256, 300};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static const struct {
    double alpha, beta;
} factors[] = {{1, 0}, {1, 1}, {-0.5, 0}, {2, -0.5}, {0, 0}, {0, 1}, {0, 2}};
#define FACTOR_COUNT ((int)(sizeof factors / sizeof factors[0]))

static const struct {
    spmm_dtype_t dtype;
    spmm_compute_t compute;
} types[] = {
    {SPMM_F32, SPMM_COMPUTE_TF32}, {SPMM_F32, SPMM_COMPUTE_3XTF32}, {SPMM_F64, SPMM_COMPUTE_F64},
    {SPMM_F16, SPMM_COMPUTE_F16},  {SPMM_BF16, SPMM_COMPUTE_BF16},
};
#define TYPE_COUNT 5

static const struct shape {
    uint32_t unit_rows;
    spmm_schedule_t schedule;
    uint32_t granule; /* steps of an item: 1 cuts nearly all units */
    int is_reordered;
} shapes[] = {
    {8, SPMM_SCHEDULE_DENSE, 1000, 0},  {8, SPMM_SCHEDULE_PACKED, 1000, 1}, {8, SPMM_SCHEDULE_PACKED, 1, 0},
    {64, SPMM_SCHEDULE_DENSE, 1000, 1}, {64, SPMM_SCHEDULE_PACKED, 1, 0},   {128, SPMM_SCHEDULE_DENSE, 1, 0},
    {128, SPMM_SCHEDULE_PACKED, 50, 1},
};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

static spmm_plan_t *plan_make(const struct test_matrix *a, int type, const struct shape *shape)
{
    const struct test_plan_options options = {types[type].dtype, shape->schedule, shape->granule, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    test_plan_units(plan, shape->unit_rows, types[type].compute);
    if (shape->is_reordered)
        test_plan_reorder(plan, 11, 0);
    return plan;
}

static spmm_executor_t *executor_make(const struct test_matrix *a, int type, const struct shape *shape)
{
    spmm_plan_t *plan = plan_make(a, type, shape);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    spmm_plan_destroy(plan);
    return executor;
}

static struct test_product product_of(int64_t n, int turn)
{
    return (struct test_product){.n = n,
                                 .b_order = (spmm_order_t)(turn & 1),
                                 .c_order = (spmm_order_t)(turn >> 1 & 1),
                                 .alpha = 1,
                                 .values = TEST_VALUES_REAL};
}

/* Orders, gaps, shifts and factors take turns; wide words are met where gap and shift are 0. */
static struct test_product turn_product(int turn, enum test_values values)
{
    const int64_t gap = turn % 3 == 0 ? 0 : turn % 9;
    struct test_product product = product_of(widths[turn % WIDTH_COUNT], turn % 5 < 3 ? 0 : turn);
    product.op = (spmm_op_t)(turn / 2 % 2);
    product.b_gap = gap;
    product.c_gap = turn % 2 == 0 ? gap : 4;
    product.shift = turn % 7 == 1 ? turn % 4 : 0;
    product.alpha = factors[turn / 3 % FACTOR_COUNT].alpha;
    product.beta = factors[turn / 3 % FACTOR_COUNT].beta;
    product.values = values;
    return product;
}

static void every_matrix(enum test_values values)
{
    int turn = (int)values;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, values);
        for (int pair = 0; pair < TYPE_COUNT * SHAPE_COUNT; pair++) {
            const int type = pair % TYPE_COUNT;
            spmm_plan_t *plan = plan_make(a, type, &shapes[pair % SHAPE_COUNT]);
            spmm_executor_t *gpu = test_executor_make(plan, 0, 0, NULL),
                            *cpu = test_executor_make(plan, SPMM_DEVICE_CPU, 0, NULL);
            for (int i = 0; i < 3; i++) {
                const struct test_product product = turn_product(turn++, values);
                test_cuda_product_check(gpu, cpu, a, types[type].dtype, &product);
            }
            spmm_executor_destroy(cpu);
            spmm_executor_destroy(gpu);
            spmm_plan_destroy(plan);
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

/* Each instance: all widths, aligned and not, of each type and shape. */
static void every_width_meets_the_error_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int type = 0; type < TYPE_COUNT; type++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            spmm_executor_t *executor = executor_make(a, type, &shapes[s]);
            for (int w = 0; w < 2 * WIDTH_COUNT; w++) {
                struct test_product product = product_of(widths[w / 2], 0);
                product.shift = w % 2;
                test_cuda_product_check(executor, NULL, a, types[type].dtype, &product);
            }
            spmm_executor_destroy(executor);
        }
    test_matrix_free(a);
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    static const int64_t canary_widths[] = {1, 8, 5, 33, 64};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int pair = 0; pair < TYPE_COUNT * SHAPE_COUNT; pair++) {
        spmm_executor_t *executor = executor_make(a, pair % TYPE_COUNT, &shapes[pair % SHAPE_COUNT]);
        for (int64_t column = 0; column < a->cols; column++) {
            const struct test_product product =
                product_of(canary_widths[column % 5], column % 3 == 0 ? 3 : 0);
            test_cuda_product_canary(executor, a, types[pair % TYPE_COUNT].dtype, &product, column);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Numbers that rounding to 11 bits would make infinite are multiplied as they are. */
static void the_largest_numbers_stay_finite(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("diagonal", TEST_VALUES_INTEGER);
    for (int64_t p = 0; p < a->nnz; p++)
        a->values[p] = 1;
    for (int pair = 0; pair < 2 * SHAPE_COUNT; pair++) {
        const struct test_product product = product_of(40, 0);
        spmm_executor_t *executor = executor_make(a, pair % 2, &shapes[pair % SHAPE_COUNT]);
        struct test_dense b = test_product_b(a, SPMM_F32, &product),
                          c = test_product_c(a, SPMM_F32, &product);
        for (int64_t j = 0; j < product.n; j++)
            test_dense_set(&b, 0, j, (double)FLT_MAX);
        test_cuda_product_run(executor, &product, &b, &c);
        for (int64_t j = 0; j < product.n; j++)
            assert_true(test_dense_get(&c, 0, j) == (double)FLT_MAX);
        test_dense_free(&b);
        test_dense_free(&c);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void repeats_give_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int pair = 0; pair < TYPE_COUNT * SHAPE_COUNT; pair++) {
        const spmm_dtype_t dtype = types[pair % TYPE_COUNT].dtype;
        const struct test_product product = product_of(41, pair);
        spmm_executor_t *executor = executor_make(a, pair % TYPE_COUNT, &shapes[pair % SHAPE_COUNT]);
        test_cuda_product_repeat(executor, a, dtype, &product, REPEATS);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void new_values_reach_both_ops(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("lower triangle", TEST_VALUES_INTEGER);
    for (int pair = 0; pair < TYPE_COUNT * SHAPE_COUNT; pair++) {
        const spmm_dtype_t dtype = types[pair % TYPE_COUNT].dtype;
        spmm_executor_t *executor = executor_make(a, pair % TYPE_COUNT, &shapes[pair % SHAPE_COUNT]);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = test_integer((uint64_t)p, (uint64_t)pair + 7);
        void *values = test_values_of(a, dtype);
        assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
        for (int op = 0; op < 2; op++) {
            struct test_product product = product_of(12, pair);
            product.op = (spmm_op_t)op;
            product.values = TEST_VALUES_INTEGER;
            test_cuda_product_check(executor, NULL, a, dtype, &product);
        }
        free(values);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void a_permuted_output_has_its_rows_in_the_order(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int pair = 0; pair < TYPE_COUNT * SHAPE_COUNT; pair++) {
        const spmm_dtype_t dtype = types[pair % TYPE_COUNT].dtype;
        const struct test_product product = product_of(9, pair);
        spmm_plan_t *plan = plan_make(a, pair % TYPE_COUNT, &shapes[pair % SHAPE_COUNT]);
        test_plan_reorder(plan, 5, 0);
        test_cuda_permuted_output_check(plan, a, dtype, &product);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

/* A launch takes up to 32,768 columns; slots of units that were cut are used again. */
static void products_wider_than_a_launch_meet_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const int type = s % TYPE_COUNT;
        const struct test_product product = product_of(32768 + 5, s % 2 == 0 ? 0 : 3);
        spmm_executor_t *executor = executor_make(a, type, &shapes[s]);
        test_cuda_product_check(executor, NULL, a, types[type].dtype, &product);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void a_graph_replays_the_product(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int pair = 0; pair < TYPE_COUNT * SHAPE_COUNT; pair++) {
        const spmm_dtype_t dtype = types[pair % TYPE_COUNT].dtype;
        const struct test_product product = product_of(40, pair);
        spmm_executor_t *executor = executor_make(a, pair % TYPE_COUNT, &shapes[pair % SHAPE_COUNT]);
        test_cuda_product_graph(executor, a, dtype, &product, 10);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_meets_the_error_bound),
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(the_largest_numbers_stay_finite),
        cmocka_unit_test(repeats_give_the_same_bits),
        cmocka_unit_test(new_values_reach_both_ops),
        cmocka_unit_test(a_permuted_output_has_its_rows_in_the_order),
        cmocka_unit_test(products_wider_than_a_launch_meet_the_bound),
        cmocka_unit_test(a_graph_replays_the_product),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
