/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_cuda.h. Builds the device memory of a part from a plan, and sets its values. */
#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/pack/op_pattern.h"
#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/team.h"
#include "tcblock_cuda.h"
#include "tcblock_pack.h"
#include "tcblock_scatter.h"
#include "tcblock_state_cuda.h"
#include "tcblock_store.h"

/* Cuts an array that some families do not have: returns NULL if count is 0. */
static void *cut_some(struct spmmi_arena *arena, uint64_t count, size_t size)
{
    return count > 0 ? spmmi_arena_cut(arena, count, size) : NULL;
}

/* Assigns device addresses in the arena to the arrays of the layout, by its counts. */
static void cut(struct spmmi_arena *arena, struct tcblock_state *f)
{
    struct spmmi_tcblocks *l = &f->layout;
    const struct spmmi_tcblock_sizes sizes = spmmi_tcblock_sizes_of(l);
    l->row_of = spmmi_arena_cut(arena, sizes.row_of, sizeof *l->row_of);
    l->columns = spmmi_arena_cut(arena, sizes.columns, sizeof *l->columns);
    l->locals = cut_some(arena, 8 * sizes.locals, sizeof *l->locals);
    l->block_first = cut_some(arena, sizes.block_first, sizeof *l->block_first);
    l->masks = cut_some(arena, sizes.masks, sizeof *l->masks);
    l->bitmaps = spmmi_arena_cut(arena, sizes.bitmaps, sizeof *l->bitmaps);
    l->value_first = cut_some(arena, sizes.value_first, sizeof *l->value_first);
    l->items = spmmi_arena_cut(arena, l->item_count, sizeof *l->items);
    l->splits = spmmi_arena_cut(arena, l->split_count, sizeof *l->splits);
    f->values = spmmi_arena_cut(arena, l->value_count + SPMMI_TCBLOCK_PAD, spmm_dtype_size(f->dtype));
    l->values = f->values;
    spmmi_cuda_long_rows_cut(arena, &f->long_rows);
}

/* Returns the part with the item size for this device. */
static struct spmmi_part part_of(const struct spmmi_part_source *source)
{
    const struct spmmi_tcblock_gpu *const gpu = source->backend->kind;
    struct spmmi_part part = *source->part;
    if (gpu->item_size != NULL)
        part.item_size = gpu->item_size(source);
    return part;
}

static struct tcblock_state state_of(const struct spmmi_part_source *source)
{
    struct tcblock_state f = {.gpu = source->backend->kind,
                              .device = source->device,
                              .part = part_of(source),
                              .dtype = source->plan->dtype,
                              .nnz = (uint32_t)source->plan->nnz,
                              .new_values.from = &source->device->memory};
    f.part.items = NULL;
    return f;
}

/* Returns the number of row starts in the map for new values: one per row of every unit. */
static uint64_t starts_of(const struct tcblock_state *f)
{
    return (uint64_t)f->layout.unit_count * f->layout.unit_rows;
}

static uint64_t map_entries(const struct tcblock_state *f)
{
    return starts_of(f) + (f->part.op == SPMM_OP_T ? f->nnz : 0);
}

/* Checks the limits that apply with or without allocation. The family's own check is optional. */
static spmm_status_t fits(const struct tcblock_state *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(map_entries(f) <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "rows and nonzeros are %llu together, more than 32 bits can index",
                 (unsigned long long)map_entries(f));
    if (f->gpu->fits != NULL)
        SPMM_TRY(f->gpu->fits(&f->layout, (uint32_t)spmm_dtype_size(f->dtype), f->device->shared_max, diag));
cleanup:
    return status;
}

/* Returns the bytes of the map on the host. They are counted for new values, and allocated after the
 * layout. */
static uint64_t map_bytes(const struct spmmi_part_source *source)
{
    const struct spmmi_part *part = source->part;
    const uint64_t nnz = part->op == SPMM_OP_T ? (uint64_t)source->plan->nnz : 0;
    return (part->item_count + nnz) * sizeof(uint32_t);
}

/* Returns the maximum bytes for units that are kept while the layout is built. More than the map's bytes are
 * used only if the host has no budget. */
static uint64_t keep_most(const struct spmmi_part_source *source)
{
    const uint64_t map = map_bytes(source),
                   wanted = spmmi_store_wanted((uint64_t)source->plan->nnz, source->part->item_count);
    return source->device->spares_host || wanted < map ? map : wanted;
}

