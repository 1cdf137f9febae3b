/* SPDX-License-Identifier: Apache-2.0 */
/* Launch shapes of the rows kernels on a GPU, for kernels and predictions. */
#ifndef SPMMI_ROWS_SHAPE_H
#define SPMMI_ROWS_SHAPE_H

#include <stddef.h>

#include "kernels/shared/kernel_base.h"

enum spmmi_rows_way {
    SPMMI_ROWS_COLUMNS = 0, /* rows.cuh: a group of lanes owns lanes * vec columns */
    SPMMI_ROWS_STAGED = 1,  /* rows_staged.cuh: nonzero split of few columns; many such groups share a row */
    SPMMI_ROWS_LANES = 2,   /* rows_lanes.cuh: row split of one column; the lanes of a group share a row */
    SPMMI_ROWS_SLICED = 3,  /* rows_sliced.cuh: the same for sliced rows; one lane of each warp of a slice */
    SPMMI_ROWS_TEAMS = 4,   /* rows_teams.cuh: row split; several groups as in rows.cuh share a row */
    SPMMI_ROWS_SHORT = 5,   /* rows_short.cuh: row split of short rows; each group has one */
    SPMMI_ROWS_GATHERED = 6 /* rows_gathered.cuh: nonzero split of one column; blocks have lists of columns */
};

/* Shape of an instance of a rows kernel; blocks have 256 threads. */
struct spmmi_rows_shape {
    uint32_t vec;   /* columns per lane: 1, PAIR, APART, or 16 bytes of B; staged: 1 or 2 */
    uint32_t lanes; /* lanes per group: 1, 2, 4 .. 32; one column: also 256; sliced: per row, at most 8 */
    enum spmmi_rows_way way;
    uint32_t share; /* groups that share a row; 1 except in teams */
};
#define SPMMI_ROWS_PAIR 2u
#define SPMMI_ROWS_APART 3u /* columns of f32 per lane, `lanes` apart, if B or C is not aligned to words */
#define SPMMI_NARROW_COLUMNS 65536 /* most columns of op(A) for indices of 16 bits */

#define SPMMI_ROWS_THREADS 256u
/* Thread blocks per multiprocessor. value_bytes: bytes per value of B. 16-bit types allow 4 blocks: eight
 * sums per lane and the state of a nonzero split do not fit 48 registers. */
#define SPMMI_ROWS_BLOCKS_PER_SM(value_bytes) ((value_bytes) == 4 ? 5u : 4u)
/* The same as the launch bound of one kernel: other kernels of 16-bit types need at most 48 registers. */
#define SPMMI_ROWS_BOUND(value_bytes, vec, splits) \
    ((value_bytes) == 2 && !((splits) && (vec) > 1) ? 5u : SPMMI_ROWS_BLOCKS_PER_SM(value_bytes))

/* Row splits of f32 with lanes of 16 bytes and row-major C also have instances of 40 registers, which allow
 * one more block per multiprocessor. They are faster if that saves a wave of blocks, which are about equally
 * long. Otherwise they are slower: more blocks share an L1 cache, and loads wait for registers
 * (docs/decisions/0095). */
static inline uint64_t spmmi_rows_waves(uint64_t blocks, uint64_t slots)
{
    return (blocks + slots - 1) / slots;
}
static inline int spmmi_rows_is_crowded(uint64_t blocks, uint32_t sm_count)
{
    const uint64_t slots = (uint64_t)sm_count * SPMMI_ROWS_BLOCKS_PER_SM(4);
    return spmmi_rows_waves(blocks, slots + sm_count) < spmmi_rows_waves(blocks, slots);
}

/* Few columns (rows_staged.cuh): nonzeros whose products a block keeps, most rows of a block, blocks per
 * multiprocessor. */
#define SPMMI_STAGED_COLUMNS_MAX 8
#define SPMMI_STAGED_NONZEROS_MIN 256u
#define SPMMI_STAGED_NONZEROS_MAX(sum_bytes, vec, lanes) \
    (((sum_bytes) * (vec) == 16 ? 1024u : 2048u) / (lanes))
