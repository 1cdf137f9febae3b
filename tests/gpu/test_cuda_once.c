/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products without a plan on the GPU: C has the entries and the bits of the CPU, with every method
 * and both index types. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <spmm/product.h>

#include "cuda_product.h"
#include "sparse_arrays.h"
#include "tests/support/dense.h"
#include "tests/support/scale.h"
#include "tests/support/sparse_products.h"

#define ENTRIES_MAX 400000
#define REPEATS 1000
#define SHARED_BYTES (227 * 1024) /* shared memory of a thread block of sm_90 and of the emulator */
#define BITMAP_COLUMNS 778239     /* largest number of columns whose bitmap fits in it: 24,320 words */

static const char *const methods[] = {NULL, "hash", "bitmap", "merge"};

static void expect_same(const char *name, const spmm_csr_t *device, const spmm_csr_t *right)
{
    const size_t size = spmm_dtype_size(right->value_type);
    assert_int_equal(device->rows, right->rows);
    assert_int_equal(device->cols, right->cols);
    assert_int_equal(device->nnz, right->nnz);
    const struct {
        const void *found, *right;
        size_t bytes;
    } arrays[] = {{device->row_ptr, right->row_ptr, ((size_t)right->rows + 1) * sizeof(int64_t)},
                  {device->col_ind, right->col_ind, (size_t)right->nnz * sizeof(int32_t)},
                  {device->values, right->values, (size_t)right->nnz * size}};
    for (size_t i = 0; i < 3; i++) {
        char *found = malloc(arrays[i].bytes + 1);
        assert_non_null(found);
        TEST_CUDA(cudaMemcpy(found, arrays[i].found, arrays[i].bytes, cudaMemcpyDeviceToHost));
        if (i == 2)
            for (int64_t q = 0; q < right->nnz; q++) /* the bits of a NaN depend on the machine */
                if (isnan(test_value_get(right->value_type, found, q)) &&
                    isnan(test_value_get(right->value_type, right->values, q)))
                    memcpy(found + (size_t)q * size, (const char *)right->values + (size_t)q * size, size);
        if (memcmp(found, arrays[i].right, arrays[i].bytes) != 0)
            fail_msg("%s: array %d of C differs", name, (int)i);
        free(found);
    }
}

static void check(const struct test_matrix *a, const struct test_matrix *b, spmm_dtype_t dtype, int turn)
{
    const spmm_itype_t row_type = turn % 2 ? SPMM_I32 : SPMM_I64,
                       column_type = turn / 2 % 2 ? SPMM_I64 : SPMM_I32;
    struct sparse_arrays of_gpu[] = {sparse_arrays_of(a, dtype, row_type, column_type, 1),
                                     sparse_arrays_of(b, dtype, column_type, row_type, 1)},
                         of_host[] = {sparse_arrays_of(a, dtype, SPMM_I64, SPMM_I32, 0),
                                      sparse_arrays_of(b, dtype, SPMM_I64, SPMM_I32, 0)};
    spmm_csr_t right, found;
    assert_int_equal(
        spmm_product_once(&of_host[0].view, &of_host[1].view, SPMM_DEVICE_CPU, NULL, &right, NULL), SPMM_OK);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
        spmm_diag_t diag = {.status = SPMM_OK};
        options.force_method = methods[m];
        if (spmm_product_once(&of_gpu[0].view, &of_gpu[1].view, 0, &options, &found, &diag) != SPMM_OK)
            fail_msg("%s: %s", a->name, diag.text);
        expect_same(a->name, &found, &right);
        spmm_product_once_free(&found);
        assert_null(found.values);
    }
    spmm_product_once_free(&right);
    for (int i = 0; i < 2; i++) {
        sparse_arrays_free(&of_gpu[i]);
        sparse_arrays_free(&of_host[i]);
    }
}