/* Returns the host scratch in addition to layout, pattern and map. This is the larger one of building the
 * layout and of making the long rows, which happens later. */
static uint64_t scratch_of(const struct spmmi_part_source *source, uint64_t making, uint64_t long_rows)
{
    const uint64_t most = making + keep_most(source) - map_bytes(source);
    return most > long_rows ? most : long_rows;
}

static spmm_status_t count(const struct spmmi_part_source *source, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a;
    struct spmmi_arena arena = {NULL, 0};
    struct tcblock_state f = state_of(source);
    const struct spmmi_part part = part_of(source);
    uint64_t scratch = 0, long_rows = 0;
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_tcblocks_count(f.gpu->kind, a.rows, a.cols, a.row_ptr, a.col_ind, &part, f.dtype,
                                  &f.layout, &scratch, diag));
    SPMM_TRY(fits(&f, diag));
    if (source->long_rows != NULL) {
        const struct spmmi_long_rows rows = spmmi_long_rows_count(&a, source->long_rows);
        spmmi_cuda_long_rows_describe(&rows, a.cols, f.dtype, source->device, &f.long_rows);
        spmmi_value_map_count(source, (uint64_t)rows.nnz, 0);
        long_rows = spmmi_long_rows_bytes(&rows) + spmmi_stream_host_bytes(rows.rows) +
                    spmmi_blocks_host_bytes(rows.nnz, rows.rows);
    }
    cut(&arena, &f);
    *bytes += arena.bytes;
    spmmi_value_map_count(source, map_entries(&f), 0);
    spmmi_scratch_is(source, scratch_of(source, scratch, long_rows) +
                                 spmmi_op_pattern_own_bytes(source->plan, source->part->op) +
                                 spmmi_tcblocks_bytes(&f.layout));
cleanup:
    spmmi_op_pattern_close(&a);
    return status;
}

static spmm_status_t upload(const struct tcblock_state *f, const struct spmmi_tcblock_layout *host,
                            struct spmmi_uploads *waiting, spmm_diag_t *diag)
{
    struct spmmi_uploads all = spmmi_uploads_take(waiting);
    const struct spmmi_tcblocks *to = &f->layout;
    const struct spmmi_tcblock_sizes sizes = spmmi_tcblock_sizes_of(to);
    spmmi_cuda_table_add(&all, to->row_of, sizes.row_of, NULL, host->row_of);
    spmmi_cuda_table_add(&all, to->columns, sizes.columns, NULL, host->columns);
    spmmi_cuda_table_add(&all, to->locals, 8 * sizes.locals, NULL, host->locals);
    spmmi_cuda_table_add(&all, to->block_first, sizes.block_first, NULL, host->block_first);
    spmmi_cuda_table_add(&all, to->masks, sizes.masks, NULL, host->masks);
    spmmi_cuda_table_add(&all, to->bitmaps, sizes.bitmaps, NULL, host->bitmaps);
    spmmi_cuda_table_add(&all, to->value_first, sizes.value_first, NULL, host->value_first);
    spmmi_cuda_table_add(&all, to->items, to->item_count, NULL, host->items);
    spmmi_cuda_table_add(&all, to->splits, to->split_count, NULL, host->splits);
    spmmi_cuda_table_add(&all, f->new_values.map, map_entries(f), NULL, f->new_values.host_map);
    return spmmi_cuda_upload_all(&all, diag);
}

/* Makes the map for new values: the position in CSR order of each row's first nonzero, then, for op =
 * T, the order of the values. */
static spmm_status_t map_take(struct tcblock_state *f, const struct spmmi_op_pattern *a,
                              const uint32_t *items, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t starts = (uint32_t)starts_of(f), rows = (uint32_t)f->part.item_count,
                   entries = (uint32_t)map_entries(f);
    uint32_t *map = spmmi_alloc(entries, sizeof *map);
    SPMM_TRY_ALLOC(map, diag);
#pragma omp parallel for schedule(static) \
    num_threads(spmmi_team(spmmi_pack_threads(map_entries(f) * sizeof *map)))
    for (uint32_t i = 0; i < entries; i++)
        map[i] = i < rows ? (uint32_t)a->row_ptr[items[i]] : i < starts ? 0 : (uint32_t)a->map[i - starts];
    SPMM_TRY(spmmi_value_map_take(&f->new_values, map, entries, diag));
cleanup:
    return status;
}

