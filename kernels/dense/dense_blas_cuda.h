/* SPDX-License-Identifier: Apache-2.0 */
/* Dense products through cuBLASLt. It is loaded when a part first needs it: spmm is not linked to it. */
#ifndef SPMMI_DENSE_BLAS_CUDA_H
#define SPMMI_DENSE_BLAS_CUDA_H

#include "executor/product.h"

struct spmmi_dense_blas;

/* Checks that cuBLASLt can be loaded. Errors: UNSUPPORTED, with the loader's message or the
 * name of a missing function. */
spmm_status_t spmmi_dense_blas_check(spmm_diag_t *diag);

/* op(A) by rows: rows x cols, lda elements apart. Its address is a multiple of 16 bytes. */
struct spmmi_dense_operand {
    const void *data;
    int64_t rows, cols, lda;
    int is_tf32; /* f32: the values of A and B are tf32 values, so that tensor cores may multiply them */
};

/* Opens cuBLASLt for products on the current device. Errors: UNSUPPORTED, MEMORY, DEVICE. Close it with
 * spmmi_dense_blas_close, which accepts NULL. */
spmm_status_t spmmi_dense_blas_open(struct spmmi_dense_blas **blas, spmm_diag_t *diag);
void spmmi_dense_blas_close(struct spmmi_dense_blas *blas);

/* Enqueues C = alpha * A * B + beta * C; C may be f32 if A and B have 16 bits. Operands of the same shape and
 * alignment always get the same algorithm: results are bitwise repeatable. *is_done stays 0 if the library
 * has no algorithm for them. Errors: DEVICE. */
spmm_status_t spmmi_dense_blas_multiply(struct spmmi_dense_blas *blas, const struct spmmi_dense_operand *a,
                                        const struct spmmi_product *product, void *workspace,
                                        uint64_t workspace_bytes, void *stream, int *is_done);

#endif
