/* SPDX-License-Identifier: Apache-2.0 */
/* How rows are launched on a GPU, for kernels and predictions. */
#ifndef SPMMI_ROWS_SHAPE_H
#define SPMMI_ROWS_SHAPE_H

#include <stddef.h>

#include "kernels/shared/kernel_base.h"

enum spmmi_rows_way {
    SPMMI_ROWS_COLUMNS = 0, /* rows.cuh: a group of lanes owns lanes * vec columns */
    SPMMI_ROWS_STAGED = 1,  /* rows_staged.cuh: nonzero split of few columns; many such groups share a row */
    SPMMI_ROWS_LANES = 2,   /* rows_lanes.cuh: row split of one column, which the lanes share */
    SPMMI_ROWS_SLICED = 3,  /* rows_sliced.cuh: the same of sliced rows; a lane of each warp of a slice */
    SPMMI_ROWS_TEAMS = 4    /* rows_teams.cuh: row split; a row is shared by groups as in rows.cuh */
};

/* Shape of a rows kernel instance; 256 threads a block. */
struct spmmi_rows_shape {
    uint32_t vec; /* columns a lane: 1, PAIR, APART, or 16 bytes' worth of B; staged: 1 or 2 */
    uint32_t
        lanes; /* lanes a group: 1, 2, 4 .. 32; lanes of one column also 256; sliced: of a row, at most 8 */
    enum spmmi_rows_way way;
    uint32_t share; /* groups that share a row; 1 but in teams */
};
#define SPMMI_ROWS_PAIR 2u
#define SPMMI_ROWS_APART 3u /* as many columns of f32, `lanes` apart, where B or C is not aligned to words */
#define SPMMI_NARROW_COLUMNS 65536 /* most columns of op(A) whose indices take 16 bits */

#define SPMMI_ROWS_THREADS 256u
/* Thread blocks per multiprocessor, for values of B of so many bytes. Eight sums of 16-bit values a lane and what a
 * nonzero split has beside them do not fit 48 registers. */
#define SPMMI_ROWS_BLOCKS_PER_SM(value_bytes) ((value_bytes) == 4 ? 5u : 4u)
/* The same as launch bounds of one kernel: 48 registers are enough for others of 16 bits. */
#define SPMMI_ROWS_BOUND(value_bytes, vec, splits) \
    ((value_bytes) == 2 && !((splits) && (vec) > 1) ? 5u : SPMMI_ROWS_BLOCKS_PER_SM(value_bytes))

/* Row splits of f32, lanes of 16 bytes, row-major C, also have instances of 40 registers, of which one block more fits
 * a multiprocessor. They are faster where that saves a wave of blocks, which are about equally long, and slower
 * elsewhere: more blocks share an L1 cache, and loads wait for registers (docs/decisions/0095). */
static inline uint64_t spmmi_rows_waves(uint64_t blocks, uint64_t slots)
{
    return (blocks + slots - 1) / slots;
}
static inline int spmmi_rows_is_crowded(uint64_t blocks, uint32_t sm_count)
{
    const uint64_t slots = (uint64_t)sm_count * SPMMI_ROWS_BLOCKS_PER_SM(4);
    return spmmi_rows_waves(blocks, slots + sm_count) < spmmi_rows_waves(blocks, slots);
}

/* Few columns (rows_staged.cuh): what a block keeps of its products, its most rows, and blocks a multiprocessor. */
#define SPMMI_STAGED_COLUMNS_MAX 7
#define SPMMI_STAGED_NONZEROS_MIN 256u
#define SPMMI_STAGED_NONZEROS_MAX(sum_bytes, vec, lanes) \
    (((sum_bytes) * (vec) == 16 ? 1024u : 2048u) / (lanes))
#define SPMMI_STAGED_RANKS_MAX(lanes) (SPMMI_ROWS_THREADS / (lanes))
#define SPMMI_STAGED_RANKS_MIN SPMMI_STAGED_RANKS_MAX(4)
#define SPMMI_STAGED_BLOCKS_PER_SM(sum_bytes, vec) \
    ((sum_bytes) * (vec) == 4 ? 6u : (sum_bytes) * (vec) == 8 ? 5u : 4u)
