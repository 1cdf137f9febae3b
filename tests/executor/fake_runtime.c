/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_runtime.h. Every runtime function that the library or compiled kernels call must be defined here.
 * If one were missing, the linker would add an object of the real runtime, which defines some of the others a
 * second time. */
#include "fake_runtime.h"

#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_FREE (48 * 1024) /* bytes of dynamic shared memory of every kernel without an attribute */
#define MULTIPROCESSORS 132
#define KERNELS 256

struct fake_runtime fake_runtime;

static struct {
    const void *function;
    size_t shared_max;
} allowed[KERNELS];

void fake_runtime_count(void)
{
    memset(&fake_runtime, 0, sizeof fake_runtime);
}

void fake_runtime_forget(void)
{
    memset(allowed, 0, sizeof allowed);
}

static cudaError_t other(const char *name)
{
    fake_runtime.others++;
    fake_runtime.other = name;
    return cudaSuccess;
}

/* Defines a function that only counts the call and succeeds. */
#define SUCCEED(name, ...)         \
    cudaError_t name(__VA_ARGS__); \
    cudaError_t name(__VA_ARGS__)  \
    {                              \
        return other(#name);       \
    }
SUCCEED(cudaSetDevice, int)
SUCCEED(cudaGetLastError, void)
SUCCEED(cudaMemPoolSetAttribute, cudaMemPool_t, enum cudaMemPoolAttr, void *)
SUCCEED(cudaMemPoolDestroy, cudaMemPool_t)
SUCCEED(cudaMemset, void *, int, size_t)
SUCCEED(cudaMemsetAsync, void *, int, size_t, cudaStream_t)
SUCCEED(cudaMemcpy, void *, const void *, size_t, enum cudaMemcpyKind)
SUCCEED(cudaMemcpyAsync, void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t)
SUCCEED(cudaMemcpy2DAsync, void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind,
        cudaStream_t)
SUCCEED(cudaHostRegister, void *, size_t, unsigned)
SUCCEED(cudaDeviceSynchronize, void)
SUCCEED(cudaEventRecord, cudaEvent_t, cudaStream_t)
SUCCEED(cudaEventSynchronize, cudaEvent_t)
SUCCEED(cudaEventDestroy, cudaEvent_t)
/* Functions that register compiled kernels, and functions that launch kernels for the syntax <<< >>>. */
SUCCEED(__cudaRegisterFatBinaryEnd, void **)
SUCCEED(__cudaUnregisterFatBinary, void **)
SUCCEED(__cudaRegisterFunction, void **)
SUCCEED(__cudaPushCallConfiguration, void)
SUCCEED(__cudaPopCallConfiguration, void)
SUCCEED(__cudaGetKernel, void)
SUCCEED(__cudaLaunchKernel, void)

/* Defines a function that stores `answer` in *(where), counts the call and succeeds. */
#define ANSWER(name, where, answer, ...) \
    cudaError_t name(__VA_ARGS__)        \
    {                                    \
        *(where) = answer;               \
        return other(#name);             \
    }
ANSWER(cudaGetDeviceCount, count, 1, int *count)
ANSWER(cudaDriverGetVersion, version, CUDART_VERSION, int *version)
ANSWER(cudaGetDeviceProperties, to, (struct cudaDeviceProp){.major = 9}, struct cudaDeviceProp *to, int)
ANSWER(cudaFuncGetAttributes, to, (struct cudaFuncAttributes){0}, struct cudaFuncAttributes *to, const void *)
ANSWER(cudaPointerGetAttributes, to, (struct cudaPointerAttributes){0}, struct cudaPointerAttributes *to,
       const void *)
ANSWER(cudaHostGetFlags, flags, 0, unsigned *flags, void *)
ANSWER(cudaMemPoolGetAttribute, (uint64_t *)value, 0, cudaMemPool_t, enum cudaMemPoolAttr, void *value)
ANSWER(cudaMemPoolCreate, pool, (void *)&fake_runtime, cudaMemPool_t *pool, const struct cudaMemPoolProps *)
ANSWER(cudaStreamIsCapturing, status, cudaStreamCaptureStatusNone, cudaStream_t,
       enum cudaStreamCaptureStatus *status)
ANSWER(cudaEventCreateWithFlags, event, NULL, cudaEvent_t *event, unsigned)

void **__cudaRegisterFatBinary(const void *);
void **__cudaRegisterFatBinary(const void *binary)
{
    (void)binary;
    return (void **)(void *)&allowed;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error";
}

/* Returns the index of the kernel's entry, or of the first free entry. */
static int entry_of(const void *function)
{
    int i = 0;
    while (i < KERNELS - 1 && allowed[i].function != NULL && allowed[i].function != function)
        i++;
    return i;
}

static cudaError_t launch(const void *function, size_t shared)
{
    const int i = entry_of(function);
    fake_runtime.launches++;
    return shared <= (allowed[i].function == function ? allowed[i].shared_max : SHARED_FREE)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    (void)arguments;
    return launch(function, config->dynamicSmemBytes);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    const int i = entry_of(function);
    (void)attribute; /* the library sets only one attribute */
    fake_runtime.attributes++;
    allowed[i].function = function;
    allowed[i].shared_max = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *function, const cudaLaunchConfig_t *config)
{
    (void)function;
    fake_runtime.cluster_asks++;
    *count = MULTIPROCESSORS / (int)config->attrs->val.clusterDim.x;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    fake_runtime.device_asks++;
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = MULTIPROCESSORS;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = 227 * 1024;
        break;
    case cudaDevAttrL2CacheSize:
        *value = 50 << 20;
        break;
    default:
        *value = 0;
    }
    return other("cudaDeviceGetAttribute");
}

static int encode_tiled(void)
{
    fake_runtime.maps++;
    return 0;
}

static cudaError_t entry_point(void **function, enum cudaDriverEntryPointQueryResult *result)
{
    *function = (void *)(uintptr_t)encode_tiled; /* the library asks for no other function */
    *result = cudaDriverEntryPointSuccess;
    return other("cudaGetDriverEntryPoint");
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    (void)symbol, (void)version, (void)flags;
    return entry_point(function, result);
}
#else
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    (void)symbol, (void)flags;
    return entry_point(function, result);
}
#endif

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t kept)
{
    (void)pool, (void)kept;
    fake_runtime.trims++;
    return other("cudaMemPoolTrimTo");
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    fake_runtime.waited = stream;
    return other("cudaStreamSynchronize");
}

cudaError_t cudaMalloc(void **block, size_t bytes)
{
    (void)other("cudaMalloc");
    *block = fake_runtime.refusals > 0 ? NULL : aligned_alloc(256, (bytes + 255) / 256 * 256);
    fake_runtime.refusals -= fake_runtime.refusals > 0;
    return *block != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    (void)pool, (void)stream;
    const cudaError_t error = cudaMalloc(block, bytes);
    fake_runtime.other = "cudaMallocFromPoolAsync";
    return error;
}

cudaError_t cudaFree(void *block)
{
    free(block);
    return other("cudaFree");
}

cudaError_t cudaFreeAsync(void *block, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(block);
}
