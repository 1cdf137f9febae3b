/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_pack.h. Row blocks are independent, so each pass processes them in parallel. The first pass finds
 * the distinct columns of each row block, ascending. The second counts the slices of each warp in each stage.
 * The third, with all positions known, stores the entries (tiled_row_block_pack.h). */
#include "tiled_pack.h"

#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/each.h"
#include "format/base/team.h"
#include "executor/pack/scratch.h"
#include "tiled_banks.h"
#include "tiled_row_block_pack.h"

#define SLICES_MAX (UINT32_MAX / SPMMI_TILED_LANES)

/* Returns the bytes of one thread's scratch to find columns: a word per column, and a list to sort. */
static uint64_t finding_bytes(const struct spmmi_tiled_builder *b)
{
    return ((uint64_t)b->own.count + b->spare_length) * sizeof *b->ranks;
}

/* Finds where the entries of each row block begin. Returns the maximum number of entries of a row block. */
static uint64_t row_blocks_begin(struct spmmi_tiled_builder *b)
{
    const struct spmmi_tiled *view = &b->layout->view;
    uint64_t longest = 0;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (uint32_t p = 0; p < view->row_block_count; p++) {
        b->row_block_begin[p + 1] = 0;
        for (uint32_t t = 0; t < view->block_rows; t++)
            b->row_block_begin[p + 1] += spmmi_tiled_unit_end(b, spmmi_tiled_unit_at(b, p, t)) -
                                         spmmi_tiled_unit_begin(b, spmmi_tiled_unit_at(b, p, t));
    }
    b->row_block_begin[0] = 0;
    for (uint32_t p = 0; p < view->row_block_count; p++) {
        longest = b->row_block_begin[p + 1] > longest ? b->row_block_begin[p + 1] : longest;
        b->row_block_begin[p + 1] += b->row_block_begin[p];
    }
    return longest;
}

static spmm_status_t builder_start(struct spmmi_tiled_builder *b, int64_t rows, int64_t cols,
                                   const int64_t *row_ptr, const int32_t *col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled *view = &b->layout->view;
    SPMM_TRY(spmmi_tiled_units_make(rows, row_ptr, b->part, &b->units, diag));
    SPMM_TRY(spmmi_tiled_columns_make(cols, row_ptr[rows], col_ind, &b->own, diag));
    b->warps = b->part->block_rows / SPMMI_TILED_LANES;
    view->rows = (uint32_t)rows;
    view->cols = (uint32_t)cols;
    view->block_rows = b->part->block_rows;
    view->unit_count = b->units.count;
    view->row_block_count = (b->units.count + view->block_rows - 1) / view->block_rows;
    view->partial_count = b->units.partial_count;
    view->split_count = b->units.split_count;
    SPMM_TRY_ALLOC(b->row_block_width = spmmi_alloc(view->row_block_count, sizeof *b->row_block_width), diag);
    SPMM_TRY_ALLOC(b->row_block_begin =
                       spmmi_alloc((uint64_t)view->row_block_count + 1, sizeof *b->row_block_begin),
                   diag);
    const uint64_t longest = row_blocks_begin(b);
    b->spare_length = longest < (uint64_t)b->own.count ? longest : (uint64_t)b->own.count;
    b->threads =
        spmmi_scratch_threads(omp_get_max_threads(), finding_bytes(b), b->units.begin[b->units.count]);
    const uint64_t threads = (uint64_t)b->threads;
    SPMM_TRY_ALLOC(b->distinct = spmmi_alloc(b->units.begin[b->units.count], sizeof *b->distinct), diag);
    SPMM_TRY_ALLOC(b->ranks = spmmi_alloc(threads * (uint64_t)b->own.count, sizeof *b->ranks), diag);
    spmmi_zero(b->threads, b->ranks, threads * (uint64_t)b->own.count * sizeof *b->ranks);
    SPMM_TRY_ALLOC(b->spares = spmmi_alloc(threads * b->spare_length, sizeof *b->spares), diag);
cleanup:
    return status;
}

static void builder_free(struct spmmi_tiled_builder *b)
{
    spmmi_free(b->spares);
    spmmi_free(b->ranks);
    spmmi_free(b->distinct);
    spmmi_free(b->row_block_begin);
    spmmi_free(b->row_block_width);
    spmmi_tiled_columns_free(&b->own);
    spmmi_tiled_units_free(&b->units);
}

/* Returns the 16-bit words of one thread's scratch to place entries. */
static size_t turns_each(const struct spmmi_tiled_builder *b)
{
    return (size_t)3 * SPMMI_BANK_LANES * (b->layout->view.stage_slots + 1);
}

