/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of sparse products for every way to compute them. The entries are those of the boolean product.
 * Integers are exact, other values are within the error bound of their sum. Permuting rows of A and columns
 * of B permutes C bit by bit, because each sum keeps its order. Permuting k keeps integer results. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/sparse_products.h"

#define ELEMENTS_MAX 60000 /* most elements of a dense C */

static void *take(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    assert_non_null(block);
    return block;
}

/* C as dense arrays. */
struct dense_c {
    int64_t rows, cols;
    char *has;
    double *values;
};

static struct dense_c dense_of(int64_t rows, int64_t cols)
{
    return (struct dense_c){rows, cols, take(rows * cols, 1), take(rows * cols, sizeof(double))};
}

static void dense_free(struct dense_c *c)
{
    free(c->has);
    free(c->values);
}

static void scatter(const spmm_csr_t *from, struct dense_c *to)
{
    const int64_t *row_ptr = from->row_ptr;
    const int32_t *col_ind = from->col_ind;
    const double *values = from->values;
    for (int64_t i = 0; i < from->rows; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
            to->has[i * to->cols + col_ind[q]] = 1;
            to->values[i * to->cols + col_ind[q]] = values[q];
        }
}

static spmm_csr_t view_of(const struct test_matrix *a)
{
    return (spmm_csr_t){a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                        a->row_ptr, a->col_ind, SPMM_F64, a->values};
}

static struct dense_c without_plan(const struct test_matrix *a, const struct test_matrix *b)
{
    const spmm_csr_t left = view_of(a), right = view_of(b);
    struct dense_c dense = dense_of(a->rows, b->cols);
    spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    options.threads = 1;
    assert_int_equal(spmm_product_once(&left, &right, SPMM_DEVICE_CPU, &options, &c, NULL), SPMM_OK);
    scatter(&c, &dense);
    spmm_product_once_free(&c);
    return dense;
}

static struct dense_c by_plan(const struct test_matrix *a, const struct test_matrix *b)
{
    const struct test_sparse_product form = {.count = 2, .factor = {a, b}, .dtype = SPMM_F64};
    struct dense_c dense = dense_of(a->rows, b->cols);
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *plan = test_sparse_plan(&form);
    spmm_product_t *product = NULL;
    spmm_csr_t c;
    uint64_t bytes = 0;
    options.threads = 1;
    assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_csr(plan, &c), SPMM_OK);
    assert_int_equal(spmm_product_workspace_bytes(product, &bytes), SPMM_OK);
    void *workspace = aligned_alloc(256, (bytes / 256 + 1) * 256), *values = take(c.nnz, sizeof(double));
    const void *const operands[] = {a->values, b->values};
    assert_int_equal(spmm_product_execute(product, spmm_real(1), operands, NULL, spmm_real(0), values,
                                          workspace, bytes, NULL, NULL),
                     SPMM_OK);
    c.values = values;
    scatter(&c, &dense);
    free(workspace);
    free(values);
    spmm_product_destroy(product);
    spmm_plan_destroy(plan);
    return dense;
}

typedef struct dense_c (*multiply)(const struct test_matrix *a, const struct test_matrix *b);
static const multiply ways[] = {without_plan, by_plan};

/* Returns a permutation: entry i moves to to[i]. Seed 0 gives the identity. */
static int64_t *permutation(int64_t count, uint64_t seed)
{
    int64_t *to = take(count, sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i] = i;
    for (int64_t i = count - 1; i > 0 && seed != 0; i--) {
        const int64_t other = (int64_t)(test_hash(seed, (uint64_t)i) % (uint64_t)(i + 1)), mine = to[i];
        to[i] = to[other];
        to[other] = mine;
    }
    return to;
}

