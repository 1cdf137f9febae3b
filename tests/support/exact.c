/* SPDX-License-Identifier: Apache-2.0 */
/* See exact.h. */
#include "exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Returns op(A) * B, row-major. Free it with free(). */
static double *sums_of(const struct test_matrix *a, spmm_op_t op, const struct test_dense *b, int64_t rows)
{
    const int64_t n = b->view.cols;
    double *sums = calloc((size_t)(rows * n) + 1, sizeof *sums);
    double *of_b = calloc((size_t)(b->view.rows * n) + 1, sizeof *of_b);
    if (sums == NULL || of_b == NULL)
        abort();
    for (int64_t i = 0; i < b->view.rows * n; i++)
        of_b[i] = test_dense_get(b, i / n, i % n);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
            const int64_t row = op == SPMM_OP_N ? i : a->col_ind[p],
                          col = op == SPMM_OP_N ? a->col_ind[p] : i;
            for (int64_t j = 0; j < n; j++)
                sums[row * n + j] += a->values[p] * of_b[col * n + j];
        }
    free(of_b);
    return sums;
}

void test_exact_check(const struct test_matrix *a, const struct test_product *product,
                      const struct test_dense *b, const struct test_dense *c_before,
                      const struct test_dense *c, const char *what)
{
    const int64_t rows = c->view.rows, n = c->view.cols;
    double *sums = sums_of(a, product->op, b, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            double want = product->alpha * sums[i * n + j];
            if (product->beta != 0)
                want += product->beta * test_dense_get(c_before, i, j);
            want = test_value_round(c->view.type, want);
            if (!(test_dense_get(c, i, j) == want))
                fail_msg("%s: %s %s op %s n %lld B %s C %s: element (%lld, %lld) is %.17g, expected %.17g",
                         what, a->name, spmm_dtype_name(c->view.type), spmm_op_name(product->op),
                         (long long)n, spmm_layout_name(product->b_layout),
                         spmm_layout_name(product->c_layout), (long long)i, (long long)j,
                         test_dense_get(c, i, j), want);
        }
    free(sums);
}
