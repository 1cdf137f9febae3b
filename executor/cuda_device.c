/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and the catalogue of their kernels. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "cuda_call.h"
#include "cuda_state.h"

static const struct {
    const char *name;
    spmm_schedule_t schedule;
} catalogue[] = {
    {"cuda/rows/row-split", SPMM_SCHEDULE_ROW_SPLIT},
    {"cuda/rows/nonzero-split", SPMM_SCHEDULE_NONZERO_SPLIT},
    {"cuda/tiled/whole", SPMM_SCHEDULE_WHOLE},
    {"cuda/tiled/segmented", SPMM_SCHEDULE_SEGMENTED},
};

int spmmi_cuda_kernel_count(void)
{
    return (int)(sizeof catalogue / sizeof catalogue[0]);
}

const char *spmmi_cuda_kernel_name(int index)
{
    return index >= 0 && index < spmmi_cuda_kernel_count() ? catalogue[index].name : NULL;
}

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

spmm_schedule_t spmmi_cuda_kernel_schedule(const char *name)
{
    for (int i = 0; i < spmmi_cuda_kernel_count(); i++) {
        if (strcmp(catalogue[i].name, name) == 0)
            return catalogue[i].schedule;
    }
    return (spmm_schedule_t)0;
}
