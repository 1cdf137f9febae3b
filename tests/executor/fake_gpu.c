/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_gpu.h. */
#include "fake_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/certify/certify_side.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

struct fake_gpu fake_gpu;

int spmmi_cuda_device_count(void)
{
    return fake_gpu.count;
}

int spmmi_cuda_device_runs(int device)
{
    return device < fake_gpu.count && fake_gpu.runs;
}

spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size)
{
    (void)snprintf(text, size, "GPU %d", device);
    return fake_gpu.name;
}

uint32_t spmmi_cuda_target(int device)
{
    (void)device;
    return fake_gpu.target != 0 ? fake_gpu.target : 90;
}

static spmm_status_t answer(spmm_status_t status, spmm_diag_t *diag)
{
    return status == SPMM_OK ? SPMM_OK
                             : spmmi_diag_set(diag, status, (struct spmmi_where){0, 0, 0}, "the GPU says no");
}

spmm_status_t spmmi_cuda_needs(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                               struct spmmi_first_values first, struct spmmi_needs *needs, spmm_diag_t *diag)
{
    (void)device;
    fake_gpu.first = first;
    fake_gpu.new_values = options->new_values;
    fake_gpu.host_allowed =
        needs->host_allowed > fake_gpu.host_allowed ? needs->host_allowed : fake_gpu.host_allowed;
    fake_gpu.device_allowed =
        needs->device_allowed > fake_gpu.device_allowed ? needs->device_allowed : fake_gpu.device_allowed;
    needs->host += 500;
    needs->device += FAKE_GPU_BYTES;
    spmmi_needs_part(needs, &plan->parts[0], 900);
    return answer(fake_gpu.memory, diag);
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_first_values first, struct spmmi_cuda **cuda, spmm_diag_t *diag)
{
    (void)plan, (void)device;
    fake_gpu.creates++;
    fake_gpu.first = first;
    fake_gpu.new_values = options->new_values;
    fake_gpu.has_allocator = options->allocator != NULL;
    *cuda = fake_gpu.parts != NULL ? (struct spmmi_cuda *)(void *)&fake_gpu : NULL;
    return fake_gpu.parts != NULL ? SPMM_OK : answer(FAKE_GPU_CREATED, diag);
}

void spmmi_cuda_destroy(struct spmmi_cuda *cuda)
{
    (void)cuda;
}

struct spmmi_cuda_bytes spmmi_cuda_bytes(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return (struct spmmi_cuda_bytes){FAKE_GPU_BYTES, FAKE_GPU_PEAK, FAKE_GPU_POOL, FAKE_GPU_MAPS};
}

const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return fake_gpu.parts;
}

const struct spmmi_device_memory *spmmi_cuda_memory(const struct spmmi_cuda *cuda)
{
    static const struct spmmi_device_memory own;
    (void)cuda;
    return &own;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag)
{
    (void)cuda, (void)values, (void)stream;
    return answer(fake_gpu.run, diag);
}

spmm_status_t spmmi_cuda_values_open(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag)
{
    (void)cuda, (void)stream;
    fake_gpu.opens++;
    return answer(fake_gpu.open, diag);
}

/* Counts the waits, and those during which the lock of the values is free, so that products of other threads
 * could start. */
spmm_status_t spmmi_cuda_values_wait(const struct spmmi_cuda *cuda, const void *values, void *stream,
                                     spmm_diag_t *diag)
{
    (void)cuda, (void)values, (void)stream;
    fake_gpu.waits++;
    if (fake_gpu.watched != NULL && pthread_rwlock_tryrdlock(fake_gpu.watched->values_lock) == 0)
        fake_gpu.free_waits += pthread_rwlock_unlock(fake_gpu.watched->values_lock) == 0;
    return answer(fake_gpu.waits > fake_gpu.waits_well ? fake_gpu.wait : SPMM_OK, diag);
}

const void *spmmi_cuda_values(const struct spmmi_cuda *cuda)
{
    (void)cuda;
    return fake_gpu.values;
}

