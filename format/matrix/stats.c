/* SPDX-License-Identifier: Apache-2.0 */
/* Exact metrics of a CSR matrix. The same on every compiler: sums are integers, and the two floating-point
 * results come from one division each (and a square root, which IEEE 754 rounds correctly). */
#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/many_columns.h"
#include "format/plan.h"
#include "stats.h"

#define CHUNK INT64_C(65536)
#define RADIX_BITS 11u
#define RADIX_BINS (1u << RADIX_BITS)
#define RADIX_PASSES 3u /* 3 * 11 bits hold a column */

__extension__ typedef unsigned __int128 u128;

/* A counter a column costs 4 * cols; sorting a copy of the columns costs 8 * nnz, and more time. */
uint64_t spmmi_stats_bytes(uint64_t cols, uint64_t nnz)
{
    return spmmi_columns_are_many((int64_t)cols, (int64_t)nnz) ? 2 * nnz * sizeof(uint32_t)
                                                               : cols * sizeof(uint32_t);
}

static int histogram_bin(int64_t length)
{
    return length == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)length);
}

static void row_metrics(int64_t rows, const int64_t *row_ptr, spmm_matrix_stats_t *stats)
{
    u128 squares = 0;
    stats->row_min = rows > 0 ? INT64_MAX : 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = row_ptr[i + 1] - row_ptr[i];
        squares += (u128)length * (u128)length;
        stats->row_max = length > stats->row_max ? length : stats->row_max;
        stats->row_min = length < stats->row_min ? length : stats->row_min;
        stats->row_histogram[histogram_bin(length)]++;
    }
    stats->rows_empty = stats->row_histogram[0];
    if (rows == 0)
        return;
    const u128 nnz = (u128)row_ptr[rows];
    const double square_of_rows = (double)((u128)rows * (u128)rows);
    stats->row_mean = (double)row_ptr[rows] / (double)rows;
    /* variance = (rows * sum of squares - nnz^2) / rows^2; the numerator is below 2^125. */
    stats->row_stddev = sqrt((double)((u128)rows * squares - nnz * nnz) / square_of_rows);
}

/* Is the column among length ascending ones? */
static int holds(const int32_t *columns, int64_t length, int64_t column)
{
    while (length > 1) {
        const int64_t half = length / 2;
        columns += columns[half] <= column ? half : 0;
        length -= half;
    }
    return columns[0] == column;
}

static void band_metrics(int64_t rows, const int64_t *row_ptr, const int32_t *col_ind,
                         spmm_matrix_stats_t *stats)
{
    for (int64_t i = 0; i < rows; i++) {
        const int64_t first = row_ptr[i], last = row_ptr[i + 1] - 1;
        if (last < first)
            continue;
        /* Columns ascend, so the ends of a row decide. */
        const int64_t lower = i - col_ind[first], upper = col_ind[last] - i;
        stats->band_lower = lower > stats->band_lower ? lower : stats->band_lower;
        stats->band_upper = upper > stats->band_upper ? upper : stats->band_upper;
        stats->diagonal += holds(col_ind + first, last - first + 1, i);
    }
}

/* All bits but the sign are zero: that is 0 in every value type. At most CHUNK values, so that 32 bits count them and
 * the compiler vectorises. */
