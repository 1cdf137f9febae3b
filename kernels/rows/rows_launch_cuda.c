/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_launch_cuda.h. */
#include "rows_launch_cuda.h"

#include <string.h>

#include "kernels/shared/passes_shape.h"
#include "rows_columns_shape.h"
#include "rows_short_shape.h"

#define WORKSPACE_ALIGN 256u

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
}

/* Returns true if vec values of a row are whole words, of 16 bytes at most. */
static int is_aligned(const spmm_dense_t *dense, uint32_t vec)
{
    const size_t value_bytes = spmm_dtype_size(dense->type);
    const size_t word_bytes = vec * value_bytes < 16 ? vec * value_bytes : 16;
    return (size_t)dense->ld * value_bytes % word_bytes == 0 && (uintptr_t)dense->data % word_bytes == 0;
}

/* Returns true if an operand is column-major with several columns. A single column is the same in both
 * layouts: with ld = 1 it is row-major. */
static int needs_conversion(const spmm_dense_t *dense)
{
    return dense->layout == SPMM_COL_MAJOR && dense->cols > 1;
}

/* Returns true if A, B and C have the same type. Products of several types have no kernels for column-major
 * C, nor for pairs of 16-bit columns. */
static int is_of_one_type(const struct spmmi_rows_problem *problem)
{
    return problem->b->type == problem->dtype && problem->c->type == problem->dtype;
}

static int has_column_kernels(const struct spmmi_rows_problem *problem)
{
    return needs_conversion(problem->c) && problem->piece_count == 0 && is_of_one_type(problem);
}

static int stores_directly(const struct spmmi_rows_problem *problem)
{
    return has_column_kernels(problem) &&
           spmmi_rows_stores_directly(problem->rows, problem->nnz, problem->b->cols);
}

/* Returns true if blocks can keep their rows. Nonzero split: if the rows are evenly distributed over blocks.
 * Row split: if shared memory can hold the rows of a block, at most item_size per group when no row is
 * empty. */
static int have_room(const struct spmmi_rows_problem *problem, size_t value_bytes)
{
    const struct spmmi_grid_blocks *const grid = &problem->blocks[spmmi_rows_kept_grid(value_bytes)];
    const uint32_t groups = SPMMI_ROWS_THREADS / spmmi_rows_kept_lanes(value_bytes);
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
        return spmmi_rows_kept_are_even(problem->rows, grid->count, grid->most_rows, value_bytes);
    return problem->ranks == problem->rows && problem->item_size > 0 &&
           groups * (uint64_t)problem->item_size <= spmmi_rows_kept_rows(value_bytes);
}

static int keeps_columns(const struct spmmi_rows_problem *problem, const struct spmmi_device *device)
{
    const size_t value_bytes = spmm_dtype_size(problem->dtype);
    return device->target >= SPMMI_ROWS_KEPT_TARGET && has_column_kernels(problem) &&
           needs_conversion(problem->b) &&
           spmmi_rows_keeps_columns(problem->rows, problem->nnz, problem->b->cols, (uint32_t)value_bytes) &&
           have_room(problem, value_bytes);
}

static void keep_columns(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                         struct spmmi_rows_launch *launch, uint32_t vec)
{
    launch->keeps_c = 1;
    launch->converts_c = 0;
    launch->before_bytes = spmmi_rows_kept_before(
        problem->cols, problem->b->cols, spmm_dtype_size(problem->dtype), (uint32_t)device->multiprocessors);
    launch->shape = spmmi_rows_shape_of(SPMMI_ROWS_KEPT_COLUMNS, vec, 0);
}

/* Returns true if lanes may load and store vec columns as words. Converted operands are padded to whole
 * 16-byte words, so that lanes may access columns past n there. With the caller's matrices, n must be a
 * multiple of vec. */
static int fits_vec(const struct spmmi_rows_problem *problem, const struct spmmi_rows_launch *launch,
                    uint32_t vec)
{
    const int c_rows = problem->c->layout == SPMM_ROW_MAJOR; /* written in whole words */
    if (vec == SPMMI_ROWS_PAIR && spmm_dtype_size(problem->b->type) == 2 && !is_of_one_type(problem))
        return 0;
    return (launch->converts_b || is_aligned(problem->b, vec)) && (!c_rows || is_aligned(problem->c, vec)) &&
           ((launch->converts_b && !c_rows) || problem->b->cols % vec == 0);
}

static uint64_t tiles_of(const struct spmmi_rows_launch *launch)
{
    const uint64_t width = (uint64_t)launch->shape.vec * launch->shape.lanes;
    return ((uint64_t)launch->n_pass + width - 1) / width;
}

/* Assigns workspace, from offset `bytes` on, to the arrival counters and slots of rows that blocks share, for
 * the column tiles of one launch. Returns the offset after them. */
static uint64_t position_shared_rows(struct spmmi_rows_launch *launch, size_t sum_bytes, uint64_t bytes)
{
    const uint64_t width = (uint64_t)launch->shape.lanes * launch->shape.vec;
    uint64_t tiles = tiles_of(launch);
    tiles = tiles < launch->tiles_max ? tiles : launch->tiles_max;
    const uint64_t words = launch->block_count * tiles;
    launch->arrivals_offset = bytes;
    launch->slots_offset = align_up(bytes + words * sizeof(uint64_t));
    return align_up(launch->slots_offset + 2 * words * width * sum_bytes);
}

