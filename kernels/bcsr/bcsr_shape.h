/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of block-row groups, for plans, kernels and predictions. */
#ifndef SPMMI_BCSR_SHAPE_H
#define SPMMI_BCSR_SHAPE_H

#include "kernels/tcblock/tcblock_shape.h"

/* In bcsr, A is the wide operand of the MMA (the narrow one in 3xtf32 by warpgroups: docs/decisions/0081). A
 * unit is a block-row group of 64 or 128 rows, which is W = unit_rows / 16 block rows. Its columns are
 * divided at multiples of block_columns: 8, or 16 for 16-bit types. The block columns in which the group has
 * a nonzero are processed in ascending order, 4 per step. A block is 16 rows by block_columns, dense, and
 * exists if its block row has a nonzero there. Blocks are sorted by step, then by block row, then by column.
 * spmmi_tcblock_wide_position has the order within a block. */
#define SPMMI_BCSR_ROWS 16u                     /* rows per block */
#define SPMMI_BCSR_STEP SPMMI_TCBLOCK_WIDE_STEP /* block columns per step */
#define SPMMI_BCSR_COLUMNS(value_bytes) ((value_bytes) == 2 ? 16u : 8u)

#define SPMMI_BCSR_COPIERS 2u          /* warps that copy; with the TMA only one */
#define SPMMI_BCSR_BARRIER_BYTES 1024u /* in front of the stages, which begin at a multiple of 1,024 bytes */
#define SPMMI_BCSR_GROUP_COLUMNS_MIN \
    64u /* minimum columns for warpgroups, which multiply whole pieces of 64 columns */
#define SPMMI_BCSR_GROUP_COLUMNS_NARROW \
    128u /* if n is at most this, their tiles have 64 columns: more thread blocks (docs/decisions/0050) */
#define SPMMI_BCSR_GROUP_ROWS \
    64u /* rows of a block-row group that one warpgroup multiplies by the same rows of B from shared memory */
#define SPMMI_BCSR_SPLIT_COLUMNS_MIN 65u /* minimum columns for warpgroups with split values (3xtf32) */
#define SPMMI_BCSR_SPLIT_STAGES 3
#define SPMMI_BCSR_SPLITTERS 2u          /* warps that split A for these warpgroups */
#define SPMMI_BCSR_CLUSTER_MAX 8u        /* maximum thread blocks of a cluster */
#define SPMMI_BCSR_CLUSTER_STEPS_MIN 2.0 /* minimum steps per thread block of a cluster, in the mean item */
#define SPMMI_BCSR_CLUSTER_STEPS_MAX \
    32.0 /* maximum steps per thread block, in the longest item: 1,024 columns, as in items of cut groups */
/* Share of the multiprocessors that clusters of more than two thread blocks can use. */
#define SPMMI_BCSR_CLUSTER_ROOM 0.875
#define SPMMI_BCSR_GROUP_TARGET 90 /* compute capability with warpgroups and clusters */
#define SPMMI_BCSR_L2_PART 4u      /* 1 / share of the L2 cache for columns of B */
/* Sums of all thread blocks of a multiprocessor for warpgroups of 16-bit types: a quarter of its
 * registers. */
#define SPMMI_BCSR_GROUP_SUMS 16384u
#define SPMMI_BCSR_SPLIT_BUFFERS 2u /* buffers, each with both parts of a step's blocks */
/* Bytes of one part (high or low) of a block column, absent blocks included: two halves of 16 bytes per row,
 * the second half in other banks. */
#define SPMMI_BCSR_PART_BYTES (2 * (16 * SPMMI_BCSR_GROUP_ROWS + 64))
#define SPMMI_BCSR_SPLIT_BYTES (SPMMI_BCSR_SPLIT_BUFFERS * SPMMI_BCSR_STEP * 2 * SPMMI_BCSR_PART_BYTES)
#define SPMMI_BCSR_GROUP_ALIGN 1024u /* alignment of a stage of warpgroups: 8 rows of 128 bytes */
/* Bytes of a column of B in a step. */
#define SPMMI_BCSR_COLUMN_BYTES(value_bytes) \
    (SPMMI_BCSR_STEP * SPMMI_BCSR_COLUMNS(value_bytes) * (value_bytes))

/* Shape of a thread block: warps that multiply, down the block-row group and across the
 * tile, and warps that copy. */
struct spmmi_bcsr_shape {
    uint32_t columns;      /* columns of the tile: 8 * across * tiles */
    uint32_t down, across; /* warps that multiply */
    uint32_t height;       /* block rows per warp */
    uint32_t tiles;        /* MMAs of 8 columns per warp */
    uint32_t stages;       /* steps in flight at once */
    uint32_t threads;      /* threads, including those that copy */
    uint32_t is_wide;      /* B is copied 16 bytes at a time, else value by value */
    /* Warpgroups multiply (wgmma), with one operand in shared memory: B, or A for 3xtf32. */
    uint32_t has_groups;
    uint32_t is_columns; /* B and C are column-major */
};

