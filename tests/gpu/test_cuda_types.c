/* SPDX-License-Identifier: Apache-2.0 */
/* Every combination of value types on the GPU, and products of a pattern without values, against the long
 * double reference and the CPU twin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/plan_build.h"
#include "tests/support/plan_seal.h"
#include "tests/support/type_walk.h"

/* 6, 10, 18, 34, 66 and 130 are pairs of columns of f32; the last two have several tiles. 33 to 199 have
 * three columns of f32 per lane, in up to three tiles. Canaries step through the widths by 7 and visit all
 * of them because their number is prime. */
static const int64_t widths[] = {1,  2,  3,  4,  6,  7,  8,   10,  12,  16,  18,  24,  31,  32, 33,
                                 34, 40, 49, 64, 66, 97, 100, 128, 129, 130, 199, 256, 300, 301};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))
_Static_assert(WIDTH_COUNT == 29, "a prime number of widths, or canaries leave some out");

static const struct {
    spmm_schedule_t schedule;
    uint32_t item_size;
} shapes[] = {
    {SPMM_SCHEDULE_ROW_SPLIT, 8}, {SPMM_SCHEDULE_NONZERO_SPLIT, 8}, {SPMM_SCHEDULE_NONZERO_SPLIT, 64}};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

static spmm_plan_t *plan_make(const struct test_matrix *a, spmm_dtype_t dtype, int shape, int has_no_values)
{
    const struct test_plan_options options = {dtype, shapes[shape].schedule, shapes[shape].item_size, 1,
                                              has_no_values};
    return test_plan_whole(a, options, a->name);
}

/* Checks products with varying layouts, gaps, shifts and factors. Many of them have aligned row-major
 * operands. */
static void products_check(const struct test_matrix *a, const spmm_types_info_t *types, int shape, int turn,
                           enum test_values values)
{
    struct test_cuda_pair pair = test_cuda_pair_make(plan_make(a, types->a_type, shape, 0), NULL);
    for (int w = 0; w < WIDTH_COUNT; w++, turn++) {
        const struct test_product product =
            test_cuda_turn(widths[w], turn % 3 == 0 ? 0 : turn / 3, turn, values);
        test_cuda_product_check_types(pair.gpu, pair.cpu, a, types, &product);
    }
    test_cuda_pair_free(&pair);
}

static void all_types_are_within_their_bound(void **state)
{
    (void)state;
    test_types_of_every_matrix(TEST_VALUES_REAL, SHAPE_COUNT, products_check);
}

static void integers_are_exact_in_all_types(void **state)
{
    (void)state;
    test_types_of_every_matrix(TEST_VALUES_INTEGER, SHAPE_COUNT, products_check);
}

static spmm_executor_t *executor_of_pattern(const spmm_plan_t *plan)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    options.unit_values = 1;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    return executor;
}

/* Sets the values of a as new values. The executor must read them, although its plan had no other values. */
static void values_set(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t a_type)
{
    void *const values = test_values_of(a, a_type);
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    free(values);
}

static uint64_t device_bytes(const spmm_executor_t *executor)
{
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    return info.device_bytes;
}

static void holds_no_values(const spmm_executor_t *pattern, const spmm_executor_t *values,
                            const struct test_matrix *ones, spmm_dtype_t a_type)
{
    const uint64_t bytes = (uint64_t)ones->nnz * spmm_dtype_size(a_type);
    assert_true(device_bytes(pattern) + bytes <= device_bytes(values));
}

/* Checks that both executors give the same bits. has_special: B has rows of NaN, infinity, zeros and large
 * numbers. */
static void bits_are_the_same(spmm_executor_t *first, spmm_executor_t *second, const struct test_matrix *a,
                              spmm_dtype_t type, const struct test_product *product, int has_special)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 65504, 3e38};
    struct test_dense b = test_product_b(a, type, product);
    struct test_dense c = test_product_c(a, type, product), d = test_dense_copy(&c);
    for (int i = 0; has_special && i < 7; i++)
        for (int64_t j = 0; j < product->n; j++)
            test_dense_set(&b, 5 * i, j, special[i]);
    test_cuda_product_run(first, product, &b, &c);
    test_cuda_product_run(second, product, &b, &d);
    assert_memory_equal(c.block, d.block, c.block_bytes);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&d);
}

