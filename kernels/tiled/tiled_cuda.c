/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_tiled.h. */
#include "tiled_cuda.h"

#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"
#include "executor/pack/op_pattern.h"
#include "tiled_pack.h"

/* Device addresses by the counts of tiled->layout. */
static void cut(struct spmmi_arena *arena, uint64_t nnz, size_t number_bytes, struct spmmi_cuda_tiled *tiled)
{
    struct spmmi_tiled *l = &tiled->layout;
    const uint64_t warps = (uint64_t)l->stage_count * (l->panel_rows / SPMMI_TILED_LANES);
    const uint64_t entries = ((uint64_t)l->slice_count + SPMMI_TILED_AHEAD) * SPMMI_TILED_LANES;
    l->panel_stage = spmmi_arena_cut(arena, (uint64_t)l->panel_count + 1, sizeof *l->panel_stage);
    l->stage_first = spmmi_arena_cut(arena, (uint64_t)l->stage_count + 1, sizeof *l->stage_first);
    l->columns = spmmi_arena_cut(arena, l->footprint, sizeof *l->columns);
    l->warp_slice = spmmi_arena_cut(arena, warps + 1, sizeof *l->warp_slice);
    l->local = spmmi_arena_cut(arena, entries, sizeof *l->local);
    l->target = spmmi_arena_cut(arena, (uint64_t)l->panel_count * l->panel_rows, sizeof *l->target);
    l->splits = spmmi_arena_cut(arena, l->split_count, sizeof *l->splits);
    tiled->values = spmmi_arena_cut(arena, entries, number_bytes);
    l->values = tiled->values;
    tiled->value_map = spmmi_arena_cut(arena, nnz, sizeof *tiled->value_map);
}

