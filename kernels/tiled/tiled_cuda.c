/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on a GPU: its functions for the executor. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "executor/backend.h"
#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/cuda/cuda_value_memory.h"
#include "format/base/alloc.h"
#include "executor/pack/op_pattern.h"
#include "kernels/shared/convert.h"
#include "tiled_name.h"
#include "tiled_pack.h"

struct state {
    struct spmmi_tiled layout; /* device pointers */
    void *values; /* same address as layout.values, writable: one value per entry of layout.local */
    struct spmmi_value_memory new_values; /* nnz entries: position of each value of A */
    uint32_t forced_tile;                 /* columns that a thread keeps (R); 0: not forced */
    struct spmmi_device_block memory;     /* the single allocation for all of the above */
    struct spmmi_allowed allowed;
    struct spmmi_part part; /* without items */
    spmm_dtype_t dtype;
    uint32_t nnz;
    uint32_t multiprocessors;
    int can_overlap;
};

/* Returns the R of a suffix such as "r16", or 0 for any other suffix. */
static uint32_t tile_of(const char *suffix)
{
    for (uint32_t tile = 1; tile <= SPMMI_TILED_REGISTER_TILE_MAX; tile *= 2) {
        char text[8];
        (void)snprintf(text, sizeof text, "r%u", tile);
        if (strcmp(suffix, text) == 0)
            return tile;
    }
    return 0;
}

static int has_suffix(const char *suffix)
{
    return tile_of(suffix) != 0;
}

/* Assigns device addresses in the arena to the arrays of tiled->layout, by its counts. */
static void cut(struct spmmi_arena *arena, struct state *tiled)
{
    const size_t value_bytes = spmm_dtype_size(tiled->dtype);
    struct spmmi_tiled *l = &tiled->layout;
    const uint64_t warps = (uint64_t)l->stage_count * (l->block_rows / SPMMI_TILED_LANES);
    const uint64_t entries = ((uint64_t)l->slice_count + SPMMI_TILED_AHEAD) * SPMMI_TILED_LANES;
    l->row_block_stage = spmmi_arena_cut(arena, (uint64_t)l->row_block_count + 1, sizeof *l->row_block_stage);
    l->stage_first = spmmi_arena_cut(arena, (uint64_t)l->stage_count + 1, sizeof *l->stage_first);
    l->columns = spmmi_arena_cut(arena, l->working_set, sizeof *l->columns);
    l->warp_slice = spmmi_arena_cut(arena, warps + 1, sizeof *l->warp_slice);
    l->local = spmmi_arena_cut(arena, entries, sizeof *l->local);
    l->target = spmmi_arena_cut(arena, (uint64_t)l->row_block_count * l->block_rows, sizeof *l->target);
    l->splits = spmmi_arena_cut(arena, l->split_count, sizeof *l->splits);
    tiled->values = spmmi_arena_cut(arena, entries, value_bytes);
    l->values = tiled->values;
}

static struct state state_of(const struct spmmi_part_source *source)
{
    struct state s = {.forced_tile = tile_of(source->suffix),
                      .part = *source->part,
                      .dtype = source->plan->dtype,
                      .nnz = (uint32_t)source->plan->nnz,
                      .multiprocessors = source->device->multiprocessors,
                      .can_overlap = source->device->can_overlap,
                      .new_values.from = &source->device->memory};
    s.part.items = NULL;
    return s;
}

static spmm_status_t refuse_tile(const struct state *tiled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t value_bytes = (uint32_t)spmm_dtype_size(tiled->dtype);
    const uint32_t tile = tiled->forced_tile != 0 ? tiled->forced_tile : 1;
    SPMM_REQUIRE(spmmi_tiled_shared_bytes(&tiled->layout, tile, value_bytes) <= SPMMI_TILED_SHARED_MAX,
                 SPMM_ERR_UNSUPPORTED, diag,
                 "stages of %u rows of B do not fit in shared memory with %u columns per thread",
                 tiled->layout.stage_slots, tile);
cleanup:
    return status;
}