#define SPMMI_STAGED_RANKS_MAX(lanes) (SPMMI_ROWS_THREADS / (lanes))
#define SPMMI_STAGED_RANKS_MIN SPMMI_STAGED_RANKS_MAX(4)
#define SPMMI_STAGED_BLOCKS_PER_SM(sum_bytes, vec) \
    ((sum_bytes) * (vec) == 4 ? 6u : (sum_bytes) * (vec) == 8 ? 5u : 4u)
/* Two to seven columns are staged if they take at most this number of waves. lanes: lanes per group. On an H200,
 * 40 matrices, cold: with more waves, rows.cuh is up to 2.2 times as fast. */
#define SPMMI_STAGED_WAVES_MAX(lanes) (8u / (lanes))

/* Returns the most column tiles per launch: as many as make SPMMI_ROWS_LAUNCH_BLOCKS blocks, but at least 16.
 * Wider products take several launches. Few blocks would leave multiprocessors idle at the end of each
 * launch; more tiles need more slots in a nonzero split. */
#define SPMMI_ROWS_LAUNCH_BLOCKS 8192u
static inline uint32_t spmmi_rows_tiles_max(uint32_t blocks)
{
    const uint32_t tiles = SPMMI_ROWS_LAUNCH_BLOCKS / (blocks > 0 ? blocks : 1);
    return tiles > 16 ? tiles : 16;
}

/* Least columns per pass, if column-major operands are converted and multiplied in passes. Wide passes read A
 * less often and gather longer rows of B. This outweighs the gain of a pass that fits the L2 cache: on an
 * H200, web graph, n = 128, four passes of 32 take 563 us and one pass of 128 takes less than 350. */
#define SPMMI_ROWS_PASS_COLUMNS 256
/* Most columns per pass over pieces of rows. Their sums are in the workspace, which does not grow beyond this
 * n. */
#define SPMMI_ROWS_PIECES_COLUMNS 512u

/* Most nonzeros per lane group: longer groups make a long tail. Groups of one or two lanes follow many chains
 * of loads that wait for memory, so they get fewer nonzeros: more waves balance the chains. */
#define SPMMI_ROWS_GROUP_NONZEROS_MAX(lanes) ((lanes) <= 2 ? 30u : 128u)

/* Returns true if kernels store column-major C directly, without a row-major copy that is converted
 * afterwards. Each value then takes a sector of its own on its way to the L2 cache. This costs little if C is
 * small or if each value has many nonzeros. Measured on an H200 over 41 matrices and 5 n, with 12 for NARROW:
 * within 1 % of the faster of both ways; n = 16 on an H100 over 22 matrices (docs/decisions/0128). */
#define SPMMI_ROWS_DIRECT_VALUES_MAX 560000
#define SPMMI_ROWS_DIRECT_NARROW 16
#define SPMMI_ROWS_DIRECT_MEAN_ROW 50

static inline int spmmi_rows_stores_directly(int64_t rows, int64_t nnz, int64_t n)
{
    return rows <= SPMMI_ROWS_DIRECT_VALUES_MAX / n &&
           (n <= SPMMI_ROWS_DIRECT_NARROW || nnz / SPMMI_ROWS_DIRECT_MEAN_ROW >= rows);
}

/* Returns how many rows of a warp share a sector of a column of C, in the teams kernel: at most 8, in f64 4;
 * 16-bit types count as f32. team: lanes per row. */
#define SPMMI_ROWS_TEAMS_DIRECT_COLUMNS(value_bytes) ((value_bytes) > 4 ? 16 : 32)
static inline int64_t spmmi_rows_teams_near(uint32_t team, uint32_t value_bytes)
{
    const int64_t sector = value_bytes > 4 ? 4 : 8, rows = team < 32 ? 32 / team : 1;
    return rows < sector ? rows : sector;
}
/* Returns true if the teams kernel stores column-major C directly. Measured on an H100 over 34 matrices
 * (docs/decisions/0128). */
static inline int spmmi_rows_teams_store_directly(int64_t rows, int64_t n, uint32_t team,
                                                  uint32_t value_bytes)
{
    const int64_t near = spmmi_rows_teams_near(team, value_bytes);
    return n <= SPMMI_ROWS_TEAMS_DIRECT_COLUMNS(value_bytes) &&
           rows <= SPMMI_ROWS_DIRECT_VALUES_MAX * near / n;
}

