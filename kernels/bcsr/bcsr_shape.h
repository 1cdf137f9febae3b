/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of block-row groups, for plans, kernels and predictions. */
#ifndef SPMMI_BCSR_SHAPE_H
#define SPMMI_BCSR_SHAPE_H

#include "kernels/tcblock/tcblock_shape.h"

/* The tensor core operand of bcsr is the wide one (of 3xtf32 by warpgroups the other: docs/decisions/0081). A unit
 * is a block-row group of 64 or 128 rows, W = unit_rows / 16 block rows. Its columns are cut at multiples of
 * block_columns: 8, or 16 for 16-bit types; the block columns in which the block-row group has a nonzero are
 * processed in ascending order, 4 in a step. A block is 16 rows by block_columns, dense, and is there if its block
 * row has a nonzero in it. Blocks go by step, then by block row, then by column. spmmi_tcblock_wide_position has
 * the order in a block. */
#define SPMMI_BCSR_ROWS 16u                     /* of a block */
#define SPMMI_BCSR_STEP SPMMI_TCBLOCK_WIDE_STEP /* block columns of a step */
#define SPMMI_BCSR_COLUMNS(value_bytes) ((value_bytes) == 2 ? 16u : 8u)

#define SPMMI_BCSR_COPIERS 2u          /* warps that copy; with the TMA one does */
#define SPMMI_BCSR_BARRIER_BYTES 1024u /* in front of the stages, which begin at a multiple of that */
#define SPMMI_BCSR_GROUP_COLUMNS_MIN \
    64u /* from which on warpgroups multiply, of whole pieces of 64 columns */
#define SPMMI_BCSR_GROUP_COLUMNS_NARROW \
    128u /* up to which their tiles have 64 columns: more thread blocks (docs/decisions/0050) */
#define SPMMI_BCSR_GROUP_ROWS \
    64u /* of a block-row group, rows that a warpgroup multiplies by the same rows of B */
#define SPMMI_BCSR_SPLIT_COLUMNS_MIN 65u /* from which on warpgroups multiply parts of values (3xtf32) */
#define SPMMI_BCSR_SPLIT_STAGES 3
#define SPMMI_BCSR_SPLITTERS 2u          /* warps that split A for them */
#define SPMMI_BCSR_CLUSTER_MAX 8u        /* thread blocks of a cluster */
#define SPMMI_BCSR_CLUSTER_STEPS_MIN 2.0 /* of each, in the mean item */
#define SPMMI_BCSR_CLUSTER_STEPS_MAX \
    32.0 /* of each, in the longest item: 1,024 columns, as of a thread block alone */
#define SPMMI_BCSR_CLUSTER_ROOM 0.875 /* of the multiprocessors, for clusters of more than two */
#define SPMMI_BCSR_GROUP_TARGET 90    /* which has warpgroups and clusters */
#define SPMMI_BCSR_L2_PART 4u         /* of the L2 cache, for columns of B */
/* Sums of the thread blocks of a multiprocessor, warpgroups of 16-bit types: a quarter of its registers. */
#define SPMMI_BCSR_GROUP_SUMS 16384u
#define SPMMI_BCSR_SPLIT_BUFFERS 2u /* with both parts of a step's blocks */
/* One part of a block column, absent blocks too: two halves of 16 bytes a row, the second in other banks. */
#define SPMMI_BCSR_PART_BYTES (2 * (16 * SPMMI_BCSR_GROUP_ROWS + 64))
#define SPMMI_BCSR_SPLIT_BYTES (SPMMI_BCSR_SPLIT_BUFFERS * SPMMI_BCSR_STEP * 2 * SPMMI_BCSR_PART_BYTES)
#define SPMMI_BCSR_GROUP_ALIGN 1024u /* of a stage of warpgroups: 8 rows of 128 bytes */
/* Of a column of B in a step. */
#define SPMMI_BCSR_COLUMN_BYTES(value_bytes) \
    (SPMMI_BCSR_STEP * SPMMI_BCSR_COLUMNS(value_bytes) * (value_bytes))

/* A thread block: warps that multiply, down the block-row group and across the tile, and warps that copy. */
struct spmmi_bcsr_shape {
    uint32_t columns;      /* of the tile: 8 across tiles */
    uint32_t down, across; /* warps */
    uint32_t height;       /* block rows of a warp */
    uint32_t tiles;        /* of 8 columns, of a warp */
    uint32_t stages;       /* steps on their way at once */
    uint32_t threads;      /* those that copy too */
    uint32_t is_wide;      /* B is copied by 16 bytes, else value by value */
    uint32_t has_groups;   /* warpgroups multiply (wgmma), one operand from shared memory: B, of 3xtf32 A */
    uint32_t is_columns;   /* B and C are column-major */
};

/* B and C as the kernel finds them. */
struct spmmi_bcsr_operands {
    uint32_t n, value_bytes;
    int is_wide;    /* rows of B are aligned to 16 bytes, and n values fill whole words of 16 bytes */
    int is_columns; /* both are column-major, B aligned to 16 bytes */
    int is_split;   /* values are multiplied as 3xtf32, and steps are full enough for warpgroups */
};

/* Warpgroups multiply zeros where a step lacks blocks: they pay from this share on. On an H200, n = 128 and 512: 1.18
 * to 1.27 times as fast at 0.92 and 0.5 (gen:band:16384:256, gen:block:8192:32:15), 0.8 at 0.37 (a lattice of 8^4). */