static void every_shape_has_the_bits_of_the_cpu(void **state)
{
    (void)state;
    int turn = 0;
    for (int m = 0; m < test_matrix_count(); m++)
        for (int n = 0; n < test_matrix_count(); n++) {
            struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL),
                               *b = test_matrix_make(n, TEST_VALUES_INTEGER);
            if (a->cols == b->rows && a->rows * b->cols <= ENTRIES_MAX)
                check(a, b, turn % 2 ? SPMM_F32 : SPMM_F64, turn);
            turn++;
            test_matrix_free(a);
            test_matrix_free(b);
        }
}

TEST_PATTERN(wide_rows, test_chance(i, j, i % 7 == 0 ? 3 : 40))
TEST_PATTERN(tall, test_chance(i + 1000, j, 20))
TEST_PATTERN(blocks, i / 6 == j / 6 || i / 6 == j / 6 + 1)
TEST_PATTERN(five_points, i == j || i == j + 1 || j == i + 1 || i == j + 30 || j == i + 30)
TEST_PATTERN(hub, i == 0 || j == 0 || i == j)
TEST_PATTERN(long_rows, test_chance(i, j, 2))
TEST_PATTERN(few_columns, test_chance(i + 7, j, 5))
TEST_PATTERN(many_columns, test_chance(i + 9, j, 50))
TEST_PATTERN(half, (i + j) % 2 == 0)
TEST_PATTERN(far_columns, test_chance(i, j, 1000))
TEST_PATTERN(few_far_columns, j % 60000 == 0)

TEST_PATTERN(every_entry, true)
TEST_PATTERN(lower_part, j < i)
TEST_PATTERN(giant_and_short, i % 500 == 0 || i == j)

TEST_PATTERN(long_left, i == 0 || j % 800 == i || (i == 3 && j % 800 < 500))
TEST_PATTERN(long_right, j == 0 || j == 1 + i || (i < 4800 && (j == 5001 || j == 5002)))
TEST_PATTERN(long_right_cut, j < 7 || j == 7 + i)
TEST_PATTERN(narrow_range, j == 0 || j == 1 + i % 3000 || (i < 4800 && j > 3000))
TEST_PATTERN(no_hubs, j == i % 50)
TEST_PATTERN(two_columns, j == 0 || i % 9 == 4)
TEST_PATTERN(first_row_full, i == 0 || j == i)
TEST_PATTERN(two_of_twenty, j == 0 || j == 1 + i % 19)
TEST_PATTERN(one_long_row, i == 0 || j % 2 == 0)
TEST_PATTERN(some_long_columns, j == 0 || (j < 4 && i % 2 == j % 2) || j == 4 + i)
TEST_PATTERN(a_stretch_and_one_more, (j == 0 && i < 4096) || (j > 0 && j < 4 && i >= j && i < j + 4097) ||
                                         (j > 3 && (j - 4) / 2 == i))

/* Rows of B from 5,000 on make 1,400 columns hubs, but no row of A uses these rows. 1,002 entries of C are
 * in hub columns: one with 4,200 products, one with 100 and the others with one each. C has 200 more
 * entries. */
TEST_PATTERN(first_5000, j < 5000)
TEST_PATTERN(more_hubs_than_entries, i >= 5000
                                         ? j < 1400
                                         : (j == 150 && i < 4200) || (i > 3999 && j == i - 3849) ||
                                               (j == 1151 && i % 50 == 3) || (i >= 4800 && j == i - 3400))

TEST_PATTERN(empty_rows_first, i >= 5000 && (j == 0 || j == 1 + i % 4))

/* Arrows whose rows, columns and inner dimension are permuted. */
TEST_PATTERN(arrow_left, i == 11 || j == 47 || i * 37 % 130 == j * 51 % 130)
TEST_PATTERN(arrow_right, i == 47 || j == 101 || i * 51 % 130 == j * 37 % 130)
TEST_PATTERN(one_dense_row, i == 77 || i == j)
TEST_PATTERN(column_and_diagonal, j == 0 || j == 1 + i)