/* Properties of B and C that decide the shape. */
struct spmmi_bcsr_operands {
    uint32_t n, value_bytes;
    int is_wide;    /* rows of B are aligned to 16 bytes, and n values fill whole words of 16 bytes */
    int is_columns; /* B and C are column-major, B aligned to 4 bytes */
    int is_split;   /* values are multiplied as 3xtf32, and steps are full enough for warpgroups */
};

/* Warpgroups multiply zeros for absent blocks of a step, so they pay only from this share of blocks on. On an
 * H200 with n = 128 and 512 they are 1.18 to 1.27 times as fast at shares of 0.92 and 0.5
 * (gen:band:16384:256, gen:block:8192:32:15), and 0.8 times at 0.37 (a lattice of 8^4). */
#define SPMMI_BCSR_SPLIT_SHARE 0.45
static inline int spmmi_bcsr_fills_groups(double blocks, double steps)
{
    return blocks >=
           SPMMI_BCSR_SPLIT_SHARE * steps * SPMMI_BCSR_STEP * SPMMI_BCSR_GROUP_ROWS / SPMMI_BCSR_ROWS;
}

/* With at least 3 of 4 blocks, warpgroups multiply whole groups by split values, else halves of 32 rows that
 * have a block. */
static inline int spmmi_bcsr_skips_halves(double blocks, double steps)
{
    return 4 * blocks < 3 * steps * SPMMI_BCSR_STEP * SPMMI_BCSR_GROUP_ROWS / SPMMI_BCSR_ROWS;
}

/* Returns the number of shares into which the steps of an item are split, each for one thread block of a
 * cluster (warpgroups of 3xtf32). Items are shared if items and tiles alone leave multiprocessors idle. Each
 * thread block needs a multiprocessor to itself: two of a cluster on one multiprocessor take as long as half
 * as many shares. The thread blocks of a cluster run on neighbouring multiprocessors, so clusters of more
 * than two cannot use all multiprocessors: of the 132 of an H200, 31 clusters of 4 and 15 of 7 or 8 fit
 * (docs/decisions/0085). most: maximum shares. */
static inline uint32_t spmmi_bcsr_shares(double blocks, double steps, double multiprocessors, uint32_t most)
{
    static const uint32_t sizes[] = {SPMMI_BCSR_CLUSTER_MAX, 6, 4, 3, 2};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double room = (sizes[i] > 2 ? SPMMI_BCSR_CLUSTER_ROOM : 1) * multiprocessors;
        if (sizes[i] <= most && sizes[i] * blocks <= room && steps >= sizes[i] * SPMMI_BCSR_CLUSTER_STEPS_MIN)
            return sizes[i];
    }
    return 1;
}

/* Returns the item size of a part of f32 and 64 rows on a device of this compute capability. Plans may leave
 * long groups uncut for warpgroups of 3xtf32 and their clusters (bcsr_plan.c). Devices that do not run these
 * would have few thread blocks if there are fewer groups than multiprocessors; then items have at most 64
 * steps, twice what plans for such devices choose. */
#define SPMMI_BCSR_ITEM_STEPS_ALONE 64u
static inline uint32_t spmmi_bcsr_item_size(uint32_t planned, uint64_t groups, uint32_t multiprocessors,
                                            uint32_t target)
{
    return target == SPMMI_BCSR_GROUP_TARGET || groups >= multiprocessors ||
                   planned < SPMMI_BCSR_ITEM_STEPS_ALONE
               ? planned
               : SPMMI_BCSR_ITEM_STEPS_ALONE;
}

