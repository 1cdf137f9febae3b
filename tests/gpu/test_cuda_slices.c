/* SPDX-License-Identifier: Apache-2.0 */
/* Products of one column with rows in slices: compared with the reference and the CPU, with guard bands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "hostile_tables.h"
#include "tests/support/plan_build.h"

#define ROWS 130
#define COLS 1250000

/* Rows of 20 to 27 nonzeros, and some without any. In the band patterns, the columns of a slice span 16 or
 * 20 bits; in the others, rows cover all columns. */
static int64_t length_of(int64_t i)
{
    return i % 19 == 5 ? 0 : 20 + i % 8;
}
TEST_PATTERN(band_rows, j >= 60 * i && j < 60 * i + 2 * length_of(i) && j % 2 == 0)
TEST_PATTERN(scattered_rows, (j + 7 * i) % 2500 == 0 && j / 2500 < length_of(i))
TEST_PATTERN(wide_rows, (j + 7 * i) % 45000 == 0 && j / 45000 < length_of(i))
/* Runs of three columns, with a shorter last run in each row. The columns of a slice span 16 or 20 bits. */
TEST_PATTERN(band_of_runs, j >= 60 * i && j < 60 * i + 2 * length_of(i) && (j - 60 * i) / 3 % 2 == 0)
TEST_PATTERN(scattered_runs,
             length_of(i) > 0 && (j + 6 * i) % 45000 < 3 - (j / 45000 == 6 + i % 2) && j / 45000 < 7 + i % 2)
static const struct test_pattern patterns[] = {{"rows of a band", ROWS, COLS, band_rows},
                                               {"scattered rows", ROWS, COLS, scattered_rows},
                                               {"wide rows", ROWS, COLS, wide_rows},
                                               {"band of runs", ROWS, 60 * ROWS, band_of_runs},
                                               {"scattered runs", ROWS, 450000, scattered_runs}};
#define PATTERNS 5

static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};

static spmm_plan_t *plan_of(const struct test_matrix *a, spmm_dtype_t dtype)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_ROW_SPLIT, 8, 0, 0};
    return test_plan_build(a, options);
}

static void assert_kernel(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                          const struct test_product *product, const char *expected)
{
    const spmm_executor_info_t info = test_cuda_product_info(executor, a, dtype, product);
    assert_non_null(strstr(info.kernel, expected));
}

/* Checks products with varying layouts, gaps and factors. warps: number of warps that share a slice; 0:
 * the default. */
static void warps_check(const struct test_matrix *a, uint32_t warps, spmm_dtype_t dtype)
{
    char kernel[64];
    (void)snprintf(kernel, sizeof kernel, "cuda/rows/row-split/v1l%usliced", warps);
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, dtype), warps > 0 ? kernel : NULL);
    for (int i = 0; i < TEST_CUDA_FACTORS; i++) {
        const struct test_product product = {.n = 1,
                                             .b_layout = (spmm_layout_t)(i % 2),
                                             .b_gap = i % 3,
                                             .c_gap = i % 4,
                                             .shift = i % 2,
                                             .alpha = test_cuda_factors[i].alpha,
                                             .beta = test_cuda_factors[i].beta,
                                             .values = TEST_VALUES_REAL};
        assert_kernel(pair.gpu, a, dtype, &product, warps > 0 ? kernel : "sliced");
        test_cuda_product_check(pair.gpu, pair.cpu, a, dtype, &product);
    }
    test_cuda_pair_free(&pair);
}

static void products_meet_the_error_bound(void **state)
{
    (void)state;
    for (int p = 0; p < PATTERNS; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p], TEST_VALUES_REAL);
        for (uint32_t turn = 0; turn < 4 * 5; turn++)
            warps_check(a, (1u << turn / 4) >> 1, dtypes[turn % 4]);
        test_matrix_free(a);
    }
}