static spmm_status_t count(const struct spmmi_part_source *source, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_arena arena = {NULL, 0};
    struct state tiled = state_of(source);
    uint64_t scratch = 0;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(
        spmmi_tiled_count(a.rows, a.cols, a.row_ptr, a.col_ind, source->part, &tiled.layout, &scratch, diag));
    SPMM_TRY(refuse_tile(&tiled, diag));
    cut(&arena, &tiled);
    *bytes += arena.bytes;
    spmmi_value_map_count(source, tiled.nnz, 0);
    spmmi_scratch_is(source, scratch + spmmi_op_pattern_bytes(source->plan, source->part->op) +
                                 spmmi_tiled_bytes(&tiled.layout) + tiled.nnz * sizeof *tiled.new_values.map);
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t upload(const struct state *tiled, const struct spmmi_tiled_layout *host,
                            spmm_diag_t *diag)
{
    struct spmmi_uploads all = {.count = 0};
    const struct spmmi_tiled *to = &tiled->layout;
    const uint64_t warps = (uint64_t)to->stage_count * (to->block_rows / SPMMI_TILED_LANES);
    const uint64_t entries = (uint64_t)to->slice_count * SPMMI_TILED_LANES;
    const uint64_t targets = (uint64_t)to->row_block_count * to->block_rows;
    spmmi_cuda_table_add(&all, to->row_block_stage, (uint64_t)to->row_block_count + 1, NULL,
                         host->row_block_stage);
    spmmi_cuda_table_add(&all, to->stage_first, (uint64_t)to->stage_count + 1, NULL, host->stage_first);
    spmmi_cuda_table_add(&all, to->columns, to->working_set, NULL, host->columns);
    spmmi_cuda_table_add(&all, to->warp_slice, warps + 1, NULL, host->warp_slice);
    spmmi_cuda_table_add(&all, to->local, entries, NULL, host->local);
    spmmi_cuda_table_add(&all, to->target, targets, NULL, host->target);
    spmmi_cuda_table_add(&all, to->splits, to->split_count, NULL, host->splits);
    spmmi_cuda_table_add(&all, tiled->new_values.map, tiled->nnz, NULL, tiled->new_values.host_map);
    return spmmi_cuda_upload_all(&all, diag);
}

/* Allocates the device memory, all zero, and uploads the layout into it. */
static spmm_status_t memory_fill(const struct spmmi_part_source *source, struct state *tiled,
                                 struct spmmi_tiled_layout *host, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    cut(&arena, tiled);
    *bytes += arena.bytes;
    SPMM_TRY(spmmi_arena_take(&arena, &source->device->memory, &tiled->memory, diag));
    cut(&arena, tiled);
    SPMM_TRY(spmmi_value_map_take(&tiled->new_values, spmmi_array_move(&host->value_map), tiled->nnz, diag));
    SPMM_TRY(upload(tiled, host, diag));
cleanup:
    return status;
}

/* Packs on the host and then copies. Parts are built one at a time, so the host holds at most one packed copy
 * of A. All values start as 0, and the pad stays 0. */
static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a = {.map = NULL};
    struct spmmi_tiled_layout host = {0};
    struct state *tiled = NULL;
    if (source->only_counts)
        return count(source, bytes, diag);
    SPMM_TRY_ALLOC(tiled = spmmi_alloc(1, sizeof *tiled), diag);
    *state = tiled;
    *tiled = state_of(source);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_tiled_build(a.rows, a.cols, a.row_ptr, a.col_ind, source->part, &host, diag));
    if (a.map != NULL)
        SPMM_TRY(spmmi_op_pattern_map_from_a(&host.value_map, source->plan->nnz, a.map, diag));
    tiled->layout = host.view;
    SPMM_TRY(refuse_tile(tiled, diag));
    SPMM_TRY(memory_fill(source, tiled, &host, bytes, diag));
cleanup:
    spmmi_tiled_free(&host);
    spmmi_op_pattern_close(&a);
    return status;
}

static void destroy(void *state)
{
    struct state *s = state;
    spmmi_value_memory_free(&s->new_values);
    spmmi_device_release(&s->memory);
    spmmi_free(s);
}

static struct spmmi_value_memory *value_memory(void *state, int index)
{
    return index == 0 ? &((struct state *)state)->new_values : NULL;
}

static spmm_status_t set_values(void *state, const void *values, void *stream)
{
    const struct state *s = state;
    return spmmi_cuda_status(spmmi_scatter_cuda((int)s->dtype, s->nnz, s->new_values.map, values, s->values,
                                                s->layout.slice_count * SPMMI_TILED_LANES, stream));
}

/* Returns the columns that a thread keeps (R) for a product of n columns. */
static uint32_t register_tile(const struct state *tiled, int64_t n)
{
    const struct spmmi_tiled *const l = &tiled->layout;
    const struct spmmi_tiled_work work = {.n = n,
                                          .units = l->unit_count,
                                          .multiprocessors = tiled->multiprocessors,
                                          .value_bytes = (uint32_t)spmm_dtype_size(tiled->dtype),
                                          .stage_slots = l->stage_slots,
                                          .long_slots = l->long_slots};
    return tiled->forced_tile != 0 ? tiled->forced_tile : spmmi_tiled_register_tile(&work);
}

static void part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows, char *text,
                      size_t size)
{
    (void)compute, (void)has_long_rows;
    spmmi_tiled_name("cuda", part, 0, text, size);
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    const struct state *s = state;
    spmmi_tiled_name("cuda", &s->part, register_tile(s, product->b.cols), text, size);
}

/* Returns the bytes of the partial sums. */
static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    const struct state *s = state;
    const int64_t n = product->b.cols;
    const uint64_t columns = (uint64_t)(n < SPMMI_TILED_COLUMNS_MAX ? n : SPMMI_TILED_COLUMNS_MAX);
    return (s->layout.partial_count * columns * spmmi_sum_bytes((int)s->dtype) + 255) / 256 * 256;
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *workspace,
                         void *stream)
{
    const struct state *s = state;
    int error = cudaSuccess;
    struct spmmi_tiled_cuda args = {
        .layout = s->layout,
        .register_tile = register_tile(s, product->b.cols),
        .ldb = (uint64_t)product->b.ld,
        .ldc = (uint64_t)product->c.ld,
        .b_is_col_major = product->b.layout == SPMM_COL_MAJOR,
        .c_is_col_major = product->c.layout == SPMM_COL_MAJOR,
        .alpha = product->alpha,
        .beta = product->beta,
        .partials = workspace,
        .cuda_stream = stream,
        .can_overlap = s->can_overlap,
        .allowed = spmmi_allowed_of(&s->allowed),
    };
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += SPMMI_TILED_COLUMNS_MAX) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, SPMMI_TILED_COLUMNS_MAX);
        args.n = (uint32_t)turn.b.cols;
        args.b = turn.b.data;
        args.c = turn.c.data;
        error = spmmi_tiled_cuda_launch((int)s->dtype, &args);
    }
    return spmmi_cuda_status(error);
}

const struct spmmi_backend spmmi_tiled_cuda = {.create = create,
                                               .destroy = destroy,
                                               .set_values = set_values,
                                               .value_memory = value_memory,
                                               .workspace = workspace,
                                               .run = run,
                                               .describe = describe,
                                               .part_name = part_name,
                                               .has_suffix = has_suffix};