spmm_status_t spmmi_cuda_values_read(const struct spmmi_cuda *cuda, const void *from, void *values,
                                     spmm_diag_t *diag)
{
    (void)cuda, (void)from;
    if (fake_gpu.values != NULL)
        memcpy(values, fake_gpu.values, fake_gpu.value_bytes);
    return answer(fake_gpu.values != NULL ? SPMM_OK : SPMM_ERR_DEVICE, diag);
}

uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product)
{
    (void)cuda, (void)variant, (void)product;
    return FAKE_GPU_WORKSPACE;
}

spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                                 void *workspace, void *stream, spmm_diag_t *diag)
{
    (void)cuda, (void)variant, (void)product, (void)workspace, (void)stream;
    return answer(fake_gpu.run, diag);
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size)
{
    (void)cuda, (void)variant, (void)product;
    (void)snprintf(text, size, "cuda/fake");
}

uint64_t spmmi_certify_cuda_upload_bytes(const struct spmmi_certify_csr *a, spmm_dtype_t dtype)
{
    return (uint64_t)a->rows * FAKE_GPU_ROW + (uint64_t)a->nnz * spmm_dtype_size(dtype);
}

uint64_t spmmi_certify_cuda_bytes(const struct spmmi_certify_job *job)
{
    return FAKE_GPU_CHECK + (uint64_t)job->vectors;
}

spmm_status_t spmmi_certify_cuda_upload(const struct spmmi_device_memory *from,
                                        const struct spmmi_certify_csr *a, spmm_dtype_t dtype,
                                        struct spmmi_certify_device **made, spmm_diag_t *diag)
{
    (void)from, (void)a, (void)dtype;
    *made = fake_gpu.upload == SPMM_OK ? spmmi_alloc_zero(1, sizeof **made) : NULL;
    fake_gpu.uploads += *made != NULL;
    return answer(fake_gpu.upload, diag);
}

void spmmi_certify_cuda_free(struct spmmi_certify_device *a)
{
    fake_gpu.uploads -= a != NULL;
    spmmi_free(a);
}

spmm_status_t spmmi_certify_cuda(const struct spmmi_certify_device *a, const struct spmmi_certify_job *job,
                                 void *stream, struct spmmi_certify_findings *findings, spmm_diag_t *diag)
{
    (void)a, (void)stream, (void)findings;
    fake_gpu.was_tensor = job->is_tensor;
    return answer(fake_gpu.run, diag);
}

static spmm_status_t supports(const struct spmmi_part_source *source, spmm_diag_t *diag)
{
    (void)source;
    return answer(fake_gpu.supports, diag);
}

static const struct spmmi_backend no_backend, other_backend = {.supports = supports};
const struct spmmi_kernel spmmi_cuda_kernels[] = {
    {"cuda/tiled/whole", SPMM_FAMILY_TILED, SPMM_SCHEDULE_WHOLE, &other_backend},
    {"cuda/rows/row-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, &no_backend},
    {NULL, (spmm_family_t)0, (spmm_schedule_t)0, NULL},
};

void fake_gpu_works(void)
{
    fake_gpu.count = fake_gpu.runs = 1;
    fake_gpu.name = fake_gpu.memory = fake_gpu.run = SPMM_OK;
}

spmm_executor_t *fake_gpu_executor(const spmm_plan_t *plan, const spmm_family_t *families, uint32_t count)
{
    spmm_executor_t *executor = NULL;
    fake_gpu_works();
    fake_gpu.parts = calloc(1, sizeof *fake_gpu.parts + count * sizeof fake_gpu.parts->list[0]);
    assert_non_null(fake_gpu.parts);
    fake_gpu.parts->count = count;
    for (uint32_t i = 0; i < count; i++)
        fake_gpu.parts->list[i].part.family = families[i];
    assert_int_equal(spmm_executor_create(plan, 0, NULL, &executor, NULL), SPMM_OK);
    return executor;
}

void fake_gpu_executor_free(spmm_executor_t *executor)
{
    spmm_executor_destroy(executor);
    free(fake_gpu.parts);
    fake_gpu.parts = NULL;
}