/* Returns the maximum bytes that the builder holds besides the layout. */
static uint64_t scratch_bytes(const struct spmmi_tiled_builder *b)
{
    const struct spmmi_tiled *view = &b->layout->view;
    const uint64_t nnz = b->units.begin[b->units.count], renumbered = b->own.column_of == NULL ? 0 : 2 * nnz;
    const uint64_t words = 2 * (uint64_t)b->units.count + 1 + 3 * (uint64_t)view->row_block_count + 2 + nnz;
    return (words + renumbered) * sizeof(uint32_t) +
           (uint64_t)b->threads * (finding_bytes(b) + turns_each(b) * sizeof(uint16_t));
}

/* Scratch of one thread. */
struct own {
    uint32_t *ranks, *spare;
    uint16_t *turns; /* to place entries */
};

static void find_columns(struct spmmi_tiled_builder *b, uint32_t row_block, const struct own *own)
{
    spmmi_tiled_row_block_columns(b, row_block, own->ranks, own->spare);
}

static void count_slices(struct spmmi_tiled_builder *b, uint32_t row_block, const struct own *own)
{
    spmmi_tiled_row_block_ranks(b, row_block, own->ranks);
    spmmi_tiled_row_block_slices(b, row_block, own->ranks);
}

static void position_entries(struct spmmi_tiled_builder *b, uint32_t row_block, const struct own *own)
{
    spmmi_tiled_row_block_ranks(b, row_block, own->ranks);
    spmmi_tiled_row_block_entries(b, row_block, own->ranks, own->turns);
    spmmi_tiled_row_block_targets(b, row_block);
}

/* Calls `work` for each row block, in parallel. turns: scratch of all threads to place entries, or NULL. */
static void each_row_block(struct spmmi_tiled_builder *b, uint16_t *turns,
                           void (*work)(struct spmmi_tiled_builder *b, uint32_t row_block,
                                        const struct own *own))
{
#pragma omp parallel for num_threads(spmmi_team(b->threads)) schedule(dynamic, 4)
    for (uint32_t p = 0; p < b->layout->view.row_block_count; p++) {
        const size_t thread = (size_t)omp_get_thread_num();
        const struct own own = {b->ranks + thread * (size_t)b->own.count,
                                b->spares + thread * b->spare_length,
                                turns == NULL ? NULL : turns + thread * turns_each(b)};
        work(b, p, &own);
    }
}

/* Finds the distinct columns, then the stages of each row block: as few as hold them, all
 * except the last equally wide. */
static spmm_status_t stages_make(struct spmmi_tiled_builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout *layout = b->layout;
    struct spmmi_tiled *view = &layout->view;
    const uint32_t row_blocks = view->row_block_count;
    each_row_block(b, NULL, find_columns);
    SPMM_TRY_ALLOC(layout->row_block_stage =
                       spmmi_alloc((uint64_t)row_blocks + 1, sizeof *layout->row_block_stage),
                   diag);
    layout->row_block_stage[0] = 0;
    for (uint32_t p = 0; p < row_blocks; p++) {
        const uint32_t stages = spmmi_row_block_stages(b->row_block_width[p], b->part->stage_slots);
        layout->row_block_stage[p + 1] = layout->row_block_stage[p] + stages;
        view->working_set += b->row_block_width[p];
    }
    view->stage_count = layout->row_block_stage[row_blocks];
    SPMM_TRY_ALLOC(layout->stage_first =
                       spmmi_alloc((uint64_t)view->stage_count + 1, sizeof *layout->stage_first),
                   diag);
    uint32_t first = 0;
    for (uint32_t p = 0; p < row_blocks; p++) {
        const uint32_t width = spmmi_tiled_stage_width(b, p);
        for (uint32_t s = layout->row_block_stage[p]; s < layout->row_block_stage[p + 1]; s++)
            layout->stage_first[s] = first + (s - layout->row_block_stage[p]) * width;
        first += b->row_block_width[p];
        const uint32_t widest = width < b->row_block_width[p] ? width : b->row_block_width[p];
        view->stage_slots = widest > view->stage_slots ? widest : view->stage_slots;
        if (layout->row_block_stage[p + 1] - layout->row_block_stage[p] > 1)
            view->long_slots = widest > view->long_slots ? widest : view->long_slots;
    }
    layout->stage_first[view->stage_count] = first;
cleanup:
    return status;
}

