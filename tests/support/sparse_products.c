/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_products.h. */
#include "sparse_products.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dense.h"

#define STRETCH 4096 /* products of an entry of a piece that are added one after another */

static void *take(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

spmm_matrix_t *test_sparse_matrix(const struct test_matrix *a)
{
    const spmm_csr_t view = {a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                             a->row_ptr, a->col_ind, SPMM_F64, a->values};
    spmm_matrix_t *matrix = NULL;
    if (spmm_matrix_from_csr(&view, &matrix, NULL) != SPMM_OK)
        abort();
    return matrix;
}

/* Returns the index of the first factor with the same matrix. */
static int first_with(const struct test_sparse_product *p, int factor)
{
    int same = 0;
    while (p->factor[same] != p->factor[factor])
        same++;
    return same;
}

spmm_plan_t *test_sparse_plan(const struct test_sparse_product *p)
{
    spmm_matrix_t *matrix[SPMM_PRODUCT_FACTORS] = {NULL};
    spmm_product_factor_t factors[SPMM_PRODUCT_FACTORS];
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    for (int f = 0; f < p->count; f++) {
        const int same = first_with(p, f);
        if (same == f)
            matrix[f] = test_sparse_matrix(p->factor[f]);
        factors[f] = (spmm_product_factor_t){matrix[same], p->op[f]};
    }
    options.dtype = p->dtype;
    options.lower = p->lower;
    options.diagonal = p->diagonal;
    options.piece_products = p->piece_products;
    if (spmm_product_inspect(factors, p->count, &options, &plan, &diag) != SPMM_OK) {
        fprintf(stderr, "%s\n", diag.text);
        abort();
    }
    for (int f = 0; f < p->count; f++)
        spmm_matrix_destroy(matrix[f]);
    return plan;
}

static int64_t inner_of(const struct test_sparse_product *p)
{
    return p->op[0] == SPMM_OP_T ? p->factor[0]->rows : p->factor[0]->cols;
}

struct test_sparse_values test_sparse_values(const struct test_sparse_product *p)
{
    struct test_sparse_values values = {.diagonal = NULL};
    const size_t size = spmm_dtype_size(p->dtype);
    int operands = 0;
    for (int f = 0; f < p->count; f++) {
        const struct test_matrix *a = p->factor[f];
        if (first_with(p, f) != f)
            continue;
        values.operand[operands] = take(a->nnz, size);
        for (int64_t q = 0; q < a->nnz; q++)
            test_value_set(p->dtype, values.operand[operands], q, a->values[q]);
        operands++;
    }
    if (p->diagonal) {
        values.diagonal = take(inner_of(p), size);
        for (int64_t k = 0; k < inner_of(p); k++)
            test_value_set(p->dtype, values.diagonal, k, (double)(k % 5 - 2));
    }
    return values;
}

void test_sparse_values_free(struct test_sparse_values *values)
{
    for (int i = 0; i < SPMM_PRODUCT_FACTORS; i++)
        free(values->operand[i]);
    free(values->diagonal);
}

static struct test_sparse_result result_make(int64_t rows, int64_t cols)
{
    return (struct test_sparse_result){rows, cols, take(rows * cols, 1), take(rows * cols, sizeof(double))};
}

void test_sparse_result_free(struct test_sparse_result *r)
{
    free(r->has);
    free(r->value);
}

int64_t test_sparse_result_nnz(const struct test_sparse_result *r)
{
    int64_t nnz = 0;
    for (int64_t at = 0; at < r->rows * r->cols; at++)
        nnz += r->has[at];
    return nnz;
}

static struct test_sparse_result factor_make(const struct test_sparse_product *p, int f, const void *values)
{
    const struct test_matrix *a = p->factor[f];
    const int is_turned = p->op[f] == SPMM_OP_T;
    struct test_sparse_result r = result_make(is_turned ? a->cols : a->rows, is_turned ? a->rows : a->cols);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++) {
            const int64_t at = is_turned ? a->col_ind[q] * r.cols + i : i * r.cols + a->col_ind[q];
            r.has[at] = 1;
            r.value[at] = test_value_get(p->dtype, values, q);
        }
    return r;
}

