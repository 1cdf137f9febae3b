/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_scratch.h. */
#include "spgemm_scratch.h"

#include <string.h>

#include "format/base/alloc.h"

void spmmi_spgemm_scratch_clear(struct spmmi_spgemm_scratch *scratch, int64_t cols)
{
    memset(scratch->marks, 0, (size_t)cols * sizeof *scratch->marks);
    scratch->base = 1;
}

void spmmi_spgemm_scratch_free(struct spmmi_spgemm_scratch *scratch, int threads)
{
    for (int t = 0; scratch != NULL && t < threads; t++) {
        spmmi_column_set_free(&scratch[t].set);
        spmmi_free(scratch[t].words);
        spmmi_free(scratch[t].list);
        spmmi_free(scratch[t].marks);
    }
    spmmi_free(scratch);
}

struct spmmi_spgemm_scratch *spmmi_spgemm_scratch_new(int64_t cols, int threads, int64_t longest)
{
    struct spmmi_spgemm_scratch *scratch = spmmi_alloc_zero((uint64_t)threads, sizeof *scratch);
    int is_done = scratch != NULL;
    for (int t = 0; is_done && t < threads; t++) {
        scratch[t].marks = spmmi_alloc_zero((uint64_t)cols, sizeof *scratch[t].marks);
        scratch[t].base = 1;
        is_done = scratch[t].marks != NULL;
        if (!is_done || longest == SPMMI_NO_LISTS)
            continue;
        scratch[t].list = spmmi_alloc((uint64_t)longest + SPMMI_LIST_MORE, sizeof *scratch[t].list);
        scratch[t].words =
            spmmi_alloc_zero(((uint64_t)cols / 64 + 1) * SPMMI_BITMAPS, sizeof *scratch[t].words);
        is_done = scratch[t].list != NULL && scratch[t].words != NULL &&
                  spmmi_column_set_new(&scratch[t].set, cols) == SPMM_OK;
    }
    if (is_done)
        return scratch;
    spmmi_spgemm_scratch_free(scratch, threads);
    return NULL;
}

/* In a column set, all bitmaps above the lowest one together have at most 1/63 of its words, plus rounding on
 * each level. */
uint64_t spmmi_spgemm_scratch_bytes(int64_t cols, int threads, int64_t longest)
{
    const uint64_t marks = sizeof(struct spmmi_spgemm_scratch) + sizeof(uint32_t) * (uint64_t)cols,
                   words = (uint64_t)cols / 63 + 2 * SPMMI_COLUMN_SET_LEVELS +
                           ((uint64_t)cols / 64 + 1) * SPMMI_BITMAPS,
                   lists = sizeof(int32_t) * ((uint64_t)longest + SPMMI_LIST_MORE) + sizeof(uint64_t) * words;
    return (uint64_t)threads * (marks + (longest == SPMMI_NO_LISTS ? 0 : lists));
}
