/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU side of the dense family and its kernel agree on. */
#ifndef SPMMI_DENSE_KERNEL_H
#define SPMMI_DENSE_KERNEL_H

#include "kernels/shared/kernel_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Products from the nonzeros alone, of some columns of C. All pointers are device pointers; steps are elements from a
 * row, or a column, to the next. */
struct spmmi_dense_exact {
    int dtype;
    uint32_t rows, cols, nnz; /* of op(A) */
    const uint32_t *row_ptr;  /* rows + 1 */
    const uint32_t *columns;  /* nnz */
    const void *a;            /* op(A) by rows, lda elements apart */
    uint64_t lda;
    int64_t n;
    const void *b, *old; /* old: C before the product, read where beta is not 0 */
    void *c;
    int64_t b_row_step, b_column_step, c_row_step, c_column_step, old_row_step, old_column_step;
    double alpha, beta;
    int is_whole; /* 1: all columns; 0: those of which row 0 of C is not finite */
    int is_dependent;
    void *cuda_stream;
};

/* Returns a cudaError_t, 0 = enqueued. */
int spmmi_dense_exact_cuda(const struct spmmi_dense_exact *args);

#ifdef __cplusplus
}
#endif
#endif
