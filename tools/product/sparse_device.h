/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of matrices on the host that a GPU computes: their arrays go there, C comes back. */
#ifndef SPMM_TOOLS_SPARSE_DEVICE_H
#define SPMM_TOOLS_SPARSE_DEVICE_H

#include <spmm/product.h>

#include "tools/compute/device_memory.h"

/* What an execution of a plan reads and writes, on the GPU. */
struct sparse_device {
    struct device_block values[SPMM_PRODUCT_FACTORS], diagonal, c, workspace;
    const void *operands[SPMM_PRODUCT_FACTORS];
};

/* operands: as many as info says, with values of its type; diagonal may have no data. */
spmm_status_t sparse_device_open(struct sparse_device *d, const spmm_product_info_t *info,
                                 const spmm_csr_t *operands, const spmm_dense_t *diagonal,
                                 uint64_t workspace_bytes, spmm_diag_t *diag);
void sparse_device_close(struct sparse_device *d);

/* A product without a plan. c: arrays of the host, to be given to free. */
spmm_status_t sparse_device_once(int device, const spmm_csr_t *a, const spmm_csr_t *b,
                                 const spmm_product_once_options_t *options, spmm_csr_t *c,
                                 spmm_diag_t *diag);

#endif
