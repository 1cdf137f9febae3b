/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of sparse products on the CPU: every kernel, with any number of threads and in each run, gives the
 * bits that the rule of the format defines. NaN, forms, one shot, and plans that went through a file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "tests/support/dense.h"
#include "tests/support/scale.h"
#include "tests/support/sparse_forms.h"

#define REFERENCE_MAX 400000 /* most elements of C that the plain reference computes */
#define REPEATS 1000

#define KERNELS 4
static const char *const kernels[KERNELS] = {"columns", "positions", "groups", "masks"};
static const int64_t pieces[] = {INT64_MAX, 1, 60};

/* A plan, its product and the memory of an execution. */
struct bench {
    spmm_plan_t *plan;
    spmm_product_t *product;
    spmm_product_info_t info;
    struct test_sparse_values values;
    void *c, *workspace;
    uint64_t workspace_bytes;
};

static struct bench bench_of_plan(spmm_plan_t *plan, const struct test_sparse_product *p, const char *kernel,
                                  int threads)
{
    struct bench b = {.plan = plan, .info = {.struct_size = sizeof b.info}};
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    options.threads = threads;
    options.force_kernel = kernel;
    assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &b.product, NULL), SPMM_OK);
    assert_int_equal(spmm_product_info(b.product, &b.info), SPMM_OK);
    assert_int_equal(spmm_product_workspace_bytes(b.product, &b.workspace_bytes), SPMM_OK);
    b.values = test_sparse_values(p);
    b.c = calloc((size_t)b.info.nnz + 1, sizeof(double));
    b.workspace = aligned_alloc(256, (b.workspace_bytes / 256 + 1) * 256);
    assert_non_null(b.c);
    assert_non_null(b.workspace);
    memset(b.workspace, 0xff, b.workspace_bytes); /* NaNs: old content must not matter */
    return b;
}

static struct bench bench_of(const struct test_sparse_product *p, const char *kernel, int threads)
{
    return bench_of_plan(test_sparse_plan(p), p, kernel, threads);
}

static void bench_free(struct bench *b)
{
    free(b->workspace);
    free(b->c);
    test_sparse_values_free(&b->values);
    spmm_product_destroy(b->product);
    spmm_plan_destroy(b->plan);
}

static void run_with(struct bench *b, double alpha, double beta)
{
    assert_int_equal(spmm_product_execute(b->product, spmm_real(alpha),
                                          (const void *const *)b->values.operand, b->values.diagonal,
                                          spmm_real(beta), b->c, b->workspace, b->workspace_bytes, NULL,
                                          NULL),
                     SPMM_OK);
}

static void expect_result(const struct bench *b, const struct test_sparse_product *p,
                          const struct test_sparse_result *r, const char *what)
{
    int64_t *row_ptr = calloc((size_t)b->info.rows + 1, sizeof *row_ptr);
    int64_t *col_ind = calloc((size_t)b->info.nnz + 1, sizeof *col_ind);
    assert_int_equal(spmm_product_pattern(b->product, SPMM_I64, row_ptr, SPMM_I64, col_ind, NULL, NULL),
                     SPMM_OK);
    assert_int_equal(b->info.nnz, test_sparse_result_nnz(r));
    test_sparse_result_check(r, p, row_ptr, col_ind, b->c, what);
    free(row_ptr);
    free(col_ind);
}

static void expect_reference(const struct bench *b, const struct test_sparse_product *p, const char *what)
{
    struct test_sparse_result r = test_sparse_reference(p, &b->values);
    expect_result(b, p, &r, what);
    test_sparse_result_free(&r);
}

/* All kernels have one reference, which takes longer than their products. */
static void check_as_it_is(struct test_sparse_product p)
{
    struct test_sparse_result r = {0};
    for (size_t k = 0; k < KERNELS; k++) {
        struct bench b = bench_of(&p, kernels[k], 2);
        if (k == 0)
            r = test_sparse_reference(&p, &b.values);
        run_with(&b, 1, 0);
        expect_result(&b, &p, &r, kernels[k]);
        bench_free(&b);
    }
    test_sparse_result_free(&r);
}

