/* SPDX-License-Identifier: Apache-2.0 */
/* How many columns of B the rows family takes at once on the CPU, and whether column-major B is packed. */
#ifndef SPMMI_ROWS_CPU_WIDTHS_H
#define SPMMI_ROWS_CPU_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>

#define ROWS_LINE_BYTES 64    /* of a cache */
#define ROWS_PANEL_BYTES 2048 /* of one row of B */
/* A row of A with a nonzero in so many columns reads columns of B in sequence: f32 in each line, f64 in every second
 * one. Measured with mip_nw04 alone, which has one in five (0109). */
#define ROWS_SEQUENCE_COLUMNS 16
/* Of C: it would not stay in the shared cache, which is assumed to have 32 MB or less; larger ones were not tried. */
#define ROWS_STREAM_BYTES (UINT64_C(32) << 20)

static inline int64_t spmmi_round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static inline int64_t spmmi_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* May C of so many rows and columns pass by the caches? Not where a row ends in a part of a vector: masked stores do
 * not pass by, and beside others in the same line took up to 11 times as long (0107). */
static inline bool spmmi_rows_streams(int64_t rows, int64_t n, int64_t c_size)
{
    const uint64_t row_bytes = (uint64_t)n * (uint64_t)c_size;
    return row_bytes % ROWS_LINE_BYTES == 0 && (uint64_t)rows * row_bytes >= ROWS_STREAM_BYTES;
}

/* Is column-major B packed? With few nonzeros a column of A that costs more than columns as they are. Two columns, by
 * the bytes of a value: pairs of f32 took 0.4 to 1.1 of the time with 5 to 12 nonzeros a column of A, of f64 0.5 to 1.0
 * with 5 to 7 and 0.8 to 1.6 with 9 to 12 (0107). Three and four only where rows of A have a nonzero in
 * ROWS_SEQUENCE_COLUMNS or fewer. Columns of 16 bits are taken one by one. */
static inline bool spmmi_rows_packs(int64_t rows, int64_t cols, int64_t nnz, int64_t n, int64_t b_size)
{
    const int64_t few = (b_size == 4 ? 12 : b_size == 8 ? 8 : 4) * cols;
    const bool in_sequence = b_size >= 4 && rows > 0 && nnz / rows >= cols / ROWS_SEQUENCE_COLUMNS;
    if (n == 2 || (n <= 4 && in_sequence))
        return nnz >= few;
    return nnz >= cols / 2;
}

/* Bytes of a row of B from which rows are fetched ahead: more than half a line. With 24 nonzeros a row of a random A,
 * f32, n = 12 takes 17.8 ms without it and 11.9 with it, cold; where B is in the shared cache 1.05 to 1.12 times as
 * long. Where rows of A are short, narrow ones too: f64, n = 4 of qp_CONT-300_A, 5 nonzeros a row, took 0.41 ms, now
 * 0.32, cold; with rows of A of 16 nonzeros and more others took up to 1.13 times as long, and with rows of B of 8
 * bytes 1.1 (0109). */
static inline int64_t spmmi_rows_ahead_from(int64_t rows, int64_t nnz)
{
    return nnz < 8 * rows ? 16 : ROWS_LINE_BYTES / 2 + 1;
}

/* Bytes of packed B: it should stay in the shared cache. Where a value is read again and again, wider panels are worth
 * more than that: with 2.6 or 5 nonzeros a column of A 16 MB took 1.05 to 1.1 times as long, with more down to 0.7. */
static inline int64_t spmmi_rows_scratch_bytes(int64_t nnz, int64_t cols)
{
    return (nnz < 6 * cols ? INT64_C(8) : INT64_C(16)) << 20;
}

/* Columns of a panel of packed B, which go into so many bytes, in whole cache lines, or of row-major B (bytes 0).
 * Packed panels are about equally wide. */
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
