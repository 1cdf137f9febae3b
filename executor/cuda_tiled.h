/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on a GPU: the packed layout of a part, its values, its launches. */
#ifndef SPMMI_CUDA_TILED_H
#define SPMMI_CUDA_TILED_H

#include "cuda_backend.h"
#include "executor/kernel_abi.h"

/* One tiled part on the device. */
struct spmmi_cuda_tiled {
    struct spmmi_tiled layout; /* device pointers */
    void *values;        /* the same as layout.values, to write: a number for each entry of layout.local */
    uint32_t *value_map; /* nnz: where each value of A goes */
};

/* The counts of a tiled part: all that its memory depends on. */
spmm_status_t spmmi_cuda_tiled_describe(const spmm_plan_t *plan, uint32_t part,
                                        struct spmmi_cuda_tiled *tiled, spmm_diag_t *diag);
/* Pack the part and copy it to the addresses that tiled holds; the pad of the values stays 0. */
spmm_status_t spmmi_cuda_tiled_upload(const spmm_plan_t *plan, uint32_t part,
                                      const struct spmmi_cuda_tiled *tiled, spmm_diag_t *diag);

/* Columns that a thread keeps (R) for a product of n columns. */
uint32_t spmmi_cuda_tiled_register_tile(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype, int64_t n);
/* Bytes of workspace for n columns: the partial sums. */
uint64_t spmmi_cuda_tiled_workspace(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype, int64_t n);
/* Enqueue a product; returns a cudaError_t. */
int spmmi_cuda_tiled_execute(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype,
                             const struct spmmi_product *product, void *workspace, int can_overlap,
                             void *stream);

#endif
