/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor's side of the tiled family and its kernels agree on. */
#ifndef SPMMI_TILED_KERNEL_H
#define SPMMI_TILED_KERNEL_H

#include "kernels/shared/allowed.h"
#include "kernels/shared/kernel_base.h"
#include "tiled_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tiled family, on the CPU and on the GPU: paper 000. A thread owns a unit (a row or a segment of one) and keeps
 * its sums in registers; a block of block_rows threads owns a row block. The rows of B that the row block's units need
 * are staged in shared memory, stage after stage, and addressed by two-byte local indices; slot 0 of a stage holds
 * zeros. Entries are stored as sliced ELL: slice s holds 32 entries, one for each lane of a warp; a warp's slices of a
 * stage follow each other, and a lane that has fewer entries is padded with local index 0 and value 0, so that padding
 * multiplies zero by zero and never a value of B. */
#define SPMMI_TILED_NONE 0xffffffffu    /* target of the threads beyond the last unit */
#define SPMMI_TILED_PARTIAL 0x80000000u /* flag in target: the number of a partial sum */

/* A row that was split into segments: its partial sums [first, first + count) are added in this order. */
struct spmmi_tiled_split {
    uint32_t row, first, count;
};

/* One op(A) in row blocks; all pointers are host pointers or all are device pointers. */
struct spmmi_tiled {
    uint32_t rows, cols;      /* of op(A) */
    uint32_t block_rows;      /* threads per block: 32, 64, 128 or 256 */
    uint32_t row_block_count; /* ceil(units / block_rows) */
    uint32_t stage_count;
    uint32_t stage_slots; /* most columns of a stage, slot 0 not counted */
    uint32_t long_slots;  /* the same of row blocks with two stages or more; 0: there are none */
    uint32_t working_set; /* entries of columns */
    uint32_t slice_count;
    uint32_t partial_count, split_count;
    const uint32_t *row_block_stage; /* row_block_count + 1: first stage of each */
    const uint32_t
        *stage_first; /* stage_count + 1: first entry of columns of each; entry i of a stage is slot i + 1 */
    const uint32_t *columns; /* working set: columns of op(A), ascending in a row block */
    const uint32_t
        *warp_slice;        /* stage_count * (block_rows / 32) + 1: first slice of each warp in each stage */
    const uint16_t *local;  /* slice_count * 32 */
    const void *values;     /* slice_count * 32 of the plan's type */
    const uint32_t *target; /* row_block_count * block_rows: row of C, or flagged partial, or none */
    const struct spmmi_tiled_split *splits; /* split_count */
};

/* Slices that kernels on the GPU may read past the last one, without using what they read. */
#define SPMMI_TILED_AHEAD 8u

/* Shared memory of a block: one stage, or two (double buffering). */
static inline uint32_t spmmi_tiled_shared_bytes(const struct spmmi_tiled *layout, uint32_t register_tile,
                                                uint32_t value_bytes)
{
    return spmmi_tiled_stages_bytes(layout->stage_slots, layout->long_slots, register_tile, value_bytes);
}

/* One launch on the GPU. register_tile: columns a thread keeps (R): 1, 2, 4 .. 32, more than n too. */
struct spmmi_tiled_cuda {
    struct spmmi_tiled layout;
    uint32_t register_tile;
    const void *b;
    void *c;
    uint64_t ldb, ldc; /* elements */
    int b_is_col_major, c_is_col_major;
    uint32_t n;
    double alpha, beta;
    void *partials; /* partial_count * n sums: float, or double for f64 */
    void *cuda_stream;
    int can_overlap;               /* dependent launches, sm_90 */
    struct spmmi_allowed *allowed; /* of the part */
};
#define SPMMI_TILED_COLUMNS_MAX 32768u /* a launch takes up to this many columns */
/* Returns a cudaError_t, 0 = enqueued. */
int spmmi_tiled_cuda_launch(int dtype, const struct spmmi_tiled_cuda *args);

#ifdef __cplusplus
}
#endif
#endif
