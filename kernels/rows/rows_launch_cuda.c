/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_launch.h. */
#include "rows_launch_cuda.h"

#include <string.h>

/* Most nonzeros that a lane group takes: longer ones make a long tail. */
#define GROUP_NONZEROS_MAX 128u
/* The lanes of the single-column kernel take one item each in a step; a group takes whole steps. */
#define SINGLE_STEP (32u * SPMMI_ROWS_SINGLE_GRANULE)
#define SINGLE_STEPS_MAX 4u
#define WORKSPACE_ALIGN 256u
/* Columns of column-major operands that are converted and multiplied at a time. Wide passes read A less often
 * and gather longer rows of B, which outweighs what a pass as small as the L2 cache saves: on an H200, web
 * graph, n = 128, four passes of 32 take 563 us and one of 128 takes less than 350. */
#define PASS_COLUMNS 256

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
}

static int is_aligned(const spmm_dense_t *dense, uint32_t vec, size_t number_bytes)
{
    return dense->ld % (int64_t)vec == 0 && (uintptr_t)dense->data % (vec * number_bytes) == 0;
}

/* A single column is the same in both orders: with ld = 1 it is row-major. */
static int needs_conversion(const spmm_dense_t *dense)
{
    return dense->order == SPMM_COL_MAJOR && dense->cols > 1;
}

static struct spmmi_rows_shape choose_shape(const struct spmmi_rows_problem *problem, int64_t n, int is_wide)
{
    const size_t number_bytes = spmm_dtype_size(problem->dtype);
    struct spmmi_rows_shape shape = {is_wide ? (uint32_t)(16 / number_bytes) : 1u, 1u, 0u};
    /* A single column is split over a warp. With another granule the lanes of a pair take it. */
    if (n == 1 && problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        if (problem->granule == SPMMI_ROWS_SINGLE_GRANULE)
            return (struct spmmi_rows_shape){1u, 32u, 1u};
        shape.lanes = 2;
    }
    while (shape.lanes < 32 && (int64_t)shape.lanes * shape.vec < n)
        shape.lanes *= 2;
    return shape;
}

int spmmi_rows_grid(struct spmmi_rows_shape shape)
{
    int log2_lanes = 0;
    while (1u << log2_lanes < shape.lanes)
        log2_lanes++;
    return shape.is_single ? SPMMI_ROWS_GRIDS - 1 : log2_lanes;
}

/* Blocks are about equally long, so whole waves of them leave no multiprocessor idle: the fewest waves in which
 * no group takes more than it should. A block may grow by what its last boundary did not move and its first did;
 * its nominal length leaves room for that, so that no group takes a step more. */
uint32_t spmmi_rows_block_nonzeros(uint32_t nnz, uint32_t granule, spmm_dtype_t dtype, int grid,
                                   uint32_t sm_count)
{
    const int is_single = grid == SPMMI_ROWS_GRIDS - 1 && granule == SPMMI_ROWS_SINGLE_GRANULE;
    const uint64_t lanes = grid < 5 ? 1u << grid : 32;
    const uint64_t groups = SPMMI_ROWS_THREADS / lanes;
    const uint64_t wave = groups * sm_count * SPMMI_ROWS_BLOCKS_PER_SM(spmm_dtype_size(dtype), is_single);
    const uint64_t step = is_single ? SINGLE_STEP : granule;
    uint64_t most = is_single ? SINGLE_STEP * SINGLE_STEPS_MAX : GROUP_NONZEROS_MAX;
    most = most > step ? most : step;
    const uint64_t slack = spmmi_rows_slack(grid);
    const uint64_t padded = (uint64_t)nnz * (slack + 1) / slack + 1;
    const uint64_t waves = padded / (wave * most) + 1;
    const uint64_t group_nonzeros = (padded / (wave * waves) / step + 1) * step;
    uint64_t block = (groups * group_nonzeros - granule) * slack / (slack + 1);
    block = block / granule * granule;
    return (uint32_t)(block > granule ? block : granule);
}

/* Does the rows kernel write column-major C itself, rather than rows of scratch that are converted after it?
 * Then each number is a sector of its own on its way to the L2 cache, which few numbers, or many nonzeros for
 * each, hide. Measured on an H200 over 41 matrices and 5 n: within 1 % of the better of the two. */
#define DIRECT_NUMBERS_MAX 560000
#define DIRECT_NARROW 12
#define DIRECT_MEAN_ROW 50
static int stores_columns(const struct spmmi_rows_problem *problem)
{
    const int64_t n = problem->b->cols;
    return problem->rows <= DIRECT_NUMBERS_MAX / n &&
           (n <= DIRECT_NARROW || (int64_t)problem->nnz / DIRECT_MEAN_ROW >= problem->rows);
}

void spmmi_rows_launch_plan(const struct spmmi_rows_problem *problem, const struct spmmi_rows_device *device,
                            struct spmmi_rows_launch *launch)
{
    const size_t number_bytes = spmm_dtype_size(problem->dtype);
    const uint32_t wide = (uint32_t)(16 / number_bytes);
    const int64_t n = problem->b->cols;
    memset(launch, 0, sizeof *launch);
    launch->converts_b = needs_conversion(problem->b);
    launch->converts_c = needs_conversion(problem->c) && !stores_columns(problem);
    launch->n_pass = n;
    if (launch->converts_b || launch->converts_c)
        launch->n_pass = n < PASS_COLUMNS ? n : PASS_COLUMNS;
    launch->pitch = (uint32_t)((launch->n_pass + wide - 1) / wide * wide);

    /* Scratch is padded to whole 16-byte words, so a wide lane may work on columns past n there; the caller's
     * matrices only let it do so when n itself is a multiple. */
    const int b_wide = launch->converts_b || is_aligned(problem->b, wide, number_bytes);
    const int c_rows = problem->c->order == SPMM_ROW_MAJOR; /* written by whole words */
    const int c_wide = !c_rows || is_aligned(problem->c, wide, number_bytes);
    const int n_wide = (launch->converts_b && !c_rows) || n % wide == 0;
    launch->shape = choose_shape(problem, launch->n_pass, b_wide && c_wide && n_wide);
    launch->items_per_group = 1;
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        launch->block_nonzeros = spmmi_rows_block_nonzeros(problem->nnz, problem->granule, problem->dtype,
                                                           spmmi_rows_grid(launch->shape), device->sm_count);
        launch->block_count = (problem->nnz + launch->block_nonzeros - 1) / launch->block_nonzeros;
    } else {
        const uint32_t groups = SPMMI_ROWS_THREADS / launch->shape.lanes;
        launch->block_count = (problem->item_count + groups - 1) / groups;
    }

    uint64_t bytes = 0;
    launch->b_offset = bytes;
    if (launch->converts_b)
        bytes = align_up(bytes + (uint64_t)problem->cols * launch->pitch * number_bytes);
    launch->c_offset = bytes;
    if (launch->converts_c)
        bytes = align_up(bytes + (uint64_t)problem->rows * launch->pitch * number_bytes);
    launch->slots_offset = bytes;
    if (problem->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        const uint64_t width = (uint64_t)launch->shape.lanes * launch->shape.vec;
        uint64_t tiles = ((uint64_t)launch->n_pass + width - 1) / width;
        tiles = tiles < SPMMI_ROWS_TILES_MAX ? tiles : SPMMI_ROWS_TILES_MAX;
        bytes = align_up(bytes + 2 * (uint64_t)launch->block_count * tiles * width * number_bytes);
    }
    launch->workspace_bytes = bytes;
}
