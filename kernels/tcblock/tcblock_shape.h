/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry that the tensor-core families share. */
#ifndef SPMMI_TCBLOCK_SHAPE_H
#define SPMMI_TCBLOCK_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_TCBLOCK_VALUES 64u      /* values per block of 8 rows by 8 columns: window and panel */
#define SPMMI_TCBLOCK_PANEL_STEP 128u /* columns per step of a row block */
#define SPMMI_TCBLOCK_LOCAL_BYTES 8u  /* bytes of the local rows of a block (panel) */
#define SPMMI_TCBLOCK_MAP_BYTES 12u   /* bytes per packed block: its bitmap, and where its values begin */
#define SPMMI_TCBLOCK_WIDE_STEP 4u    /* block columns per step, if A is the wide operand */
/* Minimum number of columns per pass with conversions. The scratch of most matrices
 * then stays in the L2 cache. */
#define SPMMI_TCBLOCK_PASS_COLUMNS 128u

/* Returns the position of the value in row r and column p of a wide block, where A is the first operand of
 * the MMA. P is the number of values in 16 bytes:
 *   8 columns:  lane = 4 (r % 8) + p % 4,       value i = r / 8 + 2 (p / 4)
 *   16 columns: lane = 4 (r % 8) + (p % 8) / 2, value i = 2 (r / 8 + 2 (p / 8)) + p % 2
 *   position = 32 P (i / P) + P lane + i % P
 * A lane thus reads its operand of mma.m16n8k8 (m16n8k16) in pieces of 16 bytes. */
static inline SPMMI_HOST_DEVICE uint32_t spmmi_tcblock_wide_position(uint32_t value_bytes, uint32_t r,
                                                                     uint32_t p)
{
    const uint32_t pair = value_bytes == 2 ? 2 : 1; /* adjacent columns in a lane */
    const uint32_t lane = 4 * (r % 8) + p / pair % 4, piece = 16 / value_bytes;
    const uint32_t i = pair * (r / 8 + 2 * (p / (4 * pair))) + p % pair;
    return 32 * piece * (i / piece) + piece * lane + i % piece;
}

/* Returns the bytes of the sum type of the tensor cores. */
SPMMI_GEOMETRY uint32_t spmmi_tcblock_sum_bytes(uint32_t value_bytes)
{
    return value_bytes == 8 ? 8 : 4;
}

/* Returns the distance, in sums, between columns of a tile of column-major C in shared memory. The columns
 * and rows that a warp stores at once are in different banks, or at most two in one bank. */
SPMMI_GEOMETRY uint32_t spmmi_tcblock_kept_pitch(uint32_t unit_rows)
{
    return unit_rows + 4;
}

/* Returns the bytes of these sums. */
SPMMI_GEOMETRY uint32_t spmmi_tcblock_kept_bytes(uint32_t columns, uint32_t unit_rows, uint32_t value_bytes)
{
    return columns * spmmi_tcblock_kept_pitch(unit_rows) * spmmi_tcblock_sum_bytes(value_bytes);
}

/* Returns the distance, in bytes, between rows of B of row_bytes bytes in shared memory. Rows whose numbers
 * differ modulo 4 are in different banks. */
SPMMI_GEOMETRY uint32_t spmmi_tcblock_pitch(uint32_t row_bytes)
{
    return row_bytes + (160 - row_bytes % 128) % 128;
}

#endif
