/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the files of the rows family on the CPU share.
 *
 * rows_cpu.c splits the product into row chunks and column panels. The arithmetic is in one table of
 * functions per SIMD level. Every level sums each element of C in the same order with fused multiply-adds, so
 * all levels give the same bits, except for the bits of a 16-bit NaN. */
#ifndef SPMMI_ROWS_CPU_H
#define SPMMI_ROWS_CPU_H

#include <stdbool.h>

#include "rows_cpu_widths.h"
#include "rows_csr_cpu.h"

/* Bytes of the sums of the widest set of columns that one pass over the nonzeros sums in registers. */
#define ROWS_TILE_BYTES 1024
/* If A is scattered, rows of B are prefetched this number of nonzeros ahead; 12 to 48 are about as fast. */
#define ROWS_AHEAD 32
/* Columns and values of A are prefetched this number of nonzeros ahead (docs/decisions/0051, 0109). */
#define ROWS_STREAM_AHEAD 256
#define ROWS_STREAM_ALIGN 16 /* bytes, of rows of C whose stores bypass the caches */

/* Rows [row_begin, row_end) of P, restricted to the nonzeros [p_begin, p_end), times some columns of B:
 *   out[i - row_begin][j] = alpha * sum + beta * out[i - row_begin][j]; beta = 0 does not read out.
 * Factors and out are of the type of sums. */
struct rows_span {
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const void *values;
    int64_t row_begin, row_end;
    int64_t p_begin, p_end;
    const void *b; /* row-major, first column of the set */
    int64_t ldb;
    void *out; /* row-major, first column of the set */
    int64_t ldo;
    double alpha, beta;
    int64_t b_column, out_column; /* distance of columns of B and of out; b_column > 1: B is not packed */
    int64_t ahead_end;            /* nonzeros before it prefetch rows of B for later ones; 0: none do */
    int64_t ahead_from;           /* least bytes of a row of B for this prefetch */
    bool streams;                 /* stores to rows of out bypass the caches if possible */
};

/* Returns where the nonzeros of row i of the span begin, and those of row i - 1 end. */
static inline int64_t rows_span_start(const struct rows_span *span, int64_t i)
{
    const int64_t p = span->row_ptr[i] < span->p_end ? span->row_ptr[i] : span->p_end;
    return p > span->p_begin ? p : span->p_begin;
}

/* Partial sums per row if B has one column. */
#define ROWS_COLUMN_SUMS 8
/* Most columns that one pass over the nonzeros reads if B is not packed. */
#define ROWS_COLUMNS_MAX 4

/* Transposition of a rows x cols block between row-major and column-major storage. */
struct rows_block {
    int64_t rows, cols;
    void *by_rows;
    int64_t ld_by_rows;
    void *by_cols;
    int64_t ld_by_cols;
    double alpha, beta; /* for unpack */
};

/* Arguments of a store of a row-major block of sums in C: c = alpha * sum + beta * c, rounded once; beta = 0
 * does not read c. */
struct rows_store {
    int64_t rows, cols;
    const void *sums;
    int64_t ld;
    void *c;
    int64_t c_row, c_column; /* distance between rows, and between columns, of C; one of the two is 1 */
    double alpha, beta;
};

/* Multiplies `width` columns of a span, at most ROWS_TILE_BYTES of sums. unroll: number of partial sums per
 * row, 1, 2 or 4. If B has 16 bits, out receives the sums, alpha is 1 and beta 0; rows of out must hold whole
 * vectors of ROWS_VECTOR_SUMS. */
typedef void rows_span_fn(const struct rows_span *span, int64_t width, int unroll);
#define ROWS_VECTOR_SUMS 16

/* The functions of one SIMD level. */
struct rows_cpu_level {
    rows_span_fn *span[SPMM_BF16 + 1][SPMM_BF16 + 1]; /* by the types of A and B; NULL: not supported */
    const struct rows_cpu_level *base; /* the level that has the other functions; NULL: this one */
    /* by_rows = by_cols, of B's type */
    void (*pack[SPMM_BF16 + 1])(const struct rows_block *block);
    /* f32 and f64: by_cols = alpha * by_rows + beta * by_cols; beta = 0 does not read by_cols */
    void (*unpack[SPMM_F64 + 1])(const struct rows_block *block);
    /* By the type of C. */
    void (*store[SPMM_BF16 + 1])(const struct rows_store *store);
    /* c[j] *= beta; beta = 0 does not read c */
    void (*scale[SPMM_BF16 + 1])(int64_t n, double beta, void *c);
};

extern const struct rows_cpu_level spmmi_rows_cpu_portable;
#if defined(__x86_64__)
extern const struct rows_cpu_level spmmi_rows_cpu_avx2;   /* needs AVX2, FMA and F16C */
extern const struct rows_cpu_level spmmi_rows_cpu_avx512; /* needs AVX-512 F, VL, DQ and BW as well */
#endif
/* Returns the best level that this machine supports. */
const struct rows_cpu_level *rows_cpu_level_pick(void);

/* The tables of a level, whose file defines the functions named here. turn: suffix of its transposition
 * functions. */
#define ROWS_CPU_SPANS                                                                                \
    {                                                                                                 \
        [SPMM_F32] = {[SPMM_F32] = span_f32, [SPMM_F16] = span_f32_f16, [SPMM_BF16] = span_f32_bf16}, \
        [SPMM_F64] = {[SPMM_F64] = span_f64}, [SPMM_F16] = {[SPMM_F16] = span_f16},                   \
        [SPMM_BF16] = {[SPMM_BF16] = span_bf16},                                                      \
    }
#define ROWS_CPU_REST(turn)                                                                                 \
    .pack = {[SPMM_F32] = spmmi_rows_pack_f32_##turn,                                                       \
             [SPMM_F64] = spmmi_rows_pack_f64_##turn,                                                       \
             [SPMM_F16] = spmmi_rows_pack_half,                                                             \
             [SPMM_BF16] = spmmi_rows_pack_half},                                                           \
    .unpack = {[SPMM_F32] = spmmi_rows_unpack_f32_##turn, [SPMM_F64] = spmmi_rows_unpack_f64_##turn},       \
    .store =                                                                                                \
        {[SPMM_F32] = store_f32, [SPMM_F64] = store_f64, [SPMM_F16] = store_f16, [SPMM_BF16] = store_bf16}, \
    .scale = {                                                                                              \
        [SPMM_F32] = scale_f32, [SPMM_F64] = scale_f64, [SPMM_F16] = scale_f16, [SPMM_BF16] = scale_bf16}

/* pack and unpack; rows_cpu_turn.h */
void spmmi_rows_pack_f32_portable(const struct rows_block *block);
void spmmi_rows_pack_f64_portable(const struct rows_block *block);
void spmmi_rows_pack_half(const struct rows_block *block);
void spmmi_rows_unpack_f32_portable(const struct rows_block *block);
void spmmi_rows_unpack_f64_portable(const struct rows_block *block);
#if defined(__x86_64__)
void spmmi_rows_pack_f32_avx2(const struct rows_block *block);
void spmmi_rows_pack_f64_avx2(const struct rows_block *block);
void spmmi_rows_unpack_f32_avx2(const struct rows_block *block);
void spmmi_rows_unpack_f64_avx2(const struct rows_block *block);
/* Spans of one column, or of up to ROWS_COLUMNS_MAX columns that are apart. */
void spmmi_rows_columns_f32_avx2(const struct rows_span *span, int64_t width);
void spmmi_rows_columns_f64_avx2(const struct rows_span *span, int64_t width);
#endif

#endif