static void check_by_all_kernels(struct test_sparse_product p)
{
    for (size_t c = 0; c < sizeof pieces / sizeof pieces[0]; c++) {
        p.piece_products = pieces[c];
        check_as_it_is(p);
    }
}

static struct test_sparse_product square(const struct test_matrix *a, spmm_op_t first, spmm_dtype_t dtype)
{
    return (struct test_sparse_product){.count = 2,
                                        .factor = {a, a},
                                        .op = {first, first == SPMM_OP_N ? SPMM_OP_T : SPMM_OP_N},
                                        .dtype = dtype};
}

static void bits_are_those_of_the_rule(void **state)
{
    (void)state;
    test_sparse_squares(REFERENCE_MAX, check_by_all_kernels);
}

/* Entries with exactly two stretches and with more: in whole rows, in pieces, in only some pieces, and in
 * equal rows. */
static void long_entries_are_summed_in_stretches(void **state)
{
    (void)state;
    test_sparse_long_entries(check_as_it_is);
}

/* Row 0 of C has one entry with 5,000 products. No other row has this entry. */
TEST_PATTERN(one_long, i == 0 ? j < 5000 : j == 4999 + i)
TEST_PATTERN(one_column, i < 5000 ? j == 0 : j == i - 4999)

/* Sums are stored by position in the row, not for all columns. */
static void long_entries_take_no_memory_for_other_columns(void **state)
{
    (void)state;
    static const struct test_pattern left = {"one long", 301, 5300, one_long},
                                     right = {"one column", 5300, 301, one_column};
    struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                       *r = test_matrix_of(&right, TEST_VALUES_REAL);
    const struct test_sparse_product p = {
        .count = 2, .factor = {a, r}, .piece_products = INT64_MAX, .dtype = SPMM_F64};
    struct bench b = bench_of(&p, "positions", 2);
    assert_true(b.workspace_bytes < 301 * sizeof(double));
    run_with(&b, 1, 0);
    expect_reference(&b, &p, "positions");
    bench_free(&b);
    test_matrix_free(a);
    test_matrix_free(r);
}

/* A row with 5,000 entries does not make an entry of C long. Each thread needs only sums, marks, a list and
 * bitmaps. */
static void one_shot_without_long_entries_takes_no_memory_for_them(void **state)
{
    (void)state;
    enum { K = 5000, EACH = 8, COLUMNS = K * EACH, THREADS = 64 };
    int64_t *row_ptr = calloc(K + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc(COLUMNS, sizeof *col_ind);
    double *values = calloc(COLUMNS, sizeof *values);
    assert_true(row_ptr != NULL && col_ind != NULL && values != NULL);
    for (int i = 0; i <= K; i++)
        row_ptr[i] = (int64_t)i * EACH;
    for (int j = 0; j < COLUMNS; j++)
        col_ind[j] = j;
    const int64_t row[] = {0, K};
    const spmm_csr_t a = {1, K, K, SPMM_I64, SPMM_I32, row, col_ind, SPMM_F64, values},
                     b = {K, COLUMNS, COLUMNS, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    options.threads = THREADS;
    options.host_budget_bytes = (uint64_t)THREADS * COLUMNS * (sizeof(double) + 10) + (4 << 20);
    assert_int_equal(spmm_product_once(&a, &b, SPMM_DEVICE_CPU, &options, &c, NULL), SPMM_OK);
    assert_int_equal(c.nnz, COLUMNS);
    spmm_product_once_free(&c);
    free(row_ptr);
    free(col_ind);
    free(values);
}

static void forms(void **state)
{
    (void)state;
    test_sparse_forms(check_by_all_kernels);
}

/* Rows that are cut, with one thread and with several. */
static void same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"arrow", "power law", "dense row among sparse", "dense"};
    int64_t cut_rows = 0;
    for (size_t m = 0; m < sizeof names / sizeof names[0]; m++)
        for (size_t k = 0; k < KERNELS; k++) {
            struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
            struct test_sparse_product p = square(a, SPMM_OP_N, SPMM_F64);
            p.piece_products = 40;
            struct bench one = bench_of(&p, kernels[k], 1);
            run_with(&one, 1, 0);
            cut_rows += one.info.cut_rows;
            for (int threads = 2; threads <= 7; threads += 5) {
                struct bench many = bench_of(&p, kernels[(k + 1) % KERNELS], threads);
                const int repeats = threads == 2 ? (int)scaled(REPEATS / 20) : 3;
                for (int repeat = 0; repeat < repeats; repeat++) {
                    memset(many.c, 0xee, (size_t)many.info.nnz * sizeof(double));
                    run_with(&many, 1, 0);
                    assert_memory_equal(one.c, many.c, (size_t)one.info.nnz * sizeof(double));
                }
                bench_free(&many);
            }
            bench_free(&one);
            test_matrix_free(a);
        }
    assert_true(cut_rows > 100);
}