/* Returns true if 16-bit warpgroups with this number of MMAs across the tile copy boxes of B with the TMA.
 * This pays for wide tiles. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_has_map(uint32_t tiles, uint32_t is_columns)
{
    return tiles == 16 && !is_columns;
}

SPMMI_GEOMETRY uint32_t spmmi_bcsr_copiers(uint32_t has_map)
{
    return has_map ? 1 : SPMMI_BCSR_COPIERS;
}

/* Returns the persistent thread blocks per multiprocessor, for row-major warpgroups of 16-bit types. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_resident(uint32_t down, uint32_t columns)
{
    return SPMMI_BCSR_GROUP_SUMS / (down * SPMMI_BCSR_ROWS * columns);
}

/* Returns the distance, in bytes, between rows of B in shared memory. For 16-bit types, ldmatrix reads 16
 * bytes of 8 rows at once; rows that are an odd number of 16 bytes apart are in different banks. Warpgroups
 * permute the pieces of a row instead of padding it. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_pitch(uint32_t columns, uint32_t value_bytes, uint32_t has_groups)
{
    const uint32_t row = columns * value_bytes;
    const uint32_t odd = (row / 16 | 1) * 16;
    return has_groups ? row : value_bytes == 2 ? odd : spmmi_tcblock_pitch(row);
}

/* Returns the distance, in bytes, between columns of column-major B in shared memory, for the same reasons. A
 * warp reads four 8-byte values of each column at once. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_column_pitch(uint32_t value_bytes, uint32_t has_groups)
{
    const uint32_t gap = value_bytes == 8 ? 32 : 16;
    return SPMMI_BCSR_COLUMN_BYTES(value_bytes) + (has_groups ? 0 : gap);
}

/* Returns the bytes of the rows of B of a step. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_b_bytes(uint32_t columns, uint32_t value_bytes, uint32_t has_groups,
                                           uint32_t is_columns)
{
    if (is_columns)
        return columns * spmmi_bcsr_column_pitch(value_bytes, has_groups);
    return SPMMI_BCSR_STEP * SPMMI_BCSR_COLUMNS(value_bytes) *
           spmmi_bcsr_pitch(columns, value_bytes, has_groups);
}

SPMMI_GEOMETRY uint32_t spmmi_bcsr_block_bytes(uint32_t value_bytes)
{
    return SPMMI_BCSR_ROWS * SPMMI_BCSR_COLUMNS(value_bytes) * value_bytes;
}

SPMMI_GEOMETRY uint32_t spmmi_bcsr_align(uint32_t has_groups)
{
    return has_groups ? SPMMI_BCSR_GROUP_ALIGN : 16;
}

/* Returns the bytes of a stage that holds at most `blocks` blocks. */
SPMMI_GEOMETRY SPMMI_HOST_DEVICE uint32_t spmmi_bcsr_stage_bytes(uint32_t b_bytes, uint32_t block_bytes,
                                                                 uint32_t align, uint32_t blocks)
{
    return (b_bytes + blocks * block_bytes + align - 1) / align * align;
}

/* Returns the shared memory of a thread block if steps have at most step_blocks blocks. */
static inline uint32_t spmmi_bcsr_shared(const struct spmmi_bcsr_shape *shape, uint32_t value_bytes,
                                         uint32_t step_blocks)
{
    const uint32_t reads_b = shape->has_groups && value_bytes == 2, is_split = shape->has_groups && !reads_b;
    const uint32_t b_bytes = spmmi_bcsr_b_bytes(shape->columns, value_bytes, reads_b, shape->is_columns);
    const uint32_t stages =
        (is_split ? SPMMI_BCSR_SPLIT_BYTES : 0) +
        shape->stages * spmmi_bcsr_stage_bytes(b_bytes, spmmi_bcsr_block_bytes(value_bytes),
                                               spmmi_bcsr_align(reads_b), step_blocks);
    const uint32_t sums =
        spmmi_tcblock_kept_bytes(shape->columns, SPMMI_BCSR_ROWS * shape->down * shape->height, value_bytes);
    return SPMMI_BCSR_BARRIER_BYTES + (shape->is_columns && sums > stages ? sums : stages);
}

static inline struct spmmi_bcsr_shape spmmi_bcsr_shape_of(uint32_t down, uint32_t across, uint32_t height,
                                                          uint32_t tiles, uint32_t stages)
{
    const struct spmmi_bcsr_shape shape = {8 * across * tiles,
                                           down,
                                           across,
                                           height,
                                           tiles,
                                           stages,
                                           32 * (down * across + SPMMI_BCSR_COPIERS),
                                           1,
                                           0,
                                           0};
    return shape;
}

/* Returns the fastest measured shape for each n. Tiles are up to 128 columns wide; for values of 8 bytes half
 * of that, for values of 4 bytes too if block-row groups have 128 rows. Values of 2 bytes are multiplied so
 * fast that reading B from shared memory limits the time, so a warp has 32 rows of a wide tile. */
static inline struct spmmi_bcsr_shape spmmi_bcsr_best(uint32_t n, uint32_t value_bytes, uint32_t unit_rows)
{
    const uint32_t down = unit_rows / SPMMI_BCSR_ROWS, is_double = value_bytes == 8;
    if (n <= 16)
        return spmmi_bcsr_shape_of(down, 1, 1, n <= 8 ? 1 : 2, 5);
    if (n <= 32)
        return spmmi_bcsr_shape_of(down, 1 + is_double, 1, 4 / (1 + is_double), 4);
    if (is_double)
        return spmmi_bcsr_shape_of(down, 2, 1, 4, 3);
    if (n <= 64 || (value_bytes == 4 && unit_rows == 128))
        return spmmi_bcsr_shape_of(down, 1, 1, 8, 3);
    return value_bytes == 4 ? spmmi_bcsr_shape_of(down, 2, 1, 8, 3)
                            : spmmi_bcsr_shape_of(down / 2, 2, 2, 8, 3);
}

