/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the rows family on the CPU share.
 *
 * rows_cpu.c splits the product into row chunks and column panels; the arithmetic is done by one table
 * of functions for each SIMD level and value type. Every level sums each element of C in the same order
 * with fused multiply-adds, so all levels give the same bits.                                     */
#ifndef SPMMI_ROWS_CPU_H
#define SPMMI_ROWS_CPU_H

#include "rows_csr_cpu.h"

/* Widest set of columns summed in registers in one pass over the nonzeros. */
#define ROWS_TILE_BYTES 1024

/* Rows [row_begin, row_end) of P, restricted to the nonzeros [p_begin, p_end), times some columns of B:
 *   out[i - row_begin][j] = alpha * sum + beta * out[i - row_begin][j]; beta = 0 does not read out. */
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
};

/* Transposition of a rows x cols block between row-major and column-major storage. */
struct rows_block {
    int64_t rows, cols;
    void *by_rows;
    int64_t ld_by_rows;
    void *by_cols;
    int64_t ld_by_cols;
    double alpha, beta; /* for unpack */
};

struct rows_cpu_ops {
    /* width columns of a span, at most ROWS_TILE_BYTES. unroll is 1, 2 or 4: partial sums a row. */
    void (*span)(const struct rows_span *span, int64_t width, int unroll);
    /* by_rows = by_cols */
    void (*pack)(const struct rows_block *block);
    /* by_cols = alpha * by_rows + beta * by_cols; beta = 0 does not read by_cols */
    void (*unpack)(const struct rows_block *block);
    /* sum[j] += slot[j] */
    void (*add)(int64_t n, const void *slot, void *sum);
    /* c[j * stride] += alpha * sum[j] */
    void (*add_scaled)(int64_t n, double alpha, const void *sum, void *c, int64_t stride);
    /* c[j] *= beta; beta = 0 does not read c */
    void (*scale)(int64_t n, double beta, void *c);
};

/* pack and unpack; rows_cpu_turn.h */
void spmmi_rows_pack_f32_portable(const struct rows_block *block);
void spmmi_rows_pack_f64_portable(const struct rows_block *block);
void spmmi_rows_unpack_f32_portable(const struct rows_block *block);
void spmmi_rows_unpack_f64_portable(const struct rows_block *block);
#if defined(__x86_64__)
void spmmi_rows_pack_f32_avx2(const struct rows_block *block);
void spmmi_rows_pack_f64_avx2(const struct rows_block *block);
void spmmi_rows_unpack_f32_avx2(const struct rows_block *block);
void spmmi_rows_unpack_f64_avx2(const struct rows_block *block);
#endif

/* The table of a level, whose file has the loops; turn: the level whose transposition it uses. */
#define ROWS_CPU_OPS(type, turn)                                                                     \
    {                                                                                                \
        span_##type, spmmi_rows_pack_##type##_##turn, spmmi_rows_unpack_##type##_##turn, add_##type, \
            add_scaled_##type, scale_##type                                                          \
    }
#define ROWS_CPU_TABLE(name, turn)                   \
    const struct rows_cpu_ops name[SPMM_F64 + 1] = { \
        [SPMM_F32] = ROWS_CPU_OPS(f32, turn), [SPMM_F64] = ROWS_CPU_OPS(f64, turn)}

/* Indexed by value type: f32 and f64. */
extern const struct rows_cpu_ops spmmi_rows_cpu_portable[SPMM_F64 + 1];
#if defined(__x86_64__)
extern const struct rows_cpu_ops spmmi_rows_cpu_avx2[SPMM_F64 + 1];   /* needs AVX2 and FMA */
extern const struct rows_cpu_ops spmmi_rows_cpu_avx512[SPMM_F64 + 1]; /* needs AVX-512 F, VL and DQ as well */
#endif

#endif
