/* SPDX-License-Identifier: Apache-2.0 */
/* One dense product by cuBLAS: cublasGemmEx, and the first algorithms that cuBLASLt's heuristics propose. */
#ifndef SPMM_TOOLS_CUBLAS_PRODUCT_H
#define SPMM_TOOLS_CUBLAS_PRODUCT_H

#include <cublasLt.h>
#include <cublas_v2.h>

#include <spmm/common.h>

#define CUBLAS_ALGORITHMS 8

/* Returns SPMM_OK, or DEVICE with a sentence that begins with what. */
spmm_status_t cublas_check(cublasStatus_t error, const char *what, spmm_diag_t *diag);

/* The product in the column-major form of cuBLAS: C = op(left) right. Alpha is 1 and beta is 0. */
struct cublas_product {
    cublasHandle_t handle;
    cublasLtHandle_t lt;
    cublasOperation_t op_left;
    int64_t m, n, k, ld_left, ld_right, ld_c;
    const void *left, *right;
    void *c;
    cudaDataType type, c_type; /* type of left and right; type of C */
    cublasComputeType_t compute;
    void *workspace;
    size_t workspace_bytes;
    /* The members below are set by cublas_product_begin. */
    cublasLtMatmulDesc_t about;
    cublasLtMatrixLayout_t left_layout, right_layout, c_layout;
    cublasLtMatmulHeuristicResult_t algorithms[CUBLAS_ALGORITHMS];
    int algorithm_count; /* 0: cuBLASLt proposes none */
    int algorithm;       /* index of the algorithm that runs; -1: cublasGemmEx */
};

/* Describes the product to cuBLASLt and gets the algorithms. Call cublas_product_end even after a failure. */
spmm_status_t cublas_product_begin(struct cublas_product *product, spmm_diag_t *diag);
void cublas_product_end(struct cublas_product *product);

/* Enqueues the product. context is a struct cublas_product *. */
spmm_status_t cublas_product_run(void *context, spmm_diag_t *diag);

#endif
