/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on a GPU: the packed layout of a part, its values, its launches. */
#ifndef SPMMI_CUDA_TILED_H
#define SPMMI_CUDA_TILED_H

#include "executor/cuda/cuda_backend.h"
#include "tiled_kernel.h"

/* One tiled part on the device. */
struct spmmi_cuda_tiled {
    struct spmmi_tiled layout; /* device pointers */
    void *values;         /* the same as layout.values, to write: a number for each entry of layout.local */
    uint32_t *value_map;  /* nnz: where each value of A goes */
    uint32_t forced_tile; /* columns that a thread keeps (R); 0: by n */
    char *memory;         /* all of the above, one allocation */
    uint64_t memory_bytes;
};

/* Bytes of memory that create will allocate. */
spmm_status_t spmmi_cuda_tiled_bytes(const spmm_plan_t *plan, uint32_t part, uint64_t *bytes,
                                     spmm_diag_t *diag);
/* Pack the part and copy it to the current device; all values are 0, and those of the pad stay so. The caller frees
 * memory, after an error too. Errors beside those of packing: UNSUPPORTED when stages are too large for forced_tile. */
spmm_status_t spmmi_cuda_tiled_create(const spmm_plan_t *plan, uint32_t part, uint32_t forced_tile,
                                      struct spmmi_cuda_tiled *tiled, spmm_diag_t *diag);

/* Columns that a thread keeps (R) for a product of n columns. */
uint32_t spmmi_cuda_tiled_register_tile(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype, int64_t n);
/* Bytes of workspace for n columns: the partial sums. */
uint64_t spmmi_cuda_tiled_workspace(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype, int64_t n);
/* Enqueue a product; returns a cudaError_t. */
int spmmi_cuda_tiled_execute(const struct spmmi_cuda_tiled *tiled, spmm_dtype_t dtype,
                             const struct spmmi_product *product, void *workspace, int can_overlap,
                             void *stream);

#endif
