/* SPDX-License-Identifier: Apache-2.0 */
/* How many columns of B the rows family processes at once on the CPU, and whether column-major B is
 * packed. */
#ifndef SPMMI_ROWS_CPU_WIDTHS_H
#define SPMMI_ROWS_CPU_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>

#define ROWS_LINE_BYTES 64    /* of a cache line */
#define ROWS_PANEL_BYTES 2048 /* of one row of B in a panel */
/* If rows of A have a nonzero in every 16th column, they read columns of B in sequence: each line for f32,
 * every second line for f64. Measured only with mip_nw04, which has a nonzero in every fifth column
 * (docs/decisions/0109). */
#define ROWS_SEQUENCE_COLUMNS 16
/* Least bytes of C whose stores bypass the caches. Smaller C may stay in the shared cache, which is assumed
 * to have 32 MB or less; larger caches were not tried. */
#define ROWS_STREAM_BYTES (UINT64_C(32) << 20)

static inline int64_t spmmi_round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static inline int64_t spmmi_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns true if stores to C may bypass the caches. Rows must not end with a partial vector: masked stores
 * do not bypass the caches, and beside stores that do, in the same line, they took up to 11 times as long
 * (docs/decisions/0107). */
static inline bool spmmi_rows_streams(int64_t rows, int64_t n, int64_t c_size)
{
    const uint64_t row_bytes = (uint64_t)n * (uint64_t)c_size;
    return row_bytes % ROWS_LINE_BYTES == 0 && (uint64_t)rows * row_bytes >= ROWS_STREAM_BYTES;
}

/* Returns true if column-major B is packed. With few nonzeros per column of A, packing costs more than
 * reading columns in place. For two columns the limit depends on the bytes per value. Reading pairs in place
 * took the following shares of the time of packing: f32 0.4 to 1.1 with 5 to 12 nonzeros per column of A, f64
 * 0.5 to 1.0 with 5 to 7 and 0.8 to 1.6 with 9 to 12 (docs/decisions/0107). The limit also applies to three
 * and four columns if rows of A have a nonzero in every ROWS_SEQUENCE_COLUMNS columns. Columns of 16 bits are
 * read one by one. */
static inline bool spmmi_rows_packs(int64_t rows, int64_t cols, int64_t nnz, int64_t n, int64_t b_size)
{
    const int64_t few = (b_size == 4 ? 12 : b_size == 8 ? 8 : 4) * cols;
    const bool in_sequence = b_size >= 4 && rows > 0 && nnz / rows >= cols / ROWS_SEQUENCE_COLUMNS;
    if (n == 2 || (n <= 4 && in_sequence))
        return nnz >= few;
    return nnz >= cols / 2;
}

/* Returns the least bytes of a row of B for which rows are prefetched: more than half a line. With 24
 * nonzeros per row of a random A, f32, n = 12 takes 17.8 ms without prefetch and 11.9 with it, cold; if B is
 * in the shared cache, prefetch takes 1.05 to 1.12 times as long. If rows of A are short, narrow rows of B
 * are prefetched too: f64, n = 4 of qp_CONT-300_A, 5 nonzeros per row, took 0.41 ms without and takes 0.32
 * with it, cold. With 16 or more nonzeros per row this took up to 1.13 times as long, and with rows of B of 8
 * bytes 1.1 times (docs/decisions/0109). */
static inline int64_t spmmi_rows_ahead_from(int64_t rows, int64_t nnz)
{
    return nnz < 8 * rows ? 16 : ROWS_LINE_BYTES / 2 + 1;
}

/* Returns the bytes of a panel of packed B, which should stay in the shared cache. If each value is read many
 * times, wider panels gain more than that: 16 MB took 1.05 to 1.1 times as long as 8 MB with 2.6 or 5
 * nonzeros per column of A, and down to 0.7 times with more. */
static inline int64_t spmmi_rows_scratch_bytes(int64_t nnz, int64_t cols)
{
    return (nnz < 6 * cols ? INT64_C(8) : INT64_C(16)) << 20;
}

/* Returns the columns per panel: of packed B what fits `bytes`, in whole cache lines, or of row-major B
 * (bytes 0). Packed panels are about equally wide. */
static inline int64_t spmmi_rows_panel_width(int64_t cols, int64_t n, int64_t b_size, int64_t bytes)
{
    if (bytes == 0)
        return spmmi_smaller(n, ROWS_PANEL_BYTES / b_size);
    const int64_t fit =
        spmmi_smaller(bytes / (cols + 1), ROWS_PANEL_BYTES) / ROWS_LINE_BYTES * ROWS_LINE_BYTES;
    const int64_t line = ROWS_LINE_BYTES / b_size, most = fit < ROWS_LINE_BYTES ? line : fit / b_size;
    const int64_t panels = (n + most - 1) / most;
    return panels < 2 ? n : spmmi_round_up((n + panels - 1) / panels, line);
}

#endif