static spmm_status_t slices_make(struct spmmi_tiled_builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout *layout = b->layout;
    struct spmmi_tiled *view = &layout->view;
    const uint64_t count = (uint64_t)view->stage_count * b->warps;
    SPMM_TRY_ALLOC(layout->columns = spmmi_alloc(view->working_set, sizeof *layout->columns), diag);
    SPMM_TRY_ALLOC(layout->warp_slice = spmmi_alloc_zero(count + 1, sizeof *layout->warp_slice), diag);
    each_row_block(b, NULL, count_slices);
    uint64_t slices = 0;
    for (uint64_t i = 0; i <= count; i++) {
        const uint32_t here = layout->warp_slice[i];
        layout->warp_slice[i] = (uint32_t)slices;
        slices += here;
        SPMM_REQUIRE(slices <= SLICES_MAX, SPMM_ERR_TOO_LARGE, diag,
                     "the padded entries of a tiled part are more than 32 bits can index");
    }
    view->slice_count = (uint32_t)slices;
cleanup:
    return status;
}

static spmm_status_t entries_make(struct spmmi_tiled_builder *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout *layout = b->layout;
    struct spmmi_tiled *view = &layout->view;
    const uint64_t entries = (uint64_t)view->slice_count * SPMMI_TILED_LANES;
    const uint64_t nnz = b->units.begin[b->units.count];
    const uint64_t threads = (uint64_t)view->row_block_count * view->block_rows;
    uint16_t *turns = spmmi_alloc((uint64_t)b->threads * turns_each(b), sizeof *turns);
    SPMM_TRY_ALLOC(turns, diag);
    SPMM_TRY_ALLOC(layout->local = spmmi_alloc(entries, sizeof *layout->local), diag);
    SPMM_TRY_ALLOC(layout->target = spmmi_alloc(threads, sizeof *layout->target), diag);
    SPMM_TRY_ALLOC(layout->value_map = spmmi_alloc(nnz, sizeof *layout->value_map), diag);
    each_row_block(b, turns, position_entries);
    layout->splits = b->units.splits;
    b->units.splits = NULL;
cleanup:
    spmmi_free(turns);
    return status;
}

spmm_status_t spmmi_tiled_build(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled_layout *layout,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_builder b = {.part = part, .layout = layout};
    memset(layout, 0, sizeof *layout);
    SPMM_TRY(builder_start(&b, rows, cols, row_ptr, col_ind, diag));
    SPMM_TRY(stages_make(&b, diag));
    SPMM_TRY(slices_make(&b, diag));
    SPMM_TRY(entries_make(&b, diag));
    layout->view.row_block_stage = layout->row_block_stage;
    layout->view.stage_first = layout->stage_first;
    layout->view.columns = layout->columns;
    layout->view.warp_slice = layout->warp_slice;
    layout->view.local = layout->local;
    layout->view.target = layout->target;
    layout->view.splits = layout->splits;
cleanup:
    builder_free(&b);
    if (status != SPMM_OK)
        spmmi_tiled_free(layout);
    return status;
}

spmm_status_t spmmi_tiled_count(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                const struct spmmi_part *part, struct spmmi_tiled *counts, uint64_t *scratch,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_layout layout = {.value_map = NULL};
    struct spmmi_tiled_builder b = {.part = part, .layout = &layout};
    SPMM_TRY(builder_start(&b, rows, cols, row_ptr, col_ind, diag));
    SPMM_TRY(stages_make(&b, diag));
    SPMM_TRY(slices_make(&b, diag));
    *counts = layout.view;
    *scratch = scratch_bytes(&b);
cleanup:
    builder_free(&b);
    spmmi_tiled_free(&layout);
    return status;
}

uint64_t spmmi_tiled_bytes(const struct spmmi_tiled *counts)
{
    const uint64_t warps = counts->block_rows / SPMMI_TILED_LANES;
    const uint64_t values = (uint64_t)counts->row_block_count + 1 + counts->stage_count + 1 +
                            counts->working_set + counts->stage_count * warps + 1 +
                            (uint64_t)counts->row_block_count * counts->block_rows;
    return values * sizeof(uint32_t) + (uint64_t)counts->slice_count * SPMMI_TILED_LANES * sizeof(uint16_t) +
           (uint64_t)counts->split_count * sizeof(struct spmmi_tiled_split);
}

void spmmi_tiled_free(struct spmmi_tiled_layout *layout)
{
    spmmi_free(layout->value_map);
    spmmi_free(layout->splits);
    spmmi_free(layout->local);
    spmmi_free(layout->target);
    spmmi_free(layout->warp_slice);
    spmmi_free(layout->columns);
    spmmi_free(layout->stage_first);
    spmmi_free(layout->row_block_stage);
    memset(layout, 0, sizeof *layout);
}
