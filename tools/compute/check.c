/* SPDX-License-Identifier: Apache-2.0 */
/* The componentwise check of a product, see check.h. */
#include "check.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "check_sums.h"
#include "dense_matrix.h"
#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

/* A row of op(A). factors is an upper bound of the sum of |a| + |b| over its products with a small factor. */
struct row {
    int64_t index, length;
    long double factors;
};

struct check_reference {
    int64_t row_count, n;
    double alpha, beta;
    spmm_dtype_t dtype;
    struct row *rows;
    struct check_verdict *verdicts; /* row_count x n */
    int has_nan;
};

/* Returns the number of roundings that a factor costs: 0 for 1, 1 for the multiplication, and 1 more if the
 * type cannot represent the factor. */
static double factor_roundings(double factor, spmm_dtype_t dtype)
{
    if (factor == 1.0)
        return 0.0;
    const int is_exact = dtype == SPMM_F64 || (double)(float)factor == factor || isnan(factor);
    return is_exact ? 1.0 : 2.0;
}

/* Returns the relative error of count roundings, but at most 1, which is used for very long rows. */
static long double gamma_of(double count, double u)
{
    return count * u >= 0.5 ? 1.0L : (long double)(count * u / (1.0 - count * u));
}

/* The bound of check.h for the elements of one row: the factors of its terms. */
struct row_bound {
    long double of_product, of_before, absolute;
};

static struct row_bound row_bound(const struct check_reference *r, const struct row *row,
                                  struct arithmetic arithmetic)
{
    const spmm_dtype_t dtype = check_sum_type(r->dtype);
    const struct accuracy a = accuracy_of(arithmetic, dtype);
    const double count = r->alpha != 0.0 ? (double)row->length : 0.0;
    const double of_alpha = count > 0.0 ? factor_roundings(r->alpha, dtype) : 0.0;
    const double of_beta = r->beta != 0.0 ? factor_roundings(r->beta, dtype) : 0.0;
    const double additions = r->beta != 0.0 ? fmin(count, 2.0) : 0.0;
    const double alpha = fabs(r->alpha);
    const double underflows = a.roundings * count * fmax(1.0, alpha) + of_alpha + of_beta;
    const long double rounding = gamma_of(a.roundings * count + of_alpha + fmin(additions, 1.0), a.unit);
    return (struct row_bound){.of_product = a.input + a.growth * rounding,
                              .of_before = gamma_of(of_beta + additions, a.unit),
                              .absolute = (long double)underflows * a.eta +
                                          (count > 0.0 ? (long double)alpha * a.tiny * row->factors : 0.0L)};
}

static int is_small(double x, double limit)
{
    return x != 0.0 && fabs(x) < limit;
}

/* Properties of all of B: the largest finite magnitude, and whether there is a small nonzero number. */
struct range {
    double largest;
    int has_small;
};

static struct range range_of(const struct check_input *in)
{
    const double limit = small_factor(in->a->dtype);
    double largest = 0.0;
    int has_small = 0;
#pragma omp parallel for num_threads(spmmi_team(0)) reduction(max : largest) reduction(| : has_small)
    for (int64_t q = 0; q < in->a->cols * in->n; q++) {
        largest = isfinite(in->b[q]) ? fmax(largest, fabs(in->b[q])) : largest;
        has_small |= is_small(in->b[q], limit);
    }
    return (struct range){largest, has_small};
}

static struct row row_of(const struct check_input *in, int64_t i, const struct range *b)
{
    const struct host_csr *a = in->a;
    const double limit = small_factor(a->dtype);
    struct row row = {i, a->row_ptr[i + 1] - a->row_ptr[i], 0.0L};
    for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++)
        if (isfinite(a->values[p]) && (b->has_small || is_small(a->values[p], limit)))
            row.factors += (long double)fabs(a->values[p]) + (long double)b->largest;
    return row;
}

static struct check_reference reference_of(const struct check_input *in)
{
    return (struct check_reference){.n = in->n, .alpha = in->alpha, .beta = in->beta, .dtype = in->a->dtype};
}