static double fused(spmm_dtype_t dtype, double a, double b, double c)
{
    return dtype == SPMM_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double rounded(spmm_dtype_t dtype, double x)
{
    return dtype == SPMM_F32 ? (double)(float)x : x;
}

/* Returns the number of entries of row k of right that row i of the product uses. */
static int64_t taken(const struct test_sparse_result *right, int64_t k, int64_t i, int is_lower)
{
    int64_t count = 0;
    for (int64_t j = 0; j < right->cols && (!is_lower || j <= i); j++)
        count += right->has[k * right->cols + j];
    return count;
}

/* Returns the number of products after which row i is cut; see docs/plan-format.md. */
static int64_t piece_of(const struct test_sparse_product *p, const struct test_sparse_result *left,
                        const struct test_sparse_result *right, int64_t i, int is_lower)
{
    int64_t products = 0, entries = 0;
    for (int64_t k = 0; k < left->cols; k++)
        if (left->has[i * left->cols + k])
            products += taken(right, k, i, is_lower);
    for (int64_t j = 0; j < right->cols && (!is_lower || j <= i); j++) {
        int is_there = 0;
        for (int64_t k = 0; k < left->cols && !is_there; k++)
            is_there = left->has[i * left->cols + k] && right->has[k * right->cols + j];
        entries += is_there;
    }
    const int64_t piece = p->piece_products > 4 * entries ? p->piece_products : 4 * entries;
    return p->piece_products == 0 || products <= piece ? INT64_MAX : piece;
}

/* Computes one row from the partial sums of its pieces. */
static void multiply_row(const struct test_sparse_product *p, const struct test_sparse_result *left,
                         const struct test_sparse_result *right, const void *diagonal, int64_t i,
                         int is_lower, struct test_sparse_result *c)
{
    const int64_t cols = right->cols, piece = piece_of(p, left, right, i, is_lower);
    double *part = take(cols, sizeof *part), *const sum = c->value + i * cols,
           *before = take(cols, sizeof *before);
    int64_t *counts = take(cols, sizeof *counts); /* products of this piece per entry */
    int64_t products = 0, pieces = 0, last = left->cols - 1;
    while (last >= 0 && !left->has[i * left->cols + last])
        last--;
    for (int64_t k = 0; k <= last; k++) {
        if (!left->has[i * left->cols + k])
            continue;
        double a = left->value[i * left->cols + k];
        if (diagonal != NULL)
            a = rounded(p->dtype, a * test_value_get(p->dtype, diagonal, k));
        for (int64_t j = 0; j < cols && (!is_lower || j <= i); j++)
            if (right->has[k * cols + j]) {
                c->has[i * cols + j] = 1;
                if (counts[j]++ > 0 && counts[j] % STRETCH == 1) {
                    before[j] = counts[j] == STRETCH + 1 ? part[j] : rounded(p->dtype, before[j] + part[j]);
                    part[j] = 0;
                }
                part[j] = fused(p->dtype, a, right->value[k * cols + j], part[j]);
            }
        products += taken(right, k, i, is_lower);
        if (products < piece && k < last)
            continue;
        for (int64_t j = 0; j < cols; j++) {
            if (counts[j] > STRETCH)
                part[j] = rounded(p->dtype, before[j] + part[j]);
            counts[j] = 0;
            sum[j] = pieces == 0 ? part[j] : rounded(p->dtype, sum[j] + part[j]);
            part[j] = 0;
        }
        products = 0;
        pieces++;
    }
    free(part);
    free(before);
    free(counts);
}

static struct test_sparse_result multiply(const struct test_sparse_product *p,
                                          const struct test_sparse_result *left,
                                          const struct test_sparse_result *right, const void *diagonal,
                                          int is_lower)
{
    struct test_sparse_result c = result_make(left->rows, right->cols);
    for (int64_t i = 0; i < left->rows; i++)
        multiply_row(p, left, right, diagonal, i, is_lower, &c);
    return c;
}

struct test_sparse_result test_sparse_reference(const struct test_sparse_product *p,
                                                const struct test_sparse_values *values)
{
    struct test_sparse_result f[SPMM_PRODUCT_FACTORS], c;
    int operands = 0, operand[SPMM_PRODUCT_FACTORS];
    for (int i = 0; i < p->count; i++) {
        const int same = first_with(p, i);
        operand[i] = same == i ? operands++ : operand[same];
        f[i] = factor_make(p, i, values->operand[operand[i]]);
    }
    if (p->count == 2) {
        c = multiply(p, &f[0], &f[1], values->diagonal, p->lower);
    } else {
        struct test_sparse_result t = multiply(p, &f[1], &f[2], NULL, 0);
        c = multiply(p, &f[0], &t, NULL, p->lower);
        test_sparse_result_free(&t);
    }
    for (int i = 0; i < p->count; i++)
        test_sparse_result_free(&f[i]);
    return c;
}

int test_same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

void test_sparse_result_check(const struct test_sparse_result *result, const struct test_sparse_product *p,
                              const int64_t *row_ptr, const int64_t *col_ind, const void *c, const char *what)
{
    int64_t q = 0;
    for (int64_t i = 0; i < result->rows; i++) {
        for (int64_t j = 0; j < result->cols; j++) {
            if (!result->has[i * result->cols + j])
                continue;
            const double found = test_value_get(p->dtype, c, q),
                         expected = result->value[i * result->cols + j];
            if (col_ind[q] != j || !test_same_bits(found, expected))
                fail_msg("%s of %s: entry (%lld, %lld) is %.17g in column %lld, expected %.17g", what,
                         p->factor[0]->name, (long long)i, (long long)j, found, (long long)col_ind[q],
                         expected);
            q++;
        }
        assert_int_equal(row_ptr[i + 1], q);
    }
}
