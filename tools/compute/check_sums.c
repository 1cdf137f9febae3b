/* SPDX-License-Identifier: Apache-2.0 */
/* See check_sums.h. */
#include "check_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"

int check_sums_make(struct check_sums *work, int64_t n)
{
    const size_t count = (size_t)n + 1;
    work->sum = malloc(count * sizeof *work->sum);
    work->magnitude = malloc(count * sizeof *work->magnitude);
    work->partial = malloc(count * sizeof *work->partial);
    work->partial_magnitude = malloc(count * sizeof *work->partial_magnitude);
    work->verdicts = malloc(count * sizeof *work->verdicts);
    return work->sum != NULL && work->magnitude != NULL && work->partial != NULL &&
           work->partial_magnitude != NULL && work->verdicts != NULL;
}

void check_sums_free(struct check_sums *work)
{
    free(work->sum);
    free(work->magnitude);
    free(work->partial);
    free(work->partial_magnitude);
    free(work->verdicts);
}

static void sum_row_f32(const struct check_input *in, int64_t i, struct check_sums *work)
{
    const struct host_csr *a = in->a;
    double *restrict sum = work->partial;
    double *restrict magnitude = work->partial_magnitude;
    memset(sum, 0, (size_t)in->n * sizeof *sum);
    memset(magnitude, 0, (size_t)in->n * sizeof *magnitude);
    for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
        const double *restrict b = in->b + (int64_t)a->col_ind[p] * in->n;
        const double value = a->values[p];
#pragma omp simd
        for (int64_t j = 0; j < in->n; j++) {
            const double product = value * b[j];
            sum[j] += product;
            magnitude[j] += fabs(product);
        }
    }
    for (int64_t j = 0; j < in->n; j++) {
        work->sum[j] = (long double)sum[j];
        work->magnitude[j] = (long double)magnitude[j];
    }
}

static void sum_row_f64(const struct check_input *in, int64_t i, struct check_sums *work)
{
    const struct host_csr *a = in->a;
    for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
        const double *restrict b = in->b + (int64_t)a->col_ind[p] * in->n;
        const double value = a->values[p];
        for (int64_t j = 0; j < in->n; j++) {
            const long double product = (long double)value * (long double)b[j];
            work->sum[j] += product;
            work->magnitude[j] += fabsl(product);
        }
    }
}

/* Computes sum = A B and magnitude = |A||B| of the row. */
static void sum_row(const struct check_input *in, int64_t i, struct check_sums *work)
{
    for (int64_t j = 0; j < in->n; j++) {
        work->sum[j] = 0.0L;
        work->magnitude[j] = 0.0L;
    }
    if (in->alpha != 0.0 && check_sum_type(in->a->dtype) == SPMM_F32)
        sum_row_f32(in, i, work);
    else if (in->alpha != 0.0)
        sum_row_f64(in, i, work);
}

void check_sums_of_row(const struct check_input *in, int64_t i, struct check_sums *work)
{
    sum_row(in, i, work);
    for (int64_t j = 0; j < in->n; j++) {
        /* If alpha is 0, the sums are 0, whatever B contains. */
        const long double product = fabsl((long double)in->alpha) * work->magnitude[j];
        const long double before =
            in->beta != 0.0 ? (long double)in->beta * (long double)dense_get(in->c0, i, j) : 0.0L;
        /* alpha is multiplied last, so the sum can overflow before a small alpha makes it smaller. */
        work->verdicts[j] =
            (struct check_verdict){.expected = (long double)in->alpha * work->sum[j] + before,
                                   .product = product,
                                   .before = fabsl(before),
                                   .highest = fmaxl(product + fabsl(before), work->magnitude[j])};
    }
}
