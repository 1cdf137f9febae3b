/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU side of the executor behind a C wall: cuda_backend.c implements it where CUDA is built in,
 * cuda_none.c where it is not (no device, NO_DEVICE from create).
 * The callers have checked every argument: shapes, types, overlap, op present in the plan.       */
#ifndef SPMMI_CUDA_BACKEND_H
#define SPMMI_CUDA_BACKEND_H

#include "format/plan.h"

struct spmmi_cuda;

/* One product as execute, workspace and info see it. */
struct spmmi_product {
    int variant; /* index into the plan's variants */
    spmm_op_t op;
    double alpha, beta;
    const spmm_dense_t *b, *c;
};

/* Column j of B or C; NULL where there are no data: B of a product with alpha = 0. */
static inline char *spmmi_cuda_at_column(const spmm_dense_t *dense, int64_t j)
{
    if (dense->data == NULL)
        return NULL;
    const int64_t step = dense->order == SPMM_ROW_MAJOR ? 1 : dense->ld;
    return (char *)dense->data + (size_t)(j * step) * spmm_dtype_size(dense->type);
}

int spmmi_cuda_device_count(void);
int spmmi_cuda_device_runs(int device); /* it exists, and this build has code for it */
spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size);
uint32_t spmmi_cuda_target(int device); /* compute capability, 90 for 9.0 */

/* Device bytes that create will allocate for this plan. force_kernel: spmmi_cuda_has_kernel knows it, or NULL. */
spmm_status_t spmmi_cuda_memory_bytes(const spmm_plan_t *plan, int device, const char *force_kernel,
                                      uint64_t *device_bytes, spmm_diag_t *diag);
spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const char *force_kernel,
                                struct spmmi_cuda **cuda, spmm_diag_t *diag);
void spmmi_cuda_destroy(struct spmmi_cuda *cuda);
uint64_t spmmi_cuda_device_bytes(const struct spmmi_cuda *cuda);

/* values: host or device pointer, nnz numbers in CSR order of A. */
spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag);
spmm_status_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, const struct spmmi_product *product,
                                         uint64_t *bytes);
spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, const struct spmmi_product *product,
                                 void *workspace, uint64_t workspace_bytes, void *stream);
/* Name of the kernel that execute would launch. */
void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, const struct spmmi_product *product, char *text,
                       size_t size);

/* The GPU part of the kernel catalogue. */
int spmmi_cuda_kernel_count(void);
const char *spmmi_cuda_kernel_name(int index);
/* Is it a name of that catalogue, or one of the tiled family with columns a thread, such as cuda/tiled/whole/r32? */
int spmmi_cuda_has_kernel(const char *name);

#endif