/* Returns the matrix in which entry (i, j) of A is entry (rows[i], cols[j]). */
static struct test_matrix *permuted(const struct test_matrix *a, const int64_t *rows, const int64_t *cols)
{
    struct test_matrix *b = take(1, sizeof *b);
    int64_t *from = take(a->rows, sizeof *from);
    *b = (struct test_matrix){a->name,
                              a->rows,
                              a->cols,
                              a->nnz,
                              take(a->rows, sizeof(int64_t)),
                              take(a->nnz, sizeof(int32_t)),
                              take(a->nnz, sizeof(double))};
    for (int64_t i = 0; i < a->rows; i++)
        from[rows[i]] = i;
    int64_t end = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t p = a->row_ptr[from[i]]; p < a->row_ptr[from[i] + 1]; p++) {
            const int32_t column = (int32_t)cols[a->col_ind[p]];
            int64_t at = end++;
            for (; at > b->row_ptr[i] && b->col_ind[at - 1] > column; at--) {
                b->col_ind[at] = b->col_ind[at - 1];
                b->values[at] = b->values[at - 1];
            }
            b->col_ind[at] = column;
            b->values[at] = a->values[p];
        }
        b->row_ptr[i + 1] = end;
    }
    free(from);
    return b;
}

TEST_PATTERN(every_second, (i + j) % 2 == 0)
TEST_PATTERN(some_columns, test_chance(i, j, 5))
TEST_PATTERN(one_dense_row, i == 77 || i == j)

typedef void (*law)(const struct test_matrix *a, const struct test_matrix *b);

/* Checks the law for all pairs whose product is small enough, for one whose rows are cut in k, and for a
 * dense row. */
static void each_pair(enum test_values values, law holds)
{
    static const struct test_pattern more[] = {{"every second", 3, 4000, every_second},
                                               {"some columns", 4000, 30, some_columns},
                                               {"one dense row", 130, 130, one_dense_row}};
    const int count = test_matrix_count(), all = count + 3;
    int pairs = 0;
    struct test_matrix **of = take(all, sizeof(struct test_matrix *));
    for (int m = 0; m < all; m++)
        of[m] = m < count ? test_matrix_make(m, values) : test_matrix_of(&more[m - count], values);
    for (int m = 0; m < count; m++)
        for (int n = 0; n < count; n++)
            if (of[m]->cols == of[n]->rows && of[m]->rows * of[n]->cols <= ELEMENTS_MAX) {
                holds(of[m], of[n]);
                pairs++;
            }
    assert_true(pairs >= 12);
    holds(of[count], of[count + 1]);
    holds(of[count + 2], of[count + 2]);
    for (int m = 0; m < all; m++)
        test_matrix_free(of[m]);
    free(of);
}

/* An entry of C computed by plain loops: the number of its products, their sum, and the sum of their absolute
 * values. */
struct entry {
    int64_t count;
    long double sum, magnitude;
};

static struct entry *plain_product(const struct test_matrix *a, const struct test_matrix *b)
{
    struct entry *c = take(a->rows * b->cols, sizeof *c);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++)
            for (int64_t q = b->row_ptr[a->col_ind[p]]; q < b->row_ptr[a->col_ind[p] + 1]; q++) {
                struct entry *const to = &c[i * b->cols + b->col_ind[q]];
                const long double product = (long double)a->values[p] * b->values[q];
                to->count++;
                to->sum += product;
                to->magnitude += fabsl(product);
            }
    return c;
}

static int64_t cancelled; /* entries whose products are not all 0, but whose sum is */

/* Checks the entries. The error may be bound * count * unit roundoff * sum of the absolute values of the
 * products. */
static void expect_entries(const struct test_matrix *a, const struct test_matrix *b, long double bound)
{
    struct entry *expected = plain_product(a, b);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct dense_c c = ways[w](a, b);
        for (int64_t at = 0; at < a->rows * b->cols; at++) {
            const struct entry *const e = &expected[at];
            const long double most = bound * (long double)e->count * (DBL_EPSILON / 2) * e->magnitude;
            assert_int_equal(c.has[at], e->count > 0);
            if (!(fabsl(c.values[at] - e->sum) <= most))
                fail_msg("%s, %s: entry %lld is %.17g", a->name, b->name, (long long)at, c.values[at]);
            cancelled += e->magnitude > 0 && e->sum == 0;
        }
        dense_free(&c);
    }
    free(expected);
}