static void a_thousand_products_have_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    struct test_sparse_product p = square(a, SPMM_OP_N, SPMM_F32);
    p.piece_products = 40;
    struct bench b = bench_of(&p, NULL, 3);
    run_with(&b, 1, 0);
    const size_t bytes = (size_t)b.info.nnz * sizeof(float);
    void *first = malloc(bytes);
    assert_non_null(first);
    memcpy(first, b.c, bytes);
    for (size_t repeat = 0; repeat < scaled(REPEATS); repeat++) {
        run_with(&b, 1, 0);
        assert_memory_equal(first, b.c, bytes);
    }
    free(first);
    bench_free(&b);
    test_matrix_free(a);
}

static void a_thousand_one_shots_have_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    const spmm_csr_t view = {a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                             a->row_ptr, a->col_ind, SPMM_F64, a->values};
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t first, c;
    options.threads = 3;
    assert_int_equal(spmm_product_once(&view, &view, SPMM_DEVICE_CPU, &options, &first, NULL), SPMM_OK);
    for (size_t repeat = 0; repeat < scaled(REPEATS); repeat++) {
        assert_int_equal(spmm_product_once(&view, &view, SPMM_DEVICE_CPU, &options, &c, NULL), SPMM_OK);
        assert_int_equal(c.nnz, first.nnz);
        assert_memory_equal(c.row_ptr, first.row_ptr, (size_t)(c.rows + 1) * sizeof(int64_t));
        assert_memory_equal(c.col_ind, first.col_ind, (size_t)c.nnz * sizeof(int32_t));
        assert_memory_equal(c.values, first.values, (size_t)c.nnz * sizeof(double));
        spmm_product_once_free(&c);
    }
    spmm_product_once_free(&first);
    test_matrix_free(a);
}

/* C = fma(alpha, sum, beta * C). C is not read if beta = 0, the operands are not read if alpha = 0. */
static void factors_of_the_product(void **state)
{
    (void)state;
    static const double factors[][2] = {{1, 0}, {2.5, 0}, {-1, 1}, {0.3, -0.7}, {0, 2}, {0, 0}};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const struct test_sparse_product p = {
        .count = 2, .factor = {a, a}, .op = {SPMM_OP_N, SPMM_OP_T}, .piece_products = 50, .dtype = SPMM_F64};
    for (size_t t = 0; t < 2 * sizeof factors / sizeof factors[0]; t++) {
        const double alpha = factors[t / 2][0], beta = factors[t / 2][1];
        struct bench b = bench_of(&p, kernels[t % 2], 2);
        run_with(&b, 1, 0);
        double *const c = b.c, *sums = malloc((size_t)b.info.nnz * sizeof *sums);
        assert_non_null(sums);
        memcpy(sums, c, (size_t)b.info.nnz * sizeof *sums);
        for (int64_t q = 0; q < b.info.nnz; q++)
            c[q] = beta == 0 ? (double)NAN : (double)q;
        for (int i = 0; i < SPMM_PRODUCT_FACTORS && alpha == 0; i++) {
            free(b.values.operand[i]);
            b.values.operand[i] = NULL;
        }
        run_with(&b, alpha, beta);
        for (int64_t q = 0; q < b.info.nnz; q++) {
            const double scaled_c = beta == 0 ? 0 : beta * (double)q;
            const double expected = alpha == 0  ? scaled_c
                                    : beta == 0 ? alpha * sums[q]
                                                : fma(alpha, sums[q], scaled_c);
            assert_true(test_same_bits(c[q], expected));
        }
        free(sums);
        bench_free(&b);
    }
    test_matrix_free(a);
}

