/* SPDX-License-Identifier: Apache-2.0 */
/* A set of columns that is filled in any order and emptied in ascending order, both in time proportional to
 * the number of its columns. It is a hierarchy of bitmaps: level 0 has one bit per column, and each higher
 * level has one bit per word of the level below that is not zero, up to a single word. */
#ifndef SPMMI_COLUMN_SET_H
#define SPMMI_COLUMN_SET_H

#include <spmm/common.h>

#define SPMMI_COLUMN_SET_LEVELS 6 /* 64^6 columns */

struct spmmi_column_set {
    uint64_t *level[SPMMI_COLUMN_SET_LEVELS];
    int levels;
};

/* Creates an empty set for columns 0 .. cols - 1.
 * It takes slightly more than cols / 8 bytes. Errors: MEMORY. */
spmm_status_t spmmi_column_set_new(struct spmmi_column_set *set, int64_t cols);
void spmmi_column_set_free(struct spmmi_column_set *set);

/* Adds the columns with set bits in word `index` of level 0. */
static inline void spmmi_column_set_add_word(struct spmmi_column_set *set, uint32_t index, uint64_t bits)
{
    for (int l = 0; l < set->levels; l++, bits = UINT64_C(1) << index % 64, index /= 64) {
        uint64_t *const word = &set->level[l][index];
        const uint64_t old = *word;
        *word = old | bits;
        if (old != 0)
            return;
    }
}

/* Adds ascending columns.
 * Combines the columns of one word, because reading a word that was just written is slow. */
static inline void spmmi_column_set_add(struct spmmi_column_set *set, const int32_t *columns, int64_t count)
{
    for (int64_t i = 0; i < count;) {
        const uint32_t index = (uint32_t)columns[i] / 64;
        uint64_t bits = 0;
        for (; i < count && (uint32_t)columns[i] / 64 == index; i++)
            bits |= UINT64_C(1) << columns[i] % 64;
        spmmi_column_set_add_word(set, index, bits);
    }
}

/* Writes all columns of the set to out in ascending order and empties the set. Returns their number. */
uint32_t spmmi_column_set_drain(struct spmmi_column_set *set, uint32_t *out);

#endif