/* The order in which thread blocks process items and tiles of columns: all items with the first `turn` tiles,
 * then all items with the next tiles. */
struct spmmi_bcsr_order {
    uint32_t tiles, turn;
};

/* Returns the order. Consecutive thread blocks share an item, so that its blocks are read from DRAM once, as
 * long as the rows of B that neighbouring items read stay in the L2 cache. Otherwise they process equal
 * turns, with as many tiles as keep their columns of B in the cache. There are no turns if even one tile
 * exceeds that part of the cache, or if A does not fit into the cache. column_bytes: bytes of a column of B
 * within the mean reach of an item. */
static inline struct spmmi_bcsr_order spmmi_bcsr_order_of(uint32_t n, uint32_t columns, uint64_t column_bytes,
                                                          uint64_t a_bytes, uint64_t l2_bytes)
{
    const uint32_t tiles = (n + columns - 1) / columns;
    const uint64_t tile_bytes = column_bytes * columns, room = l2_bytes / SPMMI_BCSR_L2_PART;
    struct spmmi_bcsr_order order = {tiles, tiles};
    if (tiles * tile_bytes > room && tile_bytes <= room && a_bytes <= l2_bytes) {
        const uint32_t most = (uint32_t)(room / tile_bytes);
        const uint32_t turns = (tiles + most - 1) / most;
        order.turn = (tiles + turns - 1) / turns;
    }
    return order;
}

/* Returns true if warpgroups multiply split values. has_wgmma: as below. Column-major operands fit if B is
 * aligned to 4 bytes, which callers see to. */
static inline int spmmi_bcsr_has_split(const struct spmmi_bcsr_operands *operands, uint32_t unit_rows,
                                       int has_wgmma)
{
    return has_wgmma && operands->is_split && (operands->is_wide || operands->is_columns) &&
           operands->n >= SPMMI_BCSR_SPLIT_COLUMNS_MIN && unit_rows == SPMMI_BCSR_GROUP_ROWS;
}

static inline struct spmmi_bcsr_shape spmmi_bcsr_split_shape(int is_columns)
{
    struct spmmi_bcsr_shape split =
        spmmi_bcsr_shape_of(SPMMI_BCSR_GROUP_ROWS / SPMMI_BCSR_ROWS, 2, 1, 8, SPMMI_BCSR_SPLIT_STAGES);
    split.threads += 32 * SPMMI_BCSR_SPLITTERS;
    split.has_groups = 1;
    split.is_columns = is_columns != 0;
    return split;
}

/* Returns the shape of a launch. has_wgmma: the device has warpgroups, and the build has code for them.
 * step_blocks: blocks of the fullest step. If the stages exceed shared_max, two stages of a narrow tile are
 * used, which fit on every device. */
static inline struct spmmi_bcsr_shape spmmi_bcsr_launch(const struct spmmi_bcsr_operands *operands,
                                                        uint32_t unit_rows, int has_wgmma,
                                                        uint32_t step_blocks, uint32_t shared_max)
{
    const uint32_t n = operands->n, value_bytes = operands->value_bytes;
    const uint32_t down = unit_rows / SPMMI_BCSR_ROWS;
    struct spmmi_bcsr_shape least = spmmi_bcsr_shape_of(down, 1, 1, 2, 2);
    struct spmmi_bcsr_shape best = spmmi_bcsr_best(n, value_bytes, unit_rows);
    least.is_columns = best.is_columns = operands->is_columns != 0;
    least.is_wide = operands->is_wide || operands->is_columns;
    if (!least.is_wide)
        return least;
    if (has_wgmma && value_bytes == 2 && n >= SPMMI_BCSR_GROUP_COLUMNS_MIN) {
        const uint32_t tiles = n > SPMMI_BCSR_GROUP_COLUMNS_NARROW ? 16 : 8;
        const uint32_t has_map = spmmi_bcsr_has_map(tiles, least.is_columns);
        best = spmmi_bcsr_shape_of(down, 1, 1, tiles, has_map ? 4 : 3);
        best.threads = 32 * (down + spmmi_bcsr_copiers(has_map));
        best.has_groups = 1;
        best.is_columns = least.is_columns;
        return best;
    }
    if (spmmi_bcsr_has_split(operands, unit_rows, has_wgmma)) {
        const struct spmmi_bcsr_shape split = spmmi_bcsr_split_shape(operands->is_columns);
        if (spmmi_bcsr_shared(&split, value_bytes, step_blocks) <= shared_max)
            return split;
    }
    return spmmi_bcsr_shared(&best, value_bytes, step_blocks) <= shared_max ? best : least;
}

#endif