/* Column-major C whose sums blocks keep (rows_columns.cuh): bytes of sums per turn, columns per tile, and
 * rows of a column that a warp stores at once. */
#define SPMMI_ROWS_KEPT_BYTES 36864u
#define SPMMI_ROWS_KEPT_COLUMNS 32u
#define SPMMI_ROWS_KEPT_SPAN 8u

/* Returns the rows per turn: as many as shared memory can hold, at most one per thread. */
SPMMI_GEOMETRY uint32_t spmmi_rows_kept_rows(size_t value_bytes)
{
    const uint32_t room = SPMMI_ROWS_KEPT_BYTES / (SPMMI_ROWS_KEPT_COLUMNS * (uint32_t)value_bytes + 16);
    return room < SPMMI_ROWS_THREADS ? room : SPMMI_ROWS_THREADS;
}

/* Returns the next smaller number of columns per lane: 16 bytes of B, then a pair, then 1, then 0.
 * value_bytes: bytes per value of B. */
static inline uint32_t spmmi_rows_narrower(uint32_t vec, uint32_t value_bytes)
{
    if (vec <= 1)
        return 0;
    return value_bytes <= 4 && vec > SPMMI_ROWS_PAIR ? SPMMI_ROWS_PAIR : 1;
}

/* Returns the number of lanes that share a row in a row split of one column; each loads four nonzeros per
 * step. Measured on an H200 over 11 matrices of even rows: as many lanes as let the mean row take at most
 * three steps. While all lanes fill less than half of the GPU, there are more, down to one step. There are at
 * most 32; if these fill less than half of the GPU, a mean row of more than 256 nonzeros gets a whole
 * block. */
#define SPMMI_LANES_NONZEROS 12u /* most nonzeros of the mean row per lane */
static inline uint32_t spmmi_rows_lanes_of(uint64_t nnz, uint64_t ranks, uint32_t sm_count)
{
    const uint64_t half = (uint64_t)sm_count * SPMMI_STAGED_BLOCKS_PER_SM(4, 1) * SPMMI_ROWS_THREADS / 2;
    uint32_t lanes = 1;
    while (lanes < 32 &&
           (nnz > SPMMI_LANES_NONZEROS * lanes * ranks || (lanes * ranks < half && nnz > 4 * lanes * ranks)))
        lanes *= 2;
    return lanes == 32 && lanes * ranks < half && nnz > SPMMI_ROWS_THREADS * ranks ? SPMMI_ROWS_THREADS
                                                                                   : lanes;
}

/* Returns the rows that such a group processes one after the other, so that all blocks make one wave (for
 * sums in f32). */
#define SPMMI_LANES_ROWS_MAX 16u
static inline uint32_t spmmi_lanes_rows(uint64_t ranks, uint32_t groups, uint32_t sm_count)
{
    const uint64_t wave = (uint64_t)groups * sm_count * SPMMI_STAGED_BLOCKS_PER_SM(4, 1);
    const uint64_t rows = (ranks + wave - 1) / wave;
    return rows < 1 ? 1 : rows > SPMMI_LANES_ROWS_MAX ? SPMMI_LANES_ROWS_MAX : (uint32_t)rows;
}

/* Returns how many groups of `lanes` lanes share a row of a row split: the number with the fewest steps of
 * four nonzeros each. Steps are the waves of blocks times the steps of a mean row and its ends, plus those by
 * which the longest row exceeds the mean. Weights are from an H100, 21 matrices, 2 to 256 columns
 * (docs/decisions/0105). */
#define SPMMI_ROWS_SHARE_MAX 32u
/* Steps for the start and end of a row. A single group finds rows by flags; teams of several warps add in
 * shared memory. */
