/* SPDX-License-Identifier: Apache-2.0 */
/* See dense_matrix.h. */
#include "dense_matrix.h"

#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "tools/cli/number.h"

int64_t dense_ld(spmm_layout_t layout, int64_t rows, int64_t cols)
{
    const int64_t ld = layout == SPMM_ROW_MAJOR ? cols : rows;
    return ld > 0 ? ld : 1;
}

spmm_status_t dense_bytes(const spmm_dense_t *dense, uint64_t *bytes, spmm_diag_t *diag)
{
    const uint64_t lines = (uint64_t)(dense->layout == SPMM_ROW_MAJOR ? dense->rows : dense->cols);
    uint64_t count = 0;
    if (__builtin_mul_overflow(lines, (uint64_t)dense->ld, &count) ||
        __builtin_mul_overflow(count, spmm_dtype_size(dense->type), bytes) || *bytes > INT64_MAX)
        return fail(diag, SPMM_ERR_TOO_LARGE, "a dense matrix of %lld x %lld does not fit in memory",
                    (long long)dense->rows, (long long)dense->cols);
    return SPMM_OK;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

double dense_random(spmm_dtype_t type, uint64_t seed, int64_t i, int64_t j)
{
    const uint64_t hash =
        mix(mix(seed + 0x9e3779b97f4a7c15u * (uint64_t)i) + 0xd1b54a32d192ed03u * (uint64_t)j);
    /* Odd multiples of 2^-23 (2^-52 for f64) fill (-1, 1) evenly, skip zero, and fit the significand. */
    if (type == SPMM_F32)
        return ((double)(hash >> 41) * 2.0 + 1.0) * 0x1p-23 - 1.0;
    const double uniform = ((double)(hash >> 12) * 2.0 + 1.0) * 0x1p-52 - 1.0;
    if (type == SPMM_F64)
        return uniform;
    /* Multiples of one step would give bf16 only a few hundred different numbers, so all numbers of the type
     * are used. The interval ends at the number below 1, so that nothing rounds up to 1. */
    return value_round(type, uniform * (1.0 - value_type(type)->unit));
}

void dense_fill_random(const spmm_dense_t *dense, uint64_t seed, int64_t random_rows)
{
    const int is_row_major = dense->layout == SPMM_ROW_MAJOR;
    const int64_t lines = is_row_major ? dense->rows : dense->cols;
    const int64_t length = is_row_major ? dense->cols : dense->rows;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t line = 0; line < lines; line++) {
        for (int64_t p = 0; p < length; p++) {
            const int64_t i = is_row_major ? line : p;
            const int64_t j = is_row_major ? p : line;
            value_set(dense->type, dense->data, line * dense->ld + p,
                      i < random_rows ? dense_random(dense->type, seed, i, j) : 0.0);
        }
    }
}

double dense_get(const spmm_dense_t *dense, int64_t i, int64_t j)
{
    const int64_t at = dense->layout == SPMM_ROW_MAJOR ? i * dense->ld + j : i + j * dense->ld;
    return value_get(dense->type, dense->data, at);
}

void dense_to_double(const spmm_dense_t *dense, double *out)
{
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t i = 0; i < dense->rows; i++)
        for (int64_t j = 0; j < dense->cols; j++)
            out[i * dense->cols + j] = dense_get(dense, i, j);
}