TEST_PATTERN(up_to_16, (j * 7 + i) % 60 < i % 17)
TEST_PATTERN(up_to_8, (j * 3 + i) % 40 < i % 9)
TEST_PATTERN(mostly_empty_rows, i >= 2920 && (j == i % 50 || j == (i + 3) % 50))
TEST_PATTERN(every_40th, j % 40 == i)

/* Checks the product of two patterns. */
static void check_patterns(const struct test_pattern patterns[2], spmm_dtype_t dtype, int turn)
{
    struct test_matrix *a = test_matrix_of(&patterns[0], TEST_VALUES_REAL),
                       *b = test_matrix_of(&patterns[1], TEST_VALUES_REAL);
    check(a, b, dtype, turn);
    test_matrix_free(a);
    test_matrix_free(b);
}

/* Sums of 12,288 entries need 48 KiB, which a kernel may use as dynamic shared memory without setting an
 * attribute, but not together with its static shared memory. This test runs first, because a larger launch
 * would set the attribute for all later ones. */
static void sums_of_48_kib_are_launched(void **state)
{
    static const struct test_pattern patterns[] = {{"12,288 entries", 2, 12288, every_entry},
                                                   {"12,288 rows", 12288, 20, half}};
    (void)state;
    check_patterns(patterns, SPMM_F64, 0);
}

/* Long entries in rows that are not cut and in the pieces of a cut row. A row in many pieces without a long
 * entry. Entries with 2,250 products, or with 4,097 next to 4,096. A long row without long entries, a row
 * with fewer entries than there are hubs, and a piece with more entries of A than products. f64 sums are
 * exact here, so only f32 shows their order. */
static void long_entries_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern patterns[][2] = {
        {{"long left", 7, 5000, long_left}, {"long right", 5000, 5003, long_right}},
        {{"long left", 7, 9000, long_left}, {"long right, cut", 9000, 9007, long_right_cut}},
        {{"37,000 columns", 1, 37000, every_entry}, {"two columns", 37000, 2, two_columns}},
        {{"one long row", 2, 4500, one_long_row}, {"some long columns", 4500, 4504, some_long_columns}},
        {{"one long row", 2, 4500, one_long_row}, {"4,097", 4500, 9004, a_stretch_and_one_more}},
        {{"long left", 7, 5000, long_left}, {"no hubs", 5000, 50, no_hubs}},
        {{"first 5,000", 1, 6100, first_5000},
         {"more hubs than entries", 6100, 1600, more_hubs_than_entries}},
        {{"9,000 columns", 1, 9000, every_entry}, {"empty rows first", 9000, 5, empty_rows_first}}};
    (void)state;
    for (int turn = 0; turn < 8; turn++)
        check_patterns(patterns[turn], turn > 0 ? SPMM_F32 : SPMM_F64, turn);
}

/* There are so many rows that each row gets 16 KiB of shared memory instead of all of it. The method is
 * also forced to bitmaps. Row 0 with 12,000 products is cut, and the ends of its pieces are found in three
 * windows of 2,730 entries. */
static void long_rows_of_small_windows_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern patterns[] = {{"first row full", 140, 6000, first_row_full},
                                                   {"two of twenty", 6000, 20, two_of_twenty}};
    (void)state;
    check_patterns(patterns, SPMM_F64, 0);
    check_patterns(patterns, SPMM_F32, 1);
}