#define SPMMI_ROWS_ENDS(share, team) ((share) == 1 || (team) > 32 ? 4u : 3u)
static inline uint32_t spmmi_rows_share_of(uint64_t nnz, uint64_t ranks, uint64_t longest, uint32_t lanes,
                                           uint64_t tiles, uint64_t slots)
{
    const uint64_t unit = 16, rows = ranks > 0 ? ranks : 1; /* sixteenths of a step */
    const uint64_t mean = nnz * unit / (4 * rows), most = longest * unit / 4;
    const uint64_t share_max = longest / 4 + 1; /* each group has a quad of the longest row */
    uint64_t least = UINT64_MAX;
    uint32_t best = 1;
    for (uint32_t share = 1;
         share <= SPMMI_ROWS_SHARE_MAX && share <= share_max && share * lanes <= SPMMI_ROWS_THREADS;
         share *= 2) {
        const uint64_t blocks = spmmi_rows_waves(rows * share * lanes, SPMMI_ROWS_THREADS) * tiles;
        const uint64_t usual = mean / share + SPMMI_ROWS_ENDS(share, share * lanes) * unit;
        const uint64_t steps =
            spmmi_rows_waves(blocks, slots) * usual + (most > mean ? most - mean : 0) / share;
        if (steps < least) {
            least = steps;
            best = share;
        }
    }
    return best;
}

/* Returns true if the columns of a lane are `lanes` apart. For more than 32 columns, lanes of one column each
 * would walk A a second time. On an H100, 5 matrices, 9 odd n of 33 to 257, three columns per lane are 1.26
 * to 1.80 times as fast (geometric means; minimum 1.17). */
static inline int spmmi_rows_is_apart(int64_t n, uint32_t vec, uint32_t value_bytes)
{
    return vec == 1 && value_bytes == 4 && n > 32;
}

/* Returns the shape for n columns per pass and vec columns per lane. value_bytes: bytes per value of B, or 0
 * if columns must not be apart. */
static inline struct spmmi_rows_shape spmmi_rows_shape_of(int64_t n, uint32_t vec, uint32_t value_bytes)
{
    struct spmmi_rows_shape shape = {vec, 1u, SPMMI_ROWS_COLUMNS, 1u};
    if (spmmi_rows_is_apart(n, vec, value_bytes))
        shape.vec = SPMMI_ROWS_APART;
    while (shape.lanes < 32 && (int64_t)shape.lanes * shape.vec < n)
        shape.lanes *= 2;
    return shape;
}

/* Returns the shape for few columns (staged): two columns per lane if n > 1. */
static inline struct spmmi_rows_shape spmmi_staged_shape_of(int64_t n)
{
    struct spmmi_rows_shape shape = spmmi_rows_shape_of(n, n > 1 ? 2 : 1, 4);
    shape.way = SPMMI_ROWS_STAGED;
    return shape;
}

/* Grids: shapes that differ in their blocks. These are 1, 2, 4 .. 32 lanes, and 32 lanes with two or four
 * column tiles in one wave. The grids of few columns (staged) are numbered separately. */
#define SPMMI_ROWS_GRIDS 8
#define SPMMI_ROWS_GRID_32 5 /* 32 lanes, one tile */
#define SPMMI_STAGED_GRIDS 4
static inline int spmmi_rows_grid(struct spmmi_rows_shape shape)
{
    int log2_lanes = 0;
    while (1u << log2_lanes < shape.lanes)
        log2_lanes++;
    return log2_lanes;
}

/* Column tiles of a product with 32 lanes per group. */
struct spmmi_rows_tiles {
    uint64_t count;
    uint64_t nnz, dense_rows; /* nonzeros of A; rows of B plus rows of C */
    uint64_t row_bytes;       /* bytes of a row of B in one tile */
    uint64_t slots;           /* thread blocks that the device can hold */
    uint64_t l2_bytes;
};

/* Returns how many tiles run together in one wave of blocks: 4, 2 or 1. If A is small, the blocks of one tile
 * are short, and starting a block and joining its rows take as long as some steps. But tiles that run
 * together need their columns of B and C in the L2 cache, and groups of one wave that are too long leave
 * multiprocessors idle at its end (decision 0127). */
