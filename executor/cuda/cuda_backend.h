/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU side of the executor behind a C interface: cuda_backend.c implements it where CUDA is built in,
 * cuda_none.c where it is not (no device, NO_DEVICE from create).
 * The callers have checked every argument: shapes, types, overlap, op present in the plan. */
#ifndef SPMMI_CUDA_BACKEND_H
#define SPMMI_CUDA_BACKEND_H

#include <spmm/executor.h>

#include "executor/backend.h"
#include "executor/needs.h"

struct spmmi_cuda;

int spmmi_cuda_device_count(void);
int spmmi_cuda_device_runs(int device); /* it exists, and this build has code for it */
spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size);
uint32_t spmmi_cuda_target(int device); /* compute capability, 90 for 9.0 */

/* Values of so many nonzeros stay on the device in any case: operators are made of them (spmm_executor_prepare). */
#define SPMMI_CUDA_VALUES_KEPT 4096

/* Adds what create will take of both memories for this plan. Of options, which were read, force_kernel is a name of the
 * GPU's catalogue or NULL. Errors: those of create, and PLAN_BUDGET. */
spmm_status_t spmmi_cuda_needs(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                               struct spmmi_first_values first, struct spmmi_needs *needs, spmm_diag_t *diag);
/* With unit_values each value is 1, whatever the plan holds. */
spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_first_values first, struct spmmi_cuda **cuda, spmm_diag_t *diag);
void spmmi_cuda_destroy(struct spmmi_cuda *cuda);
/* Device memory: what it holds, the most that it held, and what the pool of its GPU has for all. */
struct spmmi_cuda_bytes {
    uint64_t held, peak, pool;
    uint64_t host; /* maps of new values, which are on the host until there are some */
};
struct spmmi_cuda_bytes spmmi_cuda_bytes(const struct spmmi_cuda *cuda);
const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda); /* what was made */
/* Where its device memory comes from. */
const struct spmmi_device_memory *spmmi_cuda_memory(const struct spmmi_cuda *cuda);

/* Memory that new values need, if it was not taken before: other products may run meanwhile. Nothing changes after an
 * error: ARGUMENT (a product was captured that will not see new values, or the stream is being captured), PLAN_BUDGET,
 * DEVICE_MEMORY, DEVICE (also where another stream is being captured). */
spmm_status_t spmmi_cuda_values_open(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag);
/* Enqueues, after spmmi_cuda_values_open. ARGUMENT as there. values: host or device pointer, nnz values in CSR order of
 * A; those of the host must live until spmmi_cuda_values_wait, and pageable ones make CUDA wait for work that stream
 * has. */
spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag);
/* Waits for stream if the values are of the host. */
spmm_status_t spmmi_cuda_values_wait(const struct spmmi_cuda *cuda, const void *values, void *stream,
                                     spmm_diag_t *diag);
/* Those of A in its order on the device; NULL: all are the same, and none are held. */
const void *spmmi_cuda_values(const struct spmmi_cuda *cuda);
/* These, of up to SPMMI_CUDA_VALUES_KEPT, to the host: waits for all of the device. */
spmm_status_t spmmi_cuda_values_read(const struct spmmi_cuda *cuda, const void *from, void *values,
                                     spmm_diag_t *diag);
/* variant: the one that the product was given to. */
uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product);
spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                                 void *workspace, void *stream, spmm_diag_t *diag);
/* Name of the kernel that execute would launch. */
void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size);

#endif