spmm_status_t spmmi_cuda_tiled_bytes(const spmm_plan_t *plan, uint32_t part, uint64_t *bytes,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_cuda_tiled tiled = {.memory = NULL};
    const struct spmmi_part *p = &plan->parts[part];
    SPMM_TRY(spmmi_op_pattern_open(plan, p->op, &a, diag));
    SPMM_TRY(spmmi_tiled_count(a.rows, a.cols, a.row_ptr, a.col_ind, p, &tiled.layout, diag));
    cut(&arena, (uint64_t)plan->nnz, spmm_dtype_size(plan->dtype), &tiled);
    *bytes = arena.bytes;
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t upload(const struct spmmi_cuda_tiled *tiled, const struct spmmi_tiled_layout *host,
                            uint64_t nnz, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_tiled *to = &tiled->layout;
    const uint64_t warps = (uint64_t)to->stage_count * (to->panel_rows / SPMMI_TILED_LANES);
    const uint64_t entries = (uint64_t)to->slice_count * SPMMI_TILED_LANES;
    SPMM_TRY(spmmi_cuda_copy_up(to->panel_stage, host->panel_stage, (uint64_t)to->panel_count + 1, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->stage_first, host->stage_first, (uint64_t)to->stage_count + 1, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->columns, host->columns, to->footprint, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->warp_slice, host->warp_slice, warps + 1, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->local, host->local, entries, 2, diag));
    SPMM_TRY(
        spmmi_cuda_copy_up(to->target, host->target, (uint64_t)to->panel_count * to->panel_rows, 4, diag));
    SPMM_TRY(spmmi_cuda_copy_up(to->splits, host->splits, to->split_count, sizeof *to->splits, diag));
    SPMM_TRY(spmmi_cuda_copy_up(tiled->value_map, host->value_map, nnz, 4, diag));
cleanup:
    return status;
}

static spmm_status_t refuse_tile(const struct spmmi_cuda_tiled *tiled, uint32_t number_bytes,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t tile = tiled->forced_tile != 0 ? tiled->forced_tile : 1;
    SPMM_REQUIRE(spmmi_tiled_shared_bytes(&tiled->layout, tile, number_bytes) <= SPMMI_TILED_SHARED_MAX,
                 SPMM_ERR_UNSUPPORTED, diag, "stages of %u columns are too large for %u columns a thread",
                 tiled->layout.stage_slots, tile);
cleanup:
    return status;
}

/* Packed on the host, then copied: one part at a time, so that the host holds one packed copy of A at most. */
spmm_status_t spmmi_cuda_tiled_create(const spmm_plan_t *plan, uint32_t part, uint32_t forced_tile,
                                      struct spmmi_cuda_tiled *tiled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_tiled_layout host = {0};
    struct spmmi_arena arena = {NULL, 0};
    const struct spmmi_part *p = &plan->parts[part];
    const size_t number_bytes = spmm_dtype_size(plan->dtype);
    SPMM_TRY(spmmi_op_pattern_open(plan, p->op, &a, diag));
    SPMM_TRY(spmmi_tiled_build(a.rows, a.cols, a.row_ptr, a.col_ind, p, &host, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_tiled_map_from_a(&host, plan->nnz, a.map, diag));
    *tiled = (struct spmmi_cuda_tiled){.layout = host.view, .forced_tile = forced_tile};
    SPMM_TRY(refuse_tile(tiled, (uint32_t)number_bytes, diag));
    cut(&arena, (uint64_t)plan->nnz, number_bytes, tiled);
    SPMM_TRY_CUDA(cudaMalloc((void **)&tiled->memory, (size_t)arena.bytes), diag);
    tiled->memory_bytes = arena.bytes;
    arena = (struct spmmi_arena){tiled->memory, 0};
    cut(&arena, (uint64_t)plan->nnz, number_bytes, tiled);
    SPMM_TRY_CUDA(cudaMemset(tiled->memory, 0, (size_t)tiled->memory_bytes), diag);
    SPMM_TRY(upload(tiled, &host, (uint64_t)plan->nnz, diag));
cleanup:
    spmmi_tiled_free(&host);
    spmmi_op_pattern_close(&a);
    return status;
}

uint32_t spmmi_cuda_tiled_register_tile(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype, int64_t n)
{
    const struct spmmi_tiled *l = &tiled->layout;
    return tiled->forced_tile != 0 ? tiled->forced_tile
                                   : spmmi_tiled_register_tile(n, (uint32_t)spmm_dtype_size(dtype),
                                                               l->stage_slots, l->long_slots);
}

uint64_t spmmi_cuda_tiled_workspace(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype, int64_t n)
{
    const int64_t columns = n < SPMMI_TILED_COLUMNS_MAX ? n : SPMMI_TILED_COLUMNS_MAX;
    return (tiled->layout.partial_count * (uint64_t)columns * spmmi_tiled_sum_bytes((int)dtype) + 255) / 256 *
           256;
}

int spmmi_cuda_tiled_execute(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype,
                             const struct spmmi_product *product, void *workspace, int can_overlap,
                             void *stream)
{
    const spmm_dense_t *b = product->b, *c = product->c;
    int error = cudaSuccess;
    struct spmmi_tiled_cuda args = {
        .layout = tiled->layout,
        .register_tile = spmmi_cuda_tiled_register_tile(tiled, dtype, b->cols),
        .ldb = (uint64_t)b->ld,
        .ldc = (uint64_t)c->ld,
        .b_is_col_major = b->order == SPMM_COL_MAJOR,
        .c_is_col_major = c->order == SPMM_COL_MAJOR,
        .alpha = product->alpha,
        .beta = product->beta,
        .partials = workspace,
        .cuda_stream = stream,
        .can_overlap = can_overlap,
    };
    for (int64_t j = 0; j < b->cols && error == cudaSuccess; j += SPMMI_TILED_COLUMNS_MAX) {
        const int64_t left = b->cols - j;
        args.n = (uint32_t)(left < SPMMI_TILED_COLUMNS_MAX ? left : SPMMI_TILED_COLUMNS_MAX);
        args.b = spmmi_cuda_at_column(b, j);
        args.c = spmmi_cuda_at_column(c, j);
        error = spmmi_tiled_cuda_launch((int)dtype, &args);
    }
    return error;
}
