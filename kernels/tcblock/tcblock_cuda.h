/* SPDX-License-Identifier: Apache-2.0 */
/* GPU side of the families that store A as tensor-core operands: the packed layout of a part,
 * its values, its launches. */
#ifndef SPMMI_TCBLOCK_CUDA_H
#define SPMMI_TCBLOCK_CUDA_H

#include "executor/backend.h"
#include "tcblock_kind.h"

/* The properties of one family. */
struct spmmi_tcblock_gpu {
    const struct spmmi_tcblock_kind *kind;
    /* Launches the kernels. Returns a cudaError_t, 0 = enqueued. */
    int (*launch)(const struct spmmi_tcblock_cuda *args);
    int takes_columns;  /* launch takes column-major B and C */
    int stores_columns; /* launch takes column-major C with row-major B, and may start early */
    /* Optional. Checks that there is a kernel for this layout if a thread block may use shared_max bytes of
     * shared memory. Errors: UNSUPPORTED. */
    spmm_status_t (*fits)(const struct spmmi_tcblocks *layout, uint32_t value_bytes, uint32_t shared_max,
                          spmm_diag_t *diag);
    /* Optional. Returns the item size of the part on the source's device; NULL: as in the plan. */
    uint32_t (*item_size)(const struct spmmi_part_source *source);
};

/* Functions of struct spmmi_backend for families whose kind is a struct spmmi_tcblock_gpu. */
spmm_status_t spmmi_cuda_tcblocks_create(const struct spmmi_part_source *source, void **state,
                                         uint64_t *bytes, spmm_diag_t *diag);
void spmmi_cuda_tcblocks_destroy(void *state);
spmm_status_t spmmi_cuda_tcblocks_set_values(void *state, const void *values, void *stream);
struct spmmi_value_memory *spmmi_cuda_tcblocks_value_memory(void *state, int index);
uint64_t spmmi_cuda_tcblocks_workspace(const void *state, const struct spmmi_product *product);
spmm_status_t spmmi_cuda_tcblocks_run(const void *state, const struct spmmi_product *product, void *workspace,
                                      void *stream);
void spmmi_cuda_tcblocks_part_name(const struct spmmi_part *part, spmm_compute_t compute, int has_long_rows,
                                   char *text, size_t size);
void spmmi_cuda_tcblocks_describe(const void *state, const struct spmmi_product *product, char *text,
                                  size_t size);
#define SPMMI_CUDA_TCBLOCKS                                                                         \
    .create = spmmi_cuda_tcblocks_create, .destroy = spmmi_cuda_tcblocks_destroy,                   \
    .set_values = spmmi_cuda_tcblocks_set_values, .value_memory = spmmi_cuda_tcblocks_value_memory, \
    .workspace = spmmi_cuda_tcblocks_workspace, .run = spmmi_cuda_tcblocks_run,                     \
    .describe = spmmi_cuda_tcblocks_describe, .part_name = spmmi_cuda_tcblocks_part_name

#endif
