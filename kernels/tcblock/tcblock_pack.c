/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_pack.h. Both passes process units in parallel. The first pass finds how many steps, blocks and
 * values each unit needs, which gives all positions; the second pass fills the arrays. The columns of a unit
 * are kept for the second pass if there is memory, else they are found again. */
#include "tcblock_pack.h"

#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "executor/pack/scratch.h"
#include "tcblock_kind.h"
#include "tcblock_store.h"

#define UNIT_ARRAYS 8u /* maximum number of arrays per unit, each rounded up */
#define UNIT_ALIGN 64u
#define WINDOWS_A_TURN 64u /* windows that a thread takes at a time */
#define LOCALS_SIZE (SPMMI_TCBLOCK_BLOCK * sizeof(uint8_t))

struct builder {
    const struct spmmi_tcblock_kind *kind;
    struct spmmi_tcblock_frame frame;
    int turn;                                 /* units that a thread takes at a time */
    struct spmmi_tcblock_position *positions; /* unit_count + 1: the last one is the end of all units */
    char *units; /* kind->unit_size bytes per thread, then as many to recall kept units */
    struct spmmi_tcblock_chunk *chunks; /* per thread */
    struct spmmi_tcblock_store store;   /* has no memory if units are only counted */
    int threads;
    uint64_t longest;   /* maximum number of nonzeros in a unit */
    uint64_t nonzeros;  /* nonzeros of all units */
    uint64_t keep_most; /* maximum bytes of kept units */
};

static void *unit_of(const struct builder *b, int thread)
{
    return b->units + (size_t)thread * b->kind->unit_size;
}

/* Reads the columns of one unit into the scratch of this thread. */
static void *unit_read(const struct builder *b, uint32_t u)
{
    const struct spmmi_part *part = b->frame.part;
    const uint64_t first = (uint64_t)u * part->block_rows, left = part->item_count - first;
    const uint32_t rows = left < part->block_rows ? (uint32_t)left : part->block_rows;
    void *unit = unit_of(b, omp_get_thread_num());
    b->kind->unit_read(&b->frame, unit, part->items + first, rows);
    return unit;
}

/* Returns a unit in the second pass: restores it if it was kept, else reads its columns again. */
static void *unit_again(const struct builder *b, uint32_t u)
{
    const int thread = omp_get_thread_num();
    if (b->store.kept == NULL || b->store.kept[u] == NULL)
        return unit_read(b, u);
    void *unit = unit_of(b, b->threads + thread);
    b->kind->unit_recall(unit, unit_of(b, thread), b->store.kept[u]);
    return unit;
}

static void unit_keep(struct builder *b, uint32_t u, const void *unit)
{
    if (b->store.memory == NULL)
        return;
    char *memory =
        spmmi_store_take(&b->store, &b->chunks[omp_get_thread_num()], b->kind->unit_bytes_kept(unit));
    if (memory != NULL)
        b->kind->unit_keep(unit, memory);
    b->store.kept[u] = memory;
}

/* Returns the maximum bytes to keep of all units. */
static uint64_t kept_bytes(const struct builder *b)
{
    const struct spmmi_tcblocks *view = &b->frame.layout->view;
    return b->nonzeros * b->kind->kept_max +
           view->unit_count * (uint64_t)(b->kind->kept_unit + SPMMI_STORE_ALIGN);
}

/* Returns the bytes of one thread's scratch for a unit. */
static uint64_t unit_room(const struct builder *b)
{
    return 2 * b->kind->unit_size + sizeof *b->chunks +
           b->kind->unit_bytes(b->frame.part->block_rows, b->longest, b->frame.layout->view.cols) +
           UNIT_ARRAYS * UNIT_ALIGN;
}

/* Counts the nonzeros of the longest unit and of all units. */
static void nonzeros_count(struct builder *b)
{
    const struct spmmi_tcblock_frame *f = &b->frame;
    const struct spmmi_part *part = f->part;
    uint64_t longest = 0, all = 0;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static) reduction(max : longest) reduction(+ : all)
    for (uint32_t u = 0; u < f->layout->view.unit_count; u++) {
        const uint64_t first = (uint64_t)u * part->block_rows, left = part->item_count - first;
        uint64_t nonzeros = 0;
        for (uint64_t i = first; i < first + (left < part->block_rows ? left : part->block_rows); i++)
            nonzeros += (uint64_t)(f->row_ptr[part->items[i] + 1] - f->row_ptr[part->items[i]]);
        longest = nonzeros > longest ? nonzeros : longest;
        all += nonzeros;
    }
    b->longest = longest;
    b->nonzeros = all;
}