static void transposes_have_slices_of_their_own(void **state)
{
    (void)state;
    const struct test_product product = {
        .op = SPMM_OP_T, .n = 1, .alpha = 2, .beta = 1, .values = TEST_VALUES_REAL};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    for (int i = 0; i < 4; i++) {
        const struct test_plan_options options = {dtypes[i], SPMM_SCHEDULE_ROW_SPLIT, 8, 1, 0};
        struct test_cuda_pair pair = test_cuda_pair_make(test_plan_build(a, options), NULL);
        assert_kernel(pair.gpu, a, dtypes[i], &product, "sliced");
        test_cuda_product_check(pair.gpu, pair.cpu, a, dtypes[i], &product);
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

/* Products of other widths use the rows, not the slices. */
static void other_products_take_the_rows(void **state)
{
    (void)state;
    const struct test_product wide = {.n = 4, .alpha = 1, .values = TEST_VALUES_REAL};
    struct test_matrix *a = test_matrix_of(&patterns[0], TEST_VALUES_REAL);
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, SPMM_F32), NULL);
    assert_kernel(pair.gpu, a, SPMM_F32, &wide, "v4l1");
    test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &wide);
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

/* A forced slice kernel is refused if slices are too uneven: here one row is long. */
TEST_PATTERN(one_long_row, i == 3 || j == i)
static void names_of_uneven_rows_are_refused(void **state)
{
    (void)state;
    const struct test_pattern pattern = {"one long row", ROWS, 4096, one_long_row};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, SPMM_F32);
    const spmm_executor_options_t options = {.struct_size = sizeof options,
                                             .force_kernel = "cuda/rows/row-split/v1l1sliced"};
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    uint64_t host_bytes = 0, device_bytes = 0;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, &diag), SPMM_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "choose a kernel other than v1l1sliced"));
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, &host_bytes, &device_bytes, NULL),
                     SPMM_ERR_UNSUPPORTED);
    assert_null(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Padding is not multiplied: a non-finite value of B reaches only the rows that store its column. */
static void check_repeats(const struct test_matrix *a, spmm_dtype_t dtype)
{
    const struct test_product product = {.n = 1, .alpha = 1, .values = TEST_VALUES_REAL};
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, dtype), NULL);
    assert_kernel(pair.gpu, a, dtype, &product, "sliced");
    test_cuda_product_repeat(pair.gpu, a, dtype, &product, 3);
    test_cuda_product_graph(pair.gpu, a, dtype, &product, 3);
    for (int64_t row = 0; row < 8; row++) /* the last column of a padded row, and column 0 */
        test_cuda_product_canary(pair.gpu, a, dtype, &product, a->col_ind[a->row_ptr[row + 1] - 1]);
    test_cuda_product_canary(pair.gpu, a, dtype, &product, 0);
    test_cuda_pair_free(&pair);
}

static void bits_repeat_and_nan_stays_in_its_rows(void **state)
{
    (void)state;
    for (int p = 0; p < PATTERNS; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p], TEST_VALUES_REAL);
        for (int i = 0; i < 4; i++)
            check_repeats(a, dtypes[i]);
        test_matrix_free(a);
    }
}

static void new_values_are_taken(void **state)
{
    (void)state;
    const struct test_product product = {.n = 1, .alpha = 1, .values = TEST_VALUES_INTEGER};
    for (int i = 0; i < PATTERNS; i++) {
        struct test_matrix *a = test_matrix_of(&patterns[i], TEST_VALUES_INTEGER);
        struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, dtypes[i % 4]), NULL);
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = test_integer((uint64_t)q, 99);
        void *values = test_values_of(a, dtypes[i % 4]);
        assert_int_equal(spmm_executor_set_values(pair.gpu, values, NULL, NULL), SPMM_OK);
        test_cuda_product_check(pair.gpu, NULL, a, dtypes[i % 4], &product);
        free(values);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

static spmm_executor_t *executor_for(const spmm_plan_t *plan, int64_t n_max, uint64_t *bytes)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    options.n_max = n_max;
    options.n_min = n_max;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, bytes, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(info.device_bytes, *bytes);
    return executor;
}

static void expect_same_column(spmm_executor_t *one, spmm_executor_t *any, const struct test_matrix *a,
                               spmm_dtype_t dtype)
{
    const struct test_product product = {.n = 1, .alpha = 2, .beta = 1, .values = TEST_VALUES_REAL};
    struct test_dense b = test_product_b(a, dtype, &product);
    struct test_dense c = test_product_c(a, dtype, &product), d = test_dense_copy(&c);
    assert_kernel(one, a, dtype, &product, "sliced");
    test_cuda_product_run(one, &product, &b, &c);
    test_cuda_product_run(any, &product, &b, &d);
    assert_memory_equal(c.block, d.block, c.block_bytes);
    test_dense_free(&d);
    test_dense_free(&c);
    test_dense_free(&b);
}

