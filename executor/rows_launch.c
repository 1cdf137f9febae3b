/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_launch.h. */
#include "rows_launch.h"

#include <string.h>

/* Most items (of 8 nonzeros) that a lane group takes: longer ones make a long tail. */
#define ITEMS_PER_GROUP_MAX 16u
/* A block takes at least this many items, which bounds the arrival counters. */
#define BLOCK_ITEMS_MIN 16u
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

/* Blocks are equally long, so whole waves of them leave no multiprocessor idle: the fewest waves in which
 * no group takes more than ITEMS_PER_GROUP_MAX items. */
static uint32_t choose_items_per_group(const struct spmmi_rows_problem *problem, struct spmmi_rows_shape shape,
                                       uint32_t sm_count)
{
    const uint64_t groups = SPMMI_ROWS_THREADS / shape.lanes;
    const uint64_t wave = groups * sm_count * SPMMI_ROWS_BLOCKS_PER_SM(spmm_dtype_size(problem->dtype));
    const uint64_t most = shape.is_single ? (uint64_t)ITEMS_PER_GROUP_MAX * shape.lanes : ITEMS_PER_GROUP_MAX;
    const uint64_t waves = problem->item_count / (wave * most) + 1;
    uint64_t items = (problem->item_count + wave * waves - 1) / (wave * waves);
    if (problem->schedule == SPMM_SCHEDULE_ROW_SPLIT)
        return 1;
    while (groups * items < BLOCK_ITEMS_MIN)
        items++;
    if (shape.is_single) /* an item a lane and step */
        items = (items + shape.lanes - 1) / shape.lanes * shape.lanes;
    return items > 0 ? (uint32_t)items : 1u;
}

uint64_t spmmi_rows_arrivals(uint64_t item_count)
{
    return (item_count / BLOCK_ITEMS_MIN + 1) * SPMMI_ROWS_TILES_MAX;
}

void spmmi_rows_launch_plan(const struct spmmi_rows_problem *problem, const struct spmmi_rows_device *device,
                            struct spmmi_rows_launch *launch)
{
    const size_t number_bytes = spmm_dtype_size(problem->dtype);
    const uint32_t wide = (uint32_t)(16 / number_bytes);
    const int64_t n = problem->b->cols;
    memset(launch, 0, sizeof *launch);
    launch->converts_b = needs_conversion(problem->b);
    launch->converts_c = needs_conversion(problem->c);
    launch->n_pass = n;
    if (launch->converts_b || launch->converts_c)
        launch->n_pass = n < PASS_COLUMNS ? n : PASS_COLUMNS;
    launch->pitch = (uint32_t)((launch->n_pass + wide - 1) / wide * wide);

    /* Scratch is padded to whole 16-byte words, so a wide lane may work on columns past n there; the caller's
     * matrices only let it do so when n itself is a multiple. */
    const int b_wide = launch->converts_b || is_aligned(problem->b, wide, number_bytes);
    const int c_wide = launch->converts_c || is_aligned(problem->c, wide, number_bytes);
    const int n_wide = (launch->converts_b && launch->converts_c) || n % wide == 0;
    launch->shape = choose_shape(problem, launch->n_pass, b_wide && c_wide && n_wide);
    launch->items_per_group = choose_items_per_group(problem, launch->shape, device->sm_count);

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
        const uint64_t block_items = (uint64_t)(SPMMI_ROWS_THREADS / launch->shape.lanes) * launch->items_per_group;
        const uint64_t blocks = (problem->item_count + block_items - 1) / block_items;
        uint64_t tiles = ((uint64_t)launch->n_pass + width - 1) / width;
        tiles = tiles < SPMMI_ROWS_TILES_MAX ? tiles : SPMMI_ROWS_TILES_MAX;
        bytes = align_up(bytes + 2 * blocks * tiles * width * number_bytes);
    }
    launch->workspace_bytes = bytes;
}
