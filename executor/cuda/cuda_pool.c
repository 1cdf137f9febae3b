/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_pool.h. */
#include "cuda_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "cuda_call.h"

#define DEVICES_MAX 64 /* devices with higher numbers have no pool */

static struct {
    pthread_mutex_t lock;
    bool is_asked[DEVICES_MAX];           /* a pool was made, or could not be made */
    cudaMemPool_t of_device[DEVICES_MAX]; /* NULL: none, or not asked yet; never destroyed */
} pools = {.lock = PTHREAD_MUTEX_INITIALIZER};

static cudaMemPool_t pool_make(int device)
{
    struct cudaMemPoolProps properties;
    cudaMemPool_t pool = NULL;
    uint64_t kept = SPMMI_POOL_KEPT;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess ||
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) != cudaSuccess) {
        if (pool != NULL)
            (void)cudaMemPoolDestroy(pool);
        (void)cudaGetLastError();
        return NULL;
    }
    return pool;
}

/* Returns the pool of the current device and makes it at the first call; NULL: the device has none. */
static cudaMemPool_t pool_get(void)
{
    int device = 0;
    cudaMemPool_t pool = NULL;
    if (cudaGetDevice(&device) != cudaSuccess || device >= DEVICES_MAX)
        return NULL;
    (void)pthread_mutex_lock(&pools.lock);
    if (!pools.is_asked[device])
        pools.of_device[device] = pool_make(device);
    pools.is_asked[device] = true;
    pool = pools.of_device[device];
    (void)pthread_mutex_unlock(&pools.lock);
    return pool;
}

/* Frees what the pool keeps, after frees that are enqueued in the stream have taken effect. */
static void pool_trim(cudaMemPool_t pool, void *stream)
{
    (void)cudaGetLastError();
    if (pool != NULL && cudaStreamSynchronize(stream) == cudaSuccess)
        (void)cudaMemPoolTrimTo(pool, 0);
}

spmm_status_t spmmi_pool_take_plain(size_t bytes, void *stream, void **block, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    cudaError_t error = cudaMalloc(block, bytes);
    if (error == cudaErrorMemoryAllocation) {
        pool_trim(pool_get(), stream);
        error = cudaMalloc(block, bytes);
    }
    SPMM_TRY_CUDA(error, diag);
cleanup:
    return status;
}

spmm_status_t spmmi_pool_take(size_t bytes, void *stream, void **block, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const cudaMemPool_t pool = pool_get();
    *block = NULL;
    if (pool == NULL || bytes > SPMMI_POOL_BLOCK_MAX)
        return spmmi_pool_take_plain(bytes, stream, block, diag);
    cudaError_t error = cudaMallocFromPoolAsync(block, bytes, pool, stream);
    if (error == cudaErrorMemoryAllocation) {
        pool_trim(pool, stream);
        error = cudaMallocFromPoolAsync(block, bytes, pool, stream);
    }
    SPMM_TRY_CUDA(error, diag);
cleanup:
    return status;
}

void spmmi_pool_free(void *block, size_t bytes, void *stream)
{
    if (block == NULL)
        return;
    if (bytes > SPMMI_POOL_BLOCK_MAX || pool_get() == NULL)
        (void)cudaFree(block);
    else if (cudaFreeAsync(block, stream) != cudaSuccess)
        (void)cudaGetLastError();
}

uint64_t spmmi_pool_bytes(int device)
{
    uint64_t bytes = 0;
    cudaMemPool_t pool = NULL;
    if (device >= DEVICES_MAX)
        return 0;
    (void)pthread_mutex_lock(&pools.lock);
    pool = pools.of_device[device];
    (void)pthread_mutex_unlock(&pools.lock);
    if (pool != NULL &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &bytes) != cudaSuccess)
        (void)cudaGetLastError();
    return bytes;
}
