/* SPDX-License-Identifier: Apache-2.0 */
/* The window, panel and bcsr families on the CPU: products compared with the reference for every named
 * matrix, compute type and layout, and the laws of products for their parts. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tcblock/tcblock_host_cpu.h"
#include "kernels/shared/scatter_cpu.h"
#include "kernels/tcblock/tcblock_cpu.h"
#include "kernels/tcblock/tf32_cpu.h"
#include "tcblock_sample.h"
#include "tests/support/tcblock_kind_of.h"
#include "tests/support/laws.h"

static const struct tcblock_parts shapes[] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, SPMMI_STEPS_MAX, 0},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 1, 1},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 2, 1},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 128, 3, 0},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 256, SPMMI_STEPS_MAX, 0},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 2, 1},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, SPMMI_STEPS_MAX, 0},
};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

#define COMPUTE_COUNT 5

/* Compute types in rotation. */
static spmm_compute_t compute_of(int turn)
{
    return (spmm_compute_t)(SPMM_COMPUTE_F64 + turn % COMPUTE_COUNT);
}

/* Odd widths and widths at the ends of tiles. Layouts, gaps, shifts and factors rotate. */
static void every_matrix(enum test_values values, int64_t n_step)
{
    int turn = 0;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, values);
        for (int s = 0; s < SHAPE_COUNT; s++)
            for (int type = (i + s) % 3; type < COMPUTE_COUNT; type += 3) {
                const spmm_compute_t compute = compute_of(type);
                spmm_plan_t *plan = tcblock_plan(a, compute, &shapes[s]);
                test_law_widths(a, plan, values, 1 + (i + s + type) % n_step, n_step, &turn);
                spmm_plan_destroy(plan);
            }
        test_matrix_free(a);
    }
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL, 37);
}

/* Rounding factors does not change small integers, and their sums are exact in f32. */
static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER, 53);
}

static void every_width_type_layout_and_factor_meets_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    static const int turns_of_shapes[] = {1, 2, 5};
    for (int h = 0; h < 3; h++)
        for (int t = 0; t < COMPUTE_COUNT; t++) {
            spmm_plan_t *plan = tcblock_plan(a, compute_of(t), &shapes[turns_of_shapes[h]]);
            test_law_turns(a, plan);
            spmm_plan_destroy(plan);
        }
    test_matrix_free(a);
}

static void same_bits_at_any_number_of_threads_and_every_time(void **state)
{
    (void)state;
    static const char *const names[] = {"dense row among sparse", "2 x 6000 short-fat", "dense", "band",
                                        "1 x 9000 dense",         "power law"};
    for (int m = 0; m < (int)(sizeof names / sizeof names[0]); m++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
            spmm_plan_t *plan = tcblock_plan(a, compute_of(m + s), &shapes[s]);
            struct test_product product = test_product_of_turn(SPMM_OP_N, 67, m + s, TEST_VALUES_REAL);
            product.alpha = 1.5, product.beta = -0.5;
            test_law_threads(a, plan, &product);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

/* Checks that if the last columns of row j of B are not finite, these columns of C are not finite in exactly
 * the rows that store column j. All other elements keep their values. */
static void canary(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype, int64_t j)
{
    const int64_t n = j % 2 == 0 ? 5 : 37, first = n - 4;
    struct test_product product = test_product_of_turn(SPMM_OP_N, n, (int)j, TEST_VALUES_REAL);
    product.alpha = 1, product.beta = 0;
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    struct test_dense plain = test_dense_copy(&c);
    test_product_run(executor, &product, &b, &plain);
    for (int64_t q = first; q < n; q++)
        test_dense_set(&b, j, q, j & 4 ? (double)NAN : (double)INFINITY);
    test_product_run(executor, &product, &b, &c);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = 0; q < n; q++) {
            const double got = test_dense_get(&c, i, q);
            if (q < first || !test_matrix_stores(a, i, j))
                assert_true(got == test_dense_get(&plain, i, q));
            else
                assert_true(j & 4 ? isnan(got) : isinf(got)); /* no value of the matrix is 0 */
        }
    test_dense_free(&plain);
    test_dense_free(&b);
    test_dense_free(&c);
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    static const char *const names[] = {"first rows empty", "odd rows empty", "one dense column",
                                        "diagonal",         "rows of 0 to 8", "3000 x 3 tall-skinny"};
    for (int m = 0; m < (int)(sizeof names / sizeof names[0]); m++)
        for (int s = 0; s < SHAPE_COUNT; s++)
            for (int t = (m + s) % 3; t < COMPUTE_COUNT; t += 3) {
                struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
                spmm_plan_t *plan = tcblock_plan(a, compute_of(t), &shapes[s]);
                spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
                for (int64_t j = 0; j < a->cols; j++)
                    canary(executor, a, plan->dtype, j);
                spmm_executor_destroy(executor);
                spmm_plan_destroy(plan);
                test_matrix_free(a);
            }
}

static const struct tcblock_parts shapes_of_dots[] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, SPMMI_STEPS_MAX, 0},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX, 0},
};
#define DOT_COUNT ((int)(sizeof shapes_of_dots / sizeof shapes_of_dots[0]))