static void has_exact_numbers(const struct test_matrix *a, const struct test_matrix *b)
{
    expect_entries(a, b, 0);
}

/* Entries whose products cancel must exist too. */
static void whole_numbers_are_exact(void **state)
{
    (void)state;
    cancelled = 0;
    each_pair(TEST_VALUES_INTEGER, has_exact_numbers);
    assert_true(cancelled > 0);
}

static void meets_its_bound(const struct test_matrix *a, const struct test_matrix *b)
{
    expect_entries(a, b, 1.0001L); /* the margin covers terms of higher order */
}

static void every_entry_meets_its_error_bound(void **state)
{
    (void)state;
    each_pair(TEST_VALUES_REAL, meets_its_bound);
}

/* Two factors with permuted rows of A, columns of B, and inner indices. */
struct moved {
    int64_t *rows, *cols, *inner; /* new indices */
    struct test_matrix *left, *right;
};

/* Permutes the factors. A seed of 0 permutes nothing. */
static struct moved moved_open(const struct test_matrix *a, const struct test_matrix *b, uint64_t rows_seed,
                               uint64_t cols_seed, uint64_t inner_seed)
{
    struct moved m = {permutation(a->rows, rows_seed), permutation(b->cols, cols_seed),
                      permutation(a->cols, inner_seed), NULL, NULL};
    m.left = permuted(a, m.rows, m.inner);
    m.right = permuted(b, m.inner, m.cols);
    return m;
}

static void moved_close(struct moved *m)
{
    test_matrix_free(m->left);
    test_matrix_free(m->right);
    free(m->rows);
    free(m->cols);
    free(m->inner);
}

static void follows_its_rows_and_columns(const struct test_matrix *a, const struct test_matrix *b)
{
    struct moved m = moved_open(a, b, 1, 2, 0);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct dense_c c = ways[w](a, b), moved = ways[w](m.left, m.right);
        for (int64_t i = 0; i < c.rows; i++)
            for (int64_t j = 0; j < c.cols; j++) {
                const int64_t at = i * c.cols + j, to = m.rows[i] * c.cols + m.cols[j];
                if (c.has[at] != moved.has[to] ||
                    memcmp(&c.values[at], &moved.values[to], sizeof(double)) != 0)
                    fail_msg("%s, %s: entry (%lld, %lld)", a->name, b->name, (long long)i, (long long)j);
            }
        dense_free(&c);
        dense_free(&moved);
    }
    moved_close(&m);
}

static void permuted_rows_and_columns_permute_c(void **state)
{
    (void)state;
    each_pair(TEST_VALUES_REAL, follows_its_rows_and_columns);
}

static void keeps_whole_numbers(const struct test_matrix *a, const struct test_matrix *b)
{
    struct moved m = moved_open(a, b, 0, 0, 3);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct dense_c c = ways[w](a, b), other = ways[w](m.left, m.right);
        const size_t count = (size_t)(c.rows * c.cols);
        assert_memory_equal(c.has, other.has, count);
        assert_memory_equal(c.values, other.values, count * sizeof(double));
        dense_free(&c);
        dense_free(&other);
    }
    moved_close(&m);
}

static void another_order_of_k_keeps_whole_numbers(void **state)
{
    (void)state;
    each_pair(TEST_VALUES_INTEGER, keeps_whole_numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(every_entry_meets_its_error_bound),
        cmocka_unit_test(permuted_rows_and_columns_permute_c),
        cmocka_unit_test(another_order_of_k_keeps_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
