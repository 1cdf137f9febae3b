/* SPDX-License-Identifier: Apache-2.0 */
/* The componentwise check of a product. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "fail.h"

struct check_reference {
    int64_t row_count, n;
    int64_t *rows;
    long double *expected; /* row_count x n */
    double *bound;         /* row_count x n */
    int has_nan;
};

/* What one thread needs to compute a row. */
struct row_work {
    long double *sum; /* n */
    double *partial;  /* n, sums of f32 products, which a double holds with room to spare */
    double *magnitude;
    double *bound;
};

static int row_work_make(struct row_work *work, int64_t n)
{
    const size_t count = (size_t)n + 1;
    work->sum = malloc(count * sizeof *work->sum);
    work->partial = malloc(count * sizeof *work->partial);
    work->magnitude = malloc(count * sizeof *work->magnitude);
    work->bound = malloc(count * sizeof *work->bound);
    return work->sum != NULL && work->partial != NULL && work->magnitude != NULL && work->bound != NULL;
}

static void row_work_free(struct row_work *work)
{
    free(work->sum);
    free(work->partial);
    free(work->magnitude);
    free(work->bound);
}

static void sum_row_f32(const struct check_input *in, int64_t i, struct row_work *work)
{
    const struct host_csr *a = in->a;
    double *restrict sum = work->partial;
    double *restrict magnitude = work->magnitude;
    memset(sum, 0, (size_t)in->n * sizeof *sum);
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
    for (int64_t j = 0; j < in->n; j++)
        work->sum[j] = (long double)sum[j];
}

static void sum_row_f64(const struct check_input *in, int64_t i, struct row_work *work)
{
    const struct host_csr *a = in->a;
    for (int64_t j = 0; j < in->n; j++)
        work->sum[j] = 0.0L;
    for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++) {
        const double *restrict b = in->b + (int64_t)a->col_ind[p] * in->n;
        const double value = a->values[p];
        for (int64_t j = 0; j < in->n; j++) {
            work->sum[j] += (long double)value * (long double)b[j];
            work->magnitude[j] += fabs(value * b[j]);
        }
    }
}

/* Roundings that a factor costs: none for 1, one for the multiplication, one more when the type cannot hold it. */
static double factor_roundings(double factor, spmm_dtype_t dtype)
{
    if (factor == 1.0)
        return 0.0;
    const int is_exact = dtype == SPMM_F64 || (double)(float)factor == factor || isnan(factor);
    return is_exact ? 1.0 : 2.0;
}

/* Expected values and bounds of row i of C. */
static void reference_row(const struct check_input *in, int64_t i, struct row_work *work)
{
    const spmm_dtype_t dtype = in->a->dtype;
    const int is_f32 = dtype == SPMM_F32;
    const double u = is_f32 ? 0x1p-24 : 0x1p-53;
    const double eta = is_f32 ? 0x1p-149 : 0x1p-1074;
    const double largest = is_f32 ? (double)FLT_MAX : DBL_MAX;
    double roundings =
        (double)(in->a->row_ptr[i + 1] - in->a->row_ptr[i]) + factor_roundings(in->alpha, dtype);

    memset(work->magnitude, 0, (size_t)in->n * sizeof *work->magnitude);
    if (in->alpha == 0.0) {
        for (int64_t j = 0; j < in->n; j++)
            work->sum[j] = 0.0L;
        roundings = 0.0;
    } else if (is_f32) {
        sum_row_f32(in, i, work);
    } else {
        sum_row_f64(in, i, work);
    }
    if (in->beta != 0.0)
        roundings += 1.0 + factor_roundings(in->beta, dtype);
    const double gamma = roundings * u / (1.0 - roundings * u);
    for (int64_t j = 0; j < in->n; j++) {
        double magnitude = fabs(in->alpha) * work->magnitude[j];
        if (in->alpha != 0.0)
            work->sum[j] *= (long double)in->alpha;
        if (in->beta != 0.0) {
            const double before = dense_get(in->c0, i, j);
            work->sum[j] += (long double)in->beta * (long double)before;
            magnitude += fabs(in->beta * before);
        }
        /* Sums that may leave the range of the type carry no promise. */
        work->bound[j] = magnitude > largest ? (double)INFINITY : gamma * magnitude + roundings * eta;
    }
}

static double element_ratio(double found, long double expected, double bound)
{
    if (isnan(expected))
        return isnan(found) ? 0.0 : (double)INFINITY;
    if ((long double)found == expected)
        return 0.0;
    if (isinf(expected))
        return (double)INFINITY;
    if (isinf(bound))
        return isnan(found) ? (double)INFINITY : 0.0;
    if (!isfinite(found) || bound == 0.0)
        return (double)INFINITY;
    return (double)(fabsl((long double)found - expected) / (long double)bound);
}

static void compare_row(const spmm_dense_t *c, int64_t i, const long double *expected, const double *bound,
                        struct check_result *worst)
{
    for (int64_t j = 0; j < c->cols; j++) {
        const double found = dense_get(c, i, j);
        const double ratio = element_ratio(found, expected[j], bound[j]);
        if (worst->row < 0 || ratio > worst->ratio)
            *worst = (struct check_result){ratio, i, j, found, (double)expected[j]};
    }
}

