/* SPDX-License-Identifier: Apache-2.0 */
/* A product without a plan on a GPU: long pieces, whose products have lists. */
#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_call.h"
#include "spgemm_once_cuda.h"
#include "spgemm_once_result.h"

spmm_status_t spmmi_once_find_hubs(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    struct spmmi_once_long_lists *lists = &w->long_lists;
    const uint64_t numbers = spmmi_once_aligned((uint64_t)w->b.cols * sizeof *lists->numbers),
                   hubs = ((uint64_t)w->b.nnz / (SPMMI_ONCE_HUB + 1) + 1) * sizeof *lists->hubs;
    void *block = NULL;
    SPMM_REQUIRE(w->a.nnz <= UINT32_MAX, SPMM_ERR_TOO_LARGE, o->diag,
                 "A has %lld entries, a GPU takes up to %u where rows are long", (long long)w->a.nnz,
                 UINT32_MAX);
    SPMM_TRY(spmmi_once_take_scratch(o, numbers + hubs, &block));
    w->has_long = 1;
    lists->numbers = block;
    lists->hubs = (int32_t *)(void *)((char *)block + numbers);
    SPMM_TRY_CUDA(cudaMemsetAsync(block, 0, (size_t)numbers, o->in->stream), o->diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_find_hubs_cuda(w, o->in->stream), o->diag);
cleanup:
    return status;
}

/* There are so many parts of each piece that there are no more counts than products. */
spmm_status_t spmmi_once_portion_long(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    const uint64_t buckets = (uint64_t)o->counts.long_pieces * o->counts.hubs + o->counts.long_tasks,
                   parts = buckets > 0 ? o->counts.products / buckets : 0;
    void *block = NULL;
    if (buckets == 0)
        return SPMM_OK;
    w->long_lists.parts = parts < 1 ? 1 : parts < SPMMI_ONCE_PARTS ? (uint32_t)parts : SPMMI_ONCE_PARTS;
    const uint64_t counts = buckets * w->long_lists.parts,
                   portions = (uint64_t)o->counts.long_pieces * w->long_lists.parts;
    SPMM_TRY(spmmi_once_take_scratch(o, (counts + portions) * sizeof *w->long_lists.counts, &block));
    w->long_lists.counts = block;
    w->long_lists.portions = w->long_lists.counts + counts;
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_portion_long_cuda(w, o->counts.long_pieces, o->in->stream),
                  o->diag);
cleanup:
    return status;
}

static uint64_t most_stretches(const struct spmmi_once_counts *counts)
{
    return counts->long_products / SPMMI_SPGEMM_STRETCH + counts->long_sums_most;
}

static spmm_status_t write_lists(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    struct spmmi_once_long_lists *lists = &w->long_lists;
    const struct spmmi_once_counts *counts = &o->longs;
    const uint64_t most = most_stretches(counts),
                   buckets = spmmi_once_aligned(counts->long_products * sizeof *lists->words),
                   stretches = buckets + spmmi_once_aligned(counts->buckets * sizeof *lists->buckets),
                   stretch_sums = stretches + spmmi_once_aligned(most * sizeof *lists->stretches),
                   sums = stretch_sums + spmmi_once_aligned(most * spmm_dtype_size(o->in->a->value_type));
    void *block = NULL;
    SPMM_TRY(spmmi_once_take_scratch(o, sums + counts->long_sums_most * sizeof *lists->sums, &block));
    char *const base = block;
    lists->words = block;
    lists->buckets = (struct spmmi_spgemm_stretch *)(void *)(base + buckets);
    lists->stretches = (struct spmmi_spgemm_stretch *)(void *)(base + stretches);
    lists->stretch_sums = base + stretch_sums;
    lists->sums = (struct spmmi_once_long_sum *)(void *)(base + sums);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_list_long_cuda(w, counts->long_pieces_taken, o->in->stream),
                  o->diag);
cleanup:
    return status;
}

spmm_status_t spmmi_once_list_long(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    if (o->work.long_lists.parts == 0)
        return SPMM_OK;
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_count_long_cuda(&o->work, o->counts.long_pieces, o->in->stream),
                  o->diag);
    SPMM_TRY(spmmi_once_read_counts(o, &o->longs));
    if (o->longs.long_pieces_taken > 0)
        SPMM_TRY(write_lists(o));
cleanup:
    return status;
}

spmm_status_t spmmi_once_compute_long(struct spmmi_once *o, int is_f64)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_once_work *w = &o->work;
    void *stream = o->in->stream;
    if (o->longs.long_sums_most > 0)
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_stretches_cuda(w, most_stretches(&o->longs), is_f64,
                                                             w->can_overlap, stream),
                      o->diag);
    if (o->longs.long_taken > 0)
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_once_long_tasks_cuda(w, o->longs.long_taken, is_f64, w->can_overlap, stream),
            o->diag);
cleanup:
    return status;
}

spmm_status_t spmmi_once_put_hubs(struct spmmi_once *o, int is_f64)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t most = o->longs.long_sums_most;
    if (most > 0)
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_long_sums_cuda(&o->work, most, is_f64, o->in->stream), o->diag);
cleanup:
    return status;
}