/* Assigns workspace, from offset `bytes` on, to the sums of pieces, in rows of whole words. Returns the
 * offset after them. */
static uint64_t position_pieces(struct spmmi_rows_launch *launch, uint32_t count, size_t sum_bytes,
                                uint64_t bytes)
{
    launch->piece_pitch = (uint32_t)((launch->n_pass + 7) / 8 * 8);
    launch->pieces_offset = bytes;
    return align_up(bytes + (uint64_t)count * launch->piece_pitch * sum_bytes);
}

/* Returns the number of groups that share a row. A block has whole teams. */
static uint32_t share_of(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                         const struct spmmi_rows_launch *launch)
{
    const struct spmmi_rows_shape *const shape = &launch->shape;
    const uint32_t bytes = (uint32_t)spmm_dtype_size(problem->b->type);
    if (problem->schedule != SPMM_SCHEDULE_ROW_SPLIT || shape->way != SPMMI_ROWS_COLUMNS ||
        problem->piece_count > 0)
        return 1;
    if (problem->forced_share > 0)
        return problem->forced_share * shape->lanes <= SPMMI_ROWS_THREADS ? problem->forced_share : 1;
    return spmmi_rows_share_of(problem->nnz, problem->ranks, problem->longest, shape->lanes, tiles_of(launch),
                               (uint64_t)device->multiprocessors * SPMMI_ROWS_BLOCKS_PER_SM(bytes));
}

/* Returns true if the teams kernel runs: because groups share rows, or because teams, also those of one
 * group, store column-major C value by value. In the latter case C is not converted. */
static int takes_teams(const struct spmmi_rows_problem *problem, struct spmmi_rows_launch *launch)
{
    const struct spmmi_rows_shape *const shape = &launch->shape;
    const int stores =
        problem->schedule == SPMM_SCHEDULE_ROW_SPLIT && shape->way == SPMMI_ROWS_COLUMNS &&
        has_column_kernels(problem) &&
        spmmi_rows_teams_store_directly(problem->rows, problem->b->cols, shape->lanes * shape->share,
                                        (uint32_t)spmm_dtype_size(problem->dtype));
    if (stores)
        launch->converts_c = 0;
    return stores || shape->share > 1;
}

/* Returns true if each group has one short row. */
static int takes_short(const struct spmmi_rows_problem *problem, const struct spmmi_rows_launch *launch)
{
    const struct spmmi_rows_shape *const shape = &launch->shape;
    if (problem->schedule != SPMM_SCHEDULE_ROW_SPLIT || shape->way != SPMMI_ROWS_COLUMNS ||
        problem->piece_count > 0 || needs_conversion(problem->c))
        return 0;
    if (problem->forced_share > 0)
        return problem->forces_short && shape->lanes <= SPMMI_ROWS_SHORT_LANES(shape->vec);
    return spmmi_rows_are_short(problem->longest, shape->share, launch->n_pass, shape->lanes, shape->vec,
                                (uint32_t)spmm_dtype_size(problem->b->type));
}

/* Returns the shape for n columns. vec: columns per lane, unless columns are few. */
static struct spmmi_rows_shape shape_of(const struct spmmi_rows_problem *problem,
                                        const struct spmmi_device *device, int64_t n, uint32_t vec)
{
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT && n <= SPMMI_STAGED_COLUMNS_MAX) {
        const struct spmmi_rows_shape staged = spmmi_staged_shape_of(n);
        const uint32_t sum_bytes = (uint32_t)spmmi_sum_bytes((int)problem->dtype);
        if (spmmi_staged_pays(n, staged, sum_bytes, problem->staged[spmmi_staged_grid(staged)].count,
                              device->multiprocessors))
            return staged;
    } else if (n == 1) {
        struct spmmi_rows_shape shape = {1, problem->forced_lanes,
                                         problem->is_sliced ? SPMMI_ROWS_SLICED : SPMMI_ROWS_LANES, 1};
        if (shape.lanes == 0)
            shape.lanes = problem->is_sliced
                              ? spmmi_slices_warps(problem->nnz, problem->ranks, device->multiprocessors)
                              : spmmi_rows_lanes_of(problem->nnz, problem->ranks, device->multiprocessors);
        return shape;
    }
    /* There are no kernels for column-major C with columns that are apart. */
    const uint32_t b_bytes =
        problem->c->layout == SPMM_ROW_MAJOR ? (uint32_t)spmm_dtype_size(problem->b->type) : 0;
    return spmmi_rows_shape_of(n, vec, b_bytes);
}

