/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the columns of one row of a product. There is no include guard: the including file defines TARGET,
 * the target attribute of the SIMD level (empty for code that runs on every machine), and RANKED_LANES, the
 * number of columns in one vector of that level. */
#include <stdint.h>
#include <string.h>

#include "spgemm_repeats.h"
#include "spgemm_scratch.h"

/* Up to this many columns are sorted by their ranks, more by bitmaps. Of 48, 96 and 160, this was the fastest
 * for most of fourteen products (AMD EPYC, AVX2, 2026-11-27). */
#define RANKED_MAX 160
typedef int32_t spmmi_ranked_lanes
    __attribute__((vector_size(RANKED_LANES * sizeof(int32_t)), aligned(4), may_alias));

/* Returns true if entry p of row i of the left factor adds no new column, because the row of the right factor
 * that it selects has the same columns as the row selected by entry p - 1. */
TARGET static inline int spmmi_spgemm_brings_nothing(const struct spmmi_spgemm_task *task,
                                                     const uint8_t *right, int64_t i, int64_t p)
{
    const int32_t *const k = task->left.col_ind + p;
    return p > task->left.row_ptr[i] && k[-1] == k[0] - 1 && right[k[0]] == 1;
}

/* Writes the columns of row i of C, `entries` of them, to scratch->list in the order in which they are first
 * met. The inner loop has no branch, because columns come in random order and a branch would often be
 * mispredicted. */
TARGET static inline void spmmi_spgemm_list_row(const struct spmmi_spgemm_task *task, const uint8_t *right,
                                                int64_t i, int64_t entries,
                                                struct spmmi_spgemm_scratch *scratch)
{
    const struct spmmi_csr_pattern *left = &task->left;
    const uint32_t base = scratch->base++;
    uint32_t *const marks = scratch->marks;
    int32_t *const list = scratch->list;
    for (int64_t p = left->row_ptr[i], count = 0; count < entries; p++) {
        const int64_t k = left->col_ind[p], taken = spmmi_spgemm_taken(task, i, k);
        const int32_t *const columns = task->right.col_ind + task->right.row_ptr[k];
        if (spmmi_spgemm_brings_nothing(task, right, i, p))
            continue;
        for (int64_t j = 0; j < taken; j++) {
            const int32_t column = columns[j];
            list[count] = column;
            count += marks[column] < base;
            marks[column] = base;
        }
    }
}

/* Pads the list with values that are larger than every column, so that whole vectors can be loaded. */
TARGET static inline void spmmi_ranks_begin(int32_t *list, int64_t count)
{
    for (int64_t q = count; q < count + RANKED_LANES; q++)
        list[q] = INT32_MAX;
}

/* Computes the ranks of the RANKED_LANES columns from `first` on: for each, the number of columns of the list
 * below it. Each iteration compares with four columns. The padding after the list is not below any column. */
TARGET static inline void spmmi_ranks_of(const int32_t *list, int64_t count, int64_t first,
                                         int32_t ranks[RANKED_LANES])
{
    const spmmi_ranked_lanes own = *(const spmmi_ranked_lanes *)(const void *)(list + first), zero = {0};
    spmmi_ranked_lanes sum = zero;
    for (int64_t q = 0; q < count; q += 4) /* a true comparison is -1 */
        sum -= (zero + list[q] < own) + (zero + list[q + 1] < own) + (zero + list[q + 2] < own) +
               (zero + list[q + 3] < own);
    memcpy(ranks, &sum, sizeof sum);
}

/* Sorts the columns by SPMMI_BITMAPS bitmaps over all columns, which are then read from the first to the last
 * word in use. Neighbours in the list often fall into the same word. They go to different bitmaps, because a
 * read soon after a write of the same word is slow. */
TARGET static inline void spmmi_columns_by_words(const int32_t *list, int64_t count, uint64_t *words,
                                                 int32_t *ascending)
{
    uint32_t low = UINT32_MAX, high = 0; /* first and last word in use */
    for (int64_t q = 0; q < count; q++) {
        const uint32_t column = (uint32_t)list[q], w = column / 64;
        words[(uint64_t)w * SPMMI_BITMAPS + (uint64_t)q % SPMMI_BITMAPS] |= UINT64_C(1) << column % 64;
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    for (uint32_t w = low; w <= high; w++) {
        uint64_t *const same = words + (uint64_t)w * SPMMI_BITMAPS, word = 0;
        for (int bitmap = 0; bitmap < SPMMI_BITMAPS; bitmap++) {
            word |= same[bitmap];
            same[bitmap] = 0;
        }
        for (; word != 0; word &= word - 1)
            *ascending++ = (int32_t)(w * 64 + (uint32_t)__builtin_ctzll(word));
    }
}

/* Sorts the columns of scratch->list, which has more than RANKED_MAX. */
TARGET static inline void spmmi_columns_by_set(const struct spmmi_spgemm_task *task, int64_t count,
                                               struct spmmi_spgemm_scratch *scratch, int32_t *ascending)
{
    const int32_t *const list = scratch->list;
    /* Reading a word costs about as much as setting a bit. */
    if (task->right.cols / 64 <= SPMMI_BITMAPS * count) {
        spmmi_columns_by_words(list, count, scratch->words, ascending);
        return;
    }
    for (int64_t q = 0; q < count; q++)
        spmmi_column_set_add_word(&scratch->set, (uint32_t)list[q] / 64, UINT64_C(1) << list[q] % 64);
    (void)spmmi_column_set_drain(&scratch->set, (uint32_t *)ascending);
}

/* Writes the ascending columns of row i of C, `count` of them, to columns. has_before: the columns of
 * row i - 1 are stored directly in front of `columns`, so that they may be copied. */
TARGET static inline void spmmi_spgemm_row_columns(const struct spmmi_spgemm_task *task,
                                                   const struct spmmi_spgemm_repeats *repeats, int64_t i,
                                                   int64_t count, int has_before,
                                                   struct spmmi_spgemm_scratch *scratch, int32_t *columns)
{
    int32_t *const list = scratch->list;
    if (has_before && repeats->rows[i] > 0) {
        const int32_t move = repeats->rows[i] - 1;
        for (int64_t q = 0; q < count; q++)
            columns[q] = columns[q - count] + move;
        return;
    }
    spmmi_spgemm_list_row(task, repeats->right, i, count, scratch);
    if (count > RANKED_MAX) {
        spmmi_columns_by_set(task, count, scratch, columns);
        return;
    }
    spmmi_ranks_begin(list, count);
    for (int64_t first = 0; first < count; first += RANKED_LANES) {
        int32_t ranks[RANKED_LANES];
        spmmi_ranks_of(list, count, first, ranks);
        for (int64_t q = first; q < count && q < first + RANKED_LANES; q++)
            columns[ranks[q - first]] = list[q];
    }
}
