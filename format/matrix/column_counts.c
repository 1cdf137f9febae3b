/* SPDX-License-Identifier: Apache-2.0 */
/* See column_counts.h. One thread uses 32-bit counters. Several threads have
 * one byte per column each, so that their counters fit into their caches. When
 * a byte overflows, 256 is added to the shared 32-bit counter of the column. */
#include "column_counts.h"

#include <stdatomic.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/each.h"
#include "format/base/many_columns.h"

#define RADIX_BITS 11u
#define RADIX_BINS (1u << RADIX_BITS)
#define RADIX_PASSES 3u /* 3 * 11 bits hold a column */

#define NONZEROS_PARALLEL (INT64_C(1) << 20) /* with fewer, several threads cost more than they save */
#define NONZEROS_OF_PIECE (INT64_C(1) << 16)
#define COLUMNS_OF_PIECE INT64_C(4096)

/* The state of counting on several threads. */
struct tally {
    int64_t cols, nnz;
    const int32_t *col_ind;
    uint32_t *counts; /* cols shared counters, without the counts that are still in bytes */
    uint8_t *bytes;   /* cols counters for each thread */
    int threads;
    _Atomic int64_t empty, max;
};

/* Loads four columns before it increments their counters, because the compiler must not move the loads across
 * the stores. This is 1.5 times faster. */
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

static inline void count_byte(const struct tally *t, uint8_t *bytes, int32_t column)
{
    if (++bytes[column] == 0)
        (void)__atomic_fetch_add(&t->counts[column], UINT8_MAX + 1u, __ATOMIC_RELAXED);
}

static void count_piece(void *context, uint64_t index, int thread)
{
    const struct tally *const t = context;
    const int32_t *const col_ind = t->col_ind;
    uint8_t *const bytes = t->bytes + (uint64_t)thread * (uint64_t)t->cols;
    const int64_t end = spmmi_piece_end(t->nnz, NONZEROS_OF_PIECE, index);
    int64_t p = (int64_t)index * NONZEROS_OF_PIECE;
    for (; p + 4 <= end; p += 4) {
        const int32_t a = col_ind[p], b = col_ind[p + 1], c = col_ind[p + 2], d = col_ind[p + 3];
        count_byte(t, bytes, a);
        count_byte(t, bytes, b);
        count_byte(t, bytes, c);
        count_byte(t, bytes, d);
    }
    for (; p < end; p++)
        count_byte(t, bytes, col_ind[p]);
}

static void find_extremes(int64_t cols, const uint32_t *counts, struct spmmi_column_counts *result)
{
    for (int64_t j = 0; j < cols; j++) {
        result->empty += counts[j] == 0;
        result->max = counts[j] > result->max ? counts[j] : result->max;
    }
}

static void sum_piece(void *context, uint64_t index, int thread)
{
    struct tally *const t = context;
    const int64_t begin = (int64_t)index * COLUMNS_OF_PIECE;
    const int64_t count = spmmi_piece_end(t->cols, COLUMNS_OF_PIECE, index) - begin;
    uint32_t *const counts = t->counts + begin;
    struct spmmi_column_counts own = {0, 0};
    (void)thread;
    for (int other = 0; other < t->threads; other++) {
        const uint8_t *const bytes = t->bytes + (uint64_t)other * (uint64_t)t->cols + begin;
        for (int64_t j = 0; j < count; j++)
            counts[j] += bytes[j];
    }
    find_extremes(count, counts, &own);
    (void)atomic_fetch_add(&t->empty, own.empty);
    int64_t max = atomic_load(&t->max);
    while (own.max > max && !atomic_compare_exchange_weak(&t->max, &max, own.max))
        ;
}

/* Returns the number of threads that count.
 * Their bytes together must not exceed the bytes of the columns in col_ind. */
static int threads_of(int64_t cols, int64_t nnz, int threads)
{
    const int64_t most = 4 * nnz / (cols > 0 ? cols : 1);
    return nnz < NONZEROS_PARALLEL ? 1 : most < threads ? (int)most : threads;
}

static void count_on_threads(struct tally *t, struct spmmi_column_counts *result)
{
    spmmi_zero(t->threads, t->bytes, (uint64_t)t->threads * (uint64_t)t->cols);
    spmmi_each(spmmi_pieces(t->nnz, NONZEROS_OF_PIECE), t->threads, count_piece, t);
    spmmi_each(spmmi_pieces(t->cols, COLUMNS_OF_PIECE), t->threads, sum_piece, t);
    *result = (struct spmmi_column_counts){t->empty, t->max};
}

static spmm_status_t count_by_counters(int64_t cols, int64_t nnz, const int32_t *col_ind, int threads,
                                       struct spmmi_column_counts *result)
{
    struct tally tally = {
        .cols = cols, .nnz = nnz, .col_ind = col_ind, .threads = threads_of(cols, nnz, threads)};
    tally.counts = spmmi_alloc_zero((uint64_t)cols, sizeof *tally.counts);
    if (tally.counts == NULL)
        return SPMM_ERR_MEMORY;
    if (tally.threads > 1) /* if this allocation fails, one thread counts */
        tally.bytes = spmmi_alloc((uint64_t)tally.threads, (size_t)cols);
    if (tally.bytes != NULL) {
        count_on_threads(&tally, result);
    } else {
        count_columns(nnz, col_ind, tally.counts);
        find_extremes(cols, tally.counts, result);
    }
    spmmi_free(tally.bytes);
    spmmi_free(tally.counts);
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

static spmm_status_t count_by_sorting(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                      struct spmmi_column_counts *result)
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
        result->max = run > result->max ? run : result->max;
    }
    result->empty = cols - distinct;
    spmmi_free(buffer);
    return SPMM_OK;
}

spmm_status_t spmmi_column_counts(int64_t cols, int64_t nnz, const int32_t *col_ind, int threads,
                                  struct spmmi_column_counts *counts)
{
    *counts = (struct spmmi_column_counts){0, 0};
    return spmmi_columns_are_many(cols, nnz) ? count_by_sorting(cols, nnz, col_ind, counts)
                                             : count_by_counters(cols, nnz, col_ind, threads, counts);
}

/* Counters take 4 * cols bytes. Sorting a copy of the columns takes 8 * nnz bytes and more time. */
uint64_t spmmi_column_counts_bytes(uint64_t cols, uint64_t nnz, int threads)
{
    if (spmmi_columns_are_many((int64_t)cols, (int64_t)nnz))
        return 2 * nnz * sizeof(uint32_t);
    const int counting = threads_of((int64_t)cols, (int64_t)nnz, threads);
    return cols * (sizeof(uint32_t) + (counting > 1 ? (uint64_t)counting : 0));
}
