/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of strips, for plans, kernels and predictions. */
#ifndef SPMMI_BCSR_SHAPE_H
#define SPMMI_BCSR_SHAPE_H

#include "kernels/shared/kernel_base.h"

/* The tensor core operand of bcsr is the wide one. A unit is a strip of 64 or 128 rows, W = unit_rows / 16 block rows.
 * Its columns are cut at multiples of block_columns: 8, or 16 for 16-bit types; the block columns in which the strip
 * has a number of A are walked ascending, 4 in a step. A block is 16 rows by block_columns, dense, and is there if its
 * block row has a number in it. Blocks go by step, then by block row, then by column. Place of the number in row r and
 * column p of a block, with P = numbers in 16 bytes:
 *   8 columns:  lane = 4 (r % 8) + p % 4,       number i = r / 8 + 2 (p / 4)
 *   16 columns: lane = 4 (r % 8) + (p % 8) / 2, number i = 2 (r / 8 + 2 (p / 8)) + p % 2
 *   place = 32 P (i / P) + P lane + i % P
 * so that a lane reads its operand of mma.m16n8k8 (m16n8k16) in pieces of 16 bytes. */
#define SPMMI_BCSR_ROWS 16u /* of a block */
#define SPMMI_BCSR_STEP 4u  /* block columns of a step */
#define SPMMI_BCSR_COLUMNS(number_bytes) ((number_bytes) == 2 ? 16u : 8u)

/* The place of row r, column p of a block of bcsr. */
static inline SPMMI_HOST_DEVICE uint32_t spmmi_bcsr_place(uint32_t number_bytes, uint32_t r, uint32_t p)
{
    const uint32_t pair = number_bytes == 2 ? 2 : 1; /* columns side by side in a lane */
    const uint32_t lane = 4 * (r % 8) + p / pair % 4, piece = 16 / number_bytes;
    const uint32_t i = pair * (r / 8 + 2 * (p / (4 * pair))) + p % pair;
    return 32 * piece * (i / piece) + piece * lane + i % piece;
}

#endif