/* Returns the grid of a nonzero split. Blocks of pieces exist for one tile only. */
static int split_grid(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                      const struct spmmi_rows_launch *launch)
{
    const struct spmmi_rows_shape *const shape = &launch->shape;
    if (shape->way == SPMMI_ROWS_STAGED)
        return spmmi_staged_grid(*shape);
    const uint32_t width = shape->lanes * shape->vec;
    const struct spmmi_rows_tiles tiles = {
        .count = problem->piece_count > 0 ? 1 : tiles_of(launch),
        .nnz = problem->nnz,
        .dense_rows = (uint64_t)(problem->rows + problem->cols),
        .row_bytes = width * spmm_dtype_size(problem->b->type),
        .slots = (uint64_t)device->multiprocessors *
                 SPMMI_ROWS_BLOCKS_PER_SM((uint32_t)spmm_dtype_size(problem->dtype)),
        .l2_bytes = device->l2_bytes};
    return spmmi_rows_tiled_grid(*shape, &tiles);
}

static void count_blocks(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                         struct spmmi_rows_launch *launch)
{
    const uint32_t groups = SPMMI_ROWS_THREADS / launch->shape.lanes;
    launch->items_per_group = 1;
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        launch->grid = split_grid(problem, device, launch);
        const struct spmmi_grid_blocks *const blocks =
            (launch->shape.way == SPMMI_ROWS_STAGED ? problem->staged : problem->blocks) + launch->grid;
        launch->block_nonzeros = blocks->nonzeros;
        launch->block_count = blocks->count;
    } else if (launch->shape.way == SPMMI_ROWS_LANES) {
        launch->items_per_group = spmmi_lanes_rows(problem->ranks, groups, device->multiprocessors);
        const uint32_t rows = groups * launch->items_per_group;
        launch->block_count = (problem->ranks + rows - 1) / rows;
    } else if (launch->shape.way == SPMMI_ROWS_TEAMS || launch->shape.way == SPMMI_ROWS_SHORT) {
        const uint32_t rows = groups / launch->shape.share;
        launch->block_count = (problem->ranks + rows - 1) / rows;
    } else if (launch->shape.way == SPMMI_ROWS_SLICED) {
        const uint32_t slices = SPMMI_SLICE_WARPS_MAX / launch->shape.lanes;
        launch->block_count = (spmmi_slices_count(problem->ranks) + slices - 1) / slices;
    } else {
        launch->block_count = (problem->item_count + groups - 1) / groups;
    }
    launch->tiles_max = spmmi_rows_tiles_max(launch->block_count);
    const uint64_t tiles = tiles_of(launch);
    launch->is_crowded =
        problem->schedule == SPMM_SCHEDULE_ROW_SPLIT &&
        spmmi_rows_is_crowded(launch->block_count * (tiles < launch->tiles_max ? tiles : launch->tiles_max),
                              (uint32_t)device->multiprocessors);
}

void spmmi_rows_launch_plan(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                            struct spmmi_rows_launch *launch)
{
    const size_t sum_bytes = spmmi_sum_bytes((int)problem->b->type);
    const size_t b_bytes = spmm_dtype_size(problem->b->type), c_bytes = spmm_dtype_size(problem->c->type);
    const uint32_t wide = (uint32_t)(16 / b_bytes);
    uint32_t vec = wide;
    const int64_t n = problem->b->cols;
    memset(launch, 0, sizeof *launch);
    launch->converts_b = needs_conversion(problem->b);
    launch->converts_c = needs_conversion(problem->c) && !stores_directly(problem);
    launch->n_pass = n;
    if (launch->converts_b || launch->converts_c)
        launch->n_pass =
            spmmi_pass_columns(n, problem->rows + problem->cols, b_bytes, SPMMI_ROWS_PASS_COLUMNS);
    if (problem->piece_count > 0 && launch->n_pass > SPMMI_ROWS_PIECES_COLUMNS)
        launch->n_pass = SPMMI_ROWS_PIECES_COLUMNS;
    launch->pitch = (uint32_t)((launch->n_pass + wide - 1) / wide * wide);
    while (vec > 1 && !fits_vec(problem, launch, vec))
        vec = spmmi_rows_narrower(vec, (uint32_t)b_bytes);
    launch->shape = shape_of(problem, device, launch->n_pass, vec);
    launch->shape.share = share_of(problem, device, launch);
    if (takes_short(problem, launch)) {
        launch->shape.way = SPMMI_ROWS_SHORT;
        launch->shape.share = 1;
    } else if (takes_teams(problem, launch))
        launch->shape.way = SPMMI_ROWS_TEAMS;
    else if (keeps_columns(problem, device))
        keep_columns(problem, device, launch, vec);
    launch->is_early = device->can_overlap;
    count_blocks(problem, device, launch);

    uint64_t bytes = 0;
    launch->b_offset = bytes;
    if (launch->converts_b)
        bytes = align_up(bytes + (uint64_t)problem->cols * launch->pitch * b_bytes);
    launch->c_offset = bytes;
    if (launch->converts_c)
        bytes = align_up(bytes + (uint64_t)problem->rows * launch->pitch * c_bytes);
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
        bytes = position_shared_rows(launch, sum_bytes, bytes);
    if (problem->piece_count > 0)
        bytes = position_pieces(launch, problem->piece_count, sum_bytes, bytes);
    launch->workspace_bytes = bytes;
}
