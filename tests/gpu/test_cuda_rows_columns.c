/* SPDX-License-Identifier: Apache-2.0 */
/* Column-major C of the rows family, whose thread blocks keep sums in shared memory: blocks with more rows
 * than they can hold, runs of empty rows, rows that blocks share, a long last row, columns that begin at
 * any address, equality with row-major products. Also C of groups that share a row and store single
 * values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/plan_build.h"

/* One entry per row, then some full rows. The first and the last rows and some between them are empty. */
TEST_PATTERN(uneven_rows, i < 60000    ? j == i % cols && i >= 100
                          : i < 60100  ? false
                          : i < 100000 ? j == i % cols && i % 7 != 3
                                       : (i % 64 < 2 || j == 5) && i < rows - 100)
/* No row is empty, and the last rows are long. */
TEST_PATTERN(growing_rows, i < 100000 ? j == i % cols : i < 120000 ? j < 3 : true)
/* Some blocks contain only a part of the last row. The last of these is launched last. */
TEST_PATTERN(second_wave, i == rows - 1 || j == i % cols)
/* A row that many blocks share, among short rows. */
TEST_PATTERN(shared_row, i == 2500 || j == i || j == i / 2)
/* A run of empty rows that should not all be stored by one block. */
TEST_PATTERN(late_rows, i > 30000 && j == i % cols)
/* The last block has a part of the last row and no other row. */
TEST_PATTERN(long_last_row, i == rows - 1 || j == i || j == i / 2)
static const struct test_pattern patterns[] = {{"uneven rows", 130001, 40, uneven_rows},
                                               {"growing rows", 121003, 24, growing_rows},
                                               {"late rows", 40001, 40, late_rows},
                                               {"long last row", 5003, 9001, long_last_row},
                                               {"long last row, two waves", 100001, 400, second_wave},
                                               {"shared row", 5003, 9001, shared_row}};
#define PATTERN_COUNT ((int)(sizeof patterns / sizeof patterns[0]))
#define SHARED_ROW (PATTERN_COUNT - 1)

static const int64_t widths[] = {32, 64, 17, 24, 70, 300, 130};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))
static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_SCHEDULE_ROW_SPLIT};

static struct test_product product_of(int64_t n, int turn)
{
    struct test_product product = test_cuda_plain(n, 3);
    product.c_gap = turn % 9;
    product.b_gap = turn % 2;
    product.shift = turn % 3;
    product.alpha = test_cuda_factors[turn % TEST_CUDA_FACTORS].alpha;
    product.beta = test_cuda_factors[turn % TEST_CUDA_FACTORS].beta;
    return product;
}

static struct test_cuda_pair pair_of(const struct test_matrix *a, spmm_dtype_t dtype,
                                     spmm_schedule_t schedule)
{
    const struct test_plan_options options = {dtype, schedule, 8, 0, 0};
    return test_cuda_pair_make(test_plan_build(a, options), NULL);
}

/* Checks each type and schedule with a pattern. Widths and factors vary from turn to turn. */
static void check_pattern(int p, int width_count)
{
    struct test_matrix *a = test_matrix_of(&patterns[p], TEST_VALUES_REAL);
    for (int turn = 0; turn < 4; turn++) {
        const spmm_dtype_t dtype = turn % 2 == 0 ? SPMM_F32 : SPMM_F64;
        struct test_cuda_pair pair = pair_of(a, dtype, schedules[turn / 2]);
        for (int w = 0; w < width_count; w++) {
            const struct test_product product = product_of(widths[(turn + p + w) % width_count], turn + w);
            test_cuda_product_check(pair.gpu, NULL, a, dtype, &product);
        }
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

static void rows_that_blocks_share_meet_the_error_bound(void **state)
{
    (void)state;
    check_pattern(SHARED_ROW, WIDTH_COUNT);
}

static void blocks_of_many_rows_meet_the_error_bound(void **state)
{
    (void)state;
    for (int p = 0; p < SHARED_ROW; p++)
        check_pattern(p, 2);
}

static void repeats_give_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[SHARED_ROW], TEST_VALUES_REAL);
    for (int turn = 0; turn < 4; turn++) {
        const spmm_dtype_t dtype = turn % 2 == 0 ? SPMM_F32 : SPMM_F64;
        const struct test_product product = product_of(widths[turn], 7 * turn);
        struct test_cuda_pair pair = pair_of(a, dtype, schedules[turn / 2]);
        test_cuda_product_repeat(pair.gpu, a, dtype, &product, 3);
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

/* A transposed product has another row structure. */
static void transposed_products_meet_the_error_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[SHARED_ROW], TEST_VALUES_REAL);
    struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 1, 0};
    struct test_cuda_pair pair = test_cuda_pair_make(test_plan_build(a, options), NULL);
    for (int i = 0; i < WIDTH_COUNT; i++) {
        struct test_product product = product_of(widths[i], i);
        product.op = SPMM_OP_T;
        test_cuda_product_check(pair.gpu, NULL, a, SPMM_F32, &product);
    }
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

