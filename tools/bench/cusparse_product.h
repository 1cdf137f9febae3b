/* SPDX-License-Identifier: Apache-2.0 */
/* One product by cuSPARSE's generic SpMM: a storage, an algorithm, its buffer and what it prepares. */
#ifndef SPMM_TOOLS_CUSPARSE_PRODUCT_H
#define SPMM_TOOLS_CUSPARSE_PRODUCT_H

#include "bench_cusparse_store.h"
#include "cusparse_check.h"

struct cusparse_product {
    cusparseHandle_t handle;
    cusparseOperation_t op;
    struct cusparse_factors factors;
    cusparseSpMMAlg_t algorithm;
    /* Set by cusparse_product_begin. */
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b, c;
    void *buffer;
    size_t buffer_bytes; /* that cuSPARSE asked for */
};

/* Describe A, B and C anew, as preparing ties them to the buffer, which is made large enough and belongs to the caller;
 * prepare. B and C have the rows of all blocks. End it also after a failure. */
spmm_status_t cusparse_product_begin(struct cusparse_product *product, const struct cusparse_stored *stored,
                                     const spmm_dense_t *b, const spmm_dense_t *c, int device,
                                     struct device_block *buffer, spmm_diag_t *diag);
void cusparse_product_end(struct cusparse_product *product);

/* Enqueue it; context is a struct cusparse_product. */
spmm_status_t cusparse_product_run(void *context, spmm_diag_t *diag);

/* A as cuSPARSE sees it, by what the storage holds. */
cusparseStatus_t cusparse_stored_describe(const struct cusparse_stored *stored, cudaDataType type,
                                          cusparseSpMatDescr_t *a);

#endif