/* Returns the product of a 1 x count row and a column in a compute type. */
static double dot(const struct tcblock_parts *shape, spmm_compute_t compute, const double *a_values,
                  const double *b_values, int64_t count)
{
    int64_t row_ptr[2] = {0, count};
    int32_t col_ind[8];
    double values[8], result;
    for (int64_t i = 0; i < count; i++) {
        col_ind[i] = (int32_t)i;
        values[i] = a_values[i];
    }
    const struct test_matrix a = {"row", 1, count, count, row_ptr, col_ind, values};
    const struct test_product product = {.n = 1, .alpha = 1};
    spmm_plan_t *plan = tcblock_plan(&a, compute, shape);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    struct test_dense b = test_product_b(&a, plan->dtype, &product),
                      c = test_product_c(&a, plan->dtype, &product);
    for (int64_t i = 0; i < count; i++)
        test_dense_set(&b, i, 0, b_values[i]);
    test_product_run(executor, &product, &b, &c);
    result = test_dense_get(&c, 0, 0);
    test_dense_free(&b);
    test_dense_free(&c);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    return result;
}

static void tf32_rounds_to_eleven_bits_ties_away(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = {
        {0x3f800000, 0x3f800000}, {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f802000},
        {0xbf801000, 0xbf802000}, {0x3f803000, 0x3f804000}, {0x3fffffff, 0x40000000},
        {0x7f7fefff, 0x7f7fe000}, {0x7f7ff000, 0x7f800000}, {0xff7fffff, 0xff800000},
        {0x7f800000, 0x7f800000}, {0x00000fff, 0x00000000}, {0x00001000, 0x00002000},
        {0x80000000, 0x80000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(half_bits_of(tf32_round(half_value_of(cases[i][0]))), cases[i][1]);
    static const uint32_t nans[] = {0x7f800001, 0x7fc00000, 0x7fffffff, 0xffffffff, 0xff800fff};
    for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++)
        assert_true(isnan(tf32_round(half_value_of(nans[i]))));
}

static void tf32_multiplies_rounded_factors_and_3xtf32_nearly_whole_ones(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 200; key++) {
        const double a[] = {test_real(key, 1)}, b[] = {test_real(key, 2)};
        const double rounded = (double)tf32_round((float)a[0]) * (double)tf32_round((float)b[0]);
        const struct tcblock_parts *shape = &shapes_of_dots[key % DOT_COUNT];
        assert_true(dot(shape, SPMM_COMPUTE_TF32, a, b, 1) == rounded); /* 22 bits: exact in f32 */
        const double split = dot(shape, SPMM_COMPUTE_3XTF32, a, b, 1);
        assert_true(fabs(split - a[0] * b[0]) <= (0x1p-21 + 3 * 0x1.01p-24) * fabs(a[0] * b[0]));
    }
}

static void factors_that_rounding_would_spoil_are_multiplied_as_they_are(void **state)
{
    (void)state;
    static const double inf = (double)INFINITY, maximum = (double)FLT_MAX;
    static const struct {
        double a[2], b[2], want;
    } cases[] = {
        {{maximum, 0}, {0.5, 1}, maximum / 2},
        {{0.5, 0}, {-maximum, 1}, -maximum / 2},
        {{maximum, 1}, {1, -1}, maximum},
        {{inf, 1}, {2, 3}, inf},
        {{3, 1}, {-inf, 5}, -inf},
        {{inf, inf}, {-1, -2}, -inf},
        {{0x1p-140, 0}, {1, 1}, 0x1p-140},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] - 1; i++)
        for (int c = 0; c < 2 * DOT_COUNT; c++)
            assert_true(dot(&shapes_of_dots[c / 2], (spmm_compute_t)(SPMM_COMPUTE_TF32 + c % 2), cases[i].a,
                            cases[i].b, 2) == cases[i].want);
    const double zero_times_inf[2][2] = {{0, 1}, {inf, 1}}, inf_minus_inf[2][2] = {{inf, inf}, {1, -1}};
    for (int c = 0; c < 2 * DOT_COUNT; c++) {
        const struct tcblock_parts *shape = &shapes_of_dots[c / 2];
        const spmm_compute_t compute = (spmm_compute_t)(SPMM_COMPUTE_TF32 + c % 2);
        assert_true(isnan(dot(shape, compute, zero_times_inf[0], zero_times_inf[1], 2)));
        assert_true(isnan(dot(shape, compute, inf_minus_inf[0], inf_minus_inf[1], 2)));
    }
}