/* Makes a matrix in which every row has column 0 and row 0 has all columns. */
static struct test_matrix *column_and_row(int64_t rows, int64_t cols)
{
    static const struct test_pattern column = {"column and row", 1, 1, every_entry};
    struct test_matrix *a = test_matrix_of(&column, TEST_VALUES_REAL);
    a->rows = rows;
    a->cols = cols;
    a->nnz = rows + cols - 1;
    a->row_ptr = realloc(a->row_ptr, ((size_t)rows + 1) * sizeof *a->row_ptr);
    a->col_ind = realloc(a->col_ind, (size_t)a->nnz * sizeof *a->col_ind);
    a->values = realloc(a->values, (size_t)a->nnz * sizeof *a->values);
    assert_true(a->row_ptr != NULL && a->col_ind != NULL && a->values != NULL);
    for (int64_t i = 1; i <= rows; i++)
        a->row_ptr[i] = cols - 1 + i;
    for (int64_t q = 0; q < a->nnz; q++) {
        a->col_ind[q] = q < cols ? (int32_t)q : 0;
        a->values[q] = test_real((uint64_t)q, 1);
    }
    return a;
}

/* One row in two pieces. The first piece is longer than two of the windows in which piece ends are found.
 * Its long entry has more stretches than a thread block has warps. One row of B has all columns, in
 * several ranges. */
static void long_entries_of_many_stretches_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern row = {"110,000 columns", 1, 110000, every_entry};
    struct test_matrix *a = test_matrix_of(&row, TEST_VALUES_REAL), *b = column_and_row(110000, 22001);
    (void)state;
    check(a, b, SPMM_F32, 0);
    test_matrix_free(a);
    test_matrix_free(b);
}

/* Runs the product with a budget that is enough without bitmaps in global memory (51 MB), but not with
 * them. */
static void expect_bitmaps(const struct test_matrix *a, const struct test_matrix *b, int are_shared)
{
    struct sparse_arrays left = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 1),
                         right = sparse_arrays_of(b, SPMM_F64, SPMM_I64, SPMM_I32, 1);
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    int shared_bytes = 0;
    TEST_CUDA(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    o.device_budget_bytes = 40000000;
    const spmm_status_t status = spmm_product_once(&left.view, &right.view, 0, &o, &c, NULL);
    if (status == SPMM_OK)
        spmm_product_once_free(&c);
    if (shared_bytes == SHARED_BYTES)
        assert_int_equal(status, are_shared ? SPMM_OK : SPMM_ERR_PLAN_BUDGET);
    sparse_arrays_free(&left);
    sparse_arrays_free(&right);
}

/* Bitmaps that just fit in shared memory (24,320 words), and bitmaps with one more word, which are in
 * global memory, also for rows with long entries. */
static void long_entries_of_wide_rows_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern left = {"long left", 7, 5000, long_left},
                                     right = {"long right, apart", 5000, 5003, long_right};
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                           *b = test_matrix_of(&right, TEST_VALUES_REAL);
        for (int64_t q = 0; q < b->nnz; q++)
            b->col_ind[q] *= 155; /* up to 775,310 */
        b->cols = BITMAP_COLUMNS + turn / 2;
        check(a, b, turn % 2 ? SPMM_F32 : SPMM_F64, turn);
        expect_bitmaps(a, b, turn / 2 == 0);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

/* Columns are found in a bitmap of up to 2,048 words, or by a search if their range is wider. */
static void long_rows_of_wide_ranges_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern left = {"long left", 7, 5000, long_left},
                                     right = {"narrow range", 5000, 3003, narrow_range};
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                           *b = test_matrix_of(&right, TEST_VALUES_REAL);
        b->cols = 2048 * 32 + turn;
        for (int64_t q = 0; q < b->nnz; q++)
            b->col_ind[q] = b->col_ind[q] == 3002 ? (int32_t)b->cols - 1 : b->col_ind[q] * 21;
        check(a, b, SPMM_F32, turn);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

/* Rows of every class and with several ranges, and rows that are cut in k: with few entries; with several
 * ranges, the last of which may be short; with more entries of A than shared memory can hold sums; in more
 * than 1,024 pieces; with more pieces than there are blocks. Also bitmaps that do not fit in shared
 * memory, and so many heavy rows that they are not cut. */
