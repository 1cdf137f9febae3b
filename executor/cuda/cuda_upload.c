/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_upload.h. */
#include "cuda_upload.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda_call.h"
#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/team.h"

/* One H200, 1 GB: 8 threads reach 52 GB/s with slots of 4 MiB, 4 threads 34, 1 thread 10; pageable copies 8 to 9.
 * Pinning the ring takes some 12 ms, so that it is kept, and made for the first array that is worth it. */
#define THREADS_MAX 8
#define SLOTS_OF_THREAD 2
#define SLOT_BYTES ((size_t)2 << 20)
#define RING_BYTES (THREADS_MAX * SLOTS_OF_THREAD * SLOT_BYTES)
#define PINNED_MIN ((uint64_t)1 << 20) /* bytes of an array that goes through the ring, if there is one */
#define FIRST_PINNED_MIN ((uint64_t)8 << 20) /* that makes one */

#ifdef SPMM_TEST_HOOKS
int spmmi_cuda_upload_pins_hook = 1;
void (*spmmi_cuda_table_hook)(const char *name, const void *device, uint64_t count, size_t size);
#endif

/* One upload at a time has the ring; others copy without it. Its memory stays mapped when somebody resets the device:
 * then it is no longer pinned, and copies from it are slow but right until it is pinned anew. */
