/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_long_cuda.h. */
#include "spgemm_long_cuda.h"

#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_upload.h"
#include "format/base/diag.h"
#include "spgemm_limits.h"

static void cut_tables(const struct spmmi_spgemm_longs *longs, int has_diagonal, struct spmmi_arena *arena,
                       struct spmmi_spgemm_long_tables *t)
{
    t->entries = spmmi_arena_cut(arena, longs->count, sizeof *t->entries);
    t->stretches = spmmi_arena_cut(arena, longs->stretch_count, sizeof *t->stretches);
    t->order = spmmi_arena_cut(arena, longs->stretch_count, sizeof *t->order);
    t->words = spmmi_arena_cut(arena, longs->word_count, sizeof *t->words);
    if (has_diagonal)
        t->k_of = spmmi_arena_cut(arena, longs->word_count, sizeof *t->k_of);
}

/* Input of fill_k: the diagonal element of each product is the column of its entry in the left factor. */
struct diagonal_source {
    const struct spmmi_spgemm_word *words;
    const int32_t *columns;
};

static void fill_k(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct diagonal_source *s = source;
    int32_t *const out = to;
    for (uint64_t i = 0; i < count; i++)
        out[i] = s->columns[s->words[first + i].left];
}

static spmm_status_t upload(const struct spmmi_spgemm_table_source *source,
                            const struct spmmi_spgemm_longs *longs, const struct spmmi_spgemm_long_tables *t,
                            spmm_diag_t *diag)
{
    struct spmmi_uploads uploads = {.count = 0};
    const struct diagonal_source k = {longs->words, source->stage->task.left.col_ind};
    spmmi_cuda_table_add(&uploads, t->entries, longs->count, NULL, longs->entries);
    spmmi_cuda_table_add(&uploads, t->stretches, longs->stretch_count, NULL, longs->stretches);
    spmmi_cuda_table_add(&uploads, t->order, longs->stretch_count, NULL, longs->order);
    spmmi_cuda_table_add(&uploads, t->words, longs->word_count, NULL, longs->words);
    if (source->has_diagonal)
        spmmi_cuda_table_add(&uploads, t->k_of, longs->word_count, fill_k, &k);
    return spmmi_cuda_upload_all(&uploads, diag);
}

spmm_status_t spmmi_spgemm_gpu_longs_make(const struct spmmi_spgemm_table_source *source, int has_all,
                                          struct spmmi_spgemm_longs *longs, uint64_t *host_bytes,
                                          struct spmmi_spgemm_gpu_longs *out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_spgemm_long_tables *t = &out->tables;
    SPMM_TRY(spmmi_spgemm_require_counts(source->stage, diag));
    SPMM_TRY(spmmi_spgemm_longs_make(source->stage, has_all, source->host_left, longs, host_bytes, diag));
    if (longs->count == 0)
        return SPMM_OK;
    cut_tables(longs, source->has_diagonal, &arena, t);
    SPMM_TRY(spmmi_spgemm_budget(source->device_left, source->used, arena.bytes, diag));
    SPMM_TRY(spmmi_arena_take(&arena, source->memory, &out->memory, diag));
    cut_tables(longs, source->has_diagonal, &arena, t);
    t->count = longs->count;
    t->stretch_count = longs->stretch_count;
    SPMM_TRY(upload(source, longs, t, diag));
cleanup:
    return status;
}
