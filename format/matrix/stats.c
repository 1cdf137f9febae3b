/* SPDX-License-Identifier: Apache-2.0 */
/* Exact metrics of a CSR matrix. The results are the same with every compiler: sums are integers, and each of
 * the two floating-point results needs one division (and a square root, which IEEE 754 rounds correctly). */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "column_counts.h"
#include "format/base/each.h"
#include "format/plan.h"
#include "stats.h"

#define CHUNK INT64_C(65536)     /* values that a thread processes at a time */
#define ROWS_CHUNK INT64_C(4096) /* rows that a thread processes at a time; rows may be long */

__extension__ typedef unsigned __int128 u128;

uint64_t spmmi_stats_bytes(uint64_t cols, uint64_t nnz, int threads)
{
    return spmmi_column_counts_bytes(cols, nnz, threads);
}

/* The metrics that are accumulated over pieces of the rows and of the values. */
struct sums {
    u128 squares; /* sum of the squares of row lengths */
    int64_t row_min, row_max, band_lower, band_upper, diagonal, zeros;
    int64_t row_histogram[SPMM_HISTOGRAM_BINS];
};

struct matrix {
    int64_t rows;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const void *values;
    spmm_dtype_t dtype;
    pthread_mutex_t lock; /* protects all */
    struct sums all;
};

static int histogram_bin(int64_t length)
{
    return length == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)length);
}

static void row_metrics(const struct matrix *a, int64_t begin, int64_t end, struct sums *sums)
{
    for (int64_t i = begin; i < end; i++) {
        const int64_t length = a->row_ptr[i + 1] - a->row_ptr[i];
        sums->squares += (u128)length * (u128)length;
        sums->row_max = length > sums->row_max ? length : sums->row_max;
        sums->row_min = length < sums->row_min ? length : sums->row_min;
        sums->row_histogram[histogram_bin(length)]++;
    }
}

/* Returns true if column is in a list of `length` ascending columns. length is not 0. */
static int holds(const int32_t *columns, int64_t length, int64_t column)
{
    while (length > 1) {
        const int64_t half = length / 2;
        columns += columns[half] <= column ? half : 0;
        length -= half;
    }
    return columns[0] == column;
}

static void band_metrics(const struct matrix *a, int64_t begin, int64_t end, struct sums *sums)
{
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = a->row_ptr[i], last = a->row_ptr[i + 1] - 1;
        if (last < first)
            continue;
        /* Columns ascend, so the first and the last column of a row determine its bandwidth. */
        const int64_t lower = i - a->col_ind[first], upper = a->col_ind[last] - i;
        sums->band_lower = lower > sums->band_lower ? lower : sums->band_lower;
        sums->band_upper = upper > sums->band_upper ? upper : sums->band_upper;
        sums->diagonal += holds(a->col_ind + first, last - first + 1, i);
    }
}

/* Counts zeros: values whose bits except the sign are zero, in every value type. There are at most CHUNK
 * values, so a 32-bit counter suffices and the compiler vectorises the loop. */
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

static uint32_t zeros_of(const struct matrix *a, int64_t begin, int64_t end)
{
    const size_t bytes = spmm_dtype_size(a->dtype);
    if (bytes == sizeof(uint16_t))
        return zeros_of_16(a->values, begin, end);
    return bytes == sizeof(uint32_t) ? zeros_of_32(a->values, begin, end)
                                     : zeros_of_64(a->values, begin, end);
}

static void sums_add(struct matrix *a, const struct sums *sums)
{
    struct sums *const all = &a->all;
    (void)pthread_mutex_lock(&a->lock);
    all->squares += sums->squares;
    all->row_min = sums->row_min < all->row_min ? sums->row_min : all->row_min;
    all->row_max = sums->row_max > all->row_max ? sums->row_max : all->row_max;
    all->band_lower = sums->band_lower > all->band_lower ? sums->band_lower : all->band_lower;
    all->band_upper = sums->band_upper > all->band_upper ? sums->band_upper : all->band_upper;
    all->diagonal += sums->diagonal;
    all->zeros += sums->zeros;
    for (int b = 0; b < SPMM_HISTOGRAM_BINS; b++)
        all->row_histogram[b] += sums->row_histogram[b];
    (void)pthread_mutex_unlock(&a->lock);
}

static void rows_piece(void *context, uint64_t index, int thread)
{
    struct matrix *const a = context;
    const int64_t begin = (int64_t)index * ROWS_CHUNK, end = spmmi_piece_end(a->rows, ROWS_CHUNK, index);
    struct sums sums = {.row_min = INT64_MAX};
    (void)thread;
    row_metrics(a, begin, end, &sums);
    band_metrics(a, begin, end, &sums);
    sums_add(a, &sums);
}

static void values_piece(void *context, uint64_t index, int thread)
{
    struct matrix *const a = context;
    const int64_t begin = (int64_t)index * CHUNK;
    const int64_t end = spmmi_piece_end(a->row_ptr[a->rows], CHUNK, index);
    const struct sums sums = {.row_min = INT64_MAX, .zeros = zeros_of(a, begin, end)};
    (void)thread;
    sums_add(a, &sums);
}

static void sums_write(const struct matrix *a, spmm_matrix_stats_t *stats)
{
    const struct sums *const all = &a->all;
    stats->row_min = all->row_min;
    stats->row_max = all->row_max;
    stats->band_lower = all->band_lower;
    stats->band_upper = all->band_upper;
    stats->diagonal = all->diagonal;
    stats->zeros = all->zeros;
    memcpy(stats->row_histogram, all->row_histogram, sizeof stats->row_histogram);
    stats->rows_empty = stats->row_histogram[0];
    if (a->rows == 0)
        return;
    const u128 rows = (u128)a->rows, nnz = (u128)a->row_ptr[a->rows];
    stats->row_mean = (double)a->row_ptr[a->rows] / (double)a->rows;
    /* variance = (rows * sum of squares - nnz^2) / rows^2; the numerator is below 2^125. */
    stats->row_stddev = sqrt((double)(rows * all->squares - nnz * nnz) / (double)(rows * rows));
}

spmm_status_t spmmi_stats_compute_on(int threads, int64_t rows, int64_t cols, const int64_t *row_ptr,
                                     const int32_t *col_ind, const void *values, spmm_dtype_t dtype,
                                     spmm_matrix_stats_t *stats)
{
    struct matrix a = {.rows = rows,
                       .row_ptr = row_ptr,
                       .col_ind = col_ind,
                       .values = values,
                       .dtype = dtype,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .all = {.row_min = rows > 0 ? INT64_MAX : 0}};
    struct spmmi_column_counts columns;
    memset(stats, 0, sizeof *stats);
    spmmi_each(spmmi_pieces(rows, ROWS_CHUNK), threads, rows_piece, &a);
    if (values != NULL)
        spmmi_each(spmmi_pieces(row_ptr[rows], CHUNK), threads, values_piece, &a);
    sums_write(&a, stats);
    const spmm_status_t status = spmmi_column_counts(cols, row_ptr[rows], col_ind, threads, &columns);
    if (status != SPMM_OK)
        return status;
    stats->cols_empty = columns.empty;
    stats->col_max = columns.max;
    return SPMM_OK;
}

spmm_status_t spmmi_stats_compute(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                  const void *values, spmm_dtype_t dtype, spmm_matrix_stats_t *stats)
{
    return spmmi_stats_compute_on(1, rows, cols, row_ptr, col_ind, values, dtype, stats);
}