/* Two columns or more are staged where they take at most so many waves of blocks, by the lanes of a group. Measured on
 * an H200 over 40 matrices, cold: beyond, rows.cuh is up to 2.2 times as fast. */
#define SPMMI_STAGED_WAVES_MAX(lanes) (8u / (lanes))

/* Column tiles a launch: as many as make so many blocks, but at least 16; wider products take several launches. Few
 * blocks leave multiprocessors idle at the end of each launch; those of a nonzero split have slots for each tile. */
#define SPMMI_ROWS_LAUNCH_BLOCKS 8192u
static inline uint32_t spmmi_rows_tiles_max(uint32_t blocks)
{
    const uint32_t tiles = SPMMI_ROWS_LAUNCH_BLOCKS / (blocks > 0 ? blocks : 1);
    return tiles > 16 ? tiles : 16;
}

/* Least columns of column-major operands that are converted and multiplied at a time. Wide passes read A less often
 * and gather longer rows of B, which outweighs what a pass as small as the L2 cache saves: on an H200, web
 * graph, n = 128, four passes of 32 take 563 us and one of 128 takes less than 350. */
#define SPMMI_ROWS_PASS_COLUMNS 256
/* Columns of a pass over pieces of rows, whose sums lie in the workspace: it does not grow with n beyond. */
#define SPMMI_ROWS_PIECES_COLUMNS 512u

/* Most nonzeros that a lane group takes: longer ones make a long tail. Groups of one or two lanes wait for memory in
 * each of many chains: more waves of them balance that. */
#define SPMMI_ROWS_GROUP_NONZEROS_MAX(lanes) ((lanes) <= 2 ? 30u : 128u)

/* Does the rows kernel write column-major C directly, without row-major scratch that is converted afterwards?
 * Each value then takes a sector of its own on its way to the L2 cache. This costs little where C is small or each
 * value has many nonzeros. Measured on an H200 over 41 matrices and 5 n, with 12 for NARROW: within 1 % of the better
 * of the two; n = 16 on an H100 over 22 (docs/decisions/0128). */
#define SPMMI_ROWS_DIRECT_NUMBERS_MAX 560000
#define SPMMI_ROWS_DIRECT_NARROW 16
#define SPMMI_ROWS_DIRECT_MEAN_ROW 50

static inline int spmmi_rows_stores_columns(int64_t rows, int64_t nnz, int64_t n)
{
    return rows <= SPMMI_ROWS_DIRECT_NUMBERS_MAX / n &&
           (n <= SPMMI_ROWS_DIRECT_NARROW || nnz / SPMMI_ROWS_DIRECT_MEAN_ROW >= rows);
}

/* Does the teams kernel, whose warps have neighbouring rows? A sector of a column has 8 of them, in f64 4; 16
 * bits count as f32. team: lanes of a row. Measured on an H100 over 34 matrices (docs/decisions/0128). */
#define SPMMI_ROWS_TEAMS_DIRECT_COLUMNS(value_bytes) ((value_bytes) > 4 ? 16 : 32)
static inline int64_t spmmi_rows_teams_near(uint32_t team, uint32_t value_bytes)
{
    const int64_t sector = value_bytes > 4 ? 4 : 8, rows = team < 32 ? 32 / team : 1;
    return rows < sector ? rows : sector;
}
static inline int spmmi_rows_teams_store_columns(int64_t rows, int64_t n, uint32_t team, uint32_t value_bytes)
{
    const int64_t near = spmmi_rows_teams_near(team, value_bytes);
    return n <= SPMMI_ROWS_TEAMS_DIRECT_COLUMNS(value_bytes) &&
           rows <= SPMMI_ROWS_DIRECT_NUMBERS_MAX * near / n;
}

