/* SPDX-License-Identifier: Apache-2.0 */
/* See column_set.h. */
#include "column_set.h"

#include "format/base/alloc.h"

spmm_status_t spmmi_column_set_new(struct spmmi_column_set *set, int64_t cols)
{
    uint64_t words[SPMMI_COLUMN_SET_LEVELS], sum = 0, count = cols > 0 ? (uint64_t)cols : 1;
    *set = (struct spmmi_column_set){0};
    do {
        count = count / 64 + (count % 64 != 0);
        words[set->levels++] = count;
        sum += count;
    } while (count > 1);
    set->level[0] = spmmi_alloc_zero(sum, sizeof *set->level[0]);
    if (set->level[0] == NULL)
        return SPMM_ERR_MEMORY;
    for (int l = 1; l < set->levels; l++)
        set->level[l] = set->level[l - 1] + words[l - 1];
    return SPMM_OK;
}

void spmmi_column_set_free(struct spmmi_column_set *set)
{
    spmmi_free(set->level[0]);
    set->level[0] = NULL;
}

/* Writes the columns of a word and of the words below it to out and clears them.
 * Returns the end of the output. */
static uint32_t *drain_word(struct spmmi_column_set *set, int level, uint32_t index, uint32_t *out)
{
    uint64_t word = set->level[level][index];
    set->level[level][index] = 0;
    for (; word != 0; word &= word - 1) {
        const uint32_t below = index * 64 + (uint32_t)__builtin_ctzll(word);
        if (level == 0)
            *out++ = below;
        else
            out = drain_word(set, level - 1, below, out);
    }
    return out;
}

uint32_t spmmi_column_set_drain(struct spmmi_column_set *set, uint32_t *out)
{
    return (uint32_t)(drain_word(set, set->levels - 1, 0, out) - out);
}
