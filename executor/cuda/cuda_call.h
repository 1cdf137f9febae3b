/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA runtime: SPMM_TRY_CUDA turns an error into a status, clears CUDA's last error and keeps the
 * code in diag. */
#ifndef SPMMI_CUDA_CALL_H
#define SPMMI_CUDA_CALL_H

#include <cuda_runtime_api.h>

#include "cuda_upload.h"

#include "format/base/diag.h"

static inline spmm_status_t spmmi_cuda_fail(cudaError_t error, const char *call, spmm_diag_t *diag)
{
    const spmm_status_t status =
        error == cudaErrorMemoryAllocation ? SPMM_ERR_DEVICE_MEMORY : SPMM_ERR_DEVICE;
    (void)cudaGetLastError();
    return spmmi_diag_set(diag, status, (struct spmmi_where){0, 0, (int)error}, "CUDA: %s in %.80s",
                          cudaGetErrorString(error), call);
}

#define SPMM_TRY_CUDA(call, diag)                                 \
    do {                                                          \
        const cudaError_t cuda_error_ = (call);                   \
        if (cuda_error_ != cudaSuccess) {                         \
            status = spmmi_cuda_fail(cuda_error_, #call, (diag)); \
            goto cleanup;                                         \
        }                                                         \
    } while (0)

/* Of a cudaError_t. */
static inline spmm_status_t spmmi_cuda_status(int error)
{
    return error == cudaSuccess ? SPMM_OK : SPMM_ERR_DEVICE;
}

#ifdef SPMM_TEST_HOOKS
/* Tests damage tables on the device, behind all checks: this one goes there, under the name of its pointer. NULL: nobody
 * asks. */
extern void (*spmmi_cuda_table_hook)(const char *name, const void *device, uint64_t count, size_t size);
static inline const void *spmmi_cuda_table(const char *name, const void *device, uint64_t count, size_t size)
{
    if (spmmi_cuda_table_hook != NULL)
        spmmi_cuda_table_hook(name, device, count, size);
    return device;
}
#define SPMMI_CUDA_TABLE(device, count, size) spmmi_cuda_table(#device, device, count, size)
#else
#define SPMMI_CUDA_TABLE(device, count, size) (device)
#endif

/* count elements into a table of the device, from memory or from a spmmi_upload_fill. Layouts hold tables as pointers to
 * const, as kernels see them. */
#define spmmi_cuda_copy_up(device, host, count, size, diag) \
    spmmi_cuda_copy_array(SPMMI_CUDA_TABLE(device, count, size), host, count, size, diag)
#define spmmi_cuda_fill_up(device, count, size, fill, source, diag) \
    spmmi_cuda_upload(SPMMI_CUDA_TABLE(device, count, size), count, size, fill, source, diag)

/* The executor's device is current between enter and leave; then the caller's is again. */
struct spmmi_cuda_scope {
    int previous; /* -1: nothing to restore */
};

static inline cudaError_t spmmi_cuda_enter(int device, struct spmmi_cuda_scope *scope)
{
    int current = -1;
    scope->previous = -1;
    cudaError_t error = cudaGetDevice(&current);
    if (error == cudaSuccess && current != device) {
        error = cudaSetDevice(device);
        scope->previous = error == cudaSuccess ? current : -1;
    }
    return error;
}

static inline void spmmi_cuda_leave(struct spmmi_cuda_scope scope)
{
    if (scope.previous >= 0)
        (void)cudaSetDevice(scope.previous);
}

#endif
