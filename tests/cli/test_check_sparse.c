/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the check of sparse products: right products pass, and every kind of wrong product fails and is
 * located. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/product/check_sparse.h"

/* A = (1 2 . ; . . 3 ; 4 . .); A A = (1 2 6 ; 12 . . ; 4 8 .). */
static const int64_t a_rows[] = {0, 2, 3, 4};
static const int32_t a_columns[] = {0, 1, 2, 0};
static const double a_values[] = {1, 2, 3, 4}, ones[] = {1, 1, 1}, d[] = {1, 10, 100};

struct claim {
    int64_t row_ptr[4];
    int32_t columns[9];
    double values[9];
    struct product_claim of;
};

static void claim_make(struct claim *c, const int64_t *row_ptr, const int32_t *columns, const double *values)
{
    const int64_t nnz = row_ptr[3];
    const spmm_csr_t a = {3, 3, 4, SPMM_I64, SPMM_I32, a_rows, a_columns, SPMM_F64, a_values};
    memcpy(c->row_ptr, row_ptr, sizeof c->row_ptr);
    memcpy(c->columns, columns, (size_t)nnz * sizeof *columns);
    memcpy(c->values, values, (size_t)nnz * sizeof *values);
    c->of = (struct product_claim){
        .factor_count = 2,
        .factor = {a, a},
        .alpha = 1,
        .c = {3, 3, nnz, SPMM_I64, SPMM_I32, c->row_ptr, c->columns, SPMM_F64, c->values}};
}

/* Makes A A, A D A or alpha A A. */
static void square(struct claim *c, const double *diagonal, double alpha)
{
    static const int64_t rows[] = {0, 3, 4, 6};
    static const int32_t columns[] = {0, 1, 2, 0, 0, 1};
    const double *x = diagonal != NULL ? diagonal : ones;
    const double values[] = {alpha * x[0],      alpha * 2 * x[0], alpha * 6 * x[1],
                             alpha * 12 * x[2], alpha * 4 * x[0], alpha * 8 * x[0]};
    claim_make(c, rows, columns, values);
    c->of.diagonal = diagonal;
    c->of.alpha = alpha;
}

static struct product_verdict verdict_of(struct claim *c)
{
    struct product_verdict v;
    c->of.c.nnz = c->row_ptr[3];
    assert_int_equal(check_sparse(&c->of, &v, NULL), SPMM_OK);
    return v;
}

static void right_products_pass(void **state)
{
    struct claim c;
    (void)state;
    square(&c, NULL, 1);
    assert_true(verdict_of(&c).ratio == 0);
    square(&c, d, 1);
    assert_true(verdict_of(&c).ratio == 0);
    square(&c, d, -0.5);
    assert_true(verdict_of(&c).ratio == 0);
}

/* A^T (A A) = (17 34 6 ; 2 4 12 ; 36 . .). Rows of T = A A reach their columns in any order. */
static void three_factors_and_triangles(void **state)
{
    static const int64_t rows[] = {0, 3, 6, 7}, lower_rows[] = {0, 1, 3, 4};
    static const int32_t columns[] = {0, 1, 2, 0, 1, 2, 0}, lower_columns[] = {0, 0, 1, 0};
    static const double values[] = {17, 34, 6, 2, 4, 12, 36}, lower_values[] = {17, 2, 4, 36};
    struct claim c;
    (void)state;
    claim_make(&c, rows, columns, values);
    c.of.factor_count = 3;
    c.of.factor[2] = c.of.factor[0];
    c.of.op[0] = SPMM_OP_T;
    assert_true(verdict_of(&c).ratio == 0);
    claim_make(&c, lower_rows, lower_columns, lower_values);
    c.of.factor_count = 3;
    c.of.factor[2] = c.of.factor[0];
    c.of.op[0] = SPMM_OP_T;
    const struct product_verdict v = verdict_of(&c);
    assert_true(isinf(v.ratio) && v.row == 0 && v.col == -1);
    c.of.is_lower = 1;
    assert_true(verdict_of(&c).ratio == 0);
    c.values[2] += 1;
    assert_true(verdict_of(&c).ratio > 1);
}

static void wrong_products_fail(void **state)
{
    struct claim c;
    struct product_verdict v;
    (void)state;
    for (int q = 0; q < 6; q++) {
        square(&c, NULL, 1);
        c.values[q] *= 1 + 1e-12;
        v = verdict_of(&c);
        assert_true(v.ratio > 1 && v.row == (q >= 3) + (q >= 4) && v.col == c.columns[q]);
        c.values[q] = NAN;
        assert_true(isinf(verdict_of(&c).ratio));
    }
    square(&c, NULL, 1); /* one entry too many, in a column that row 0 has already used */
    c.row_ptr[2]++;
    c.row_ptr[3]++;
    c.columns[4] = 2;
    c.columns[5] = 0;
    c.columns[6] = 1;
    c.values[4] = 0;
    c.values[5] = 4;
    c.values[6] = 8;
    v = verdict_of(&c);
    assert_true(isinf(v.ratio) && v.row == 1 && v.col == 2);
    square(&c, NULL, 1); /* the last entry is missing */
    c.row_ptr[3]--;
    v = verdict_of(&c);
    assert_true(isinf(v.ratio) && v.row == 2 && v.col == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_pass),
        cmocka_unit_test(three_factors_and_triangles),
        cmocka_unit_test(wrong_products_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