#define ZEROS_OF(bits)                                                             \
    static uint32_t zeros_of_##bits(const void *values, int64_t from, int64_t to)  \
    {                                                                              \
        uint32_t zeros = 0;                                                        \
        for (int64_t p = from; p < to; p++)                                        \
            zeros += (((const uint##bits##_t *)values)[p] & INT##bits##_MAX) == 0; \
        return zeros;                                                              \
    }
ZEROS_OF(16)
ZEROS_OF(32)
ZEROS_OF(64)

static int64_t zero_count(int64_t nnz, spmm_dtype_t dtype, const void *values)
{
    const size_t bytes = spmm_dtype_size(dtype);
    int64_t zeros = 0;
    for (int64_t from = 0; from < nnz && values != NULL; from += CHUNK) {
        const int64_t to = nnz - from < CHUNK ? nnz : from + CHUNK;
        if (bytes == sizeof(uint16_t))
            zeros += zeros_of_16(values, from, to);
        else if (bytes == sizeof(uint32_t))
            zeros += zeros_of_32(values, from, to);
        else
            zeros += zeros_of_64(values, from, to);
    }
    return zeros;
}

/* Four columns are read before their counters are written, which may not be reordered otherwise: 1.5 times faster. */
static void count_columns(int64_t nnz, const int32_t *col_ind, uint32_t *counts)
{
    int64_t p = 0;
    for (; p + 4 <= nnz; p += 4) {
        const int32_t a = col_ind[p], b = col_ind[p + 1], c = col_ind[p + 2], d = col_ind[p + 3];
        counts[a]++;
        counts[b]++;
        counts[c]++;
        counts[d]++;
    }
    for (; p < nnz; p++)
        counts[col_ind[p]]++;
}

static spmm_status_t columns_by_counters(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                         spmm_matrix_stats_t *stats)
{
    uint32_t *counts = spmmi_alloc_zero((uint64_t)cols, sizeof *counts);
    if (counts == NULL)
        return SPMM_ERR_MEMORY;
    count_columns(nnz, col_ind, counts);
    for (int64_t j = 0; j < cols; j++) {
        stats->cols_empty += counts[j] == 0;
        stats->col_max = counts[j] > stats->col_max ? counts[j] : stats->col_max;
    }
    spmmi_free(counts);
    return SPMM_OK;
}

static void radix_pass(uint64_t count, uint32_t shift, const uint32_t *from, uint32_t *to)
{
    uint64_t next[RADIX_BINS] = {0};
    for (uint64_t p = 0; p < count; p++)
        next[(from[p] >> shift) & (RADIX_BINS - 1)]++;
    uint64_t sum = 0;
    for (uint32_t b = 0; b < RADIX_BINS; b++) {
        const uint64_t in_bin = next[b];
        next[b] = sum;
        sum += in_bin;
    }
    for (uint64_t p = 0; p < count; p++)
        to[next[(from[p] >> shift) & (RADIX_BINS - 1)]++] = from[p];
}

static spmm_status_t columns_by_sorting(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                        spmm_matrix_stats_t *stats)
{
    uint32_t *buffer = spmmi_alloc(2 * (uint64_t)nnz, sizeof *buffer);
    if (buffer == NULL)
        return SPMM_ERR_MEMORY;
    uint32_t *from = buffer, *to = buffer + nnz;
    memcpy(from, col_ind, (size_t)nnz * sizeof *from);
    for (uint32_t pass = 0; pass < RADIX_PASSES; pass++) {
        radix_pass((uint64_t)nnz, pass * RADIX_BITS, from, to);
        uint32_t *const sorted = to;
        to = from;
        from = sorted;
    }
    int64_t distinct = 0;
    for (int64_t p = 0, run = 0; p < nnz; p++) {
        const int is_new = p == 0 || from[p] != from[p - 1];
        distinct += is_new;
        run = is_new ? 1 : run + 1;
        stats->col_max = run > stats->col_max ? run : stats->col_max;
    }
    stats->cols_empty = cols - distinct;
    spmmi_free(buffer);
    return SPMM_OK;
}

spmm_status_t spmmi_stats_compute(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                  const void *values, spmm_dtype_t dtype, spmm_matrix_stats_t *stats)
{
    const int64_t nnz = row_ptr[rows];
    memset(stats, 0, sizeof *stats);
    row_metrics(rows, row_ptr, stats);
    band_metrics(rows, row_ptr, col_ind, stats);
    stats->zeros = zero_count(nnz, dtype, values);
    return spmmi_columns_are_many(cols, nnz) ? columns_by_sorting(cols, nnz, col_ind, stats)
                                             : columns_by_counters(cols, nnz, col_ind, stats);
}