/* Column-major C whose sums blocks keep (rows_columns.cuh): bytes of a turn, columns of a tile, and rows of a column
 * that are stored at once. */
#define SPMMI_ROWS_KEPT_BYTES 36864u
#define SPMMI_ROWS_KEPT_COLUMNS 32u
#define SPMMI_ROWS_KEPT_SPAN 8u

/* Rows of a turn, for which a block has room; a thread each at most. */
SPMMI_GEOMETRY uint32_t spmmi_rows_kept_rows(size_t value_bytes)
{
    const uint32_t room = SPMMI_ROWS_KEPT_BYTES / (SPMMI_ROWS_KEPT_COLUMNS * (uint32_t)value_bytes + 16);
    return room < SPMMI_ROWS_THREADS ? room : SPMMI_ROWS_THREADS;
}

/* Columns a lane, of B of so many bytes a value, from the most on: 16 bytes' worth, a pair, one; 0 after that. */
static inline uint32_t spmmi_rows_narrower(uint32_t vec, uint32_t value_bytes)
{
    if (vec <= 1)
        return 0;
    return value_bytes <= 4 && vec > SPMMI_ROWS_PAIR ? SPMMI_ROWS_PAIR : 1;
}

/* Lanes that share a row of one column in a row split, four nonzeros each at a time. Measured on an H200 over 11
 * matrices of even rows: the mean row has three turns; fewer where its lanes fill less than half of the GPU,
 * and then a block a row if that has more than 256 nonzeros. */
#define SPMMI_LANES_TURN 12u
static inline uint32_t spmmi_rows_lanes_of(uint64_t nnz, uint64_t ranks, uint32_t sm_count)
{
    const uint64_t half = (uint64_t)sm_count * SPMMI_STAGED_BLOCKS_PER_SM(4, 1) * SPMMI_ROWS_THREADS / 2;
    uint32_t lanes = 1;
    while (lanes < 32 &&
           (nnz > SPMMI_LANES_TURN * lanes * ranks || (lanes * ranks < half && nnz > 4 * lanes * ranks)))
        lanes *= 2;
    return lanes == 32 && lanes * ranks < half && nnz > SPMMI_ROWS_THREADS * ranks ? SPMMI_ROWS_THREADS
                                                                                   : lanes;
}

/* Rows of such a group, one after the other: as many as make one wave of blocks, of sums in f32. */
#define SPMMI_LANES_ROWS_MAX 16u
static inline uint32_t spmmi_lanes_rows(uint64_t ranks, uint32_t groups, uint32_t sm_count)
{
    const uint64_t wave = (uint64_t)groups * sm_count * SPMMI_STAGED_BLOCKS_PER_SM(4, 1);
    const uint64_t rows = (ranks + wave - 1) / wave;
    return rows < 1 ? 1 : rows > SPMMI_LANES_ROWS_MAX ? SPMMI_LANES_ROWS_MAX : (uint32_t)rows;
}

/* Groups of so many lanes that share a row of a row split: the fewest steps, of four nonzeros each. These are waves of
 * blocks times those of a mean row and of its start and end, and what the longest row has more. Weights are from an
 * H100, 21 matrices, 2 to 256 columns (docs/decisions/0105). */