/* NaN and infinity reach exactly the entries that multiply them. Sums that cancel and explicit zeros remain
 * entries. */
static void special_values(void **state)
{
    (void)state;
    /* A = (1 1 . ; . 1 . ; . . 2), B = (NaN . ; inf 3 ; 0 -1), C = (NaN+inf 3 ; inf 3 ; 0 -2) */
    static const int64_t a_ptr[] = {0, 2, 3, 4}, b_ptr[] = {0, 1, 3, 5};
    static const int32_t a_ind[] = {0, 1, 1, 2}, b_ind[] = {0, 0, 1, 0, 1};
    static const double a_values[] = {1, 1, 1, 2}, b_values[] = {NAN, INFINITY, 3, 0, -1};
    const spmm_csr_t a = {3, 3, 4, SPMM_I64, SPMM_I32, a_ptr, a_ind, SPMM_F64, a_values},
                     b = {3, 2, 5, SPMM_I64, SPMM_I32, b_ptr, b_ind, SPMM_F64, b_values};
    spmm_csr_t c;
    assert_int_equal(spmm_product_once(&a, &b, SPMM_DEVICE_CPU, NULL, &c, NULL), SPMM_OK);
    const double *const v = c.values;
    assert_int_equal(c.nnz, 6);
    assert_true(isnan(v[0]) && v[1] == 3);
    assert_true(isinf(v[2]) && v[2] > 0 && v[3] == 3);
    assert_true(v[4] == 0 && v[5] == -2);
    spmm_product_once_free(&c);
    /* (1 1) (1 ; -1) = (0), which is stored. */
    static const int64_t row[] = {0, 2}, column[] = {0, 1, 2};
    static const int32_t both[] = {0, 1}, zero[] = {0, 0};
    static const double ones[] = {1, 1}, opposite[] = {1, -1};
    const spmm_csr_t left = {1, 2, 2, SPMM_I64, SPMM_I32, row, both, SPMM_F64, ones},
                     right = {2, 1, 2, SPMM_I64, SPMM_I32, column, zero, SPMM_F64, opposite};
    assert_int_equal(spmm_product_once(&left, &right, SPMM_DEVICE_CPU, NULL, &c, NULL), SPMM_OK);
    assert_int_equal(c.nnz, 1);
    assert_true(((const double *)c.values)[0] == 0);
    spmm_product_once_free(&c);
    assert_null(c.values);
}

