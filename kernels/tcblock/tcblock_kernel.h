/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures that the host code and the kernels of the tensor-core families share. */
#ifndef SPMMI_TCBLOCK_KERNEL_H
#define SPMMI_TCBLOCK_KERNEL_H

#include "tcblock_shape.h"
#include "kernels/shared/allowed.h"
#include "kernels/shared/kernel_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layout of the window and panel families on CPU and GPU (docs/kernels.md). op(A) is split into units of
 * unit_rows rows (window: 8; panel: 64, 128 or 256), which need not be neighbours. The columns of a unit are
 * the union of the columns of its rows. They are processed in ascending order, in steps of 8 (window) or 128
 * (panel). Within a step, A is stored in tensor-core blocks ("tcblock") of 8 rows by 8 columns, the narrow
 * operand of an MMA.
 *
 * Register order. The value in row r and column position p of a block (0 .. 7 each) belongs to lane
 * 4 r + p % 4 of a warp, as its value p / 4. Its bit and its dense position is 2 * lane + p / 4, which is
 * 8 r + 2 (p % 4) + p / 4. This is the operand order of mma.m16n8k8 for f64 and tf32. For 16-bit types the
 * order is the same if position p is used as k = 2 (p % 4) + p / 4 of the MMA, because the rows of B have
 * the same order.
 *
 * Blocks. A step of a window is one block. A row block of panel has W = unit_rows / 8 row windows. The
 * columns of its step are local rows 0 .. 127, the rows of B that are staged together. Each window uses the
 * local rows in which its 8 rows have nonzeros, cut into blocks of 8. Their order lets positions 0 .. 3 and
 * 4 .. 7 of a block read different banks of shared memory (kernels/tcblock/tcblock_banks.h); `locals` has
 * the local row of each position. Blocks are sorted by step, then by window. A window without values in a
 * step has no blocks there.
 *
 * Values. bitmaps has a bit for each stored value of A in a block, including stored zeros. Dense blocks have
 * 64 values, 0 where A has none. Packed blocks have only the values of A, in register order, from
 * value_first[block] on; the values of each step of a row block begin at a multiple of 16 bytes. A position
 * of a step beyond the unit's last column repeats that column. An unused position in a block of a row block
 * repeats the local row of position 0. Neither has values. */
/* The bcsr family uses the same arrays in another order: kernels/bcsr/bcsr_shape.h. */
#define SPMMI_TCBLOCK_NONE SPMMI_NONE /* row_of: no row; slot: the item stores to C; value map: no position */
/* Additional zero entries that kernels may read after each array except items and splits;
 * locals has 8 times as many. */
#define SPMMI_TCBLOCK_PAD 64u

/* Steps [begin, end) of a unit, multiplied by one warp (window) or one thread block (panel, bcsr). */
struct spmmi_tcblock_item {
    uint32_t unit, begin, end, slot;
};
/* A unit that was split into items. Its partial sums in slots [first, first + count) are added in this order.
 * A slot holds unit_rows x n sums of type float, or double for f64. */
struct spmmi_tcblock_split {
    uint32_t unit, first, count;
};

/* op(A) as tensor-core blocks. All pointers are host pointers, or all are device pointers. */
struct spmmi_tcblocks {
    uint32_t rows, cols;                /* size of op(A) */
    uint32_t unit_rows;                 /* 8: window; 64, 128, 256: panel; 64, 128: bcsr */
    uint32_t block_rows, block_columns; /* 8 and 8; bcsr: 16 and 8 or 16 */
    uint32_t step_columns;              /* entries of `columns` per step: window 8, panel 128, bcsr 4 */
    uint16_t has_locals, has_masks;     /* has_locals: panel; has_masks: bcsr */
    uint32_t is_packed;
    uint32_t unit_count, step_count, block_count, item_count, slot_count, split_count;
    uint64_t value_count;     /* entries of values without the pad */
    uint32_t step_blocks_max; /* maximum number of blocks in a step */
    uint32_t step_values_max; /* maximum number of values in a step, with padding to 16 bytes */
    uint64_t reach; /* bcsr on a GPU: mean distance in columns from the first to the last column of an item */
    const uint32_t *row_of; /* unit_count * unit_rows: row of C, or SPMMI_TCBLOCK_NONE */
    /* columns of op(A). Window: step_count * 8; position p of a step at 2 (p % 4) + p / 4, so that the two
     * columns of lane t are adjacent at 2 t. Panel: step_count * 128, ascending in a row block; local row i
     * of a step at i. bcsr: step_count * 4, the first column of each block column; entries beyond the last
     * block column of the group repeat it */
    const uint32_t *columns;
    /* panel: block_count * 8, the local rows of a block; position p at 2 (p % 4) + p / 4, so that lane t
     * reads its two as a 16-bit word at 8 * block + 2 t */
    const uint8_t *locals;
    /* panel: step_count * W + 1, first block of each window of each step; bcsr: step_count +
     * 1, first block of each step */
    const uint32_t *block_first;
    /* bcsr: step_count; bit 4 w + i is set if block row w has a block in block column i of the step */
    const uint32_t *masks;
    /* block_count words; bcsr: block_columns / 4 words per block, with bit r * block_columns + p */
    const uint64_t *bitmaps;
    const uint32_t *value_first; /* block_count + 1; NULL if dense: block b begins at 64 b */
    const void *values;          /* value_count values of the plan's type */
    /* item_count, sorted by unit, then by step; a unit without columns has an item too */
    const struct spmmi_tcblock_item *items;
    const struct spmmi_tcblock_split *splits; /* split_count, sorted by unit */
};

/* Returns the bytes of the slots for n columns; UINT64_MAX on overflow. */
static inline uint64_t spmmi_tcblock_slot_bytes(const struct spmmi_tcblocks *layout, int dtype, int64_t n)
{
    uint64_t bytes = 0;
    const uint64_t sums = (uint64_t)layout->slot_count * layout->unit_rows * spmmi_sum_bytes(dtype);
    return __builtin_mul_overflow(sums, (uint64_t)n, &bytes) ? UINT64_MAX : bytes;
}
/* Arguments of one launch on the GPU. */
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
    int can_overlap;     /* the device has dependent launches (sm_90) */
    int is_columns;      /* B and C are column-major, B aligned to 4 bytes; else B is row-major */
    int c_is_columns;    /* C is column-major, B is row-major in padded rows of whole words of 16 bytes */
    int is_early;        /* starts while the previous kernel in the stream runs, and waits for it: sm_90 */
    int overtakes;       /* starts while the previous kernel in the stream runs, and ends after it: sm_90 */
    int has_long_rows;   /* a long-row split: another kernel computes some rows */
    int has_wgmma;       /* sm_90, the only target with wgmma instructions */
    uint32_t shared_max; /* bytes of shared memory that a thread block may use */
    uint32_t multiprocessors;
    uint64_t l2_bytes;
    int device;                    /* device number */
    struct spmmi_allowed *allowed; /* kernels of the part whose limit of shared memory was raised */
};

#ifdef __cplusplus
}
#endif
#endif