/* Allocates the device memory, all zero, and uploads layout and long rows into it. */
static spmm_status_t memory_fill(struct tcblock_state *f, const struct spmmi_op_pattern *a,
                                 const uint32_t *items, struct spmmi_tcblock_layout *host,
                                 struct spmmi_long_rows *rows, struct spmmi_uploads *waiting, uint64_t *bytes,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    cut(&arena, f);
    *bytes += arena.bytes;
    SPMM_TRY(spmmi_arena_take(&arena, &f->device->memory, &f->memory, diag));
    cut(&arena, f);
    SPMM_TRY(map_take(f, a, items, diag));
    SPMM_TRY(upload(f, host, waiting, diag));
    SPMM_TRY(spmmi_cuda_long_rows_upload(&f->long_rows, rows, diag));
cleanup:
    return status;
}

static spmm_status_t fill(const struct spmmi_part_source *source, struct tcblock_state *f, uint64_t *bytes,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern a = {.map = NULL};
    struct spmmi_tcblock_layout host = {0};
    struct spmmi_long_rows rows = {.rows = 0};
    const struct spmmi_part part = part_of(source);
    SPMM_TRY(spmmi_op_pattern_open(source->plan, source->part->op, &a, diag));
    SPMM_TRY(spmmi_tcblocks_build_unmapped(f->gpu->kind, a.rows, a.cols, a.row_ptr, a.col_ind, &part,
                                           f->dtype, keep_most(source), &host, diag));
    f->layout = host.view;
    if (f->gpu->kind->reach != NULL)
        f->layout.reach = f->gpu->kind->reach(&host.view);
    if (source->long_rows != NULL)
        SPMM_TRY(spmmi_long_rows_make(&a, source->long_rows, &rows, diag));
    spmmi_cuda_long_rows_describe(&rows, a.cols, f->dtype, source->device, &f->long_rows);
    SPMM_TRY(fits(f, diag));
    SPMM_TRY(memory_fill(f, &a, source->part->items, &host, &rows, source->waiting, bytes, diag));
cleanup:
    spmmi_long_rows_free(&rows);
    spmmi_tcblocks_free(&host);
    spmmi_op_pattern_close(&a);
    return status;
}

/* Packs on the host and then copies. Parts are built one at a time, so the host holds at most one packed copy
 * of A. All values start as 0, and padding stays 0. */
spmm_status_t spmmi_cuda_tcblocks_create(const struct spmmi_part_source *source, void **state,
                                         uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct tcblock_state *f = NULL;
    if (source->only_counts)
        return count(source, bytes, diag);
    SPMM_TRY_ALLOC(f = spmmi_alloc(1, sizeof *f), diag);
    *state = f;
    *f = state_of(source);
    SPMM_TRY(fill(source, f, bytes, diag));
cleanup:
    return status;
}

void spmmi_cuda_tcblocks_destroy(void *state)
{
    struct tcblock_state *f = state;
    spmmi_value_memory_free(&f->long_rows.new_values);
    spmmi_value_memory_free(&f->new_values);
    spmmi_device_release(&f->memory);
    spmmi_free(f);
}

struct spmmi_value_memory *spmmi_cuda_tcblocks_value_memory(void *state, int index)
{
    struct tcblock_state *f = state;
    return index == 0 ? &f->new_values : index == 1 ? &f->long_rows.new_values : NULL;
}

spmm_status_t spmmi_cuda_tcblocks_set_values(void *state, const void *values, void *stream)
{
    const struct tcblock_state *f = state;
    const struct spmmi_tcblock_scatter scatter = {
        .layout = f->layout,
        .row_start = f->new_values.map,
        .order = f->part.op == SPMM_OP_T ? f->new_values.map + starts_of(f) : NULL,
        .nnz = f->nnz,
        .value_bytes = (uint32_t)spmm_dtype_size(f->dtype),
        .in = values,
        .out = f->values,
        .cuda_stream = stream};
    int error = spmmi_tcblock_scatter_cuda(&scatter);
    if (error == cudaSuccess)
        error = spmmi_cuda_long_rows_set_values(&f->long_rows, values, f->nnz, stream);
    return spmmi_cuda_status(error);
}