/* Checks that spmm_product_once gives the bits of a plan with default options, also for other index types. */
static void expect_one_shot(struct test_matrix *a, struct test_matrix *right)
{
    struct test_sparse_product p = {
        .count = 2, .factor = {a, right}, .op = {SPMM_OP_N, SPMM_OP_N}, .dtype = SPMM_F64};
    struct bench b = bench_of(&p, NULL, 2);
    run_with(&b, 1, 0);
    int32_t *row_ptr = calloc((size_t)a->rows + 1, sizeof *row_ptr);
    int64_t *col_ind = calloc((size_t)a->nnz + 1, sizeof *col_ind);
    assert_true(row_ptr != NULL && col_ind != NULL);
    for (int64_t i = 0; i <= a->rows; i++)
        row_ptr[i] = (int32_t)a->row_ptr[i];
    for (int64_t q = 0; q < a->nnz; q++)
        col_ind[q] = a->col_ind[q];
    const spmm_csr_t wide = {a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                             a->row_ptr, a->col_ind, SPMM_F64, a->values},
                     narrow = {a->rows, a->cols, a->nnz,   SPMM_I32, SPMM_I64,
                               row_ptr, col_ind, SPMM_F64, a->values},
                     other = {right->rows,    right->cols,    right->nnz, SPMM_I64,     SPMM_I32,
                              right->row_ptr, right->col_ind, SPMM_F64,   right->values};
    spmm_csr_t of_plan;
    assert_int_equal(spmm_plan_csr(b.plan, &of_plan), SPMM_OK);
    for (int turn = 0; turn < 4; turn++) {
        const spmm_product_once_options_t options = {.struct_size = sizeof options, .threads = turn};
        spmm_csr_t c;
        assert_int_equal(
            spmm_product_once(turn % 2 ? &narrow : &wide, &other, SPMM_DEVICE_CPU, &options, &c, NULL),
            SPMM_OK);
        assert_int_equal(c.nnz, b.info.nnz);
        assert_memory_equal(c.row_ptr, of_plan.row_ptr, ((size_t)c.rows + 1) * sizeof(int64_t));
        assert_memory_equal(c.col_ind, of_plan.col_ind, (size_t)c.nnz * sizeof(int32_t));
        assert_memory_equal(c.values, b.c, (size_t)c.nnz * sizeof(double));
        spmm_product_once_free(&c);
    }
    free(row_ptr);
    free(col_ind);
    bench_free(&b);
}

TEST_PATTERN(every_second, (i + j) % 2 == 0)
TEST_PATTERN(unknowns, (i / 3 - j / 3) % 7 == 0)              /* groups of three equal rows */
TEST_PATTERN(stencil, i == j || i + 1 == j || i + 19 == j)    /* each row is moved by one column */
TEST_PATTERN(broken_stencil, (j - i) % 11 == 0 && (i != 200)) /* the same, except around row 200 */
TEST_PATTERN(one_each, i == j)
TEST_PATTERN(far_apart, (j * 7 + i) % 300 == 0) /* 200 per row */
TEST_PATTERN(long_and_equal, i < 7 || i == j)   /* enough equal rows that rows are grouped */
TEST_PATTERN(first_and_own, j == 0 || j == i + 1)
TEST_PATTERN(some_columns, test_chance(i, j, 5))

/* Rows of C whose columns follow from the preceding row, or do not; with few and many entries, near and far
 * apart, so that ranks, bitmaps and a set sort them; long entries in equal rows. Nearly all matrices have
 * several units, so that runs of rows cross the ends of units. The last rows of the 3 * 64 rows of
 * "unknowns" are equal. */
static const struct {
    struct test_pattern left, right;
} pairs[] = {
    {{"every second", 3, 4000, every_second}, {"some columns", 4000, 30, some_columns}},
    {{"unknowns", 192, 192, unknowns}, {"unknowns", 192, 192, unknowns}},
    {{"unknowns", 300, 400, unknowns}, {"stencil", 400, 420, stencil}},
    {{"stencil", 400, 420, stencil}, {"unknowns", 420, 300, unknowns}},
    {{"stencil", 4000, 4020, stencil}, {"stencil", 4020, 4040, stencil}},
    {{"stencil", 400, 420, stencil}, {"broken stencil", 420, 440, broken_stencil}},
    {{"broken stencil", 400, 420, broken_stencil}, {"stencil", 420, 440, stencil}},
    {{"some columns", 300, 400, some_columns}, {"some columns", 400, 500, some_columns}},
    {{"one each", 300, 300, one_each}, {"far apart", 300, 60000, far_apart}},
    {{"long and equal", 20, 5000, long_and_equal}, {"first and own", 5000, 5001, first_and_own}},
};