static void larger_rows_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    static const struct test_pattern patterns[] = {{"wide rows", 60, 1500, wide_rows},
                                                   {"tall", 1500, 2600, tall},
                                                   {"blocks", 1260, 1260, blocks},
                                                   {"five points", 1200, 1200, five_points},
                                                   {"hub", 1300, 1300, hub},
                                                   {"long rows", 5, 9000, long_rows},
                                                   {"few columns", 9000, 90, few_columns},
                                                   {"long rows", 3, 3000, long_rows},
                                                   {"many columns", 3000, 6000, many_columns},
                                                   {"half", 9, 40, half},
                                                   {"far columns", 40, 1200000, far_columns},
                                                   {"48 KB of bitmaps", 40, 180000, far_columns},
                                                   {"longer rows", 2, 150000, long_rows},
                                                   {"fewer columns", 150000, 20, few_columns},
                                                   {"many cut rows", 1100, 300, half},
                                                   {"long rows", 300, 60, long_rows},
                                                   {"4,300 columns", 3000, 4300, many_columns},
                                                   {"few far columns", 40, 1200000, few_far_columns},
                                                   {"many heavy rows", 2200, 60, every_entry},
                                                   {"half", 60, 20, half},
                                                   {"many longer rows", 2200, 100, half},
                                                   {"60 columns", 100, 60, long_rows},
                                                   {"as many as fit", 40, BITMAP_COLUMNS, far_columns}};
    static const int pairs[][2] = {{0, 1},   {2, 2},   {3, 3},  {4, 4},  {5, 6},   {7, 8},   {9, 10}, {9, 11},
                                   {12, 13}, {14, 15}, {7, 16}, {9, 17}, {18, 19}, {20, 21}, {9, 22}};
    struct test_matrix *a[sizeof patterns / sizeof patterns[0]];
    for (size_t m = 0; m < sizeof a / sizeof a[0]; m++)
        a[m] = test_matrix_of(&patterns[m], TEST_VALUES_REAL);
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
        check(a[pairs[p][0]], a[pairs[p][1]], p % 2 ? SPMM_F32 : SPMM_F64, (int)p);
    for (size_t m = 0; m < sizeof a / sizeof a[0]; m++)
        test_matrix_free(a[m]);
}

/* Rows with 0 to more than 64 products cover each class of merges and rows above these classes. Another
 * row has 4 products, all from the last of 75 entries of A. */
static void every_short_row_has_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern patterns[][2] = {
        {{"up to 16", 1020, 60, up_to_16}, {"up to 8", 60, 40, up_to_8}},
        {{"every 40th", 40, 3000, every_40th}, {"mostly empty rows", 3000, 50, mostly_empty_rows}},
        {{"0 to 64", 70, 64, lower_part},
         {"one column", 64, 1, every_entry}}}; /* all products belong to one entry */
    (void)state;
    for (int p = 0; p < 3; p++)
        for (int is_f32 = 0; is_f32 < 2; is_f32++)
            check_patterns(patterns[p], is_f32 ? SPMM_F32 : SPMM_F64, 2 * p + is_f32);
}

static void every_order_of_rows_has_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern patterns[][2] = {
        {{"permuted arrow", 130, 130, arrow_left}, {"permuted arrow", 130, 130, arrow_right}},
        {{"one dense row", 130, 130, one_dense_row}, {"one dense row", 130, 130, one_dense_row}}};
    (void)state;
    for (int turn = 0; turn < 4; turn++)
        check_patterns(patterns[turn % 2], turn / 2 ? SPMM_F32 : SPMM_F64, turn);
}

