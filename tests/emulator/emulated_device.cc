// SPDX-License-Identifier: Apache-2.0
// The properties of the emulated GPU as the CUDA runtime reports them, and its error states.
#include <string.h>

#include "emulator.h"

namespace {

thread_local cudaError_t last = cudaSuccess;

} // namespace

cudaError_t emulator::remember(cudaError_t error)
{
    if (error != cudaSuccess)
        last = error;
    return error;
}

extern "C" {

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess                 ? "no error"
           : error == cudaErrorMemoryAllocation ? "out of memory"
                                                : "emulated error";
}

const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return emulator::remember(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device != 0)
        return emulator::remember(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = 0;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = 132;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)emulator::SHARED_MAX;
        break;
    case cudaDevAttrL2CacheSize:
        *value = 50 << 20;
        break;
    case cudaDevAttrClusterLaunch:
        *value = 1;
        break;
    default:
        return emulator::remember(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "emulated GPU");
    properties->major = 9;
    properties->multiProcessorCount = 132;
    properties->totalGlobalMem = emulator::MEMORY_BYTES;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
    memset(attributes, 0, sizeof *attributes);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *, const cudaLaunchConfig_t *)
{
    *count = 16;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *result)
{
    *function = nullptr;
    if (result != nullptr)
        *result = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

} // extern "C"
