/* SPDX-License-Identifier: Apache-2.0 */
/* Dense products of the dense family through cuBLASLt, which is loaded when a part first needs it: the library has no
 * dependency on it. */
#ifndef SPMMI_DENSE_BLAS_CUDA_H
#define SPMMI_DENSE_BLAS_CUDA_H

#include "executor/product.h"

struct spmmi_dense_blas;

/* Is the library there? Errors: UNSUPPORTED, and why no file of it can be loaded or what it lacks. */
spmm_status_t spmmi_dense_blas_check(spmm_diag_t *diag);

/* op(A) by rows, rows x cols, lda elements apart; it begins at a multiple of 16 bytes. */
struct spmmi_dense_operand {
    const void *data;
    int64_t rows, cols, lda;
    int is_tf32; /* f32: its values and those of B are tf32, which tensor cores may multiply */
};

/* For products on the current device. Errors: UNSUPPORTED, MEMORY, DEVICE. Close with spmmi_dense_blas_close, which
 * takes NULL. */
spmm_status_t spmmi_dense_blas_open(struct spmmi_dense_blas **blas, spmm_diag_t *diag);
void spmmi_dense_blas_close(struct spmmi_dense_blas *blas);

/* Enqueue C = alpha * A * B + beta * C; C may be f32 where A and B have 16 bits. The same algorithm at each call with
 * operands of the same shape and alignment: results are bitwise repeatable. *is_done stays 0 where the library has no
 * algorithm for them. Errors: DEVICE. */
spmm_status_t spmmi_dense_blas_multiply(struct spmmi_dense_blas *blas, const struct spmmi_dense_operand *a,
                                        const struct spmmi_product *product, void *workspace,
                                        uint64_t workspace_bytes, void *stream, int *is_done);

#endif