#define SPMMI_BCSR_SPLIT_SHARE 0.45
static inline int spmmi_bcsr_fills_groups(double blocks, double steps)
{
    return blocks >=
           SPMMI_BCSR_SPLIT_SHARE * steps * SPMMI_BCSR_STEP * SPMMI_BCSR_GROUP_ROWS / SPMMI_BCSR_ROWS;
}

/* Shares into which the steps of an item are split, each for a thread block of a cluster, where items and tiles alone
 * leave multiprocessors without work; warpgroups of 3xtf32. Each has a multiprocessor for itself: two of a cluster on
 * one take as long as half as many. Those of a cluster are neighbours, so clusters of more than two do not find room on
 * all multiprocessors: on an H200, of 132, 31 of 4, 15 of 7 or of 8 (docs/decisions/0085). most: shares. */
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

/* Do 16-bit warpgroups of so many MMAs across the tile have the TMA copy boxes of B? It pays for wide tiles. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_has_map(uint32_t tiles, uint32_t is_columns)
{
    return tiles == 16 && !is_columns;
}

SPMMI_GEOMETRY uint32_t spmmi_bcsr_copiers(uint32_t has_map)
{
    return has_map ? 1 : SPMMI_BCSR_COPIERS;
}

/* Persistent thread blocks of a multiprocessor: warpgroups of 16-bit types, row-major. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_resident(uint32_t down, uint32_t columns)
{
    return SPMMI_BCSR_GROUP_SUMS / (down * SPMMI_BCSR_ROWS * columns);
}

/* From row to row of B in shared memory. ldmatrix, for 16-bit types, reads 16 bytes of 8 rows at once: rows an odd
 * number of 16 bytes apart lie in different banks. Warpgroups exchange pieces of a row instead of padding it. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_pitch(uint32_t columns, uint32_t value_bytes, uint32_t has_groups)
{
    const uint32_t row = columns * value_bytes;
    const uint32_t odd = (row / 16 | 1) * 16;
    return has_groups ? row : value_bytes == 2 ? odd : spmmi_tcblock_pitch(row);
}

/* From column to column of column-major B in shared memory, for the same reasons. Of each column a warp reads four
 * values of 8 bytes at once. */
SPMMI_GEOMETRY uint32_t spmmi_bcsr_column_pitch(uint32_t value_bytes, uint32_t has_groups)
{
    const uint32_t gap = value_bytes == 8 ? 32 : 16;
    return SPMMI_BCSR_COLUMN_BYTES(value_bytes) + (has_groups ? 0 : gap);
}

/* Of the rows of B of a step. */
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

/* Of a stage that holds so many blocks at most. */
SPMMI_GEOMETRY SPMMI_HOST_DEVICE uint32_t spmmi_bcsr_stage_bytes(uint32_t b_bytes, uint32_t block_bytes,
                                                                 uint32_t align, uint32_t blocks)
{
    return (b_bytes + blocks * block_bytes + align - 1) / align * align;
}

/* Shared memory of a thread block, for steps of so many blocks at most. */
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

/* The fastest of those measured for each n. Tiles are up to 128 columns wide; values of 8 bytes take half of that,
 * those of 4 in high block-row groups too. Values of 2 bytes are multiplied so fast that reading B from shared memory
 * is what takes time: there a warp has 32 rows of a wide tile. */
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

/* In which order thread blocks take items and tiles of columns: all items by `turn` tiles, then by the next ones. */
struct spmmi_bcsr_order {
    uint32_t tiles, turn;
};

/* Thread blocks beside each other share an item, so that its blocks come from DRAM once, as long as the rows of B that
 * neighbouring items read stay in the L2 cache. Else they take equal turns of as many tiles as leave their columns of B
 * there. No turns if even one tile is more than that part of the cache, or if A does not fit into the cache.
 * column_bytes: of a column of B, as far as an item reaches. */
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

/* Do warpgroups multiply parts of values? has_wgmma: as below. */
static inline int spmmi_bcsr_has_split(const struct spmmi_bcsr_operands *operands, uint32_t unit_rows,
                                       int has_wgmma)
{
    return has_wgmma && operands->is_split && operands->is_wide && !operands->is_columns &&
           operands->n >= SPMMI_BCSR_SPLIT_COLUMNS_MIN && unit_rows == SPMMI_BCSR_GROUP_ROWS;
}

static inline struct spmmi_bcsr_shape spmmi_bcsr_split_shape(void)
{
    struct spmmi_bcsr_shape split =
        spmmi_bcsr_shape_of(SPMMI_BCSR_GROUP_ROWS / SPMMI_BCSR_ROWS, 2, 1, 8, SPMMI_BCSR_SPLIT_STAGES);
    split.threads += 32 * SPMMI_BCSR_SPLITTERS;
    split.has_groups = 1;
    return split;
}

/* has_wgmma: the device has warpgroups, and there is code for it. step_blocks: of the fullest step. Where the stages do
 * not fit into what the device lets a thread block have, two stages of a narrow tile fit on every device. */
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
        const struct spmmi_bcsr_shape split = spmmi_bcsr_split_shape();
        if (spmmi_bcsr_shared(&split, value_bytes, step_blocks) <= shared_max)
            return split;
    }
    return spmmi_bcsr_shared(&best, value_bytes, step_blocks) <= shared_max ? best : least;
}

#endif