#define SPMMI_ROWS_TOGETHER_NONZEROS 96u /* per group */
static inline uint32_t spmmi_rows_tiles_together(const struct spmmi_rows_tiles *tiles)
{
    const uint64_t wave = tiles->slots * (SPMMI_ROWS_THREADS / 32) * SPMMI_ROWS_TOGETHER_NONZEROS;
    for (uint32_t together = 4; together > 1; together /= 2)
        if (together <= tiles->count && tiles->nnz * together * 5 / 4 < wave &&
            tiles->dense_rows * tiles->row_bytes * together <= tiles->l2_bytes / 10 * 7)
            return together;
    return 1;
}
static inline int spmmi_rows_tiled_grid(struct spmmi_rows_shape shape, const struct spmmi_rows_tiles *tiles)
{
    const uint32_t together = shape.lanes < 32 ? 1 : spmmi_rows_tiles_together(tiles);
    return spmmi_rows_grid(shape) + (together == 4 ? 2 : together == 2 ? 1 : 0);
}
static inline uint32_t spmmi_rows_grid_lanes(int grid)
{
    return grid < SPMMI_ROWS_GRID_32 ? 1u << grid : 32;
}
/* Returns the number of tiles that run together in one wave. */
static inline uint32_t spmmi_rows_grid_tiles(int grid)
{
    return grid <= SPMMI_ROWS_GRID_32 ? 1 : 1u << (grid - SPMMI_ROWS_GRID_32);
}
/* Returns 0 for n = 1, 1 for n = 2, 2 for n = 3 and 4, 3 for more. */
static inline int spmmi_staged_grid(struct spmmi_rows_shape shape)
{
    return shape.vec == 1 ? 0 : 1 + spmmi_rows_grid(shape);
}

/* Return the lanes of a group, and the smallest limit on the nonzeros of a block. */
static inline uint32_t spmmi_staged_lanes(int grid)
{
    return grid > 0 ? 1u << (grid - 1) : 1u;
}
static inline uint32_t spmmi_staged_least(int grid)
{
    return grid <= 1 ? 2 * SPMMI_STAGED_NONZEROS_MIN : SPMMI_STAGED_NONZEROS_MIN;
}

/* Returns an upper bound on the number of staged blocks, whatever the rows. Two adjacent blocks of whole rows
 * together have more nonzeros than one block may have, unless the first has as many rows as it may have. A
 * row in pieces fills all its blocks but the last. */
static inline uint64_t spmmi_staged_blocks_max(uint32_t nnz, uint32_t ranks, uint32_t nonzeros,
                                               uint32_t rows_max)
{
    return 2 * ((uint64_t)nnz / nonzeros + 1) + ranks / rows_max + 1;
}

/* Returns true if staging a nonzero split of n columns pays. blocks: number of blocks that this takes. */
static inline int spmmi_staged_pays(int64_t n, struct spmmi_rows_shape shape, uint32_t sum_bytes,
                                    uint64_t blocks, uint32_t sm_count)
{
    const uint32_t wave = sm_count * SPMMI_STAGED_BLOCKS_PER_SM(sum_bytes, shape.vec);
    const uint32_t waves = n >= 8 ? 1 : SPMMI_STAGED_WAVES_MAX(shape.lanes); /* docs/decisions/0149 */
    return n == 1 || blocks <= (uint64_t)wave * waves;
}

/* Returns the usual slack: the boundaries of a block move back by block_nonzeros / slack at most. Measured on
 * an H200: moving farther saves slots but unbalances the blocks; narrow products, which are bound by latency,
 * gain from it. Predictions and blocks of pieces use this slack; spmmi_rows_blocks_of moves some boundaries
 * of up to 16 lanes farther. */
#define SPMMI_ROWS_SLACK_WHOLE 1u
#define SPMMI_ROWS_SLACK_HALF 2u
#define SPMMI_ROWS_SLACK_QUARTER 4u
static inline uint32_t spmmi_rows_slack(int grid)
{
    return 1u << grid <= 4 ? SPMMI_ROWS_SLACK_HALF : SPMMI_ROWS_SLACK_QUARTER;
}

/* Blocks of a nonzero split, and the most nonzeros per group of lanes. */
struct spmmi_rows_blocks {
    uint64_t groups;         /* per block */
    uint64_t group_nonzeros; /* for predictions: an equal share of nnz plus the slack, in whole items */
    uint64_t group_longest;  /* for a block whose first boundary moved back as far as it may */
    uint64_t nonzeros;       /* per block, before boundaries move */
    uint64_t slack;          /* boundaries move back by nonzeros / slack at most */
};

