/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU side of the executor as a C interface. cuda_backend.c implements it in builds with CUDA,
 * cuda_none.c in builds without (no devices; create returns NO_DEVICE). Callers have checked every argument:
 * shapes, types, overlap, op present in the plan. */
#ifndef SPMMI_CUDA_BACKEND_H
#define SPMMI_CUDA_BACKEND_H

#include <spmm/executor.h>

#include "executor/backend.h"
#include "executor/needs.h"

struct spmmi_cuda;

int spmmi_cuda_device_count(void);
int spmmi_cuda_device_runs(int device); /* true if it exists and this build has code for it */
spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size);
uint32_t spmmi_cuda_target(int device); /* compute capability, 90 for 9.0 */

/* Values of up to this many nonzeros stay on the device, unless all are equal and none are held:
 * spmm_executor_prepare makes operators from them. */
#define SPMMI_CUDA_VALUES_KEPT 4096

/* Adds the host and device memory that spmmi_cuda_create takes for this plan. options have been
 * read; their force_kernel is NULL or a name that the GPU catalogue has. Errors: as
 * spmmi_cuda_create, and PLAN_BUDGET. */
spmm_status_t spmmi_cuda_needs(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                               struct spmmi_first_values first, struct spmmi_needs *needs, spmm_diag_t *diag);
/* With unit_values each value is 1, whatever the plan holds. */
spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_first_values first, struct spmmi_cuda **cuda, spmm_diag_t *diag);
void spmmi_cuda_destroy(struct spmmi_cuda *cuda);
/* Device memory: bytes held now, maximum held so far, and bytes reserved by the
 * GPU's pool for all objects. */
struct spmmi_cuda_bytes {
    uint64_t held, peak, pool;
    uint64_t host; /* host bytes of maps for new values, which stay there until new values are set */
};
struct spmmi_cuda_bytes spmmi_cuda_bytes(const struct spmmi_cuda *cuda);
const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda); /* the loaded parts */
/* Returns the source of its device memory. */
const struct spmmi_device_memory *spmmi_cuda_memory(const struct spmmi_cuda *cuda);

/* Allocates the memory that new values need, unless it exists; other products may run meanwhile. Nothing
 * changes after an error: ARGUMENT (a captured product would not see new values, or the stream is being
 * captured), PLAN_BUDGET, DEVICE_MEMORY, DEVICE (also if another stream is being captured). */
spmm_status_t spmmi_cuda_values_open(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag);
/* Enqueues the new values, after spmmi_cuda_values_open. values is a host or device pointer to nnz values in
 * CSR order of A. Host values must live until spmmi_cuda_values_wait returns; if they are pageable, CUDA
 * waits for the work in stream. Errors: ARGUMENT as there, DEVICE. */
spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag);
/* Waits for stream if values are in host memory. */
spmm_status_t spmmi_cuda_values_wait(const struct spmmi_cuda *cuda, const void *values, void *stream,
                                     spmm_diag_t *diag);
/* Returns the values of A in its order on the device; NULL: all are equal, and none are held. */
const void *spmmi_cuda_values(const struct spmmi_cuda *cuda);
/* Copies up to SPMMI_CUDA_VALUES_KEPT values from `from`, a result of spmmi_cuda_values, to the host; NULL:
 * fills in the value that all have. Waits for all work on the device. */
spmm_status_t spmmi_cuda_values_read(const struct spmmi_cuda *cuda, const void *from, void *values,
                                     spmm_diag_t *diag);
/* variant is the index of the variant that was chosen for the product. */
uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product);
spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                                 void *workspace, void *stream, spmm_diag_t *diag);
/* Writes the name of the kernel that execute would launch. */
void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size);

#endif
