/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools ask of the CUDA runtime, behind a C interface: gpu_cuda.c where CUDA is built in,
 * gpu_none.c (every call fails with NO_DEVICE) where it is not. All work goes to the default stream. */
#ifndef SPMM_TOOLS_GPU_H
#define SPMM_TOOLS_GPU_H

#include <spmm/common.h>

struct gpu_event; /* a point in the stream that carries a time */

/* Why spmm_device_count is 0: a build without CUDA or a machine without a GPU. */
const char *gpu_absence(void);
/* Fail where the executor cannot use this GPU, with the reason. */
spmm_status_t gpu_require(int device, spmm_diag_t *diag);
spmm_status_t gpu_select(int device, spmm_diag_t *diag);
spmm_status_t gpu_memory_free(uint64_t *bytes, spmm_diag_t *diag);
spmm_status_t gpu_alloc(void **block, uint64_t bytes, spmm_diag_t *diag);
void gpu_free(void *block);
/* Host memory that the GPU reads and writes at full speed. */
spmm_status_t gpu_alloc_pinned(void **block, uint64_t bytes, spmm_diag_t *diag);
void gpu_free_pinned(void *block);
/* Each side may be host or device memory; done when the call returns. */
spmm_status_t gpu_copy(void *to, const void *from, uint64_t bytes, spmm_diag_t *diag);
spmm_status_t gpu_fill(void *block, int byte, uint64_t bytes, spmm_diag_t *diag); /* enqueued */
spmm_status_t gpu_synchronize(spmm_diag_t *diag);

spmm_status_t gpu_event_create(struct gpu_event **event, spmm_diag_t *diag);
void gpu_event_destroy(struct gpu_event *event);
spmm_status_t gpu_event_record(struct gpu_event *event, spmm_diag_t *diag);
/* After gpu_synchronize: milliseconds between two recorded events. */
spmm_status_t gpu_event_elapsed(const struct gpu_event *from, const struct gpu_event *to, double *ms,
                                spmm_diag_t *diag);

#endif
