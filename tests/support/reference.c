/* SPDX-License-Identifier: Apache-2.0 */
/* See reference.h. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

struct sums {
    long double *value, *magnitude, *factors; /* of op(A) * B, row-major; the last of test_small_factors */
    int64_t *count;                           /* nonzeros of each row */
};

static struct sums sums_make(const struct test_matrix *a, spmm_op_t op, const struct test_dense *b, int64_t m)
{
    const int64_t n = b->view.cols;
    struct sums s = {calloc((size_t)(m * n) + 1, sizeof *s.value),
                     calloc((size_t)(m * n) + 1, sizeof *s.magnitude),
                     calloc((size_t)(m * n) + 1, sizeof *s.factors), calloc((size_t)m + 1, sizeof *s.count)};
    if (s.value == NULL || s.magnitude == NULL || s.factors == NULL || s.count == NULL)
        abort();
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
            const int64_t row = op == SPMM_OP_N ? i : a->col_ind[p];
            const int64_t col = op == SPMM_OP_N ? a->col_ind[p] : i;
            const long double value = (long double)test_value_round(b->view.type, a->values[p]);
            s.count[row]++;
            for (int64_t j = 0; j < n; j++) {
                const long double of_b = (long double)test_dense_get(b, col, j), term = value * of_b;
                s.factors[row * n + j] += test_small_factors(b->view.type, value, of_b);
                s.value[row * n + j] += term;
                s.magnitude[row * n + j] += fabsl(term);
            }
        }
    return s;
}

struct test_judgement test_judge_of(const struct test_accuracy *accuracy, const struct test_matrix *a,
                                    spmm_op_t op, double alpha, const struct test_dense *b, double beta,
                                    const struct test_dense *c_before, const struct test_dense *c)
{
    const int64_t m = c->view.rows;
    const int64_t n = c->view.cols;
    struct test_judgement judgement = {0, 1, 0, 0, 0, 0};
    struct sums s = {NULL, NULL, NULL, NULL};
    if (alpha != 0)
        s = sums_make(a, op, b, m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            struct test_terms terms = {.alpha = alpha, .beta = beta};
            long double want = 0;
            if (alpha != 0) {
                want += (long double)alpha * s.value[i * n + j];
                terms.product = s.magnitude[i * n + j];
                terms.factors = s.factors[i * n + j];
                terms.count = s.count[i];
            }
            if (beta != 0) {
                const long double before = (long double)test_dense_get(c_before, i, j);
                want += (long double)beta * before;
                terms.before = fabsl(before);
            }
            const double got = test_dense_get(c, i, j);
            const long double bound = test_terms_bound_of(accuracy, &terms);
            const int is_overflow =
                !isfinite(got) && isfinite(want) &&
                (test_terms_overflow(accuracy, &terms) ||
                 (isinf(got) && (got > 0) == (want > 0) && test_stored_overflow(c->view.type, want, bound)));
            const double ratio =
                is_overflow ? 0 : test_ratio(got, want, test_stored_bound(c->view.type, want, bound));
            if (test_ratio(got, test_value_round(c->view.type, (double)want), 0) != 0)
                judgement.is_exact = 0;
            if (!(ratio <= judgement.ratio))
                judgement = (struct test_judgement){ratio, judgement.is_exact, i, j, got, (double)want};
        }
    free(s.value);
    free(s.magnitude);
    free(s.factors);
    free(s.count);
    return judgement;
}

struct test_judgement test_judge(const struct test_matrix *a, spmm_op_t op, double alpha,
                                 const struct test_dense *b, double beta, const struct test_dense *c_before,
                                 const struct test_dense *c)
{
    const struct test_accuracy accuracy = test_accuracy_of(c->view.type, "");
    return test_judge_of(&accuracy, a, op, alpha, b, beta, c_before, c);
}