/* The largest number of columns for keys of merges, and one and two more. The last column has a product. */
static void every_column_of_short_rows_is_right(void **state)
{
    static const struct test_pattern left = {"4 rows", 3, 4, every_entry},
                                     right = {"5 columns", 4, 5, every_entry};
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        const int32_t columns = 0x3ffffff + turn;
        struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                           *b = test_matrix_of(&right, TEST_VALUES_REAL);
        for (int64_t q = 0; q < b->nnz; q++)
            b->col_ind[q] = b->col_ind[q] < 4 ? b->col_ind[q] * (columns / 4) : columns - 1;
        b->cols = columns;
        check(a, b, SPMM_F64, turn);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

/* 3 giant rows with about 195,000 products each, and 1,497 rows of tables with about 130. Tables run
 * concurrently with the kernels that find and count the columns of giant rows. */
static void giant_rows_beside_tables_have_the_bits_of_the_cpu(void **state)
{
    static const struct test_pattern patterns[] = {{"giant and short", 1500, 1500, giant_and_short},
                                                   {"tall", 1500, 2600, tall}};
    (void)state;
    check_patterns(patterns, SPMM_F64, 0);
    check_patterns(patterns, SPMM_F32, 1);
}

/* Rows of tables, wide rows, giant rows and cut rows. Atomics determine the position of a row in a list,
 * but must not affect its bits. */
static void a_thousand_products_have_the_same_bits(void **state)
{
    (void)state;
    static const struct test_pattern patterns[][2] = {
        {{"hub", 1300, 1300, hub}, {"hub", 1300, 1300, hub}},
        {{"long rows", 5, 9000, long_rows}, {"few columns", 9000, 90, few_columns}},
        {{"giant and short", 1500, 1500, giant_and_short}, {"tall", 1500, 2600, tall}}};
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p][0], TEST_VALUES_REAL),
                           *b = test_matrix_of(&patterns[p][1], TEST_VALUES_REAL);
        struct sparse_arrays left = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 1),
                             right = sparse_arrays_of(b, SPMM_F64, SPMM_I64, SPMM_I32, 1),
                             host[] = {sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 0),
                                       sparse_arrays_of(b, SPMM_F64, SPMM_I64, SPMM_I32, 0)};
        spmm_csr_t expected, found;
        assert_int_equal(
            spmm_product_once(&host[0].view, &host[1].view, SPMM_DEVICE_CPU, NULL, &expected, NULL), SPMM_OK);
        for (size_t repeat = 0; repeat < scaled(REPEATS); repeat++) {
            assert_int_equal(spmm_product_once(&left.view, &right.view, 0, NULL, &found, NULL), SPMM_OK);
            expect_same(patterns[p][0].name, &found, &expected);
            spmm_product_once_free(&found);
        }
        spmm_product_once_free(&expected);
        sparse_arrays_free(&left);
        sparse_arrays_free(&right);
        sparse_arrays_free(&host[0]);
        sparse_arrays_free(&host[1]);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

/* Sets every step-th entry to one of eight special values. */
static void put_special(struct test_matrix *a, int64_t step)
{
    static const double special[] = {(double)NAN, (double)INFINITY, 0.0, -0.0, 1e308, -1e308, 1, -1};
    for (int64_t q = 0; q < a->nnz; q += step)
        a->values[q] = special[q / step % 8];
}

/* The special values are in rows of tables and in lists of long entries. */
static void special_values_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    static const struct test_pattern patterns[] = {{"one long row", 2, 4500, one_long_row},
                                                   {"some long columns", 4500, 4504, some_long_columns}};
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_INTEGER),
                       *left = test_matrix_of(&patterns[0], TEST_VALUES_INTEGER),
                       *right = test_matrix_of(&patterns[1], TEST_VALUES_INTEGER);
    put_special(a, 3);
    put_special(right, 1501);
    check(a, a, SPMM_F64, 0);
    check(a, a, SPMM_F32, 1);
    check(left, right, SPMM_F64, 2);
    test_matrix_free(a);
    test_matrix_free(left);
    test_matrix_free(right);
}

/* Returns the number of entries of A B. The product must fit in `bytes` bytes of device memory; 0: no
 * limit. */