/* Checks that an executor that reads no values gives the bits of an executor that reads ones. */
static void pattern_check(const struct test_matrix *ones, spmm_dtype_t a_type, spmm_dtype_t type, int shape,
                          int turn)
{
    spmm_plan_t *of_pattern = plan_make(ones, a_type, shape, 1), *of_ones = plan_make(ones, a_type, shape, 0);
    spmm_executor_t *const pattern = executor_of_pattern(of_pattern);
    spmm_executor_t *const values = test_executor_make(of_ones, 0, 0, NULL);
    values_set(values, ones, a_type);
    holds_no_values(pattern, values, ones, a_type);
    for (int w = 0; w < WIDTH_COUNT; w++, turn++) {
        const struct test_product product =
            test_cuda_turn(widths[w], turn % 3 == 0 ? 0 : turn / 3, turn, TEST_VALUES_REAL);
        bits_are_the_same(pattern, values, ones, type, &product, 0);
        const spmm_types_info_t types = {.a_type = a_type, .b_type = type, .c_type = type};
        test_cuda_product_check_types(pattern, NULL, ones, &types, &product);
    }
    spmm_executor_destroy(values);
    spmm_executor_destroy(pattern);
    spmm_plan_destroy(of_ones);
    spmm_plan_destroy(of_pattern);
}

static void patterns_have_the_bits_of_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"power law", "dense row among sparse", "odd rows empty", "band"};
    for (int i = 0; i < 4 * SHAPE_COUNT * 4; i++) {
        struct test_matrix *a = test_matrix_named(names[i % 4], TEST_VALUES_REAL);
        const spmm_dtype_t type = (spmm_dtype_t)(SPMM_F32 + i / 4 / SHAPE_COUNT);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = 1;
        /* f16 and bf16 run with an A of f32, whose plan has no values, and with an A of their own type. */
        pattern_check(a, type == SPMM_F64 || i % 2 == 0 ? type : SPMM_F32, type, i / 4 % SHAPE_COUNT, i);
        test_matrix_free(a);
    }
}

/* Equal values are not read. Checks that the bits are those of an executor that reads them. */
static void uniform_check(struct test_matrix *a, double value, const spmm_types_info_t *types, int shape,
                          int turn)
{
    for (int64_t p = 0; p < a->nnz; p++)
        a->values[p] = value;
    spmm_plan_t *plan = plan_make(a, types->a_type, shape, 0);
    spmm_executor_t *const uniform = test_executor_make(plan, 0, 0, NULL);
    spmm_executor_t *const reading = test_executor_make(plan, 0, 0, NULL);
    values_set(reading, a, types->a_type);
    for (int w = turn % 4; w < WIDTH_COUNT; w += 4, turn++) {
        const struct test_product product =
            test_cuda_turn(widths[w], turn % 3 == 0 ? 0 : turn / 3, turn, TEST_VALUES_REAL);
        for (int has_special = 0; has_special < 2; has_special++)
            bits_are_the_same(uniform, reading, a, types->b_type, &product, has_special);
        if (fabs(value) < 1 && fabs(value) > 0.1)
            test_cuda_product_check_types(uniform, NULL, a, types, &product);
    }
    spmm_executor_destroy(reading);
    spmm_executor_destroy(uniform);
    spmm_plan_destroy(plan);
}

static void values_that_are_all_the_same_have_the_bits_of_those_that_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"power law", "odd rows empty", "dense row among sparse", "band"};
    static const double values[] = {-0.75, 1.0 / 3, 0, -0.0, 1e-40, 3e38, -INFINITY, NAN};
    spmm_types_info_t types;
    for (int t = 0, turn = 0; test_types_at(t, &types); t++)
        for (int v = 0; v < 8; v++, turn++) {
            struct test_matrix *a = test_matrix_named(names[turn % 4], TEST_VALUES_REAL);
            if (types.b_type == types.c_type)
                uniform_check(a, values[v], &types, (t + v) % SHAPE_COUNT, turn);
            test_matrix_free(a);
        }
}

/* NaN and infinity in a row of B reach exactly the rows that store the column, with all combinations of
 * types. */
static void canaries_stay_in_their_rows_in_all_types(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_types_info_t types;
    for (int t = 0; test_types_at(t, &types); t++) {
        spmm_plan_t *plan = plan_make(a, types.a_type, t % SHAPE_COUNT, 0);
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        for (int64_t column = t; column < a->cols; column += 7) {
            const struct test_product product =
                test_cuda_plain(widths[column % WIDTH_COUNT], (int)column % 4);
            struct test_dense b = test_product_b(a, types.b_type, &product);
            struct test_dense c = test_product_c(a, types.c_type, &product);
            for (int64_t j = 0; j < product.n; j++)
                test_dense_set(&b, column, j, column % 2 == 0 ? (double)INFINITY : (double)NAN);
            test_cuda_product_run(executor, &product, &b, &c);
            test_product_check_canary(a, column, &c);
            test_dense_free(&b);
            test_dense_free(&c);
        }
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_are_within_their_bound),
        cmocka_unit_test(integers_are_exact_in_all_types),
        cmocka_unit_test(patterns_have_the_bits_of_ones),
        cmocka_unit_test(values_that_are_all_the_same_have_the_bits_of_those_that_are_read),
        cmocka_unit_test(canaries_stay_in_their_rows_in_all_types),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
