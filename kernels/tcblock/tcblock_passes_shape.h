/* SPDX-License-Identifier: Apache-2.0 */
/* Column passes of products with column-major operands. The executor runs them, and
 * the cost model counts them. */
#ifndef SPMMI_TCBLOCK_PASSES_SHAPE_H
#define SPMMI_TCBLOCK_PASSES_SHAPE_H

#include "kernels/shared/passes_shape.h"
#include "tcblock_shape.h"

/* Line of the L2 cache; columns of a copy of B begin at multiples of it. */
#define SPMMI_TCBLOCK_LINE_BYTES 128

/* Returns the columns per pass if B, and C if converts_c, are converted to row-major scratch. */
static inline int64_t spmmi_tcblock_converted_columns(int64_t n, int64_t rows, int64_t cols, int converts_c,
                                                      size_t value_bytes)
{
    return spmmi_pass_columns(n, cols + (converts_c ? rows : 0), value_bytes, SPMMI_TCBLOCK_PASS_COLUMNS);
}

/* Whether column-major B of bcsr is copied to aligned columns first. Otherwise warps copy words of 16 bytes, or
 * of at least 4 if columns do not begin at multiples of 16. Many instructions of that kind delay 16-bit
 * warpgroups, unless each row of B is read only a few times. starts: bits that are set in the address of B or in
 * the bytes between its columns; reads: rows of B that all groups read; rows: of B (docs/decisions/0143). */
#define SPMMI_TCBLOCK_WORD_BYTES 4u
#define SPMMI_TCBLOCK_WORDS_NARROW 64.0 /* as SPMMI_BCSR_GROUP_COLUMNS_MIN */
#define SPMMI_TCBLOCK_WORDS_READS 4.0
static inline int spmmi_tcblock_aligns_b(uint64_t starts, uint32_t value_bytes, double n, double reads,
                                         double rows)
{
    if (starts % 16 == 0 || value_bytes >= SPMMI_TCBLOCK_WORD_BYTES)
        return 0;
    return starts % SPMMI_TCBLOCK_WORD_BYTES != 0 ||
           (n >= SPMMI_TCBLOCK_WORDS_NARROW && reads > SPMMI_TCBLOCK_WORDS_READS * rows);
}

/* Returns the distance between columns, in values, in a copy of B with aligned columns. */
static inline int64_t spmmi_tcblock_aligned_pitch(int64_t cols, size_t value_bytes)
{
    const int64_t line = SPMMI_TCBLOCK_LINE_BYTES / (int64_t)value_bytes;
    return (cols + line - 1) / line * line;
}

/* Returns the columns per pass with such a copy. */
static inline int64_t spmmi_tcblock_aligned_columns(int64_t n, int64_t cols, size_t value_bytes)
{
    return spmmi_pass_columns(n, spmmi_tcblock_aligned_pitch(cols, value_bytes), value_bytes,
                              SPMMI_TCBLOCK_PASS_COLUMNS);
}

#endif
