/* SPDX-License-Identifier: Apache-2.0 */
/* The dense family on the GPU: every type, layout and width against the long double reference and the CPU
 * twin, non-finite factors, repeats, and the behaviour without cuBLASLt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/dense/dense_library_cuda.h"
#include "kernels/dense/dense_shape.h"
#include "kernels/dense/dense_tile_shape.h"
#include "tests/support/kernel_plans.h"
#include "tests/support/plan_seal.h"

/* Number of forms: the four value types, and f32 as 3xtf32 and as tf32. */
#define FORMS 6
#define REPEATS 20

static spmm_kernel_info_t kernel = {.family = SPMMI_DENSE, .schedule = SPMMI_DENSE_GEMM};

static spmm_dtype_t type_of(int form)
{
    return form < 4 ? (spmm_dtype_t)(SPMM_F32 + form) : SPMM_F32;
}

static spmm_plan_t *plan_of(const struct test_matrix *a, int form)
{
    return test_kernel_plan(&kernel, a, type_of(form), form < 4 ? 0 : form - 3);
}

static spmm_executor_t *executor_make(const struct test_matrix *a, int form)
{
    spmm_plan_t *plan = plan_of(a, form);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    spmm_plan_destroy(plan);
    return executor;
}

static void widths_check(const struct test_matrix *a, int form, const int64_t *widths, int count,
                         enum test_values values, int turn)
{
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, form), NULL);
    for (int w = 0; w < count; w++)
        for (int layouts = 0; layouts < 4; layouts++, turn++) {
            const struct test_product product = test_cuda_turn(widths[w], layouts, turn, values);
            test_cuda_product_check(pair.gpu, pair.cpu, a, type_of(form), &product);
        }
    test_cuda_pair_free(&pair);
}

static void every_matrix(enum test_values values)
{
    static const int64_t widths[] = {1, 8, 33, 128};
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, values);
        for (int f = 0; f < FORMS; f++)
            widths_check(a, f, widths, 4, values, 5 * m + f);
        test_matrix_free(a);
    }
}

static void every_matrix_meets_its_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL);
}

static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER);
}

static void wide_products_meet_their_bound(void **state)
{
    static const int64_t widths[] = {512, 2048};
    static const char *const names[] = {"dense", "band", "power law"};
    (void)state;
    for (int i = 0; i < 3 * FORMS; i++) {
        struct test_matrix *a = test_matrix_named(names[i % 3], TEST_VALUES_REAL);
        widths_check(a, i / 3, widths, 2, TEST_VALUES_REAL, i);
        test_matrix_free(a);
    }
}

