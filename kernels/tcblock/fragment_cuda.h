/* SPDX-License-Identifier: Apache-2.0 */
/* Families that hold A as operands of tensor cores, on a GPU: the packed layout of a part, its values, its launches. */
#ifndef SPMMI_FRAGMENT_CUDA_H
#define SPMMI_FRAGMENT_CUDA_H

#include "executor/backend.h"
#include "fragment_kind.h"

/* What differs between them. */
struct spmmi_fragment_gpu {
    const struct spmmi_fragment_kind *kind;
    /* B and C are row-major. Returns a cudaError_t, 0 = enqueued. */
    int (*launch)(const struct spmmi_fragment_cuda *args);
    /* Optional. Is there a kernel for this layout where a block of threads may have so many bytes of shared memory?
     * Errors: UNSUPPORTED. */
    spmm_status_t (*fits)(const struct spmmi_fragments *layout, uint32_t number_bytes, uint32_t shared_max,
                          spmm_diag_t *diag);
};

/* Of struct spmmi_backend, for families whose kind is a struct spmmi_fragment_gpu. */
spmm_status_t spmmi_cuda_fragments_create(const struct spmmi_part_source *source, void **state,
                                          uint64_t *bytes, spmm_diag_t *diag);
void spmmi_cuda_fragments_destroy(void *state);
spmm_status_t spmmi_cuda_fragments_set_values(void *state, const void *values, void *stream);
uint64_t spmmi_cuda_fragments_workspace(const void *state, const struct spmmi_product *product);
spmm_status_t spmmi_cuda_fragments_run(const void *state, const struct spmmi_product *product,
                                       void *workspace, void *stream);
void spmmi_cuda_fragments_describe(const void *state, const struct spmmi_product *product, char *text,
                                   size_t size);
#define SPMMI_CUDA_FRAGMENTS                                                                    \
    .create = spmmi_cuda_fragments_create, .destroy = spmmi_cuda_fragments_destroy,             \
    .set_values = spmmi_cuda_fragments_set_values, .workspace = spmmi_cuda_fragments_workspace, \
    .run = spmmi_cuda_fragments_run, .describe = spmmi_cuda_fragments_describe

#endif
