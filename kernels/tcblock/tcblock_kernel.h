/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor's side of the tensor cores' families and their kernels agree on. */
#ifndef SPMMI_TCBLOCK_KERNEL_H
#define SPMMI_TCBLOCK_KERNEL_H

#include "tcblock_shape.h"
#include "kernels/shared/allowed.h"
#include "kernels/shared/kernel_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* window and panel families, on the CPU and on the GPU: tensor cores (docs/kernels.md). op(A) is split into units of
 * unit_rows rows (window: 8; panel: 64, 128 or 256), whose rows need not be neighbours. A unit's columns, the union of
 * those of its rows, are processed in ascending order, in steps of 8 (window) or 128 (panel). Within a step A is stored
 * in blocks of 8 rows by 8 columns, the narrow operand of an MMA: tensor-core blocks ("tcblock").
 *
 * Register order. The value in row r and column position p of a block (0 .. 7 each) belongs to lane 4 r + p % 4 of a
 * warp, where it is value p / 4: bit and dense position 2 * lane + p / 4, which is 8 r + 2 (p % 4) + p / 4. This is the
 * operand order of mma.m16n8k8 for f64 and tf32; for 16-bit types it is the same if position p is taken for the MMA's k
 * = 2 (p % 4) + p / 4, as rows of B are in the same order.
 *
 * Blocks. A window's step is one block. A row block of the panel family has W = unit_rows / 8 row windows, and its
 * step's columns are local rows 0 .. 127, the rows of B that are staged together. Of these each window has the ones
 * that its 8 rows hold, cut into blocks of 8 in an order that lets a block's positions 0 .. 3, and 4 .. 7, read
 * different banks of shared memory (kernels/tcblock/tcblock_banks.h); locals says which local row is where. Blocks go
 * by step, then by window; a window without values in a step has none. bitmaps has a bit for each stored value of A in
 * a block, zeros included. Values are dense: 64 a block, zero where A has none; or packed: only the values of A, in
 * register order, at value_first[block]; a row block's step starts at a multiple of 16 bytes. A position of a step
 * beyond the unit's columns names its last one, an unused position of a row block's blocks the local row of position 0;
 * both have no values. */
/* The bcsr family shares the arrays but not the order in them: kernels/bcsr/bcsr_shape.h. */
#define SPMMI_TCBLOCK_NONE SPMMI_NONE /* row_of: no row; slot: the item writes C; value map: no position */
/* Further entries after each array but items and splits, readable, zero; of locals 8 times so many. */
#define SPMMI_TCBLOCK_PAD 64u

/* Steps [begin, end) of a unit, summed by one warp (window) or one thread block (panel, bcsr). */
struct spmmi_tcblock_item {
    uint32_t unit, begin, end, slot;
};
/* A unit that was split into items: its partial sums in slots [first, first + count) are added in this order. A slot
 * holds unit_rows x n sums: float, or double for f64. */
struct spmmi_tcblock_split {
    uint32_t unit, first, count;
};

/* One op(A) as tensor-core blocks; all pointers are host pointers or all are device pointers. */
struct spmmi_tcblocks {
    uint32_t rows, cols;                /* of op(A) */
    uint32_t unit_rows;                 /* 8: window; 64, 128, 256: panel; 64, 128: bcsr */
    uint32_t block_rows, block_columns; /* 8 and 8, bcsr: 16 and 8 or 16 */
    uint32_t step_columns;              /* entries of columns of a step: window 8, panel 128, bcsr 4 */
    uint16_t has_locals, has_masks;     /* panel; bcsr */
    uint32_t is_packed;
    uint32_t unit_count, step_count, block_count, item_count, slot_count, split_count;
    uint64_t value_count;     /* entries of values, pad not counted */
    uint32_t step_blocks_max; /* most blocks of a step */
    uint32_t step_values_max; /* most values of a step, its padding to 16 bytes included */
    uint64_t reach;           /* bcsr on a GPU: columns from the first to the last of an item, mean */
    const uint32_t *row_of;   /* unit_count * unit_rows: row of C, or none */
    const uint32_t *columns;  /* columns of op(A). Window: step_count * 8, position p of a step at 2 (p % 4) +
                                 p / 4, so that lane t finds its two side by side at 2 t. Panel: step_count * 128,
                                 ascending in a panel: local row i of a step at i. bcsr: step_count * 4: first
                                 column of each block column; beyond the block-row group's last one that one again */
    const uint8_t *locals; /* panel: block_count * 8: the local row of each position of a block, that of p at
                                 2 (p % 4) + p / 4: lane t reads its two as a 16-bit word at 8 * block + 2 t */
    const uint32_t *block_first; /* panel: step_count * W + 1: first block of each window of each step; bcsr:
                                    step_count + 1: of each step */
    const uint32_t
        *masks; /* bcsr: step_count: bit 4 w + i: block row w has a block in block column i of the step */
    const uint64_t
        *bitmaps; /* block_count; bcsr: bit r * block_columns + p of block_columns / 4 words a block */
    const uint32_t *value_first;            /* block_count + 1; dense: NULL, 64 times the block */
    const void *values;                     /* value_count of the plan's type */
    const struct spmmi_tcblock_item *items; /* item_count: by unit, then by step; units without columns too */
    const struct spmmi_tcblock_split *splits; /* split_count, by unit */
};

/* Bytes of the slots for n columns; UINT64_MAX where they overflow. */
static inline uint64_t spmmi_tcblock_slot_bytes(const struct spmmi_tcblocks *layout, int dtype, int64_t n)
{
    uint64_t bytes = 0;
    const uint64_t sums = (uint64_t)layout->slot_count * layout->unit_rows * spmmi_sum_bytes(dtype);
    return __builtin_mul_overflow(sums, (uint64_t)n, &bytes) ? UINT64_MAX : bytes;
}
/* One launch on the GPU. */
struct spmmi_tcblock_cuda {
    struct spmmi_tcblocks layout;
    int compute; /* spmm_compute_t */
    const void *b;
    void *c;
    uint64_t ldb, ldc; /* elements */
    uint32_t n;
    double alpha, beta;
    void *slots; /* slot_count * unit_rows * n sums */
    void *cuda_stream;
    int can_overlap;     /* dependent launches, sm_90 */
    int is_columns;      /* B and C are column-major, B aligned to 16 bytes; else B is row-major */
    int c_is_columns;    /* C is column-major, beside row-major B of whole words of 16 bytes, padded */
    int is_early;        /* starts while the kernel before it in the stream runs, and waits for it: sm_90 */
    int overtakes;       /* starts while the kernel before it in the stream runs, and ends after it: sm_90 */
    int has_long_rows;   /* a long-row split: another kernel computes some rows */
    int has_wgmma;       /* sm_90, which alone has these instructions */
    uint32_t shared_max; /* bytes of shared memory that the device lets a thread block have */
    uint32_t multiprocessors;
    uint64_t l2_bytes;
    int device;                    /* its number */
    struct spmmi_allowed *allowed; /* of the part */
};

#ifdef __cplusplus
}
#endif
#endif