/* Covers also products that add C, and matrices whose row 0 does not store the column or is empty. */
static void canaries_reach_the_rows_that_store_the_column(void **state)
{
    static const char *const names[] = {"power law", "first rows empty", "arrow", "one dense column"};
    (void)state;
    for (int i = 0; i < 4 * FORMS; i++) {
        struct test_matrix *a = test_matrix_named(names[i % 4], TEST_VALUES_REAL);
        spmm_executor_t *executor = executor_make(a, i / 4);
        for (int64_t column = i % 5; column < a->cols; column += 1 + a->cols / 16) {
            struct test_product product = test_cuda_plain(1 + 11 * column % 140, (int)column % 4);
            product.beta = column % 2 == 0 ? 0 : -0.5;
            test_cuda_product_canary(executor, a, type_of(i / 4), &product, column);
        }
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

TEST_PATTERN(third, (i + j) % 3 == 0)

/* The last column number that fits in 16 bits, and the first one that does not. */
static void canaries_are_found_beyond_16_bits(void **state)
{
    (void)state;
    for (int64_t cols = 65536; cols <= 65537; cols++) {
        const struct test_pattern pattern = {"third", 3, cols, third};
        struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
        spmm_executor_t *executor = executor_make(a, 0);
        const struct test_product product = test_cuda_plain(9, 0);
        test_cuda_product_canary(executor, a, type_of(0), &product, cols - 1);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

/* C that the library stores through a copy, with more columns than a grid can have blocks. */
static void many_copied_columns_meet_their_bound(void **state)
{
    const struct test_pattern pattern = {"third", 5, 8, third};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
    const int form = SPMM_F16 - SPMM_F32;
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, form), NULL);
    (void)state;
    for (int layouts = 2; layouts < 4; layouts++) {
        const struct test_product product = test_cuda_plain(65537, layouts);
        test_cuda_product_check(pair.gpu, pair.cpu, a, type_of(form), &product);
    }
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

static void repeats_and_graphs_have_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int f = 0; f < FORMS; f++)
        for (int layouts = 0; layouts < 4; layouts++) {
            spmm_executor_t *executor = executor_make(a, f);
            spmm_executor_t *const both[] = {executor, executor};
            struct test_product product = test_cuda_plain(24 + 40 * layouts, layouts);
            product.beta = layouts % 2 == 0 ? 0 : -0.5;
            test_cuda_product_graph(executor, a, type_of(f), &product, REPEATS);
            product.beta = 0;
            test_cuda_product_repeat(executor, a, type_of(f), &product, REPEATS);
            test_cuda_product_threads(both, a, type_of(f), &product, REPEATS);
            spmm_executor_destroy(executor);
        }
    test_matrix_free(a);
}

/* Splitting such values into halves would spoil whole rows, and in 16-bit types they reach the sums. New
 * values make them appear and disappear. */
static void values_of_a_that_are_not_finite_are_exact(void **state)
{
    static const double special[] = {(double)INFINITY, -(double)INFINITY, (double)NAN, 3.4028e38};
    static const int forms[] = {4, 5, SPMM_F16 - SPMM_F32, SPMM_BF16 - SPMM_F32};
    (void)state;
    for (int i = 0; i < 16; i++) {
        const int form = forms[i / 4];
        const spmm_dtype_t dtype = type_of(form);
        struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
        const int64_t at = a->nnz / 3 + 7 * i;
        const double before = a->values[at];
        a->values[at] = dtype != SPMM_F32 && i % 4 == 3 ? 65504 : special[i % 4];
        spmm_executor_t *executor = executor_make(a, form);
        struct test_product product = test_cuda_plain(65, i);
        product.beta = i % 2 == 0 ? 0 : -0.5;
        test_cuda_product_check(executor, NULL, a, dtype, &product);
        a->values[at] = before;
        void *values = test_values_of(a, dtype);
        assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
        free(values);
        test_cuda_product_check(executor, NULL, a, dtype, &product);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

/* Checks that the kernel `name` runs the f32 product and that the result is right. */
static void check_kernel(spmm_executor_t *executor, const struct test_matrix *a,
                         const struct test_product *product, const char *name)
{
    const spmm_executor_info_t info = test_cuda_product_info(executor, a, SPMM_F32, product);
    assert_string_equal(info.kernel, name);
    test_cuda_product_check(executor, NULL, a, SPMM_F32, product);
}

/* One part multiplies f32 directly or as 3xtf32, depending on n. */
static void a_part_may_have_both_forms(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, 0), *more = plan_of(a, 4);
    plan->variants[0].n_max = 32;
    more->variants[0].n_min = 33;
    test_plan_join(plan, more);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    for (int i = 0; i < 4; i++) {
        struct test_product product = test_cuda_plain(i < 2 ? 24 : 80, i);
        product.beta = i % 2;
        check_kernel(executor, a, &product, i < 2 ? "cuda/dense/gemm" : "cuda/dense/gemm/3xtf32");
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* 30 columns of row-major B are not a whole number of vectors, so that the library's own kernels for few
 * columns cannot run. */
static void few_columns_are_multiplied_as_said(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, 4);
    plan->variants[0].n_max = 128;
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    for (int64_t n = 30; n <= 32; n += 2) {
        struct test_product product = test_cuda_plain(n, 0);
        check_kernel(executor, a, &product, "cuda/dense/gemm/3xtf32");
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

TEST_PATTERN(half, (i + j) % 2 == 0)

/* Checks each pair of layouts with beta = 0 and with beta = -0.5. b_gap: gap of column-major B. */
static void check_narrow(const struct test_matrix *a, int form, const int64_t *widths, int count,
                         int64_t b_gap)
{
    spmm_executor_t *executor = executor_make(a, form);
    for (int i = 0; i < count * 8; i++) {
        struct test_product product = test_cuda_plain(widths[i / 8], i % 4);
        product.beta = i / 4 % 2 ? -0.5 : 0;
        product.alpha = i % 3 ? 1 : -2;
        product.b_gap = product.b_layout == SPMM_COL_MAJOR ? b_gap : 0;
        product.c_gap = product.c_layout == SPMM_COL_MAJOR ? i % 7 : 0;
        test_cuda_product_check(executor, NULL, a, type_of(form), &product);
        if (i % 4 == 0 || i % 4 == 3) /* B and C have the same layout */
            test_cuda_product_canary(executor, a, type_of(form), &product, (7 * i) % a->cols);
    }
    spmm_executor_destroy(executor);
}

/* Products with few columns: tiles of each width and their tails, one or two groups of rows per warp, one
 * or several thread blocks along k, NaN and infinity. */
static void narrow_products_meet_their_bound(void **state)
{
    static const int64_t widths[] = {1, 8, 12, 16, 24, 32, 40, 64}, wide[] = {128, 192};
    static const int64_t sizes[][2] = {{24, 2304}, {281, 92}, {1100, 96}};
    (void)state;
    for (int m = 0; m < 3; m++) {
        const struct test_pattern pattern = {"half", sizes[m][0], sizes[m][1], half};
        struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
        for (int form = 0; form < FORMS; form++)
            check_narrow(a, form, m < 2 ? widths : wide, m < 2 ? 8 : 2, 0);
        test_matrix_free(a);
    }
}

/* Checks that warpgroups multiply all of these sizes (rows, k, columns), with each of their kernels. */
static void check_tiles(const int64_t (*sizes)[3], size_t count)
{
#define X(rows, columns, stages, shares, ...) {rows, columns, stages, shares},
    static const uint32_t kernels[][4] = {SPMMI_DENSE_TILE_KINDS(X)};
#undef X
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        int runs = 0;
        for (size_t m = 0; m < count; m++) {
            const struct spmmi_dense_tile of = {132, 0, 0, 0, sizes[m][0], sizes[m][2], sizes[m][1]};
            const struct spmmi_dense_tile_shape s = spmmi_dense_tile(&of);
            const uint32_t chosen[] = {s.rows, s.columns, s.stages, s.shares};
            assert_true(s.columns > 0);
            runs |= memcmp(chosen, kernels[i], sizeof chosen) == 0;
        }
        assert_true(runs);
    }
}

/* Both 16-bit types with warpgroups: each tile, alone and in clusters, and tails of rows, columns and k. */
static void products_of_warpgroups_meet_their_bound(void **state)
{
    static const int64_t sizes[][3] = {
        {250, 2300, 248}, {250, 1500, 504},  {250, 2300, 120}, {500, 2040, 136}, {2040, 500, 120},
        {1000, 72, 504},  {1100, 200, 1000}, {2040, 75, 1048}, {70, 1000, 40},   {8, 8, 16},
        {1, 136, 24},     {130, 4000, 64},   {500, 1800, 504}, {1020, 500, 1016}};
    (void)state;
    check_tiles(sizes, sizeof sizes / sizeof *sizes);
    for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++) {
        const struct test_pattern pattern = {"half", sizes[m][0], sizes[m][1], half};
        struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
        for (int form = SPMM_F16 - SPMM_F32; form <= SPMM_BF16 - SPMM_F32; form++) {
            check_narrow(a, form, &sizes[m][2], 1, (8 - a->cols % 8) % 8);
            if (a->cols % 8 != 0) /* also B in its other layout */
                check_narrow(a, form, &sizes[m][2], 1, 0);
        }
        test_matrix_free(a);
    }
}

/* C cancels the product, so that the result shows whether the product was rounded before C was added. */
static void sums_of_16_bits_are_rounded_once(void **state)
{
    static const int64_t widths[] = {8, 16, 64, 136, 512};
    (void)state;
    for (int m = 0; m < 4; m++) {
        const struct test_pattern pattern = {"half", 48 + 80 * m, m < 3 ? 64 + 96 * m : 75, half};
        struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_INTEGER);
        for (int form = SPMM_F16 - SPMM_F32; form <= SPMM_BF16 - SPMM_F32; form++) {
            spmm_executor_t *executor = executor_make(a, form);
            for (int i = 0; i < 5 * 4; i++) {
                struct test_product product = test_cuda_plain(widths[i / 4], i % 4);
                product.values = TEST_VALUES_INTEGER;
                product.beta = i % 3 == 0 ? 1 : -1;
                test_cuda_product_check(executor, NULL, a, type_of(form), &product);
            }
            spmm_executor_destroy(executor);
        }
        test_matrix_free(a);
    }
}

/* Runs more shapes than the executor keeps. */
static void any_number_of_shapes_runs(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_executor_t *executor = executor_make(a, SPMM_F16 - SPMM_F32);
    for (int64_t i = 0; i < 160; i++) {
        const struct test_product product = test_cuda_plain(1 + 7 * (i % 80), 0);
        test_cuda_product_check(executor, NULL, a, SPMM_F16, &product);
    }
    spmm_executor_destroy(executor);
    test_matrix_free(a);
}

static void name_check(const spmm_executor_t *executor, const struct test_matrix *a, const char *want)
{
    const struct test_product product = test_cuda_plain(40, 0);
    const spmm_executor_info_t info = test_cuda_product_info(executor, a, SPMM_F16, &product);
    assert_memory_equal(info.kernel, want, strlen(want));
}

/* A part of rows replaces a dense part. A plan without such a part names the missing library. */
static void a_missing_library_is_replaced_or_named(void **state)
{
    static const char *const none[] = {"libspmm_there_is_no_such_library.so", NULL};
    const struct test_plan_options rows = {SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 8, 1, 0};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *dense = test_kernel_plan(&kernel, a, SPMM_F16, 0);
    spmm_plan_t *both = test_kernel_plan(&kernel, a, SPMM_F16, 0);
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    test_plan_join(both, test_plan_whole(a, rows, a->name));
    spmmi_dense_library_files_hook = none;
    assert_int_equal(spmm_executor_create(dense, 0, NULL, &executor, &diag), SPMM_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, none[0]));
    assert_int_equal(spmm_executor_create(both, 0, NULL, &executor, NULL), SPMM_OK);
    spmmi_dense_library_files_hook = NULL;
    name_check(executor, a, "cuda/rows/row-split");
    const struct test_product product = test_cuda_plain(40, 0);
    test_cuda_product_check(executor, NULL, a, SPMM_F16, &product);
    spmm_executor_destroy(executor);
    executor = test_executor_make(both, 0, 0, NULL);
    name_check(executor, a, "cuda/dense/gemm/tensor");
    spmm_executor_destroy(executor);
    spmm_plan_destroy(both);
    spmm_plan_destroy(dense);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_meets_its_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(wide_products_meet_their_bound),
        cmocka_unit_test(canaries_reach_the_rows_that_store_the_column),
        cmocka_unit_test(canaries_are_found_beyond_16_bits),
        cmocka_unit_test(many_copied_columns_meet_their_bound),
        cmocka_unit_test(repeats_and_graphs_have_the_same_bits),
        cmocka_unit_test(values_of_a_that_are_not_finite_are_exact),
        cmocka_unit_test(a_part_may_have_both_forms),
        cmocka_unit_test(few_columns_are_multiplied_as_said),
        cmocka_unit_test(narrow_products_meet_their_bound),
        cmocka_unit_test(products_of_warpgroups_meet_their_bound),
        cmocka_unit_test(sums_of_16_bits_are_rounded_once),
        cmocka_unit_test(any_number_of_shapes_runs),
        cmocka_unit_test(a_missing_library_is_replaced_or_named),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