/* Returns true if the sum can leave the range of its type in some summation order. */
static int may_overflow(const struct check_verdict *v, const struct row_bound *bound, spmm_dtype_t dtype)
{
    return v->highest * (1.0L + bound->of_product) > (long double)value_type(check_sum_type(dtype))->largest;
}

/* Returns error / bound of one element. A narrow type adds the rounding on storing: a sum within bound of
 * expected moves by at most u (|expected| + bound), or by half of the smallest positive number among
 * subnormal numbers, and may be rounded to the infinity of its sign. A sum that is known to be exactly zero
 * must stay zero. */
static double element_ratio(double found, const struct check_verdict *v, const struct row_bound *row,
                            spmm_dtype_t stored)
{
    const struct value_type *type = value_type(stored);
    long double bound = row->of_product * v->product + row->of_before * v->before + row->absolute;
    const long double farthest = fabsl(v->expected) + bound;
    if (isnan(v->expected))
        return isnan(found) ? 0.0 : (double)INFINITY;
    if ((long double)found == v->expected)
        return 0.0;
    if (isinf(v->expected))
        return (double)INFINITY;
    if (!isfinite(found)) {
        const int is_rounded_away = type->is_narrow && farthest >= (long double)type->infinity &&
                                    isinf(found) && (found > 0.0) == (v->expected > 0.0L);
        return may_overflow(v, row, stored) || is_rounded_away ? 0.0 : (double)INFINITY;
    }
    if (type->is_narrow && farthest > 0.0L)
        bound += (long double)type->unit * farthest + (long double)type->tiny / 2;
    if (bound == 0.0L)
        return (double)INFINITY;
    return (double)(fabsl((long double)found - v->expected) / bound);
}

static void compare_row(const struct check_reference *r, const spmm_dense_t *c, const struct row *row,
                        const struct check_verdict *verdicts, struct arithmetic arithmetic,
                        struct check_result *worst)
{
    const struct row_bound bound = row_bound(r, row, arithmetic);
    for (int64_t j = 0; j < c->cols; j++) {
        const double found = dense_get(c, row->index, j);
        const double ratio = element_ratio(found, &verdicts[j], &bound, c->type);
        if (worst->row < 0 || ratio > worst->ratio)
            *worst = (struct check_result){ratio, row->index, j, found, (double)verdicts[j].expected};
    }
}

/* Keeps the larger ratio, or the earlier row if they are equal: the result does not depend on the number of
 * threads. */
static void merge(struct check_result *into, const struct check_result *from)
{
    if (from->row < 0)
        return;
    if (into->row < 0 || from->ratio > into->ratio || (from->ratio >= into->ratio && from->row < into->row))
        *into = *from;
}

uint64_t check_product_bytes(int64_t b_rows, int64_t n)
{
    const uint64_t rows = (uint64_t)omp_get_max_threads() * CHECK_SUMS_COLUMN_BYTES / sizeof(double);
    uint64_t bytes = 0;
    return __builtin_mul_overflow((uint64_t)b_rows + rows, (uint64_t)n * sizeof(double), &bytes) ? UINT64_MAX
                                                                                                 : bytes;
}

spmm_status_t check_product(const struct check_input *input, const spmm_dense_t *c,
                            struct check_result *result, spmm_diag_t *diag)
{
    struct check_result worst = {0.0, -1, -1, 0.0, 0.0};
    const struct check_reference whole = reference_of(input);
    const struct range of_b = range_of(input);
    int is_short = 0;
    if (c->rows != input->a->rows || c->cols != input->n)
        return fail(diag, SPMM_ERR_SHAPE, "the product to check has another shape than its reference");
#pragma omp parallel num_threads(spmmi_team(0))
    {
        struct check_sums work;
        struct check_result mine = {0.0, -1, -1, 0.0, 0.0};
        const int is_ready = check_sums_make(&work, input->n);
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < c->rows; i++) {
            if (!is_ready)
                continue;
            const struct row row = row_of(input, i, &of_b);
            check_sums_of_row(input, i, &work);
            compare_row(&whole, c, &row, work.verdicts, input->arithmetic, &mine);
        }
        check_sums_free(&work);
#pragma omp critical(spmm_check_merge)
        {
            merge(&worst, &mine);
            is_short |= !is_ready;
        }
    }
    *result = worst;
    return is_short
               ? fail_memory(diag, (uint64_t)input->n * CHECK_SUMS_COLUMN_BYTES, "a row of the reference")
               : SPMM_OK;
}

