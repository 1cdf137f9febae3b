/* SPDX-License-Identifier: Apache-2.0 */
/* How a product of the rows family is launched on a GPU: shape of the kernel, items per group, column tiles,
 * workspace for column-major operands. The launch is a pure function of the plan's metrics and the device.
 * Therefore workspace, execute and info always agree, and the order of every sum is fixed. */
#ifndef SPMMI_ROWS_LAUNCH_H
#define SPMMI_ROWS_LAUNCH_H

#include "executor/backend.h"
#include "rows_kernel.h"
#include "rows_pack.h"
#include "rows_pieces.h"

/* The blocks of a nonzero split for one of its grids. */
struct spmmi_grid_blocks {
    const struct spmmi_block *blocks; /* on the device */
    uint32_t count, nonzeros;         /* number of blocks; distance of boundaries, or most nonzeros of one */
    uint32_t most_rows; /* most rows of a block, if blocks may keep the sums of C (rows_columns.cuh) */
};

struct spmmi_rows_problem {
    int64_t rows, cols;  /* of op(A) */
    uint32_t nnz, ranks; /* ranks: rows that have nonzeros */
    uint32_t item_count, item_size;
    uint32_t longest; /* nonzeros of the longest row; row split */
    spmm_schedule_t schedule;
    spmm_dtype_t dtype;   /* of A; b and c contain their own types */
    uint32_t piece_count; /* pieces of rows that were cut; 0: items consist of rows */
    const spmm_dense_t *b, *c;
    const struct spmmi_grid_blocks *blocks, *staged; /* nonzero split: one per grid; staged: few columns */
    int is_sliced;                                   /* the stream consists of slices */
    uint32_t forced_lanes;                           /* one column of a row split: lanes per row; 0: free */
    uint32_t forced_share;                           /* several columns: groups per row; 0: free */
    int forces_short;                                /* with forced_share 1: the kernel of short rows */
};

struct spmmi_rows_launch {
    struct spmmi_rows_shape shape;
    uint32_t items_per_group; /* row split */
    int grid;                 /* nonzero split: of its blocks */
    uint32_t block_nonzeros;  /* nonzero split */
    uint32_t block_count;
    uint32_t tiles_max; /* most column tiles of one launch */
    int is_crowded; /* row split: instances that run one more block per multiprocessor, if there are any */
    int is_early;   /* the kernel reads only constant tables before the previous kernel has ended */
    int64_t n_pass; /* columns per pass; n without conversions and pieces */
    int converts_b, converts_c;
    int keeps_c;                            /* blocks keep the sums of column-major C */
    uint32_t before_bytes;                  /* rows_columns_shape.h: for the kernel that converts B, or 0 */
    uint32_t pitch;                         /* leading dimension of converted operands */
    uint64_t b_offset, c_offset;            /* in the workspace */
    uint64_t arrivals_offset, slots_offset; /* in the workspace, nonzero split */
    uint64_t pieces_offset;                 /* in the workspace: sums of pieces */
    uint32_t piece_pitch;                   /* values from one piece to the next */
    uint64_t workspace_bytes;
};

/* Plans the launch of a product, with the offsets and the size of its workspace. */
void spmmi_rows_launch_plan(const struct spmmi_rows_problem *problem, const struct spmmi_device *device,
                            struct spmmi_rows_launch *launch);

/* Returns the blocks of a nonzero split for one of the grids. */
static inline struct spmmi_rows_blocks spmmi_rows_part_blocks(uint32_t nnz, uint32_t item_size,
                                                              spmm_dtype_t dtype, int grid, uint32_t sm_count)
{
    return spmmi_rows_blocks_of(nnz, item_size, (uint32_t)spmm_dtype_size(dtype), grid, sm_count);
}
/* Returns the data from which the table of these blocks is built. */
static inline struct spmmi_blocks_source spmmi_rows_blocks_source(const struct spmmi_stream_host *stream,
                                                                  uint32_t item_size, spmm_dtype_t dtype,
                                                                  int grid, uint32_t sm_count)
{
    const struct spmmi_rows_blocks b = spmmi_rows_part_blocks(stream->nnz, item_size, dtype, grid, sm_count);
    return (struct spmmi_blocks_source){stream, (uint32_t)b.nonzeros, (uint32_t)spmmi_rows_move_max(&b)};
}
/* Returns the distance of their boundaries before they move. */
static inline uint32_t spmmi_rows_block_nonzeros(uint32_t nnz, uint32_t item_size, spmm_dtype_t dtype,
                                                 int grid, uint32_t sm_count)
{
    return (uint32_t)spmmi_rows_part_blocks(nnz, item_size, dtype, grid, sm_count).nonzeros;
}

#endif
