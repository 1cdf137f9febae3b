/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs of this machine: their number, their names, and whether this build has code for them. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "cuda_backend.h"
#include "cuda_call.h"
#include "kernels/shared/convert.h"

int spmmi_cuda_device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

int spmmi_cuda_device_runs(int device)
{
    struct spmmi_cuda_scope scope;
    if (device < 0 || device >= spmmi_cuda_device_count() || spmmi_cuda_enter(device, &scope) != cudaSuccess)
        return 0;
    const int runs = spmmi_kernels_load_cuda() == cudaSuccess;
    (void)cudaGetLastError();
    spmmi_cuda_leave(scope);
    return runs;
}

spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return SPMM_ERR_NO_DEVICE;
    }
    (void)snprintf(text, size, "%s", properties.name);
    return SPMM_OK;
}

uint32_t spmmi_cuda_target(int device)
{
    int major = 0;
    int minor = 0;
    (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return (uint32_t)(10 * major + minor);
}
