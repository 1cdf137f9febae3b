/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU side of the executor in a build without CUDA: there is no device. */
#include "cuda_backend.h"

#include "executor/certify/certify_side.h"
#include "format/base/diag.h"

int spmmi_cuda_device_count(void)
{
    return 0;
}

int spmmi_cuda_device_runs(int device)
{
    (void)device;
    return 0;
}

spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size)
{
    (void)device, (void)text, (void)size;
    return SPMM_ERR_NO_DEVICE;
}

uint32_t spmmi_cuda_target(int device)
{
    (void)device;
    return 0;
}

spmm_status_t spmmi_cuda_needs(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                               struct spmmi_first_values first, struct spmmi_needs *needs, spmm_diag_t *diag)
{
    (void)plan, (void)device, (void)options, (void)first, (void)needs, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_first_values first, struct spmmi_cuda **cuda, spmm_diag_t *diag)
{
    (void)plan, (void)options, (void)first;
    *cuda = NULL;
    return spmmi_diag_set(diag, SPMM_ERR_NO_DEVICE, (struct spmmi_where){0, 0, 0},
                          "GPU %d was asked for, but this build has no GPU support", device);
}

void spmmi_cuda_destroy(struct spmmi_cuda *cuda)
{
    (void)cuda;
}

struct spmmi_cuda_bytes spmmi_cuda_bytes(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return (struct spmmi_cuda_bytes){0, 0, 0, 0};
}

const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return NULL;
}

const struct spmmi_device_memory *spmmi_cuda_memory(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return NULL;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag)
{
    (void)cuda, (void)values, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_cuda_values_wait(const struct spmmi_cuda *cuda, const void *values, void *stream,
                                     spmm_diag_t *diag)
{
    (void)cuda, (void)values, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_cuda_values_open(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag)
{
    (void)cuda, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

const void *spmmi_cuda_values(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return NULL;
}

spmm_status_t spmmi_cuda_values_read(const struct spmmi_cuda *cuda, const void *from, void *values,
                                     spmm_diag_t *diag)
{
    (void)cuda, (void)from, (void)values, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product)
{
    (void)cuda, (void)variant, (void)product;
    return 0;
}

spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                                 void *workspace, void *stream, spmm_diag_t *diag)
{
    (void)cuda, (void)variant, (void)product, (void)workspace, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size)
{
    (void)cuda, (void)variant, (void)product;
    if (size > 0)
        text[0] = '\0';
}

uint64_t spmmi_certify_cuda_upload_bytes(const struct spmmi_certify_csr *a, spmm_dtype_t dtype)
{
    (void)a, (void)dtype;
    return 0;
}

uint64_t spmmi_certify_cuda_bytes(const struct spmmi_certify_job *job)
{
    (void)job;
    return 0;
}

spmm_status_t spmmi_certify_cuda_upload(const struct spmmi_device_memory *from,
                                        const struct spmmi_certify_csr *a, spmm_dtype_t dtype,
                                        struct spmmi_certify_device **made, spmm_diag_t *diag)
{
    (void)from, (void)a, (void)dtype, (void)diag;
    *made = NULL;
    return SPMM_ERR_NO_DEVICE;
}

void spmmi_certify_cuda_free(struct spmmi_certify_device *a)
{
    (void)a;
}

spmm_status_t spmmi_certify_cuda(const struct spmmi_certify_device *a, const struct spmmi_certify_job *job,
                                 void *stream, struct spmmi_certify_findings *findings, spmm_diag_t *diag)
{
    (void)a, (void)job, (void)stream, (void)findings, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

const struct spmmi_kernel spmmi_cuda_kernels[] = {{NULL, (spmm_family_t)0, (spmm_schedule_t)0, NULL}};
