/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA runtime. SPMM_TRY_CUDA turns an error into a status, clears CUDA's last error and
 * keeps the code in diag. */
#ifndef SPMMI_CUDA_CALL_H
#define SPMMI_CUDA_CALL_H

#include <cuda_runtime_api.h>

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

/* Returns the status of a cudaError_t. */
static inline spmm_status_t spmmi_cuda_status(int error)
{
    return error == cudaSuccess ? SPMM_OK : SPMM_ERR_DEVICE;
}

/* Returns the status of a part that failed. Moves CUDA's last error to diag: the caller's
 * next check must not see it. */
static inline spmm_status_t spmmi_cuda_part_failed(spmm_status_t status, const char *what, spmm_diag_t *diag)
{
    const int error = status == SPMM_ERR_DEVICE ? (int)cudaGetLastError() : 0;
    return spmmi_diag_set(diag, status, (struct spmmi_where){0, 0, error}, "%s: %s", what,
                          error != 0 ? cudaGetErrorString((cudaError_t)error) : spmm_status_text(status));
}

/* Makes the executor's device current between enter and leave; leave restores the caller's device. */
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
