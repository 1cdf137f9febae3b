/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures that the host code and the kernels of the tiled family share. */
#ifndef SPMMI_TILED_KERNEL_H
#define SPMMI_TILED_KERNEL_H

#include "kernels/shared/allowed.h"
#include "kernels/shared/kernel_base.h"
#include "tiled_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layout of the tiled family on CPU and GPU (paper 000). A thread owns a unit (a row or a segment of a row)
 * and keeps its sums in registers; a block of block_rows threads owns a row block. The rows of B that the row
 * block's units need are staged in shared memory, stage after stage, and addressed by two-byte local indices;
 * slot 0 of a stage holds zeros. Entries are stored as sliced ELL: a slice holds 32 entries, one per lane of
 * a warp. The slices of a warp in a stage are contiguous. A lane with fewer entries is padded with local
 * index 0 and value 0, so padding multiplies zero by zero and never a value of B. */
#define SPMMI_TILED_NONE 0xffffffffu    /* target of threads beyond the last unit */
#define SPMMI_TILED_PARTIAL 0x80000000u /* flag in target; the other bits are the number of a partial sum */

/* A row that was split into segments. Its partial sums [first, first + count) are added in this order. */
struct spmmi_tiled_split {
    uint32_t row, first, count;
};

/* op(A) in row blocks. All pointers are host pointers, or all are device pointers. */
struct spmmi_tiled {
    uint32_t rows, cols;      /* size of op(A) */
    uint32_t block_rows;      /* threads per block: 32, 64, 128 or 256 */
    uint32_t unit_count;      /* rows, or segments of rows */
    uint32_t row_block_count; /* ceil(unit_count / block_rows) */
    uint32_t stage_count;
    uint32_t stage_slots; /* maximum number of columns of a stage, without slot 0 */
    uint32_t long_slots;  /* the same for row blocks with two or more stages; 0: there are none */
    uint32_t working_set; /* entries of `columns` */
    uint32_t slice_count;
    uint32_t partial_count, split_count;
    const uint32_t *row_block_stage; /* row_block_count + 1: first stage of each row block */
    /* stage_count + 1: first entry of `columns` of each stage; entry i of a stage is in slot i + 1 */
    const uint32_t *stage_first;
    const uint32_t *columns; /* working_set columns of op(A), ascending in a row block */
    /* stage_count * (block_rows / 32) + 1: first slice of each warp in each stage */
    const uint32_t *warp_slice;
    const uint16_t *local; /* slice_count * 32 local indices */
    const void *values;    /* slice_count * 32 values of the plan's type */
    /* row_block_count * block_rows: row of C, number of a partial sum with the flag, or SPMMI_TILED_NONE */
    const uint32_t *target;
    const struct spmmi_tiled_split *splits; /* split_count rows */
};

/* Number of slices that GPU kernels may read past the last one; they do not use them. */
#define SPMMI_TILED_AHEAD 8u

/* Returns the shared memory of a thread block, for one stage or two (double buffering). */
static inline uint32_t spmmi_tiled_shared_bytes(const struct spmmi_tiled *layout, uint32_t register_tile,
                                                uint32_t value_bytes)
{
    return spmmi_tiled_stages_bytes(layout->stage_slots, layout->long_slots, register_tile, value_bytes);
}

/* Arguments of one launch on the GPU. register_tile: columns that a thread keeps (R): 1, 2, 4 .. 32,
 * which may be more than n. */
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
    int can_overlap;               /* the device has dependent launches (sm_90) */
    struct spmmi_allowed *allowed; /* kernels of the part whose limit of shared memory was raised */
};
#define SPMMI_TILED_COLUMNS_MAX 32768u /* maximum number of columns per launch */
/* Launches the kernels for a value type. Returns a cudaError_t, 0 = enqueued. */
int spmmi_tiled_cuda_launch(int dtype, const struct spmmi_tiled_cuda *args);

#ifdef __cplusplus
}
#endif
#endif
