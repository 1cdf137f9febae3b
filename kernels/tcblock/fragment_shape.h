/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry that the families of the tensor cores share. */
#ifndef SPMMI_FRAGMENT_SHAPE_H
#define SPMMI_FRAGMENT_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_FRAGMENT_NUMBERS 64u     /* of a block of 8 rows and 8 columns: window and panel */
#define SPMMI_FRAGMENT_PANEL_STEP 128u /* columns of a step of a panel */
/* Columns of a pass with conversions: the scratch of most matrices stays in the L2 cache. */
#define SPMMI_FRAGMENT_PASS_COLUMNS 128u

/* Bytes of a sum of products of the tensor cores. */
SPMMI_GEOMETRY uint32_t spmmi_fragment_sum_bytes(uint32_t number_bytes)
{
    return number_bytes == 8 ? 8 : 4;
}

/* From row to row of B in shared memory, of so many bytes: rows that differ modulo 4 lie in different banks. */
SPMMI_GEOMETRY uint32_t spmmi_fragment_pitch(uint32_t row_bytes)
{
    return row_bytes + (160 - row_bytes % 128) % 128;
}

#endif
