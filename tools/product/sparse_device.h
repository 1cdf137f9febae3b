/* SPDX-License-Identifier: Apache-2.0 */
/* Runs sparse products of host matrices on a GPU: copies their arrays to the GPU and C back. */
#ifndef SPMM_TOOLS_SPARSE_DEVICE_H
#define SPMM_TOOLS_SPARSE_DEVICE_H

#include <spmm/product.h>

#include "tools/compute/device_memory.h"

/* The arrays on the GPU that an execution of a plan reads and writes. */
struct sparse_device {
    struct device_block values[SPMM_PRODUCT_FACTORS], diagonal, c, workspace;
    const void *operands[SPMM_PRODUCT_FACTORS];
};

/* Allocates and fills the arrays. operands has info->operand_count matrices with values of info->dtype.
 * diagonal->data may be NULL. */
spmm_status_t sparse_device_open(struct sparse_device *d, const spmm_product_info_t *info,
                                 const spmm_csr_t *operands, const spmm_dense_t *diagonal,
                                 uint64_t workspace_bytes, spmm_diag_t *diag);
void sparse_device_close(struct sparse_device *d);

/* Computes a product without a plan. The arrays of c are in host memory; the caller gives each to free. */
spmm_status_t sparse_device_once(int device, const spmm_csr_t *a, const spmm_csr_t *b,
                                 const spmm_product_once_options_t *options, spmm_csr_t *c,
                                 spmm_diag_t *diag);

#endif
