/* SPDX-License-Identifier: Apache-2.0 */
/* One dense product by cuBLAS: cublasGemmEx, and the algorithms that cuBLASLt's heuristics propose first. */
#ifndef SPMM_TOOLS_CUBLAS_PRODUCT_H
#define SPMM_TOOLS_CUBLAS_PRODUCT_H

#include <cublasLt.h>
#include <cublas_v2.h>

#include <spmm/common.h>

#define CUBLAS_ALGORITHMS 8

/* SPMM_OK, or DEVICE with a sentence that begins with what. */
spmm_status_t cublas_check(cublasStatus_t error, const char *what, spmm_diag_t *diag);

/* As cuBLAS sees it, column-major: C = op(left) right. Alpha is 1 and beta is 0. */
struct cublas_product {
    cublasHandle_t handle;
    cublasLtHandle_t lt;
    cublasOperation_t op_left;
    int64_t m, n, k, ld_left, ld_right, ld_c;
    const void *left, *right;
    void *c;
    cudaDataType type, c_type; /* of left and right; of C */
    cublasComputeType_t compute;
    void *workspace;
    size_t workspace_bytes;
    /* Set by cublas_product_begin. */
    cublasLtMatmulDesc_t about;
    cublasLtMatrixLayout_t left_layout, right_layout, c_layout;
    cublasLtMatmulHeuristicResult_t algorithms[CUBLAS_ALGORITHMS];
    int algorithm_count; /* 0: cuBLASLt has none for it */
    int algorithm;       /* that runs; -1: cublasGemmEx */
};

/* Describe it to cuBLASLt and ask for algorithms; end it also after a failure. */
spmm_status_t cublas_product_begin(struct cublas_product *product, spmm_diag_t *diag);
void cublas_product_end(struct cublas_product *product);

/* Enqueue it; context is a struct cublas_product. */
spmm_status_t cublas_product_run(void *context, spmm_diag_t *diag);

#endif