static spmm_status_t units_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_tcblocks *view = &b->frame.layout->view;
    nonzeros_count(b);
    const int wanted =
        spmmi_scratch_threads(omp_get_max_threads(), unit_room(b), (uint64_t)b->frame.row_ptr[view->rows]);
    SPMM_TRY_ALLOC(b->chunks = spmmi_alloc_zero((uint64_t)wanted, sizeof *b->chunks), diag);
    SPMM_TRY_ALLOC(b->units = spmmi_alloc_zero(2 * (uint64_t)wanted, b->kind->unit_size), diag);
    for (; b->threads < wanted; b->threads++)
        SPMM_TRY(b->kind->unit_make(view->unit_rows, b->longest, view->cols, unit_of(b, b->threads), diag));
cleanup:
    if (status != SPMM_OK && b->units != NULL && b->threads < wanted)
        b->kind->unit_free(unit_of(b, b->threads));
    return status;
}

static spmm_status_t builder_start(struct builder *b, int64_t rows, int64_t cols, spmm_dtype_t dtype,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_part *part = b->frame.part;
    struct spmmi_tcblocks *view = &b->frame.layout->view;
    memset(b->frame.layout, 0, sizeof *b->frame.layout);
    SPMM_REQUIRE(b->frame.row_ptr[rows] <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "%lld nonzeros are more than 32 bits can index", (long long)b->frame.row_ptr[rows]);
    SPMM_REQUIRE(part->item_count <= (uint64_t)rows, SPMM_ERR_INTERNAL, diag,
                 "a part has %llu items, more than the %lld rows", (unsigned long long)part->item_count,
                 (long long)rows);
    view->rows = (uint32_t)rows;
    view->cols = (uint32_t)cols;
    view->unit_rows = part->block_rows;
    b->frame.value_bytes = (uint32_t)spmm_dtype_size(dtype);
    view->block_rows = b->kind->block_rows;
    view->block_columns = b->kind->block_columns(b->frame.value_bytes);
    view->step_columns = b->frame.width = b->kind->step_columns;
    view->has_locals = b->frame.has_locals = b->kind->has_locals;
    view->has_masks = b->kind->has_masks;
    view->is_packed = part->schedule == SPMM_SCHEDULE_PACKED;
    view->unit_count = ((uint32_t)part->item_count + view->unit_rows - 1) / view->unit_rows;
    b->turn = (int)(WINDOWS_A_TURN * SPMMI_WINDOW_ROWS / view->unit_rows);
    b->frame.align = b->kind->step_bytes > 0 ? b->kind->step_bytes / b->frame.value_bytes : 1;
    SPMM_TRY_ALLOC(b->positions = spmmi_alloc((uint64_t)view->unit_count + 1, sizeof *b->positions), diag);
    SPMM_TRY(units_make(b, diag));
cleanup:
    return status;
}

static void builder_free(struct builder *b)
{
    for (int t = 0; t < b->threads; t++)
        b->kind->unit_free(unit_of(b, t));
    spmmi_free(b->units);
    spmmi_free(b->chunks);
    spmmi_store_free(&b->store);
    spmmi_free(b->positions);
}

/* Counts the steps, blocks and values of every unit, then computes where each unit begins, and all counts. */
static spmm_status_t positions_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tcblocks *view = &b->frame.layout->view;
    uint32_t blocks_max = 0, values_max = 0;
#pragma omp parallel for num_threads(spmmi_team(b->threads)) schedule(dynamic, b->turn) \
    reduction(max                                                                       \
              : blocks_max, values_max)
    for (uint32_t u = 0; u < view->unit_count; u++) {
        const void *unit = unit_read(b, u);
        b->positions[u] = b->kind->unit_needs(&b->frame, unit, &blocks_max, &values_max);
        unit_keep(b, u, unit);
    }
    struct spmmi_tcblock_position position = {0, 0, 0};
    for (uint32_t u = 0; u < view->unit_count; u++) {
        const struct spmmi_tcblock_position needs = b->positions[u];
        const uint32_t items =
            (uint32_t)((needs.step + b->frame.part->item_size - 1) / b->frame.part->item_size);
        b->positions[u] = position;
        position = (struct spmmi_tcblock_position){position.step + needs.step, position.block + needs.block,
                                                   position.value + needs.value};
        view->item_count += items > 1 ? items : 1;
        view->slot_count += items > 1 ? items : 0;
        view->split_count += items > 1;
    }
    b->positions[view->unit_count] = position;
    SPMM_REQUIRE(position.step * b->frame.width <= UINT32_MAX && position.value <= UINT32_MAX,
                 SPMM_ERR_TOO_LARGE, diag, "%llu steps with %llu values are more than 32 bits can index",
                 (unsigned long long)position.step, (unsigned long long)position.value);
    view->step_count = (uint32_t)position.step;
    view->block_count = (uint32_t)position.block;
    view->value_count = position.value;
    view->step_blocks_max = blocks_max;
    view->step_values_max = values_max;