/* Of two findings the larger ratio, then the earlier row: the same at any number of threads. */
static void merge(struct check_result *into, const struct check_result *from)
{
    if (from->row < 0)
        return;
    if (into->row < 0 || from->ratio > into->ratio || (from->ratio >= into->ratio && from->row < into->row))
        *into = *from;
}

spmm_status_t check_product(const struct check_input *input, const spmm_dense_t *c,
                            struct check_result *result, spmm_diag_t *diag)
{
    struct check_result worst = {0.0, -1, -1, 0.0, 0.0};
    int is_short = 0;
    if (c->rows != input->a->rows || c->cols != input->n)
        return fail(diag, SPMM_ERR_SHAPE, "the product to check has another shape than its reference");
#pragma omp parallel
    {
        struct row_work work;
        struct check_result mine = {0.0, -1, -1, 0.0, 0.0};
        const int is_ready = row_work_make(&work, input->n);
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < c->rows; i++) {
            if (!is_ready)
                continue;
            reference_row(input, i, &work);
            compare_row(c, i, work.sum, work.bound, &mine);
        }
        row_work_free(&work);
#pragma omp critical
        {
            merge(&worst, &mine);
            is_short |= !is_ready;
        }
    }
    *result = worst;
    return is_short ? fail_memory(diag, (uint64_t)input->n * 40, "a row of the reference") : SPMM_OK;
}

spmm_status_t check_reference_make(const struct check_input *input, const int64_t *rows, int64_t row_count,
                                   struct check_reference **reference, spmm_diag_t *diag)
{
    const size_t count = (size_t)row_count * (size_t)input->n + 1;
    struct check_reference *made = calloc(1, sizeof *made);
    int is_short = made == NULL;
    int has_nan = 0;
    *reference = NULL;
    if (!is_short) {
        made->row_count = row_count;
        made->n = input->n;
        made->rows = malloc(((size_t)row_count + 1) * sizeof *made->rows);
        made->expected = malloc(count * sizeof *made->expected);
        made->bound = malloc(count * sizeof *made->bound);
        is_short = made->rows == NULL || made->expected == NULL || made->bound == NULL;
    }
    if (!is_short) {
        memcpy(made->rows, rows, (size_t)row_count * sizeof *rows);
#pragma omp parallel reduction(| : is_short, has_nan)
        {
            struct row_work work;
            const int is_ready = row_work_make(&work, input->n);
#pragma omp for schedule(dynamic, 4)
            for (int64_t r = 0; r < row_count; r++) {
                if (!is_ready)
                    continue;
                reference_row(input, rows[r], &work);
                for (int64_t j = 0; j < input->n; j++) {
                    made->expected[r * input->n + j] = work.sum[j];
                    made->bound[r * input->n + j] = work.bound[j];
                    has_nan |= isnan(work.sum[j]) != 0;
                }
            }
            is_short |= !is_ready;
            row_work_free(&work);
        }
        made->has_nan = has_nan;
    }
    if (is_short) {
        check_reference_free(made);
        return fail_memory(diag, count * (sizeof(long double) + sizeof(double)),
                           "the reference of the check");
    }
    for (int64_t p = 0; p < input->a->nnz; p++)
        made->has_nan |= !isfinite(input->a->values[p]);
    *reference = made;
    return SPMM_OK;
}

static int line_has_nan(const spmm_dense_t *c, int64_t line, int64_t length)
{
    int found = 0;
    if (c->type == SPMM_F32) {
        const float *data = (const float *)c->data + line * c->ld;
        for (int64_t p = 0; p < length; p++)
            found |= data[p] != data[p];
    } else {
        const double *data = (const double *)c->data + line * c->ld;
        for (int64_t p = 0; p < length; p++)
            found |= data[p] != data[p];
    }
    return found;
}

static int has_nan(const spmm_dense_t *c)
{
    const int is_row_major = c->order == SPMM_ROW_MAJOR;
    const int64_t lines = is_row_major ? c->rows : c->cols;
    int found = 0;
#pragma omp parallel for schedule(static) reduction(| : found)
    for (int64_t line = 0; line < lines; line++)
        found |= line_has_nan(c, line, is_row_major ? c->cols : c->rows);
    return found;
}

struct check_result check_against(const struct check_reference *reference, const spmm_dense_t *c)
{
    struct check_result worst = {0.0, -1, -1, 0.0, 0.0};
#pragma omp parallel
    {
        struct check_result mine = {0.0, -1, -1, 0.0, 0.0};
#pragma omp for schedule(static)
        for (int64_t r = 0; r < reference->row_count; r++)
            compare_row(c, reference->rows[r], reference->expected + r * reference->n,
                        reference->bound + r * reference->n, &mine);
#pragma omp critical
        merge(&worst, &mine);
    }
    if (!reference->has_nan && worst.ratio <= 1.0 && has_nan(c))
        worst.ratio = (double)INFINITY;
    return worst;
}

void check_reference_free(struct check_reference *reference)
{
    if (reference == NULL)
        return;
    free(reference->rows);
    free(reference->expected);
    free(reference->bound);
    free(reference);
}