static void a_permuted_output_has_its_rows_in_the_order(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int t = 0; t < COMPUTE_COUNT; t++) {
        spmm_plan_t *plan = tcblock_plan(a, compute_of(t), &shapes[t % 3 == 2 ? 5 : 1 + t % 3]);
        struct test_product product = test_product_of_turn(SPMM_OP_N, 9, t, TEST_VALUES_REAL);
        product.beta = 0;
        test_law_permuted_output(a, plan, &product);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void new_values_give_the_product_of_a_new_plan(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_INTEGER);
        spmm_plan_t *plan = tcblock_plan(a, compute_of(i), &shapes[i / 2 % SHAPE_COUNT]);
        const struct test_product product = test_product_of_turn(SPMM_OP_N, 7, i, TEST_VALUES_INTEGER);
        test_law_new_values(a, plan, &product);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void memory_report_before_equals_the_one_after(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
            spmm_plan_t *plan = tcblock_plan(a, compute_of(i + s), &shapes[s]);
            test_law_memory_report(plan, NULL);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

#if defined(__x86_64__)
/* Computes one product with the functions of a level, item by item, in tiles of `columns` columns. Then
 * scales C. */
static void level_run(const struct tcblock_cpu_ops *ops, const struct tcblock_cpu_job *job, int columns)
{
    const struct spmmi_tcblocks *layout = job->layout;
    const int64_t n = job->product->b.cols;
    for (uint32_t i = 0; i < layout->item_count; i++)
        for (int64_t first = 0; first < n; first += columns) {
            const int64_t left = n - first;
            const struct tcblock_cpu_tile tile = {job, &layout->items[i], columns, first,
                                                  left < columns ? left : columns};
            ops->item(&tile);
        }
    for (uint32_t i = 0; i < layout->split_count * layout->unit_rows; i++)
        ops->join(job, &layout->splits[i / layout->unit_rows], i % layout->unit_rows);
    ops->scale(1, 0.3, job->product->c.data);
}

static void levels_agree(const struct test_matrix *a, spmm_compute_t compute,
                         const struct tcblock_parts *shape, int turn)
{
    const spmm_dtype_t dtype = tcblock_type(compute);
    const struct test_product product = test_product_of_turn(SPMM_OP_N, 2 * turn + 1, turn, TEST_VALUES_REAL);
    spmm_plan_t *plan = tcblock_plan(a, compute, shape);
    struct spmmi_cpu_tcblocks held;
    assert_int_equal(spmmi_cpu_tcblocks_make(test_tcblock_kind_of(&plan->parts[0]), plan, &plan->parts[0],
                                             NULL, &held, NULL),
                     SPMM_OK);
    spmmi_cpu_scatter(dtype, plan->nnz, held.layout.value_map, plan->values, held.values);
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    struct test_dense d = test_dense_copy(&c);
    void *workspace = malloc(spmmi_tcblock_slot_bytes(&held.layout.view, (int)dtype, product.n) + 1);
    assert_non_null(workspace);
    struct spmmi_product described = {
        .a_type = dtype, .compute = compute, .alpha = 1.25, .beta = product.beta, .b = b.view, .c = c.view};
    const struct tcblock_cpu_job job = {&held.layout.view, &described, workspace};
    level_run(&spmmi_tcblock_cpu_portable[compute], &job, 4 << turn % 4);
    described.c = d.view;
    level_run(&spmmi_tcblock_cpu_avx2[compute], &job, 4 << (turn + 1) % 4);
    assert_memory_equal(c.block, d.block, c.block_bytes);
    free(workspace);
    test_dense_free(&d);
    test_dense_free(&c);
    test_dense_free(&b);
    spmmi_cpu_tcblocks_free(&held);
    spmm_plan_destroy(plan);
}
#endif

static void avx2_has_the_bits_of_the_portable_level_in_any_tile(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skip();
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int t = 0; t < COMPUTE_COUNT; t++)
        for (int turn = 0; turn < 16; turn++)
            levels_agree(a, compute_of(t), &shapes[turn % SHAPE_COUNT], turn);
    test_matrix_free(a);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(every_width_type_layout_and_factor_meets_the_bound),
        cmocka_unit_test(same_bits_at_any_number_of_threads_and_every_time),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(tf32_rounds_to_eleven_bits_ties_away),
        cmocka_unit_test(tf32_multiplies_rounded_factors_and_3xtf32_nearly_whole_ones),
        cmocka_unit_test(factors_that_rounding_would_spoil_are_multiplied_as_they_are),
        cmocka_unit_test(a_permuted_output_has_its_rows_in_the_order),
        cmocka_unit_test(new_values_give_the_product_of_a_new_plan),
        cmocka_unit_test(memory_report_before_equals_the_one_after),
        cmocka_unit_test(avx2_has_the_bits_of_the_portable_level_in_any_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
