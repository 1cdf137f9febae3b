/* SPDX-License-Identifier: Apache-2.0 */
/* How rows are launched on a GPU, for kernels and predictions. */
#ifndef SPMMI_ROWS_SHAPE_H
#define SPMMI_ROWS_SHAPE_H

#include "kernels/shared/kernel_base.h"

/* Shape of a rows kernel instance: a group of lanes owns lanes * vec columns; 256 threads a block.
 * is_single: the 32 lanes share one column and split its nonzeros; for n = 1, nonzero split, item size 8. */
struct spmmi_rows_shape {
    uint32_t vec;   /* columns a lane: 1 or 16 bytes' worth */
    uint32_t lanes; /* lanes a group: 1, 2, 4 .. 32 */
    uint32_t is_single;
};
#define SPMMI_ROWS_SINGLE_ITEM_SIZE 8u

#define SPMMI_ROWS_THREADS 256u
/* Thread blocks per multiprocessor (launch bounds of the kernels). */
#define SPMMI_ROWS_BLOCKS_PER_SM(value_bytes, is_single) ((value_bytes) == 4 ? 5u : (is_single) ? 3u : 4u)
#define SPMMI_ROWS_TILES_MAX 16u /* column tiles a launch; wider products take several launches */

/* Columns of column-major operands that are converted and multiplied at a time. Wide passes read A less often
 * and gather longer rows of B, which outweighs what a pass as small as the L2 cache saves: on an H200, web
 * graph, n = 128, four passes of 32 take 563 us and one of 128 takes less than 350. */
#define SPMMI_ROWS_PASS_COLUMNS 256u

/* Most nonzeros that a lane group takes: longer ones make a long tail. */
#define SPMMI_ROWS_GROUP_NONZEROS_MAX 128u
/* The lanes of the single-column kernel take one item each in a step; a group takes whole steps. */
#define SPMMI_ROWS_SINGLE_STEP (32u * SPMMI_ROWS_SINGLE_ITEM_SIZE)
#define SPMMI_ROWS_SINGLE_STEPS_MAX 4u

/* Does the rows kernel write column-major C directly, without row-major scratch that is converted afterwards?
 * Each value then takes a sector of its own on its way to the L2 cache. This costs little where C is small or each
 * value has many nonzeros. Measured on an H200 over 41 matrices and 5 n: within 1 % of the better of the two. */
#define SPMMI_ROWS_DIRECT_NUMBERS_MAX 560000
#define SPMMI_ROWS_DIRECT_NARROW 12
#define SPMMI_ROWS_DIRECT_MEAN_ROW 50

static inline int spmmi_rows_stores_columns(int64_t rows, int64_t nnz, int64_t n)
{
    return rows <= SPMMI_ROWS_DIRECT_NUMBERS_MAX / n &&
           (n <= SPMMI_ROWS_DIRECT_NARROW || nnz / SPMMI_ROWS_DIRECT_MEAN_ROW >= rows);
}

/* n: columns of a pass. is_wide: lanes load and store whole words of 16 bytes. For one column, the lanes of a warp
 * split its nonzeros; with another item size it is computed as one of two columns. */
static inline struct spmmi_rows_shape spmmi_rows_shape_of(int64_t n, uint32_t value_bytes, int is_wide,
                                                          int is_nonzero_split, uint32_t item_size)
{
    struct spmmi_rows_shape shape = {is_wide ? 16u / value_bytes : 1u, 1u, 0u};
    if (n == 1 && is_nonzero_split) {
        if (item_size == SPMMI_ROWS_SINGLE_ITEM_SIZE) {
            const struct spmmi_rows_shape single = {1u, 32u, 1u};
            return single;
        }
        shape.lanes = 2;
    }
    while (shape.lanes < 32 && (int64_t)shape.lanes * shape.vec < n)
        shape.lanes *= 2;
    return shape;
}

/* Shapes that differ in their blocks: lanes 1, 2, 4 .. 32 and the single column. */
#define SPMMI_ROWS_GRIDS 7
static inline int spmmi_rows_grid(struct spmmi_rows_shape shape)
{
    int log2_lanes = 0;
    while (1u << log2_lanes < shape.lanes)
        log2_lanes++;
    return shape.is_single ? SPMMI_ROWS_GRIDS - 1 : log2_lanes;
}

/* The boundaries of a block move back by block_nonzeros / slack at most. Measured on an H200: moving more saves slots
 * but unbalances the blocks; narrow products, which are bound by latency, gain from it. */
static inline uint32_t spmmi_rows_slack(int grid)
{
    return grid <= 2 || grid == SPMMI_ROWS_GRIDS - 1 ? 2 : 4;
}

/* Blocks of a nonzero split: groups of lanes, and most nonzeros that one takes. */
struct spmmi_rows_blocks {
    uint64_t groups;         /* of a block */
    uint64_t group_nonzeros; /* of a group of a block that took all it can from its neighbours */
    uint64_t nonzeros;       /* of a block, before boundaries move */
};

/* Blocks are about equally long, so whole waves of them leave no multiprocessor idle: the fewest waves in which
 * no group takes more than it should. A block may grow by what its last boundary did not move and its first did;
 * its nominal length leaves room for that, so that no group takes a step more. */
static inline struct spmmi_rows_blocks spmmi_rows_blocks_of(uint64_t nnz, uint32_t item_size,
                                                            uint32_t value_bytes, int grid, uint32_t sm_count)
{
    const int is_single = grid == SPMMI_ROWS_GRIDS - 1 && item_size == SPMMI_ROWS_SINGLE_ITEM_SIZE;
    const uint64_t lanes = grid < 5 ? UINT64_C(1) << grid : 32, slack = spmmi_rows_slack(grid);
    const uint64_t step = is_single ? SPMMI_ROWS_SINGLE_STEP : item_size;
    uint64_t most =
        is_single ? SPMMI_ROWS_SINGLE_STEP * SPMMI_ROWS_SINGLE_STEPS_MAX : SPMMI_ROWS_GROUP_NONZEROS_MAX;
    struct spmmi_rows_blocks b = {SPMMI_ROWS_THREADS / lanes, 0, 0};
    const uint64_t wave = b.groups * sm_count * SPMMI_ROWS_BLOCKS_PER_SM(value_bytes, is_single);
    most = most > step ? most : step;
    const uint64_t padded = nnz * (slack + 1) / slack + 1;
    const uint64_t waves = padded / (wave * most) + 1;
    b.group_nonzeros = (padded / (wave * waves) / step + 1) * step;
    b.nonzeros = (b.groups * b.group_nonzeros - item_size) * slack / (slack + 1) / item_size * item_size;
    b.nonzeros = b.nonzeros > item_size ? b.nonzeros : item_size;
    return b;
}

#endif