cleanup:
    return status;
}

static void items_fill(const struct builder *b)
{
    struct spmmi_tcblock_layout *layout = b->frame.layout;
    uint32_t slot = 0;
    struct spmmi_tcblock_item *item = layout->items;
    struct spmmi_tcblock_split *split = layout->splits;
    for (uint32_t u = 0; u < layout->view.unit_count; u++) {
        const uint64_t first = b->positions[u].step, steps = b->positions[u + 1].step - first;
        const uint32_t cut = (uint32_t)((steps + b->frame.part->item_size - 1) / b->frame.part->item_size);
        const uint32_t count = cut > 1 ? cut : 1;
        if (count > 1)
            *split++ = (struct spmmi_tcblock_split){u, slot, count};
        for (uint32_t i = 0; i < count; i++)
            *item++ = (struct spmmi_tcblock_item){u, (uint32_t)(first + steps * i / count),
                                                  (uint32_t)(first + steps * (i + 1) / count),
                                                  count > 1 ? slot++ : SPMMI_TCBLOCK_NONE};
    }
}

struct spmmi_tcblock_sizes spmmi_tcblock_sizes_of(const struct spmmi_tcblocks *counts)
{
    const uint64_t pad = SPMMI_TCBLOCK_PAD, steps = counts->step_count, blocks = counts->block_count;
    const uint64_t words = ((uint64_t)counts->block_rows * counts->block_columns + 63) / 64;
    const uint64_t runs = counts->has_masks ? steps : steps * (counts->unit_rows / SPMMI_WINDOW_ROWS);
    return (struct spmmi_tcblock_sizes){
        .row_of = (uint64_t)counts->unit_count * counts->unit_rows + pad,
        .columns = steps * counts->step_columns + pad,
        .locals = counts->has_locals ? blocks + pad : 0,
        .block_first = counts->has_locals || counts->has_masks ? runs + 1 + pad : 0,
        .masks = counts->has_masks ? steps + pad : 0,
        .bitmaps = blocks * words + pad,
        .value_first = counts->is_packed ? blocks + 1 + pad : 0,
    };
}

/* Allocates count entries of size bytes and clears the pad. The caller fills the entries in front of it. */
static void *array_take(uint64_t count, size_t size)
{
    char *array = spmmi_alloc(count, size);
    if (array != NULL)
        memset(array + (count - SPMMI_TCBLOCK_PAD) * size, 0, SPMMI_TCBLOCK_PAD * size);
    return array;
}

static spmm_status_t arrays_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tcblock_layout *l = b->frame.layout;
    const struct spmmi_tcblocks *view = &l->view;
    const struct spmmi_tcblock_sizes sizes = spmmi_tcblock_sizes_of(view);
    SPMM_TRY_ALLOC(l->row_of = array_take(sizes.row_of, sizeof *l->row_of), diag);
    SPMM_TRY_ALLOC(l->columns = array_take(sizes.columns, sizeof *l->columns), diag);
    SPMM_TRY_ALLOC(l->bitmaps = array_take(sizes.bitmaps, sizeof *l->bitmaps), diag);
    if (sizes.locals > 0)
        SPMM_TRY_ALLOC(l->locals = array_take(sizes.locals, LOCALS_SIZE), diag);
    if (sizes.masks > 0)
        SPMM_TRY_ALLOC(l->masks = array_take(sizes.masks, sizeof *l->masks), diag);
    if (sizes.block_first > 0) {
        SPMM_TRY_ALLOC(l->block_first = array_take(sizes.block_first, sizeof *l->block_first), diag);
        l->block_first[sizes.block_first - SPMMI_TCBLOCK_PAD - 1] = view->block_count;
    }
    if (sizes.value_first > 0) {
        SPMM_TRY_ALLOC(l->value_first = array_take(sizes.value_first, sizeof *l->value_first), diag);
        l->value_first[view->block_count] = (uint32_t)view->value_count;
    }
    SPMM_TRY_ALLOC(l->items = spmmi_alloc(view->item_count, sizeof *l->items), diag);
    SPMM_TRY_ALLOC(l->splits = spmmi_alloc(view->split_count, sizeof *l->splits), diag);
cleanup:
    return status;
}

static spmm_status_t map_make(struct builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tcblock_layout *l = b->frame.layout;
    const uint64_t nnz = (uint64_t)b->frame.row_ptr[l->view.rows];
    SPMM_TRY_ALLOC(l->value_map = spmmi_alloc(nnz, sizeof *l->value_map), diag);
    if (b->frame.part->item_count < l->view.rows) /* values of long rows have no position */
        memset(l->value_map, 0xff, (size_t)nnz * sizeof *l->value_map);
cleanup:
    return status;
}

