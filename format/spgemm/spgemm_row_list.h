/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of one row of a product. No include guard: the including file defines TARGET, the SIMD level, empty for
 * what every machine has, and RANKED_LANES, the columns of one of its vectors. */
#include <stdint.h>
#include <string.h>

#include "spgemm_repeats.h"
#include "spgemm_scratch.h"

/* Up to so many columns are put in order by their ranks, more by bitmaps: of 48, 96 and 160 this was the fastest in
 * most of fourteen products (AMD EPYC, AVX2, 2026-11-27). */
#define RANKED_MAX 160
typedef int32_t spmmi_ranked_lanes
    __attribute__((vector_size(RANKED_LANES * sizeof(int32_t)), aligned(4), may_alias));

/* Has the right factor's row that entry p of row i of the left factor meets the columns of the row met before? */
TARGET static inline int spmmi_spgemm_brings_nothing(const struct spmmi_spgemm_task *task,
                                                     const uint8_t *right, int64_t i, int64_t p)
{
    const int32_t *const k = task->left.col_ind + p;
    return p > task->left.row_ptr[i] && k[-1] == k[0] - 1 && right[k[0]] == 1;
}

/* The columns of row i of C, `entries` of them, into scratch->list as they are met. Without a branch for each, as
 * columns come at random. */
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

/* Behind the columns: such as are above all. */
TARGET static inline void spmmi_ranks_begin(int32_t *list, int64_t count)
{
    for (int64_t q = count; q < count + RANKED_LANES; q++)
        list[q] = INT32_MAX;
}

/* How many of the columns are below each of those from first on. Four are compared in a turn: what stands behind the
 * columns is below none. */
TARGET static inline void spmmi_ranks_of(const int32_t *list, int64_t count, int64_t first,
                                         int32_t ranks[RANKED_LANES])
{
    const spmmi_ranked_lanes own = *(const spmmi_ranked_lanes *)(const void *)(list + first), zero = {0};
    spmmi_ranked_lanes sum = zero;
    for (int64_t q = 0; q < count; q += 4) /* true is -1 */
        sum -= (zero + list[q] < own) + (zero + list[q + 1] < own) + (zero + list[q + 2] < own) +
               (zero + list[q + 3] < own);
    memcpy(ranks, &sum, sizeof sum);
}

/* Bitmaps over all columns, which are read from the first bit to the last. Neighbours in the list often have one word:
 * they go to different bitmaps, as a word that was just written is slow to read. */
TARGET static inline void spmmi_columns_by_words(const int32_t *list, int64_t count, uint64_t *words,
                                                 int32_t *ascending)
{
    uint32_t low = UINT32_MAX, high = 0; /* words */
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

/* The columns of the list, more than RANKED_MAX. */
TARGET static inline void spmmi_columns_by_set(const struct spmmi_spgemm_task *task, int64_t count,
                                               struct spmmi_spgemm_scratch *scratch, int32_t *ascending)
{
    const int32_t *const list = scratch->list;
    if (task->right.cols / 64 <= SPMMI_BITMAPS * count) { /* words are read as fast as bits are set */
        spmmi_columns_by_words(list, count, scratch->words, ascending);
        return;
    }
    for (int64_t q = 0; q < count; q++)
        spmmi_column_set_add_word(&scratch->set, (uint32_t)list[q] / 64, UINT64_C(1) << list[q] % 64);
    (void)spmmi_column_set_drain(&scratch->set, (uint32_t *)ascending);
}

/* The ascending columns of row i of C, count of them. has_before: those of the row before lie in front of them. */
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
