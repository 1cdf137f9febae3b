/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and the catalogue of their kernels. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "cuda_call.h"
#include "cuda_state.h"
#include "kernels/shared/convert.h"

static const struct {
    const char *name;
    spmm_family_t family;
    spmm_schedule_t schedule;
} catalogue[] = {
    {"cuda/rows/row-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT},
    {"cuda/rows/nonzero-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT},
    {"cuda/tiled/whole", SPMM_FAMILY_TILED, SPMM_SCHEDULE_WHOLE},
    {"cuda/tiled/segmented", SPMM_FAMILY_TILED, SPMM_SCHEDULE_SEGMENTED},
    {"cuda/window/dense", SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE},
    {"cuda/window/packed", SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED},
    {"cuda/panel/dense", SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE},
    {"cuda/panel/packed", SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED},
    {"cuda/bcsr/dense", SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE},
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

/* R of a suffix such as "/r16"; 0 if it is none. */
static uint32_t tile_of(const char *suffix)
{
    for (uint32_t tile = 1; tile <= SPMMI_TILED_REGISTER_TILE_MAX; tile *= 2) {
        char text[8];
        (void)snprintf(text, sizeof text, "/r%u", tile);
        if (strcmp(suffix, text) == 0)
            return tile;
    }
    return 0;
}

struct spmmi_cuda_name spmmi_cuda_name_of(const char *name)
{
    for (int i = 0; i < spmmi_cuda_kernel_count(); i++) {
        const size_t length = strlen(catalogue[i].name);
        if (strncmp(catalogue[i].name, name, length) != 0)
            continue;
        const uint32_t tile = catalogue[i].family == SPMM_FAMILY_TILED ? tile_of(name + length) : 0;
        if (name[length] == '\0' || tile != 0)
            return (struct spmmi_cuda_name){catalogue[i].family, catalogue[i].schedule, tile};
    }
    return (struct spmmi_cuda_name){(spmm_family_t)0, (spmm_schedule_t)0, 0};
}

int spmmi_cuda_has_kernel(const char *name)
{
    return spmmi_cuda_name_of(name).schedule != 0;
}