uint64_t check_reference_bytes(int64_t row_count, int64_t n)
{
    return (uint64_t)row_count * (sizeof(struct row) + (uint64_t)n * sizeof(struct check_verdict)) +
           check_product_bytes(0, n);
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
        *made = reference_of(input);
        made->row_count = row_count;
        made->rows = malloc(((size_t)row_count + 1) * sizeof *made->rows);
        made->verdicts = malloc(count * sizeof *made->verdicts);
        is_short = made->rows == NULL || made->verdicts == NULL;
    }
    if (!is_short) {
        const struct range of_b = range_of(input);
#pragma omp parallel num_threads(spmmi_team(0)) reduction(| : is_short, has_nan)
        {
            struct check_sums work;
            const int is_ready = check_sums_make(&work, input->n);
#pragma omp for schedule(dynamic, 4)
            for (int64_t r = 0; r < row_count; r++) {
                if (!is_ready)
                    continue;
                made->rows[r] = row_of(input, rows[r], &of_b);
                const struct row_bound bound = row_bound(made, &made->rows[r], (struct arithmetic){0});
                check_sums_of_row(input, rows[r], &work);
                for (int64_t j = 0; j < input->n; j++) {
                    made->verdicts[r * input->n + j] = work.verdicts[j];
                    has_nan |= isnan(work.verdicts[j].expected) ||
                               may_overflow(&work.verdicts[j], &bound, made->dtype);
                }
            }
            is_short |= !is_ready;
            check_sums_free(&work);
        }
        made->has_nan = has_nan;
    }
    if (is_short) {
        check_reference_free(made);
        return fail_memory(diag, count * sizeof(struct check_verdict), "the reference of the check");
    }
    for (int64_t p = 0; p < input->a->nnz; p++)
        made->has_nan |= !isfinite(input->a->values[p]);
    *reference = made;
    return SPMM_OK;
}

static int line_has_nan(const spmm_dense_t *c, int64_t line, int64_t length)
{
    int found = 0;
    if (value_type(c->type)->is_narrow) {
        const uint16_t *data = (const uint16_t *)c->data + line * c->ld;
        const uint16_t infinity = value_infinity_bits(value_type(c->type));
        for (int64_t p = 0; p < length; p++)
            found |= (data[p] & 0x7fff) > infinity;
    } else if (c->type == SPMM_F32) {
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
    const int is_row_major = c->layout == SPMM_ROW_MAJOR;
    const int64_t lines = is_row_major ? c->rows : c->cols;
    int found = 0;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static) reduction(| : found)
    for (int64_t line = 0; line < lines; line++)
        found |= line_has_nan(c, line, is_row_major ? c->cols : c->rows);
    return found;
}

struct check_result check_against(const struct check_reference *reference, const spmm_dense_t *c,
                                  struct arithmetic arithmetic)
{
    struct check_result worst = {0.0, -1, -1, 0.0, 0.0};
#pragma omp parallel num_threads(spmmi_team(0))
    {
        struct check_result mine = {0.0, -1, -1, 0.0, 0.0};
#pragma omp for schedule(static)
        for (int64_t r = 0; r < reference->row_count; r++)
            compare_row(reference, c, &reference->rows[r], reference->verdicts + r * reference->n, arithmetic,
                        &mine);
#pragma omp critical(spmm_check_merge)
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
    free(reference->verdicts);
    free(reference);
}