static uint64_t entries_within(const struct test_matrix *a, const struct test_matrix *b, uint64_t bytes)
{
    struct sparse_arrays left = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 1),
                         right = sparse_arrays_of(b, SPMM_F64, SPMM_I64, SPMM_I32, 1);
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    o.device_budget_bytes = bytes;
    assert_int_equal(spmm_product_once(&left.view, &right.view, 0, &o, &c, NULL), SPMM_OK);
    const uint64_t entries = (uint64_t)c.nnz;
    spmm_product_once_free(&c);
    sparse_arrays_free(&left);
    sparse_arrays_free(&right);
    return entries;
}

/* 9 entries of two products each, and an entry of 5,000 products: the products of each cancel. Next to the
 * latter are 5,000 entries of one product, which are not 0. */
static void special_sums_of_zero_stay_entries(void **state)
{
    static const struct test_pattern patterns[][2] = {
        {{"two columns", 3, 2, every_entry}, {"two rows", 2, 3, every_entry}},
        {{"a row", 1, 5000, every_entry}, {"a column and a diagonal", 5000, 5001, column_and_diagonal}}};
    static const uint64_t entries[] = {9, 5001};
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p][0], TEST_VALUES_INTEGER),
                           *b = test_matrix_of(&patterns[p][1], TEST_VALUES_INTEGER);
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = 1;
        for (int64_t i = 0; i < b->rows; i++)
            for (int64_t q = b->row_ptr[i]; q < b->row_ptr[i + 1]; q++)
                b->values[q] = i % 2 ? -1 : 1;
        assert_int_equal(entries_within(a, b, 0), entries[p]);
        check(a, b, SPMM_F64, p);
        check(a, b, SPMM_F32, p);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

/* If all rows are rows of tables, the product needs only counts and the rounding of allocations besides C.
 * Pieces of a row whose B has few columns have too few products for a long entry; lists for them would
 * need 166,400 bytes. */
static void what_is_taken_beside_c_is_little(void **state)
{
    static const struct test_pattern patterns[] = {{"five points", 1200, 1200, five_points},
                                                   {"a row", 1, 20000, every_entry},
                                                   {"two columns", 20000, 2, every_entry}};
    struct test_matrix *m[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        m[i] = test_matrix_of(&patterns[i], TEST_VALUES_REAL);
    const uint64_t of_c = 8 * 1201 + 12 * entries_within(m[0], m[0], 0);
    entries_within(m[0], m[0], of_c + 28 * 1200 + 2048);
    entries_within(m[1], m[2], 16384);
    for (int i = 0; i < 3; i++)
        test_matrix_free(m[i]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_48_kib_are_launched),
        cmocka_unit_test(long_entries_have_the_bits_of_the_cpu),
        cmocka_unit_test(long_rows_of_small_windows_have_the_bits_of_the_cpu),
        cmocka_unit_test(long_entries_of_many_stretches_have_the_bits_of_the_cpu),
        cmocka_unit_test(long_entries_of_wide_rows_have_the_bits_of_the_cpu),
        cmocka_unit_test(long_rows_of_wide_ranges_have_the_bits_of_the_cpu),
        cmocka_unit_test(every_shape_has_the_bits_of_the_cpu),
        cmocka_unit_test(larger_rows_have_the_bits_of_the_cpu),
        cmocka_unit_test(every_short_row_has_the_bits_of_the_cpu),
        cmocka_unit_test(every_order_of_rows_has_the_bits_of_the_cpu),
        cmocka_unit_test(every_column_of_short_rows_is_right),
        cmocka_unit_test(giant_rows_beside_tables_have_the_bits_of_the_cpu),
        cmocka_unit_test(a_thousand_products_have_the_same_bits),
        cmocka_unit_test(special_values_have_the_bits_of_the_cpu),
        cmocka_unit_test(special_sums_of_zero_stay_entries),
        cmocka_unit_test(what_is_taken_beside_c_is_little),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
