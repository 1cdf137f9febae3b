/* SPDX-License-Identifier: Apache-2.0 */
/* Row splits of short rows, in which each lane group has one row (rows_short.cuh), for kernels and
 * predictions. */
#ifndef SPMMI_ROWS_SHORT_SHAPE_H
#define SPMMI_ROWS_SHORT_SHAPE_H

#include "rows_shape.h"

/* Most lanes per group: eight lanes of one column each were no faster than rows.cuh (n = 5). */
#define SPMMI_ROWS_SHORT_LANES(vec) ((vec) > 1 ? 8u : 4u)
/* Thread blocks per multiprocessor: one more than in rows.cuh, unless a lane has eight columns of 16 bits,
 * which need the registers. */
#define SPMMI_ROWS_SHORT_BLOCKS(value_bytes, vec) \
    ((value_bytes) == 8 || ((value_bytes) == 2 && (vec) > 2) ? 5u : 6u)

/* Returns true if each group has one row of row-major C. share: number of groups that would share a row
 * otherwise; longest: nonzeros of the longest row; vec, lanes: columns per lane, lanes per group. Measured on
 * an H100 over six matrices (docs/decisions/0133): the time is 0.7 to 1.1 of that of the faster split, 0.88 in
 * the mean. It is longer for wider C, with rows of up to 25 nonzeros, and where more groups share a row. */
#define SPMMI_ROWS_SHORT_LONGEST 16u
static inline int spmmi_rows_are_short(uint64_t longest, uint32_t share, int64_t n, uint32_t lanes,
                                       uint32_t vec, uint32_t value_bytes)
{
    return longest <= SPMMI_ROWS_SHORT_LONGEST && share <= 2 && n > 1 && n <= (value_bytes == 2 ? 32 : 16) &&
           lanes <= SPMMI_ROWS_SHORT_LANES(vec);
}

#endif