#define SPMMI_ROWS_SHARE_MAX 32u
/* One group finds rows by flags; warps meet in shared memory. */
#define SPMMI_ROWS_ENDS(share, team) ((share) == 1 || (team) > 32 ? 4u : 3u)
static inline uint32_t spmmi_rows_share_of(uint64_t nnz, uint64_t ranks, uint64_t longest, uint32_t lanes,
                                           uint64_t tiles, uint64_t slots)
{
    const uint64_t unit = 16, rows = ranks > 0 ? ranks : 1; /* sixteenths of a step */
    const uint64_t mean = nnz * unit / (4 * rows), most = longest * unit / 4;
    const uint64_t share_max = longest / 4 + 1; /* each has a quad of the longest row */
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

/* Beyond a tile of 32 columns, lanes of one column each would walk A a second time: on an H100, 5 matrices, 9 odd n of
 * 33 to 257, three a lane are 1.26 to 1.80 times as fast (geometric means; least 1.17). */
static inline int spmmi_rows_is_apart(int64_t n, uint32_t vec, uint32_t value_bytes)
{
    return vec == 1 && value_bytes == 4 && n > 32;
}

/* n: columns of a pass. vec: columns a lane, of B of so many bytes a value. */
static inline struct spmmi_rows_shape spmmi_rows_shape_of(int64_t n, uint32_t vec, uint32_t value_bytes)
{
    struct spmmi_rows_shape shape = {vec, 1u, SPMMI_ROWS_COLUMNS, 1u};
    if (spmmi_rows_is_apart(n, vec, value_bytes))
        shape.vec = SPMMI_ROWS_APART;
    while (shape.lanes < 32 && (int64_t)shape.lanes * shape.vec < n)
        shape.lanes *= 2;
    return shape;
}

/* The same of few columns: a lane has two, if there are two. */
static inline struct spmmi_rows_shape spmmi_staged_shape_of(int64_t n)
{
    struct spmmi_rows_shape shape = spmmi_rows_shape_of(n, n > 1 ? 2 : 1, 4);
    shape.way = SPMMI_ROWS_STAGED;
    return shape;
}

/* Shapes that differ in their blocks: lanes 1, 2, 4 .. 32, and 32 where two or four column tiles are one wave together;
 * those of few columns are counted by themselves. */
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

/* Column tiles of a product of 32 lanes. */
struct spmmi_rows_tiles {
    uint64_t count;
    uint64_t nnz, numbers; /* of A; rows of B and of C */
    uint64_t row_bytes;    /* of B in a tile */
    uint64_t slots;        /* thread blocks that the device holds */
    uint64_t l2_bytes;
};

/* How many of them are one wave of blocks together: 4, 2 or 1. Blocks of one tile are short where A is small, and each
 * takes as long to start and to join its rows as some steps. But tiles side by side need their columns of B and C in
 * the L2 cache, and groups of one wave that are too long leave multiprocessors idle at its end (decision 0127). */
#define SPMMI_ROWS_TOGETHER_NONZEROS 96u /* of a group */
static inline uint32_t spmmi_rows_tiles_together(const struct spmmi_rows_tiles *tiles)
{
    const uint64_t wave = tiles->slots * (SPMMI_ROWS_THREADS / 32) * SPMMI_ROWS_TOGETHER_NONZEROS;
    for (uint32_t together = 4; together > 1; together /= 2)
        if (together <= tiles->count && tiles->nnz * together * 5 / 4 < wave &&
            tiles->numbers * tiles->row_bytes * together <= tiles->l2_bytes / 10 * 7)
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
/* Tiles that are one wave together. */
static inline uint32_t spmmi_rows_grid_tiles(int grid)
{
    return grid <= SPMMI_ROWS_GRID_32 ? 1 : 1u << (grid - SPMMI_ROWS_GRID_32);
}
/* n = 1; 2; 3 and 4; more. */
static inline int spmmi_staged_grid(struct spmmi_rows_shape shape)
{
    return shape.vec == 1 ? 0 : 1 + spmmi_rows_grid(shape);
}

/* Lanes of such a group, and nonzeros of a block where there are fewest. */
static inline uint32_t spmmi_staged_lanes(int grid)
{
    return grid > 0 ? 1u << (grid - 1) : 1u;
}
static inline uint32_t spmmi_staged_least(int grid)
{
    return grid <= 1 ? 2 * SPMMI_STAGED_NONZEROS_MIN : SPMMI_STAGED_NONZEROS_MIN;
}

/* At least as many blocks as there are for any rows. Two neighbouring blocks of whole rows have more nonzeros than one
 * may have, or the first has all rows that it may have; a row in pieces fills all but its last. */
static inline uint64_t spmmi_staged_blocks_max(uint32_t nnz, uint32_t ranks, uint32_t nonzeros,
                                               uint32_t rows_max)
{
    return 2 * ((uint64_t)nnz / nonzeros + 1) + ranks / rows_max + 1;
}

/* Is a nonzero split of n columns staged, if it then has so many blocks? */
static inline int spmmi_staged_pays(int64_t n, struct spmmi_rows_shape shape, uint32_t sum_bytes,
                                    uint64_t blocks, uint32_t sm_count)
{
    const uint32_t wave = sm_count * SPMMI_STAGED_BLOCKS_PER_SM(sum_bytes, shape.vec);
    return n == 1 || blocks <= (uint64_t)wave * SPMMI_STAGED_WAVES_MAX(shape.lanes);
}

/* The boundaries of a block move back by block_nonzeros / slack at most. Measured on an H200: moving more saves slots
 * but unbalances the blocks; narrow products, which are bound by latency, gain from it. This is what blocks of pieces
 * and predictions have; spmmi_rows_blocks_of moves some boundaries of up to 16 lanes farther. */
#define SPMMI_ROWS_SLACK_WHOLE 1u
#define SPMMI_ROWS_SLACK_HALF 2u
#define SPMMI_ROWS_SLACK_QUARTER 4u
static inline uint32_t spmmi_rows_slack(int grid)
{
    return 1u << grid <= 4 ? SPMMI_ROWS_SLACK_HALF : SPMMI_ROWS_SLACK_QUARTER;
}

/* Blocks of a nonzero split: groups of lanes, and most nonzeros that one takes. */
struct spmmi_rows_blocks {
    uint64_t groups;         /* of a block */
    uint64_t group_nonzeros; /* for predictions: a share of nnz that grows by the slack, in whole items */
    uint64_t group_longest;  /* of a block that took all it can from the one before it */
    uint64_t nonzeros;       /* of a block, before boundaries move */
    uint64_t slack;          /* they move back by nonzeros / slack at most */
};

static inline uint64_t spmmi_rows_round_up(uint64_t count, uint64_t step)
{
    return (count + step - 1) / step * step;
}

/* The groups of a block share the items that it touches: those between its boundaries, and those that its first one
 * moves into. */
static inline uint64_t spmmi_rows_group_longest(const struct spmmi_rows_blocks *b, uint64_t item_size)
{
    const uint64_t items = b->nonzeros / item_size + (b->nonzeros / b->slack + item_size - 1) / item_size;
    return (items + b->groups - 1) / b->groups * item_size;
}

/* Blocks are about equally long, so whole waves of them leave no multiprocessor idle: as many blocks as fit the fewest
 * waves in which no group takes more than it should, with room for what a block may grow by, as its last boundary did
 * not move and its first did (docs/decisions/0048). A block that has no step for each group is not made shorter. */
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
    const uint64_t blocks = slots * waves / tiles; /* of a tile */
    const uint64_t fitted = (nnz + blocks - 1) / blocks;
    b.group_nonzeros = (padded / (b.groups * slots * waves) / step + 1) * step;
    b.nonzeros = spmmi_rows_round_up(fitted, item_size);
    const uint64_t least = (b.groups - 1) * step * slack / (slack + 1) / item_size * item_size;
    b.nonzeros = b.nonzeros > least ? b.nonzeros : least;
    b.group_longest = spmmi_rows_group_longest(&b, item_size);
    return b;
}

/* A boundary moves back by less than a block. */
static inline uint64_t spmmi_rows_move_max(const struct spmmi_rows_blocks *b)
{
    return b->slack > SPMMI_ROWS_SLACK_WHOLE ? b->nonzeros / b->slack : b->nonzeros - 1;
}

/* The blocks that an executor makes (spmmi_rows_blocks_source): of the usual slack, which predictions count with. But
 * slots take as long as several steps of a group: where groups are short, boundaries of up to 16 lanes move by half a
 * block or a whole one, if no group takes a step more for that and all blocks are one wave. Their blocks are shorter,
 * too (docs/decisions/0087, 0127). */
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
