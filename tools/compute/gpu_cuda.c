/* SPDX-License-Identifier: Apache-2.0 */
/* Implements gpu.h with the CUDA runtime. */
#include "gpu.h"

#include <cuda_runtime_api.h>

#include "tools/cli/fail.h"

static spmm_status_t check(cudaError_t error, const char *what, spmm_diag_t *diag)
{
    if (error == cudaSuccess)
        return SPMM_OK;
    (void)cudaGetLastError(); /* clears the error so that a later call does not report it again */
    const spmm_status_t status = error == cudaErrorMemoryAllocation ? SPMM_ERR_DEVICE_MEMORY
                                 : error == cudaErrorNoDevice || error == cudaErrorInvalidDevice ||
                                         error == cudaErrorInsufficientDriver
                                     ? SPMM_ERR_NO_DEVICE
                                     : SPMM_ERR_DEVICE;
    fail(diag, status, "%s: %s", what, cudaGetErrorString(error));
    diag->native_error = (int)error;
    return status;
}

const char *gpu_absence(void)
{
    return "this machine has no GPU that the CUDA driver can use";
}

spmm_status_t gpu_select(int device, spmm_diag_t *diag)
{
    return check(cudaSetDevice(device), "selecting the GPU failed", diag);
}

spmm_status_t gpu_memory_free(uint64_t *bytes, spmm_diag_t *diag)
{
    size_t available = 0;
    size_t total = 0;
    const spmm_status_t status =
        check(cudaMemGetInfo(&available, &total), "asking for free GPU memory failed", diag);
    *bytes = available;
    return status;
}

spmm_status_t gpu_alloc(void **block, uint64_t bytes, spmm_diag_t *diag)
{
    *block = NULL;
    return check(cudaMalloc(block, bytes > 0 ? bytes : 1), "allocating GPU memory failed", diag);
}

void gpu_free(void *block)
{
    (void)cudaFree(block);
}

spmm_status_t gpu_alloc_pinned(void **block, uint64_t bytes, spmm_diag_t *diag)
{
    *block = NULL;
    return check(cudaMallocHost(block, bytes > 0 ? bytes : 1), "allocating pinned host memory failed", diag);
}

void gpu_free_pinned(void *block)
{
    (void)cudaFreeHost(block);
}

spmm_status_t gpu_copy(void *to, const void *from, uint64_t bytes, spmm_diag_t *diag)
{
    if (bytes == 0)
        return SPMM_OK;
    return check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copying to or from the GPU failed", diag);
}

spmm_status_t gpu_fill(void *block, int byte, uint64_t bytes, spmm_diag_t *diag)
{
    if (bytes == 0)
        return SPMM_OK;
    return check(cudaMemsetAsync(block, byte, bytes, NULL), "filling GPU memory failed", diag);
}

spmm_status_t gpu_synchronize(spmm_diag_t *diag)
{
    return check(cudaDeviceSynchronize(), "the GPU reported an error", diag);
}

spmm_status_t gpu_event_create(struct gpu_event **event, spmm_diag_t *diag)
{
    cudaEvent_t handle = NULL;
    const spmm_status_t status = check(cudaEventCreate(&handle), "creating an event failed", diag);
    *event = (struct gpu_event *)handle;
    return status;
}

void gpu_event_destroy(struct gpu_event *event)
{
    if (event != NULL)
        (void)cudaEventDestroy((cudaEvent_t)event);
}

spmm_status_t gpu_event_record(struct gpu_event *event, spmm_diag_t *diag)
{
    return check(cudaEventRecord((cudaEvent_t)event, NULL), "recording an event failed", diag);
}

spmm_status_t gpu_event_elapsed(const struct gpu_event *from, const struct gpu_event *to, double *ms,
                                spmm_diag_t *diag)
{
    float elapsed = 0;
    /* cudaEvent_t is a pointer to non-const, although reading the time changes nothing. */
    const spmm_status_t status =
        check(cudaEventElapsedTime(&elapsed, (cudaEvent_t)(uintptr_t)from, (cudaEvent_t)(uintptr_t)to),
              "reading an event's time failed", diag);
    *ms = (double)elapsed;
    return status;
}