static void one_shot_has_the_bits_of_a_plan(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL);
        if (a->rows == a->cols)
            expect_one_shot(a, a);
        test_matrix_free(a);
    }
    for (size_t t = 0; t < sizeof pairs / sizeof pairs[0]; t++) {
        struct test_matrix *a = test_matrix_of(&pairs[t].left, TEST_VALUES_REAL),
                           *b = test_matrix_of(&pairs[t].right, TEST_VALUES_REAL);
        expect_one_shot(a, b);
        test_matrix_free(a);
        test_matrix_free(b);
    }
}

/* Read as 32-bit indices, the 64-bit columns 0 and 1 are columns 0 and 0. The factors must not count as
 * equal. */
static void one_shot_of_the_same_arrays_of_other_types(void **state)
{
    (void)state;
    static const int64_t row_ptr[] = {0, 1, 2}, columns[] = {0, 1};
    static const double v[] = {2, 3};
    const spmm_csr_t a = {2, 2, 2, SPMM_I64, SPMM_I64, row_ptr, columns, SPMM_F64, v};
    spmm_csr_t b = a, c;
    b.col_ind_type = SPMM_I32;
    assert_int_equal(spmm_product_once(&a, &b, SPMM_DEVICE_CPU, NULL, &c, NULL), SPMM_OK);
    const int32_t *const c_columns = c.col_ind;
    const double *const c_values = c.values;
    assert_int_equal(c.nnz, 2);
    assert_true(c_columns[0] == 0 && c_columns[1] == 0 && c_values[0] == 4 && c_values[1] == 9);
    spmm_product_once_free(&c);
}

/* In a lower triangle row i may have column i, which an equal preceding row does not have. */
static void rows_that_follow_in_lower_triangles(void **state)
{
    (void)state;
    static const struct test_pattern patterns[] = {{"unknowns", 60, 60, unknowns},
                                                   {"stencil", 100, 120, stencil}};
    for (size_t t = 0; t < sizeof patterns / sizeof patterns[0]; t++) {
        struct test_matrix *a = test_matrix_of(&patterns[t], TEST_VALUES_REAL);
        struct test_sparse_product p = square(a, SPMM_OP_N, SPMM_F64);
        p.lower = 1;
        check_as_it_is(p);
        test_matrix_free(a);
    }
}

/* Billions of columns, few of which have an entry. */
static void columns_beyond_memory(void **state)
{
    (void)state;
    static const int64_t a_ptr[] = {0, 2, 3}, b_ptr[] = {0, 2, 4};
    static const int32_t a_ind[] = {0, 1, 1}, b_ind[] = {7, 2000000000, 7, 1999999999};
    static const double a_values[] = {1, 10, 100}, b_values[] = {1, 2, 3, 4};
    const spmm_csr_t views[] = {{2, 2, 3, SPMM_I64, SPMM_I32, a_ptr, a_ind, SPMM_F64, a_values},
                                {2, 2000000001, 4, SPMM_I64, SPMM_I32, b_ptr, b_ind, SPMM_F64, b_values}};
    static const int32_t expected_columns[] = {7, 1999999999, 2000000000, 7, 1999999999};
    static const double expected[] = {31, 40, 2, 300, 400};
    spmm_csr_t c;
    assert_int_equal(spmm_product_once(&views[0], &views[1], SPMM_DEVICE_CPU, NULL, &c, NULL), SPMM_OK);
    assert_int_equal(c.nnz, 5);
    assert_memory_equal(c.col_ind, expected_columns, sizeof expected_columns);
    assert_memory_equal(c.values, expected, sizeof expected);
    spmm_product_once_free(&c);
    spmm_matrix_t *matrix[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(spmm_matrix_from_csr(&views[i], &matrix[i], NULL), SPMM_OK);
    const spmm_product_factor_t factors[] = {{matrix[0], SPMM_OP_N}, {matrix[1], SPMM_OP_N}};
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    options.dtype = SPMM_F64;
    for (size_t k = 0; k < KERNELS; k++) {
        spmm_plan_t *plan = NULL;
        assert_int_equal(spmm_product_inspect(factors, 2, &options, &plan, NULL), SPMM_OK);
        assert_int_equal(spmm_plan_product_verify(plan, NULL, NULL), SPMM_OK);
        spmm_product_executor_options_t how = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
        how.force_kernel = kernels[k];
        how.threads = 2;
        spmm_product_t *product = NULL;
        uint64_t bytes = 0;
        double values[5];
        int32_t columns[5];
        int64_t row_ptr[3];
        _Alignas(256) char workspace[4096];
        const void *const operands[] = {a_values, b_values};
        assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &how, &product, NULL), SPMM_OK);
        assert_int_equal(spmm_product_workspace_bytes(product, &bytes), SPMM_OK);
        assert_true(bytes <= sizeof workspace);
        assert_int_equal(spmm_product_execute(product, spmm_real(1), operands, NULL, spmm_real(0), values,
                                              workspace, sizeof workspace, NULL, NULL),
                         SPMM_OK);
        assert_int_equal(spmm_product_pattern(product, SPMM_I64, row_ptr, SPMM_I32, columns, NULL, NULL),
                         SPMM_OK);
        assert_memory_equal(values, expected, sizeof expected);
        assert_memory_equal(columns, expected_columns, sizeof columns);
        spmm_product_destroy(product);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(matrix[0]);
    spmm_matrix_destroy(matrix[1]);
}

