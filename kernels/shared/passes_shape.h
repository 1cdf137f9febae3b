/* SPDX-License-Identifier: Apache-2.0 */
/* Products with column-major operands use row-major scratch, one pass of columns at a time. */
#ifndef SPMMI_PASSES_SHAPE_H
#define SPMMI_PASSES_SHAPE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of scratch of B and C that stay in the L2 cache (50 MB of an H100 or H200) from one kernel to the
 * next. */
#define SPMMI_SCRATCH_NEAR (32 << 20)
#define SPMMI_PASS_MAX 32768 /* tiles of 16 columns, and of 32, are within a grid's 65535 */

/* Returns the columns per pass of a product with n columns. A pass has `least` columns or more (all, if n is
 * less), whatever its scratch: narrower passes would cost more, because they read A more often. Small
 * matrices use as many columns as stay in the L2 cache, because each pass is several launches. rows: of B and
 * C together. */
static inline int64_t spmmi_pass_columns(int64_t n, int64_t rows, size_t value_bytes, int64_t least)
{
    const int64_t near = SPMMI_SCRATCH_NEAR / (int64_t)value_bytes / (rows > 0 ? rows : 1) / least * least;
    const int64_t most = near < least ? least : near < SPMMI_PASS_MAX ? near : SPMMI_PASS_MAX;
    return n < most ? n : most;
}

#endif
