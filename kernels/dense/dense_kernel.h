/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the GPU side of the dense family and its kernels. */
#ifndef SPMMI_DENSE_KERNEL_H
#define SPMMI_DENSE_KERNEL_H

#include "kernels/shared/allowed.h"
#include "kernels/shared/kernel_base.h"
#include "dense_narrow_shape.h"
#include "dense_shape.h"
#include "dense_tile_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments of the kernel that follows a dense product: it adds sums of 16-bit types to C, or recomputes
 * columns of C from the nonzeros. Kernels that compute a whole product have the same arguments. All pointers
 * are device pointers; steps are elements from a row, or a column, to the next. */
struct spmmi_dense_exact {
    int dtype;
    uint32_t rows, cols, nnz;   /* of op(A) */
    const uint32_t *row_ptr;    /* rows + 1 elements */
    const uint32_t *columns;    /* nnz elements; NULL: they are in columns_16 */
    const uint16_t *columns_16; /* nnz elements */
    const void *a;              /* op(A) by rows, lda elements apart */
    uint64_t lda;
    uint64_t high; /* distance from the low half of a value to its high half; 0: values are whole */
    const uint32_t
        *has_special; /* points to 1 if a value has an infinite or NaN high half, else to 0; may be NULL */
    int64_t n;
    const void *b, *old; /* old: C before the product; read if beta is not 0 */
    const float *sums; /* 16-bit types: alpha * A * B, to which beta * C is added; NULL: C has the product */
    int64_t sums_row_step, sums_column_step;
    void *c;
    int64_t b_row_step, b_column_step, c_row_step, c_column_step, old_row_step, old_column_step;
    double alpha, beta;
    /* Without sums. 1: compute all columns; 0: only columns whose row 0 of C is not
     * finite, or all if *has_special. */
    int is_whole;
    int is_dependent;
    void *cuda_stream;
};

/* Enqueues that kernel. Returns a cudaError_t; 0: enqueued. */
int spmmi_dense_exact_cuda(const struct spmmi_dense_exact *args);

/* Enqueues a whole product of few columns; f32 as 3xtf32. Row-major B must consist of whole vectors of
 * 16 bytes, or of an eighth of the columns of a tile if that is less; column-major B of whole words of
 * 16 bytes. Values must be whole (high is 0). Does not read old, sums and the flags. Returns a
 * cudaError_t; 0: enqueued. */
int spmmi_dense_narrow_cuda(const struct spmmi_dense_exact *args,
                            const struct spmmi_dense_narrow_shape *shape);

/* Enqueues a whole product of 16-bit types by warpgroups. B and its lines must begin at multiples of 16
 * bytes. Values must be whole (high is 0). Does not read old, sums and the flags. Returns a cudaError_t; 0:
 * enqueued; cudaErrorNotSupported: the driver has no tensor maps for these operands. */
struct spmmi_dense_tile_launch {
    const struct spmmi_dense_tile_shape *shape;
    int is_columns, is_swapped; /* whether B, or C, is column-major; B must be if C is */
    struct spmmi_allowed *allowed;
};
int spmmi_dense_tile_cuda(const struct spmmi_dense_exact *args, const struct spmmi_dense_tile_launch *launch);

/* Copies lines of B to scratch: rows of row-major B, columns of column-major B. Values are rounded to
 * tf32, split in three blocks, or unchanged. Zeros follow the values of a line and fill lines that B does
 * not have. Lines of scratch begin at whole words of 16 bytes and are written to the end of their last
 * word. Returns a cudaError_t. */
struct spmmi_dense_lines {
    int blocks;                     /* 0: 16-bit values, unchanged; f32: 1, rounded, or SPMMI_DENSE_BLOCKS */
    int64_t lines, lines_of_b;      /* lines of scratch; the first lines_of_b are in B */
    int64_t values, values_of_b;    /* values of a line of scratch, and of B */
    const void *b;                  /* lines ldb elements apart */
    void *scratch;                  /* lines `pitch` elements apart, blocks `block_step` */
    int64_t ldb, pitch, block_step; /* in elements */
    void *cuda_stream;
};
int spmmi_dense_lines_cuda(const struct spmmi_dense_lines *args);

/* Writes f32 values of A to the three blocks of op(A), which are side by side in each row. map: positions in
 * op(A) with rows lda elements apart; positions of `room` and more are skipped. *has_special becomes 1 if a
 * high half is infinite or NaN, else 0; the low half is then the value itself. Returns a cudaError_t. */
int spmmi_dense_split_cuda(uint32_t count, const uint32_t *map, const float *values, float *a, uint32_t room,
                           uint32_t lda, uint32_t *has_special, void *cuda_stream);

#ifdef __cplusplus
}
#endif
#endif