static struct {
    pthread_mutex_t lock;
    char *memory; /* NULL: not made yet */
    bool is_refused;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct upload {
    char *device;
    uint64_t count, chunk; /* elements, and those of a slot */
    size_t size;
    spmmi_upload_fill fill;
    const void *source;
    int number;    /* of the device */
    uint64_t next; /* the first element that no thread has taken */
};

/* An array in memory. */
struct array {
    const char *host;
    size_t size;
};

static void fill_from_memory(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct array *const from = source;
    memcpy(to, from->host + first * from->size, (size_t)count * from->size);
}

/* Maps the ring, if need be, and pins it. No error of CUDA stays for the caller's next check. */
static bool ring_pin(void)
{
    unsigned flags = 0;
    if (ring.memory == NULL) {
        void *memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ring.memory = memory != MAP_FAILED ? memory : NULL;
        if (ring.memory !=
            NULL) /* a child that shares pages on writing could take those that the GPU reads */
            (void)madvise(memory, RING_BYTES, MADV_DONTFORK);
    }
    const bool is_pinned = ring.memory != NULL && (cudaHostGetFlags(&flags, ring.memory) == cudaSuccess ||
                                                   cudaHostRegister(ring.memory, RING_BYTES,
                                                                    cudaHostRegisterPortable) == cudaSuccess);
    (void)cudaGetLastError();
    ring.is_refused = !is_pinned;
    return is_pinned;
}

/* Returns whether this upload has the ring; then the lock is held. */
static bool ring_take(uint64_t bytes)
{
    if (bytes < PINNED_MIN || pthread_mutex_trylock(&ring.lock) != 0)
        return false;
    bool has_ring = !ring.is_refused && (ring.memory != NULL || bytes >= FIRST_PINNED_MIN);
#ifdef SPMM_TEST_HOOKS
    has_ring = has_ring && spmmi_cuda_upload_pins_hook;
#endif
    has_ring = has_ring && ring_pin();
    if (!has_ring)
        (void)pthread_mutex_unlock(&ring.lock);
    return has_ring;
}

static uint64_t chunk_take(struct upload *u)
{
    uint64_t first;
#pragma omp atomic capture
    {
        first = u->next;
        u->next += u->chunk;
    }
    return first;
}

/* What one thread does with its slots: each is filled again when it has travelled. */
static cudaError_t chunks_send(struct upload *u, char *slots)
{
    cudaEvent_t done[SLOTS_OF_THREAD] = {NULL};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < SLOTS_OF_THREAD && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
    for (int turn = 0; error == cudaSuccess; turn = (turn + 1) % SLOTS_OF_THREAD) {
        const uint64_t first = chunk_take(u);
        if (first >= u->count)
            break;
        const uint64_t count = u->count - first < u->chunk ? u->count - first : u->chunk;
        char *const slot = slots + (size_t)turn * SLOT_BYTES;
        error = cudaEventSynchronize(done[turn]); /* at once for an event that was not recorded */
        if (error != cudaSuccess)
            break;
        u->fill(u->source, first, count, slot);
        error = cudaMemcpyAsync(u->device + first * u->size, slot, (size_t)count * u->size,
                                cudaMemcpyHostToDevice, cudaStreamLegacy);
        if (error == cudaSuccess)
            error = cudaEventRecord(done[turn], cudaStreamLegacy);
    }
    for (int i = 0; i < SLOTS_OF_THREAD && done[i] != NULL; i++) {
        const cudaError_t last = cudaEventSynchronize(done[i]);
        error = error == cudaSuccess ? last : error;
        (void)cudaEventDestroy(done[i]);
    }
    return error;
}

static cudaError_t send_by_threads(struct upload *u)
{
    const uint64_t chunks = (u->count + u->chunk - 1) / u->chunk;
    const int most = spmmi_pack_threads(u->count * u->size);
    int threads = most < THREADS_MAX ? most : THREADS_MAX;
    int failed = cudaSuccess;
    threads = chunks < (uint64_t)threads ? (int)chunks : threads;
#pragma omp parallel num_threads(spmmi_team(threads)) reduction(max : failed)
    {
        struct spmmi_cuda_scope scope; /* a thread of the caller's has a device of its own */
        failed = (int)spmmi_cuda_enter(u->number, &scope);
        if (failed == cudaSuccess)
            failed = (int)chunks_send(u, ring.memory +
                                             (size_t)omp_get_thread_num() * SLOTS_OF_THREAD * SLOT_BYTES);
        if (failed != cudaSuccess)
            (void)cudaGetLastError();
        spmmi_cuda_leave(scope);
    }
    return (cudaError_t)failed;
}

/* By way of ordinary memory: a slot of it, or the array itself. */
static spmm_status_t send_pageable(const struct upload *u, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char *slot = NULL;
    if (u->fill == fill_from_memory) {
        const struct array *const from = u->source;
        SPMM_TRY_CUDA(cudaMemcpy(u->device, from->host, (size_t)u->count * u->size, cudaMemcpyHostToDevice),
                      diag);
        goto cleanup;
    }
    const uint64_t chunk = u->count < u->chunk ? u->count : u->chunk;
    SPMM_TRY_ALLOC(slot = spmmi_alloc(chunk, u->size), diag);
    for (uint64_t first = 0; first < u->count; first += chunk) {
        const uint64_t count = u->count - first < chunk ? u->count - first : chunk;
        u->fill(u->source, first, count, slot);
        SPMM_TRY_CUDA(
            cudaMemcpy(u->device + first * u->size, slot, (size_t)count * u->size, cudaMemcpyHostToDevice),
            diag);
    }
cleanup:
    spmmi_free(slot);
    return status;
}

spmm_status_t spmmi_cuda_upload(const void *device, uint64_t count, size_t size, spmmi_upload_fill fill,
                                const void *source, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct upload u = {.device = (char *)(uintptr_t)device,
                       .count = count,
                       .chunk = SLOT_BYTES / size,
                       .size = size,
                       .fill = fill,
                       .source = source};
    if (count == 0)
        return SPMM_OK;
    if (!ring_take(count * size))
        return send_pageable(&u, diag);
    cudaError_t error = cudaGetDevice(&u.number);
    if (error == cudaSuccess)
        error = send_by_threads(&u);
    (void)pthread_mutex_unlock(&ring.lock);
    SPMM_TRY_CUDA(error, diag);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_copy_array(const void *device, const void *host, uint64_t count, size_t size,
                                    spmm_diag_t *diag)
{
    const struct array from = {host, size};
    return spmmi_cuda_upload(device, count, size, fill_from_memory, &from, diag);
}