/* If the options ask for one column only, the executor holds slices alone, and wider products run column
 * by column. is_equal: all values of A are equal. */
static void alone_check(const struct test_pattern *pattern, spmm_dtype_t dtype, int is_equal)
{
    struct test_matrix *a = test_matrix_of(pattern, TEST_VALUES_REAL);
    for (int64_t q = 0; q < a->nnz && is_equal; q++)
        a->values[q] = 0.625;
    spmm_plan_t *plan = plan_of(a, dtype);
    uint64_t bytes_of_one = 0, bytes_of_any = 0;
    spmm_executor_t *one = executor_for(plan, 1, &bytes_of_one), *any = executor_for(plan, 0, &bytes_of_any);
    /* The difference contains at least the columns, with 16 bits each. */
    assert_true(bytes_of_one + (uint64_t)a->nnz * 2 < bytes_of_any);
    for (int turn = 0; turn < 2; turn++) {
        expect_same_column(one, any, a, dtype);
        for (int i = 0; i < TEST_CUDA_FACTORS; i++) {
            const struct test_product product = {.n = 1 + 4 * (i % 2),
                                                 .b_layout = (spmm_layout_t)(i % 2),
                                                 .c_layout = (spmm_layout_t)(i / 2 % 2),
                                                 .b_gap = i % 3,
                                                 .alpha = test_cuda_factors[i].alpha,
                                                 .beta = test_cuda_factors[i].beta,
                                                 .values = TEST_VALUES_REAL};
            test_cuda_product_check(one, NULL, a, dtype, &product);
        }
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = test_real((uint64_t)q, 99);
        void *values = test_values_of(a, dtype);
        assert_int_equal(spmm_executor_set_values(one, values, NULL, NULL), SPMM_OK);
        assert_int_equal(spmm_executor_set_values(any, values, NULL, NULL), SPMM_OK);
        free(values);
    }
    spmm_executor_destroy(any);
    spmm_executor_destroy(one);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void one_column_alone_needs_no_rows(void **state)
{
    (void)state;
    for (int i = 0; i < PATTERNS; i++)
        alone_check(&patterns[i], dtypes[i % 4], i % 2);
}

static void damaged_run(const struct test_matrix *a, int table, enum test_damage damage)
{
    const struct test_product product = {.n = 1, .alpha = 1, .beta = 1, .values = TEST_VALUES_INTEGER};
    spmm_plan_t *plan = plan_of(a, SPMM_F32);
    test_table_run_damaged(plan, a, &product, table, damage);
    spmm_plan_destroy(plan);
}

/* Results may be wrong, but guards stay unchanged and no access leaves the arrays (docs/decisions/0037). */
static void damaged_tables_keep_kernels_inside(void **state)
{
    static const char *const of_slices[] = {"s->slices", "padding", "to->narrow", "to->columns"};
    (void)state;
    int own = 0;
    for (int p = 0; p < PATTERNS; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p], TEST_VALUES_INTEGER);
        struct test_tables tables;
        test_tables_note(&tables);
        struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, SPMM_F32), NULL);
        test_tables_note(NULL);
        test_cuda_pair_free(&pair);
        for (int i = 0; i < tables.count; i++) {
            for (size_t k = 0; k < sizeof of_slices / sizeof *of_slices; k++)
                own += strcmp(tables.list[i].name, of_slices[k]) == 0;
            for (int damage = 0; damage < TEST_DAMAGES; damage++)
                damaged_run(a, i, (enum test_damage)damage);
        }
        test_matrix_free(a);
    }
    assert_int_equal(own, 3 + 4 + 3 + 3 + 4);
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_meet_the_error_bound),
        cmocka_unit_test(transposes_have_slices_of_their_own),
        cmocka_unit_test(other_products_take_the_rows),
        cmocka_unit_test(names_of_uneven_rows_are_refused),
        cmocka_unit_test(bits_repeat_and_nan_stays_in_its_rows),
        cmocka_unit_test(new_values_are_taken),
        cmocka_unit_test(one_column_alone_needs_no_rows),
        cmocka_unit_test(damaged_tables_keep_kernels_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