static inline uint64_t spmmi_rows_round_up(uint64_t count, uint64_t step)
{
    return (count + step - 1) / step * step;
}

/* Returns the most nonzeros per group. The groups of a block divide the items that it touches: the items
 * between its boundaries, and those that its first boundary moved back over. */
static inline uint64_t spmmi_rows_group_longest(const struct spmmi_rows_blocks *b, uint64_t item_size)
{
    const uint64_t items = b->nonzeros / item_size + (b->nonzeros / b->slack + item_size - 1) / item_size;
    return (items + b->groups - 1) / b->groups * item_size;
}

/* Returns the blocks for a given slack. Blocks are about equally long, so whole waves leave no multiprocessor
 * idle: the number of blocks fills the fewest waves in which no group has too many nonzeros. The slack is
 * reserved for blocks whose first boundary moved back and whose last did not (docs/decisions/0048). A block
 * that is too short for one step per group is not made shorter. */
static inline struct spmmi_rows_blocks spmmi_rows_blocks_with(uint64_t slack, uint64_t nnz,
                                                              uint32_t item_size, uint32_t value_bytes,
                                                              int grid, uint32_t sm_count)
{
    const uint64_t lanes = spmmi_rows_grid_lanes(grid), step = item_size;
    const uint64_t tiles = spmmi_rows_grid_tiles(grid);
    uint64_t most = SPMMI_ROWS_GROUP_NONZEROS_MAX(lanes);
    struct spmmi_rows_blocks b = {SPMMI_ROWS_THREADS / lanes, 0, 0, 0, slack};
    const uint64_t slots = sm_count * SPMMI_ROWS_BLOCKS_PER_SM(value_bytes);
    most = most > step ? most : step;
    const uint64_t padded = nnz * tiles * (slack + 1) / slack + 1;
    const uint64_t waves = padded / (b.groups * slots * most) + 1;
    const uint64_t blocks = slots * waves / tiles; /* per tile */
    const uint64_t fitted = (nnz + blocks - 1) / blocks;
    b.group_nonzeros = (padded / (b.groups * slots * waves) / step + 1) * step;
    b.nonzeros = spmmi_rows_round_up(fitted, item_size);
    const uint64_t least = (b.groups - 1) * step * slack / (slack + 1) / item_size * item_size;
    b.nonzeros = b.nonzeros > least ? b.nonzeros : least;
    b.group_longest = spmmi_rows_group_longest(&b, item_size);
    return b;
}

/* Returns the most nonzeros by which a boundary moves back: less than a block. */
static inline uint64_t spmmi_rows_move_max(const struct spmmi_rows_blocks *b)
{
    return b->slack > SPMMI_ROWS_SLACK_WHOLE ? b->nonzeros / b->slack : b->nonzeros - 1;
}

/* Returns the blocks that an executor makes (spmmi_rows_blocks_source), in general with the usual slack,
 * which predictions assume. But adding slots takes as long as several steps of a group. If groups are short,
 * boundaries of up to 16 lanes move by half a block or a whole one, unless a group then takes one more step
 * or the blocks exceed one wave. Such blocks are also shorter (docs/decisions/0087, 0127). */
#define SPMMI_ROWS_SHORT_GROUP 16u
static inline struct spmmi_rows_blocks spmmi_rows_blocks_of(uint64_t nnz, uint32_t item_size,
                                                            uint32_t value_bytes, int grid, uint32_t sm_count)
{
    const uint64_t slots = sm_count * SPMMI_ROWS_BLOCKS_PER_SM(value_bytes);
    struct spmmi_rows_blocks best =
        spmmi_rows_blocks_with(spmmi_rows_slack(grid), nnz, item_size, value_bytes, grid, sm_count);
    for (uint64_t slack = SPMMI_ROWS_SLACK_HALF; grid < SPMMI_ROWS_GRID_32 && slack > 0; slack /= 2) {
        const struct spmmi_rows_blocks far =
            spmmi_rows_blocks_with(slack, nnz, item_size, value_bytes, grid, sm_count);
        if (far.group_longest <= SPMMI_ROWS_SHORT_GROUP && far.group_longest <= best.group_longest &&
            nnz <= slots * far.nonzeros)
            best = far;
    }
    return best;
}

#endif
