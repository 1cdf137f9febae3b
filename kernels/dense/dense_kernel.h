/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU side of the dense family and its kernels agree on. */
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

/* What follows a dense product, and all of one that the family multiplies itself: sums of 16-bit types into C, or
 * products from the nonzeros alone, of some columns of C.
 * All pointers are device pointers; steps are elements from a row, or a column, to the next. */
struct spmmi_dense_exact {
    int dtype;
    uint32_t rows, cols, nnz;   /* of op(A) */
    const uint32_t *row_ptr;    /* rows + 1 */
    const uint32_t *columns;    /* nnz; NULL: they are in columns_16 */
    const uint16_t *columns_16; /* nnz */
    const void *a;              /* op(A) by rows, lda elements apart */
    uint64_t lda;
    uint64_t high; /* from the low half of a value to its high half; 0: values are whole */
    const uint32_t
        *has_special; /* not 0 there: a value has a high half that is infinite or NaN; may be NULL */
    int64_t n;
    const void *b, *old; /* old: C before the product, read where beta is not 0 */
    const float *sums; /* 16-bit types: alpha * A * B, to which beta * C is added; NULL: C has the product */
    int64_t sums_row_step, sums_column_step;
    void *c;
    int64_t b_row_step, b_column_step, c_row_step, c_column_step, old_row_step, old_column_step;
    double alpha, beta;
    /* Without sums. 1: all columns; 0: those of which row 0 of C is not finite, and all where has_special says so. */
    int is_whole;
    int is_dependent;
    void *cuda_stream;
};

/* Returns a cudaError_t, 0 = enqueued. */
int spmmi_dense_exact_cuda(const struct spmmi_dense_exact *args);

/* The whole product, of few columns; f32 as 3xtf32. Row-major B consists of whole vectors of 16 bytes, or of an eighth
 * of the columns of a tile if that is less, column-major B of whole words of 16 bytes. Values are whole: high is 0.
 * old, sums and the flags are not read. Returns a cudaError_t, 0 = enqueued. */
int spmmi_dense_narrow_cuda(const struct spmmi_dense_exact *args,
                            const struct spmmi_dense_narrow_shape *shape);

/* The whole product of 16-bit types, by warpgroups. B and its lines begin at multiples of 16 bytes. Values are whole:
 * high is 0. old, sums and the flags are not read. Returns a cudaError_t, 0 = enqueued; cudaErrorNotSupported: the
 * driver has no tensor maps for these operands. */
struct spmmi_dense_tile_launch {
    const struct spmmi_dense_tile_shape *shape;
    int is_columns, is_swapped; /* B, and C, is column-major; both if C is */
    struct spmmi_allowed *allowed;
};
int spmmi_dense_tile_cuda(const struct spmmi_dense_exact *args, const struct spmmi_dense_tile_launch *launch);

/* Lines of B, rows of row-major B and columns of column-major B, into scratch: rounded to tf32, split in three blocks,
 * or as they are. Behind the values of a line, and in lines that B does not have, come zeros. Lines of scratch begin at
 * whole words of 16 bytes and may be written to the end of their last word. */
struct spmmi_dense_lines {
    int blocks;                     /* 0: 16 bits, as they are; f32: 1, rounded, or SPMMI_DENSE_BLOCKS */
    int64_t lines, lines_of_b;      /* those of scratch, the first of which B has */
    int64_t values, values_of_b;    /* of a line */
    const void *b;                  /* lines ldb elements apart */
    void *scratch;                  /* lines `pitch` elements apart, blocks `block_step` */
    int64_t ldb, pitch, block_step; /* elements */
    void *cuda_stream;
};
int spmmi_dense_lines_cuda(const struct spmmi_dense_lines *args);

/* f32: values of A into the three blocks of op(A), which each row has side by side. map: positions, below room, in
 * op(A) with rows lda elements apart. *has_special becomes 1 where a high half is infinite or NaN, else 0; the low
 * half then is the value itself. */
int spmmi_dense_split_cuda(uint32_t count, const uint32_t *map, const float *values, float *a, uint32_t room,
                           uint32_t lda, uint32_t *has_special, void *cuda_stream);

#ifdef __cplusplus
}
#endif
#endif
