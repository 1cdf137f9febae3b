/* SPDX-License-Identifier: Apache-2.0 */
/* One product by cuSPARSE's generic SpMM: a stored A, an algorithm, its buffer and its preprocessing. */
#ifndef SPMM_TOOLS_CUSPARSE_PRODUCT_H
#define SPMM_TOOLS_CUSPARSE_PRODUCT_H

#include "bench_cusparse_store.h"
#include "cusparse_check.h"

struct cusparse_product {
    cusparseHandle_t handle;
    cusparseOperation_t op;
    struct cusparse_factors factors;
    cusparseSpMMAlg_t algorithm;
    /* The members below are set by cusparse_product_begin. */
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b, c;
    void *buffer;
    size_t buffer_bytes; /* size that cuSPARSE requests */
};

/* Describes A, B and C to cuSPARSE, makes the caller's buffer large enough, and preprocesses. The
 * descriptions are new for each product, because preprocessing ties them to the buffer. B and C must have
 * enough rows for whole blocks. Call cusparse_product_end even after a failure. */
spmm_status_t cusparse_product_begin(struct cusparse_product *product, const struct cusparse_stored *stored,
                                     const spmm_dense_t *b, const spmm_dense_t *c, int device,
                                     struct device_block *buffer, spmm_diag_t *diag);
void cusparse_product_end(struct cusparse_product *product);

/* Enqueues the product. context is a struct cusparse_product *. */
spmm_status_t cusparse_product_run(void *context, spmm_diag_t *diag);

/* Creates cuSPARSE's descriptor of A for the storage format that stored holds. */
cusparseStatus_t cusparse_stored_describe(const struct cusparse_stored *stored, cudaDataType type,
                                          cusparseSpMatDescr_t *a);

#endif
