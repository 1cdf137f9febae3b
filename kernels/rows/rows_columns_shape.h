/* SPDX-License-Identifier: Apache-2.0 */
/* rows: when thread blocks keep the sums of column-major C (rows_columns.cuh), for kernels and
 * predictions. */
#ifndef SPMMI_ROWS_COLUMNS_SHAPE_H
#define SPMMI_ROWS_COLUMNS_SHAPE_H

#include "rows_shape.h"

/* Returns true if blocks keep the sums of column-major C: in products of one full tile, and in wide products
 * of short rows, because these walk A once per tile. C of 16-bit values is converted instead, because its
 * sums take twice the space. Measured on an H100 over 27 matrices (docs/decisions/0101). */
#define SPMMI_ROWS_KEPT_TARGET 90 /* older multiprocessors have less shared memory */
#define SPMMI_ROWS_KEPT_LEAST 17
#define SPMMI_ROWS_KEPT_WIDE 64
#define SPMMI_ROWS_KEPT_MEAN_ROW(value_bytes) (5 * (value_bytes) / 4)
static inline int spmmi_rows_keeps_columns(int64_t rows, int64_t nnz, int64_t n, uint32_t value_bytes)
{
    const int is_full = n >= SPMMI_ROWS_KEPT_LEAST && n <= (int64_t)SPMMI_ROWS_KEPT_COLUMNS;
    const int is_wide = n >= SPMMI_ROWS_KEPT_WIDE && nnz <= SPMMI_ROWS_KEPT_MEAN_ROW(value_bytes) * rows;
    return value_bytes >= 4 && (is_full || is_wide) && !spmmi_rows_stores_directly(rows, nnz, n);
}

/* Return the lanes of a group, and its grid. */
static inline uint32_t spmmi_rows_kept_lanes(size_t value_bytes)
{
    return SPMMI_ROWS_KEPT_COLUMNS * (uint32_t)value_bytes / 16;
}
static inline int spmmi_rows_kept_grid(size_t value_bytes)
{
    return spmmi_rows_grid(
        (struct spmmi_rows_shape){1, spmmi_rows_kept_lanes(value_bytes), SPMMI_ROWS_COLUMNS, 1});
}

/* Returns the bytes of shared memory that a block which converts B reserves in addition. Multiprocessors then
 * divide their memory into shared memory and L1 cache as blocks that keep C need it. Otherwise those blocks
 * wait until the multiprocessor is empty. This applies to one tile of f32 if 7 blocks per multiprocessor, as
 * many as then fit, convert all of B (docs/decisions/0128). Blocks that convert f64 fill shared memory
 * anyway. */
#define SPMMI_ROWS_KEPT_BEFORE_BYTES 20480u
#define SPMMI_ROWS_KEPT_BEFORE_ROWS (7 * 64)
static inline uint32_t spmmi_rows_kept_before(int64_t rows_of_b, int64_t n, size_t value_bytes,
                                              uint32_t sm_count)
{
    return value_bytes == 4 && n <= (int64_t)SPMMI_ROWS_KEPT_COLUMNS &&
                   rows_of_b <= SPMMI_ROWS_KEPT_BEFORE_ROWS * (int64_t)sm_count
               ? SPMMI_ROWS_KEPT_BEFORE_BYTES
               : 0;
}

/* Nonzero split: returns true if the rows are evenly distributed over blocks. A block of many rows takes more
 * turns while others wait for it. False without nonzeros, that is without blocks. */
static inline int spmmi_rows_kept_are_even(int64_t rows, uint64_t blocks, uint32_t most_rows,
                                           size_t value_bytes)
{
    const uint64_t room = spmmi_rows_kept_rows(value_bytes);
    return blocks > 0 && most_rows <= room + 3 * (uint64_t)rows / (2 * blocks);
}

#endif
