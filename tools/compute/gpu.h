/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA runtime functions that the tools need, with a C interface. gpu_cuda.c implements them in a build
 * with CUDA. In a build without it, every function of gpu_none.c fails with NO_DEVICE. All work runs on the
 * default stream. */
#ifndef SPMM_TOOLS_GPU_H
#define SPMM_TOOLS_GPU_H

#include <spmm/common.h>

struct gpu_event; /* a point in the stream whose time is recorded */

/* Returns the reason why spmm_device_count is 0: a build without CUDA or a machine without a GPU. */
const char *gpu_absence(void);
/* Fails with the reason if the executor cannot use this GPU. */
spmm_status_t gpu_require(int device, spmm_diag_t *diag);
spmm_status_t gpu_select(int device, spmm_diag_t *diag);
spmm_status_t gpu_memory_free(uint64_t *bytes, spmm_diag_t *diag);
spmm_status_t gpu_alloc(void **block, uint64_t bytes, spmm_diag_t *diag);
void gpu_free(void *block);
/* Allocates pinned host memory, which the GPU reads and writes at full speed. */
spmm_status_t gpu_alloc_pinned(void **block, uint64_t bytes, spmm_diag_t *diag);
void gpu_free_pinned(void *block);
/* Copies between host or device memory in any combination. The copy is complete when the call returns. */
spmm_status_t gpu_copy(void *to, const void *from, uint64_t bytes, spmm_diag_t *diag);
spmm_status_t gpu_fill(void *block, int byte, uint64_t bytes, spmm_diag_t *diag); /* asynchronous */
spmm_status_t gpu_synchronize(spmm_diag_t *diag);

spmm_status_t gpu_event_create(struct gpu_event **event, spmm_diag_t *diag);
void gpu_event_destroy(struct gpu_event *event);
spmm_status_t gpu_event_record(struct gpu_event *event, spmm_diag_t *diag);
/* Computes the milliseconds between two recorded events. Call it after gpu_synchronize. */
spmm_status_t gpu_event_elapsed(const struct gpu_event *from, const struct gpu_event *to, double *ms,
                                spmm_diag_t *diag);

#endif