/* A plan that was written and read computes the same product, and writing it again gives the same file. */
static void plans_go_through_a_file(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL),
                       *b = test_matrix_named("lower triangle", TEST_VALUES_REAL);
    const struct test_sparse_product p = {.count = 3,
                                          .factor = {b, a, b},
                                          .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_N},
                                          .piece_products = 50,
                                          .dtype = SPMM_F64};
    spmm_plan_t *plan = test_sparse_plan(&p), *again = NULL;
    void *bytes[2];
    size_t size[2];
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes[0], &size[0], NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes[0], size[0], NULL, &again, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(again, NULL, &bytes[1], &size[1], NULL), SPMM_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    struct bench x = bench_of_plan(plan, &p, NULL, 1), y = bench_of_plan(again, &p, NULL, 3);
    run_with(&x, 1, 0);
    run_with(&y, 1, 0);
    assert_memory_equal(x.c, y.c, (size_t)x.info.nnz * sizeof(double));
    expect_reference(&y, &p, "a plan from a file");
    bench_free(&x);
    bench_free(&y);
    spmm_plan_bytes_free(bytes[0]);
    spmm_plan_bytes_free(bytes[1]);
    test_matrix_free(a);
    test_matrix_free(b);
}

static void an_execution_allocates_nothing(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    struct test_sparse_product p = {.count = 3,
                                    .factor = {a, a, a},
                                    .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_T},
                                    .piece_products = 10,
                                    .dtype = SPMM_F64};
    for (size_t k = 0; k < KERNELS; k++) {
        struct bench b = bench_of(&p, kernels[k], 2);
        spmmi_alloc_fail_at(0, 1);
        run_with(&b, 1, 0);
        assert_int_equal(spmmi_alloc_count(), 0);
        spmmi_alloc_fail_at(-1, 0);
        bench_free(&b);
    }
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_rule),
        cmocka_unit_test(long_entries_are_summed_in_stretches),
        cmocka_unit_test(long_entries_take_no_memory_for_other_columns),
        cmocka_unit_test(one_shot_without_long_entries_takes_no_memory_for_them),
        cmocka_unit_test(forms),
        cmocka_unit_test(same_bits_at_any_number_of_threads),
        cmocka_unit_test(a_thousand_products_have_the_same_bits),
        cmocka_unit_test(a_thousand_one_shots_have_the_same_bits),
        cmocka_unit_test(factors_of_the_product),
        cmocka_unit_test(special_values),
        cmocka_unit_test(one_shot_has_the_bits_of_a_plan),
        cmocka_unit_test(one_shot_of_the_same_arrays_of_other_types),
        cmocka_unit_test(rows_that_follow_in_lower_triangles),
        cmocka_unit_test(columns_beyond_memory),
        cmocka_unit_test(plans_go_through_a_file),
        cmocka_unit_test(an_execution_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