static void view_point(struct spmmi_tcblock_layout *l)
{
    l->view.row_of = l->row_of;
    l->view.columns = l->columns;
    l->view.locals = l->locals;
    l->view.block_first = l->block_first;
    l->view.masks = l->masks;
    l->view.bitmaps = l->bitmaps;
    l->view.value_first = l->value_first;
    l->view.items = l->items;
    l->view.splits = l->splits;
}

static spmm_status_t build(struct builder *b, int64_t rows, int64_t cols, spmm_dtype_t dtype, int has_map,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tcblock_layout *layout = b->frame.layout;
    SPMM_TRY(builder_start(b, rows, cols, dtype, diag));
    /* A caller that wants a map allocates values next: kept units of that size do not raise the peak. */
    const uint64_t most = has_map ? b->nonzeros * b->frame.value_bytes : b->keep_most;
    spmmi_store_make(layout->view.unit_count, kept_bytes(b), b->threads, most, &b->store);
    SPMM_TRY(positions_make(b, diag));
    SPMM_TRY(arrays_make(b, diag));
    if (has_map)
        SPMM_TRY(map_make(b, diag));
#pragma omp parallel for num_threads(spmmi_team(b->threads)) schedule(dynamic, b->turn)
    for (uint32_t u = 0; u < layout->view.unit_count; u++)
        b->kind->unit_fill(&b->frame, unit_again(b, u), u, b->positions[u]);
    items_fill(b);
    view_point(layout);
cleanup:
    builder_free(b);
    if (status != SPMM_OK)
        spmmi_tcblocks_free(layout);
    return status;
}

static struct builder builder_of(const struct spmmi_tcblock_kind *kind, const int64_t *row_ptr,
                                 const int32_t *col_ind, const struct spmmi_part *part,
                                 struct spmmi_tcblock_layout *layout)
{
    return (struct builder){
        .kind = kind, .frame = {.row_ptr = row_ptr, .col_ind = col_ind, .part = part, .layout = layout}};
}

spmm_status_t spmmi_tcblocks_build(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind,
                                   const struct spmmi_part *part, spmm_dtype_t dtype,
                                   struct spmmi_tcblock_layout *layout, spmm_diag_t *diag)
{
    struct builder b = builder_of(kind, row_ptr, col_ind, part, layout);
    return build(&b, rows, cols, dtype, 1, diag);
}

spmm_status_t spmmi_tcblocks_build_unmapped(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                            const int64_t *row_ptr, const int32_t *col_ind,
                                            const struct spmmi_part *part, spmm_dtype_t dtype,
                                            uint64_t keep_most, struct spmmi_tcblock_layout *layout,
                                            spmm_diag_t *diag)
{
    struct builder b = builder_of(kind, row_ptr, col_ind, part, layout);
    b.keep_most = keep_most;
    return build(&b, rows, cols, dtype, 0, diag);
}

spmm_status_t spmmi_tcblocks_count(const struct spmmi_tcblock_kind *kind, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind,
                                   const struct spmmi_part *part, spmm_dtype_t dtype,
                                   struct spmmi_tcblocks *counts, uint64_t *scratch, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tcblock_layout layout;
    struct builder b = builder_of(kind, row_ptr, col_ind, part, &layout);
    memset(counts, 0, sizeof *counts);
    SPMM_TRY(builder_start(&b, rows, cols, dtype, diag));
    SPMM_TRY(positions_make(&b, diag));
    *counts = layout.view;
    *scratch =
        ((uint64_t)layout.view.unit_count + 1) * sizeof *b.positions + (uint64_t)b.threads * unit_room(&b);
cleanup:
    builder_free(&b);
    return status;
}

uint64_t spmmi_tcblocks_bytes(const struct spmmi_tcblocks *counts)
{
    const struct spmmi_tcblock_sizes sizes = spmmi_tcblock_sizes_of(counts);
    return sizes.row_of * sizeof *counts->row_of + sizes.columns * sizeof *counts->columns +
           sizes.locals * LOCALS_SIZE + sizes.block_first * sizeof *counts->block_first +
           sizes.masks * sizeof *counts->masks + sizes.bitmaps * sizeof *counts->bitmaps +
           sizes.value_first * sizeof *counts->value_first + counts->item_count * sizeof *counts->items +
           counts->split_count * sizeof *counts->splits;
}

void spmmi_tcblocks_free(struct spmmi_tcblock_layout *layout)
{
    spmmi_free(layout->value_map);
    spmmi_free(layout->splits);
    spmmi_free(layout->items);
    spmmi_free(layout->value_first);
    spmmi_free(layout->bitmaps);
    spmmi_free(layout->masks);
    spmmi_free(layout->block_first);
    spmmi_free(layout->locals);
    spmmi_free(layout->columns);
    spmmi_free(layout->row_of);
    memset(layout, 0, sizeof *layout);
}
