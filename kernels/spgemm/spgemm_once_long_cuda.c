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
    w->has_long = w->has_shorter = 1;
    lists->numbers = block;
    lists->hubs = (int32_t *)(void *)((char *)block + numbers);
    SPMM_TRY_CUDA(cudaMemsetAsync(block, 0, (size_t)numbers, o->in->stream), o->diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_find_hubs_cuda(w, o->in->stream), o->diag);
cleanup:
    return status;
}

void spmmi_once_limit_long(struct spmmi_once *o)
{
    const struct spmmi_once_long_need *const shorter = &o->counts.shorter;
    const struct spmmi_once_long_lists *const lists = &o->work.long_lists;
    const uint64_t of_c = o->counts.nnz * (sizeof(int32_t) + spmm_dtype_size(o->in->a->value_type)),
                   of_lists = shorter->products * sizeof *lists->words +
                              shorter->buckets * (sizeof *lists->buckets + sizeof *lists->counts);
    struct spmmi_once_long_need *const need = &o->long_need;
    *need = o->counts.longer;
    o->work.has_shorter = of_lists * SPMMI_ONCE_SHORTER_SHARE <= of_c;
    if (!o->work.has_shorter)
        return;
    need->pieces += shorter->pieces;
    need->tasks += shorter->tasks;
    need->buckets += shorter->buckets;
    need->products += shorter->products;
    if (need->piece_products < shorter->piece_products)
        need->piece_products = shorter->piece_products;
}

uint32_t spmmi_once_parts_of(const struct spmmi_once_long_need *need)
{
    const uint64_t kept = need->buckets + need->pieces, /* for each part, over all pieces */
        of_memory = kept > 0 ? need->products / kept : 0,
                   of_work = need->piece_products / SPMMI_ONCE_PART_PRODUCTS + UINT64_C(1),
                   parts = of_memory < of_work ? of_memory : of_work;
    return parts < 1 ? 1 : parts < SPMMI_ONCE_PARTS ? (uint32_t)parts : SPMMI_ONCE_PARTS;
}

spmm_status_t spmmi_once_portion_long(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_long_lists *lists = &o->work.long_lists;
    const uint64_t buckets = o->long_need.buckets;
    void *block = NULL;
    if (buckets == 0)
        return SPMM_OK;
    SPMM_REQUIRE(buckets <= UINT32_MAX, SPMM_ERR_TOO_LARGE, o->diag,
                 "long rows of A need %llu lists, a GPU takes up to %u", (unsigned long long)buckets,
                 UINT32_MAX);
    lists->parts = spmmi_once_parts_of(&o->long_need);
    const uint64_t counts = buckets * lists->parts, portions = (uint64_t)o->long_need.pieces * lists->parts;
    SPMM_TRY(spmmi_once_take_scratch(
        o, buckets * sizeof *lists->buckets + (counts + portions) * sizeof *lists->counts, &block));
    lists->buckets = block;
    lists->counts = (uint32_t *)(void *)(lists->buckets + buckets);
    lists->portions = lists->counts + counts;
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_portion_long_cuda(&o->work, o->long_need.pieces, o->in->stream),
                  o->diag);
cleanup:
    return status;
}

static spmm_status_t write_lists(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_once_work *w = &o->work;
    struct spmmi_once_long_lists *lists = &w->long_lists;
    const struct spmmi_once_counts *counts = &o->longs;
    const uint64_t stretches = spmmi_once_aligned(counts->words_taken * sizeof *lists->words),
                   stretch_sums =
                       stretches + spmmi_once_aligned(counts->stretches * sizeof *lists->stretches),
                   sums = stretch_sums +
                          spmmi_once_aligned(counts->stretches * spmm_dtype_size(o->in->a->value_type));
    void *block = NULL;
    SPMM_TRY(spmmi_once_take_scratch(o, sums + counts->long_sums * sizeof *lists->sums, &block));
    char *const base = block;
    lists->words = block;
    lists->stretches = (struct spmmi_spgemm_stretch *)(void *)(base + stretches);
    lists->stretch_sums = base + stretch_sums;
    lists->sums = (struct spmmi_once_long_sum *)(void *)(base + sums);
    if (counts->long_sums > 0)
        SPMM_TRY_CUDA((cudaError_t)spmmi_once_place_hubs_cuda(w, counts->long_pieces_taken, counts->hubs,
                                                              o->in->stream),
                      o->diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_list_long_cuda(w, counts->long_pieces_taken, o->in->stream),
                  o->diag);
cleanup:
    return status;
}

spmm_status_t spmmi_once_list_long(struct spmmi_once *o)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_once_work *w = &o->work;
    const uint32_t pieces = o->long_need.pieces;
    const uint64_t buckets = o->counts.hubs + (uint64_t)w->b.cols / SPMMI_ONCE_RANGE + 1;
    if (w->long_lists.parts == 0)
        return SPMM_OK;
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_count_long_cuda(w, pieces, o->in->stream), o->diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_once_buckets_cuda(w, pieces, buckets, o->in->stream), o->diag);
    SPMM_TRY(spmmi_once_read_counts(o, &o->longs));
    if (o->longs.words_taken > 0)
        SPMM_TRY(write_lists(o));
cleanup:
    return status;
}

spmm_status_t spmmi_once_compute_long(struct spmmi_once *o, int is_f64)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_once_work *w = &o->work;
    void *stream = o->in->stream;
    if (o->longs.stretches > 0)
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_once_stretches_cuda(w, o->longs.stretches, is_f64, w->can_overlap, stream),
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
    if (o->longs.long_sums > 0)
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_once_long_sums_cuda(&o->work, o->longs.long_sums, is_f64, o->in->stream),
            o->diag);
cleanup:
    return status;
}
