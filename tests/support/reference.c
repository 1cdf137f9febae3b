/* SPDX-License-Identifier: Apache-2.0 */
/* See reference.h. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#define LARGE 50000 /* with more multiplications, threads are worth their start */
#define AT_ONCE 8   /* columns that a thread computes at a time */

static void *take(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (block == NULL)
        abort();
    return block;
}

/* Computes columns [j, end) of all rows. b is row-major. */
static void sum_columns(struct test_sums *s, const struct test_matrix *a, spmm_op_t op, spmm_dtype_t dtype,
                        const double *b, int64_t j, int64_t end)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
            const int64_t row = op == SPMM_OP_N ? i : a->col_ind[p];
            const int64_t col = op == SPMM_OP_N ? a->col_ind[p] : i;
            const long double value = (long double)test_value_round(dtype, a->values[p]);
            if (j == 0) /* so that only one thread writes the counts */
                s->count[row]++;
            for (int64_t q = j; q < end; q++) {
                const long double of_b = (long double)b[col * s->n + q], term = value * of_b;
                s->factors[row * s->n + q] += test_small_factors(dtype, value, of_b);
                s->value[row * s->n + q] += term;
                s->magnitude[row * s->n + q] += fabsl(term);
            }
        }
}

struct test_sums test_sums_make(const struct test_matrix *a, spmm_op_t op, double alpha,
                                const struct test_dense *b, double beta, const struct test_dense *c_before)
{
    const int64_t n = c_before->view.cols, rows = op == SPMM_OP_N ? a->rows : a->cols;
    const int64_t k = op == SPMM_OP_N ? a->cols : a->rows;
    struct test_sums s = {.alpha = alpha, .beta = beta, .c_before = c_before, .n = n};
    if (alpha == 0)
        return s;
    s.value = take(rows * n, sizeof *s.value);
    s.magnitude = take(rows * n, sizeof *s.magnitude);
    s.factors = take(rows * n, sizeof *s.factors);
    s.count = take(rows, sizeof *s.count);
    double *of_b = take(k * n, sizeof *of_b);
#pragma omp parallel if (a->nnz * n + k * n > LARGE)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < k * n; i++)
            of_b[i] = test_dense_get(b, i / n, i % n);
#pragma omp for schedule(dynamic)
        for (int64_t j = 0; j < n; j += AT_ONCE)
            sum_columns(&s, a, op, b->view.type, of_b, j, j + AT_ONCE < n ? j + AT_ONCE : n);
    }
    free(of_b);
    return s;
}

/* Converts A and B to f64, which represents their values exactly. */
struct test_sums test_sums_of_type(const struct test_matrix *a, spmm_dtype_t a_type, spmm_op_t op,
                                   double alpha, const struct test_dense *b, double beta,
                                   const struct test_dense *c_before)
{
    struct test_matrix wide_a = *a;
    if (a_type == b->view.type)
        return test_sums_make(a, op, alpha, b, beta, c_before);
    struct test_dense wide_b = test_dense_make(
        (struct test_dense_shape){b->view.rows, b->view.cols, SPMM_ROW_MAJOR, SPMM_F64, 0, 0});
    for (int64_t i = 0; i < b->view.rows * b->view.cols; i++)
        test_dense_set(&wide_b, i / b->view.cols, i % b->view.cols,
                       test_dense_get(b, i / b->view.cols, i % b->view.cols));
    wide_a.values = take(a->nnz, sizeof *wide_a.values);
    for (int64_t p = 0; p < a->nnz; p++)
        wide_a.values[p] = test_value_round(a_type, a->values[p]);
    const struct test_sums sums = test_sums_make(&wide_a, op, alpha, &wide_b, beta, c_before);
    free(wide_a.values);
    test_dense_free(&wide_b);
    return sums;
}

void test_sums_free(struct test_sums *sums)
{
    free(sums->value);
    free(sums->magnitude);
    free(sums->factors);
    free(sums->count);
}

struct test_terms test_sums_terms(const struct test_sums *s, int64_t i, int64_t j, long double *want)
{
    struct test_terms terms = {.alpha = s->alpha, .beta = s->beta};
    *want = 0;
    if (s->alpha != 0) {
        *want += (long double)s->alpha * s->value[i * s->n + j];
        terms.product = s->magnitude[i * s->n + j];
        terms.factors = s->factors[i * s->n + j];
        terms.count = s->count[i];
    }
    if (s->beta != 0) {
        const long double before = (long double)test_dense_get(s->c_before, i, j);
        *want += (long double)s->beta * before;
        terms.before = fabsl(before);
    }
    return terms;
}

static void judge_element(const struct test_accuracy *accuracy, const struct test_sums *s,
                          const struct test_dense *c, int64_t i, int64_t j, struct test_judgement *judgement)
{
    long double want;
    const struct test_terms terms = test_sums_terms(s, i, j, &want);
    const double got = test_dense_get(c, i, j);
    const long double bound = test_terms_bound_of(accuracy, &terms);
    const int is_overflow =
        !isfinite(got) && isfinite(want) &&
        (test_terms_overflow(accuracy, &terms) ||
         (isinf(got) && (got > 0) == (want > 0) && test_stored_overflow(c->view.type, want, bound)));
    const double ratio =
        is_overflow ? 0 : test_ratio(got, want, test_stored_bound(c->view.type, want, bound));
    if (test_ratio(got, test_value_round(c->view.type, (double)want), 0) != 0)
        judgement->is_exact = 0;
    if (!(ratio <= judgement->ratio))
        *judgement = (struct test_judgement){ratio, judgement->is_exact, i, j, got, (double)want};
}

struct test_judgement test_judge_sums(const struct test_accuracy *accuracy, const struct test_sums *sums,
                                      const struct test_dense *c)
{
    const int64_t m = c->view.rows, n = c->view.cols;
    struct test_judgement worst = {0, 1, 0, 0, 0, 0};
#pragma omp parallel if (m * n > LARGE)
    {
        struct test_judgement mine = {0, 1, 0, 0, 0, 0};
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < m * n; i++)
            judge_element(accuracy, sums, c, i / n, i % n, &mine);
#pragma omp critical
        {
            const int is_exact = worst.is_exact && mine.is_exact;
            if (!(mine.ratio <= worst.ratio))
                worst = mine;
            worst.is_exact = is_exact;
        }
    }
    return worst;
}

struct test_judgement test_judge_of(const struct test_accuracy *accuracy, const struct test_matrix *a,
                                    spmm_op_t op, double alpha, const struct test_dense *b, double beta,
                                    const struct test_dense *c_before, const struct test_dense *c)
{
    struct test_sums sums = test_sums_make(a, op, alpha, b, beta, c_before);
    const struct test_judgement judgement = test_judge_sums(accuracy, &sums, c);
    test_sums_free(&sums);
    return judgement;
}

struct test_judgement test_judge(const struct test_matrix *a, spmm_op_t op, double alpha,
                                 const struct test_dense *b, double beta, const struct test_dense *c_before,
                                 const struct test_dense *c)
{
    const struct test_accuracy accuracy = test_accuracy_of(c->view.type, "");
    return test_judge_of(&accuracy, a, op, alpha, b, beta, c_before, c);
}