/* One group of lanes sums each row of a row split, whatever the layout. */
static void row_splits_have_the_bits_of_rows(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2 * PATTERN_COUNT; turn++) {
        const spmm_dtype_t dtype = turn < PATTERN_COUNT ? SPMM_F32 : SPMM_F64;
        struct test_matrix *a = test_matrix_of(&patterns[turn % PATTERN_COUNT], TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_of(a, dtype, SPMM_SCHEDULE_ROW_SPLIT);
        struct test_product columns = product_of(widths[turn % 4], turn);
        columns.beta = 0;
        test_cuda_product_layouts(pair.gpu, a, dtype, &columns);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* Scratch memory is needed for B only, unless a block has far more rows to store than others. */
static void sums_that_are_kept_have_no_scratch(void **state)
{
    static const int is_kept[PATTERN_COUNT] = {1, 1, 0, 1, 1, 1};
    void *const data = (void *)(uintptr_t)256;
    (void)state;
    for (int i = 0; i < PATTERN_COUNT; i++) {
        struct test_matrix *a = test_matrix_of(&patterns[i], TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_of(a, SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT);
        const spmm_dense_t b = {data, a->cols, 32, a->cols, SPMM_COL_MAJOR, SPMM_F32};
        spmm_dense_t c = {data, a->rows, 32, a->rows, SPMM_COL_MAJOR, SPMM_F32};
        uint64_t columns = 0, rows = 0;
        assert_int_equal(spmm_executor_workspace_bytes(pair.gpu, SPMM_OP_N, &b, &c, &columns, NULL), SPMM_OK);
        c.layout = SPMM_ROW_MAJOR;
        c.ld = 32;
        assert_int_equal(spmm_executor_workspace_bytes(pair.gpu, SPMM_OP_N, &b, &c, &rows, NULL), SPMM_OK);
        assert_int_equal(columns == rows, is_kept[i]);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* Checks a forced team kernel: its products, and that column-major products have the bits of row-major
 * ones. share: groups per row, also 1. */
static void check_teams(const struct test_matrix *a, spmm_dtype_t dtype, unsigned lanes, unsigned share)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_ROW_SPLIT, 8, 0, 0};
    const unsigned vec = 16 / (unsigned)spmm_dtype_size(dtype);
    struct test_product product = product_of(vec * lanes, (int)(lanes + share));
    char kernel[64], groups[16] = "";
    if (share > 1)
        (void)snprintf(groups, sizeof groups, "x%u", share);
    (void)snprintf(kernel, sizeof kernel, "cuda/rows/row-split/v%ul%u%s", vec, lanes, groups);
    struct test_cuda_pair pair = test_cuda_pair_make(test_plan_build(a, options), kernel);
    assert_string_equal(test_cuda_product_info(pair.gpu, a, dtype, &product).kernel, kernel);
    test_cuda_product_check(pair.gpu, NULL, a, dtype, &product);
    product.beta = 0;
    test_cuda_product_layouts(pair.gpu, a, dtype, &product);
    product.b_layout = SPMM_ROW_MAJOR;
    product.b_gap = vec;
    test_cuda_product_check(pair.gpu, NULL, a, dtype, &product);
    test_cuda_pair_free(&pair);
}

static void groups_of_a_row_store_columns(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        for (int turn = 0; turn < 4; turn++) {
            const unsigned vec = 16 / (unsigned)spmm_dtype_size(dtypes[turn]);
            /* An f64 C of 32 columns is converted or kept. */
            for (unsigned lanes = 1; lanes * vec <= 32; lanes *= 2)
                check_teams(a, dtypes[turn], lanes, 1u << (lanes + (unsigned)(turn + i)) % 5);
        }
        test_matrix_free(a);
    }
}

/* C that teams store directly needs no scratch memory. A large C does. */
static void small_c_of_teams_has_no_scratch(void **state)
{
    static const struct {
        int pattern; /* index in patterns, with 130,001 or 5,003 rows */
        int64_t n;
        int is_direct;
    } cases[] = {{0, 16, 1}, {0, 32, 0}, {SHARED_ROW, 32, 1}, {SHARED_ROW, 36, 0}};
    void *const data = (void *)(uintptr_t)256;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_matrix *a = test_matrix_of(&patterns[cases[i].pattern], TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_of(a, SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT);
        const spmm_dense_t b = {data, a->cols, cases[i].n, a->cols, SPMM_COL_MAJOR, SPMM_F32};
        const spmm_dense_t c = {data, a->rows, cases[i].n, a->rows, SPMM_COL_MAJOR, SPMM_F32};
        uint64_t bytes = 0;
        assert_int_equal(spmm_executor_workspace_bytes(pair.gpu, SPMM_OP_N, &b, &c, &bytes, NULL), SPMM_OK);
        assert_int_equal(bytes < (uint64_t)(a->cols + a->rows) * (uint64_t)cases[i].n * 4,
                         cases[i].is_direct);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_blocks_share_meet_the_error_bound),
        cmocka_unit_test(blocks_of_many_rows_meet_the_error_bound),
        cmocka_unit_test(repeats_give_the_same_bits),
        cmocka_unit_test(transposed_products_meet_the_error_bound),
        cmocka_unit_test(row_splits_have_the_bits_of_rows),
        cmocka_unit_test(sums_that_are_kept_have_no_scratch),
        cmocka_unit_test(groups_of_a_row_store_columns),
        cmocka_unit_test(small_c_of_teams_has_no_scratch),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
