/* SPDX-License-Identifier: Apache-2.0 */
/* The window, panel and bcsr families on a GPU: the packed layout of a part, its values, its launches. */
#ifndef SPMMI_CUDA_FRAGMENTS_H
#define SPMMI_CUDA_FRAGMENTS_H

#include "executor/cuda/cuda_backend.h"
#include "kernels/long_rows/peeled_cuda.h"
#include "fragment_kernel.h"

/* One window, panel or bcsr part on the device. */
struct spmmi_cuda_fragments {
    struct spmmi_fragments layout; /* device pointers */
    spmm_family_t family;
    void *values;        /* the same as layout.values, to write */
    uint32_t *value_map; /* nnz: where each value of A goes */
    uint32_t shared_max; /* bytes of shared memory that a block of threads may have */
    int has_wgmma;
    struct spmmi_cuda_peeled peeled; /* rows that the layout has not */
    char *memory;                    /* all of the above, one allocation */
    uint64_t memory_bytes;
};

/* Bytes of memory that create will allocate. */
spmm_status_t spmmi_cuda_fragments_bytes(const spmm_plan_t *plan, uint32_t part,
                                         const struct spmmi_rows_device *figures, uint64_t *bytes,
                                         spmm_diag_t *diag);
/* Pack the part and copy it to the current device; all values are 0, and padding stays so. The caller frees memory,
 * after an error too. */
spmm_status_t spmmi_cuda_fragments_create(const spmm_plan_t *plan, uint32_t part, int device,
                                          const struct spmmi_rows_device *figures,
                                          struct spmmi_cuda_fragments *fragments, spmm_diag_t *diag);

/* Bytes of workspace: slots of split units, and row-major copies of column-major operands. */
uint64_t spmmi_cuda_fragments_workspace(const struct spmmi_cuda_fragments *fragments,
                                        const struct spmmi_product *product);
/* Enqueue a product; returns a cudaError_t. */
int spmmi_cuda_fragments_execute(const struct spmmi_cuda_fragments *fragments, spmm_compute_t compute,
                                 const struct spmmi_product *product, void *workspace, int can_overlap,
                                 void *stream);

#endif
