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
#include "format/base/each.h"
#include "format/base/team.h"

/* Measured on an H100 whose host copies 6.3 GB/s with one thread and 53 with 16, for lists of 113 MB, in ms.
 * Slots of 1 MiB: 8 threads 2.91, 12 threads 2.72, 16 threads, which wait for each other in the driver, 2.81.
 * 8 threads with slots of 2 MiB 2.92, 16 with 512 KiB 3.81. Pageable copies take five times as long. Pinning
 * 32 MiB takes 13 ms, or 1.6 ms for huge pages that are already mapped. So the ring is kept, and made only
 * for arrays that repay it. */
#define SENDERS 12
#define SLOTS_OF_THREAD 2
#define SLOT_BYTES SPMMI_UPLOAD_SLOT
#define RING_BYTES (SENDERS * SLOTS_OF_THREAD * SLOT_BYTES)
#define HUGE_PAGE ((size_t)2 << 20)
#define PINNED_MIN ((uint64_t)1 << 20)       /* minimum bytes of arrays that use an existing ring */
#define FIRST_PINNED_MIN ((uint64_t)8 << 20) /* minimum bytes of arrays for which the ring is made */

#ifdef SPMM_TEST_HOOKS
int spmmi_cuda_upload_pins_hook = 1;
void (*spmmi_cuda_table_hook)(const char *name, const void *device, uint64_t count, size_t size);
#endif

/* One upload at a time uses the ring; others copy without it. If the application resets the device,
 * the memory of the ring stays mapped but is no longer pinned: copies from it are slow but correct
 * until it is pinned again. */
static struct {
    pthread_mutex_t lock;
    char *memory;    /* NULL: not made yet */
    bool is_refused; /* pinning failed, and is not tried again */
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The work that threads take: jobs first, then chunks of arrays, each of which fits a slot. */
struct transfer {
    const struct spmmi_uploads *uploads;
    int number;                            /* number of the device */
    uint64_t first[SPMMI_UPLOADS_MAX + 1]; /* first chunk of each array; then the number of all chunks */
    uint64_t next_job, next_chunk;         /* the next that no thread has taken */
};

static uint64_t chunk_of(const struct spmmi_upload *u)
{
    return SLOT_BYTES / u->size;
}

static void fill_slot(const struct spmmi_upload *u, uint64_t first, uint64_t count, void *slot)
{
    if (u->fill != NULL)
        u->fill(u->source, first, count, slot);
    else
        memcpy(slot, (const char *)u->source + first * u->size, (size_t)count * u->size);
}

/* Maps memory for the ring, in huge pages if possible; our threads touch the pages faster than the driver
 * does. MADV_DONTFORK: after a fork, copy-on-write could take away pages that the GPU reads. */
static char *ring_map(void)
{
    char *const memory =
        mmap(NULL, RING_BYTES + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    char *const first = memory + (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
    (void)madvise(first, RING_BYTES, MADV_HUGEPAGE);
    (void)madvise(first, RING_BYTES, MADV_DONTFORK);
    spmmi_zero(spmmi_pack_threads(RING_BYTES), first, RING_BYTES);
    return first;
}

/* Maps the ring if needed and pins it. Clears CUDA's last error, so that the caller's
 * next check does not see it. */
static bool ring_pin(void)
{
    unsigned flags = 0;
    if (ring.memory == NULL)
        ring.memory = ring_map();
    const bool is_pinned = ring.memory != NULL && (cudaHostGetFlags(&flags, ring.memory) == cudaSuccess ||
                                                   cudaHostRegister(ring.memory, RING_BYTES,
                                                                    cudaHostRegisterPortable) == cudaSuccess);
    (void)cudaGetLastError();
    ring.is_refused = !is_pinned;
    if (!is_pinned && ring.memory != NULL) {
        (void)munmap(ring.memory, RING_BYTES);
        ring.memory = NULL;
    }
    return is_pinned;
}

/* Returns true if this upload may use the ring; then the lock is held. */
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

static uint64_t take(uint64_t *next)
{
    uint64_t taken;
#pragma omp atomic capture
    taken = (*next)++;
    return taken;
}

/* Fills and sends one chunk. Chunks are taken from the last array to the first: arrays with a fill function
 * are slow to fill and come last in the list, and the thread with the last chunk keeps all others waiting. */
static cudaError_t chunk_send(const struct transfer *t, uint64_t taken, char *slot)
{
    int i = t->uploads->count - 1;
    const uint64_t chunk = t->first[t->uploads->count] - 1 - taken;
    while (t->first[i] > chunk)
        i--;
    const struct spmmi_upload *const u = &t->uploads->list[i];
    const uint64_t first = (chunk - t->first[i]) * chunk_of(u), left = u->count - first;
    const uint64_t count = left < chunk_of(u) ? left : chunk_of(u);
    fill_slot(u, first, count, slot);
    return cudaMemcpyAsync((char *)(uintptr_t)u->device + first * u->size, slot, (size_t)count * u->size,
                           cudaMemcpyHostToDevice, cudaStreamLegacy);
}

/* Sends chunks by one thread with its own slots. A slot is filled again once its copy has ended. */
static cudaError_t chunks_send(struct transfer *t, char *slots)
{
    cudaEvent_t done[SLOTS_OF_THREAD] = {NULL};
    cudaError_t error = cudaSuccess;
    const uint64_t all = t->first[t->uploads->count];
    for (int i = 0; i < SLOTS_OF_THREAD && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
    for (int turn = 0; error == cudaSuccess; turn = (turn + 1) % SLOTS_OF_THREAD) {
        const uint64_t chunk = take(&t->next_chunk);
        if (chunk >= all)
            break;
        error = cudaEventSynchronize(done[turn]); /* returns at once if the event was never recorded */
        if (error == cudaSuccess)
            error = chunk_send(t, chunk, slots + (size_t)turn * SLOT_BYTES);
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

static void jobs_run(struct transfer *t)
{
    for (uint64_t job; (job = take(&t->next_job)) < (uint64_t)t->uploads->job_count;)
        t->uploads->job(t->uploads->context, (int)job);
}

static cudaError_t send_as(struct transfer *t, int thread)
{
    struct spmmi_cuda_scope scope; /* each thread has its own current device */
    cudaError_t error = spmmi_cuda_enter(t->number, &scope);
    if (error == cudaSuccess)
        error = chunks_send(t, ring.memory + (size_t)thread * SLOTS_OF_THREAD * SLOT_BYTES);
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    spmmi_cuda_leave(scope);
    return error;
}

/* Sends all chunks. Jobs are for the threads that do not send, if there are more threads than senders. */
static cudaError_t send_by_threads(struct transfer *t, uint64_t bytes)
{
    int failed = cudaSuccess;
#pragma omp parallel num_threads(spmmi_team(spmmi_pack_threads(bytes))) reduction(max : failed)
    {
        const int thread = omp_get_thread_num();
        if (thread >= SENDERS || omp_get_num_threads() <= SENDERS)
            jobs_run(t);
        if (thread < SENDERS)
            failed = (int)send_as(t, thread);
    }
    return (cudaError_t)failed;
}

/* Sends an array without pinned memory: from the array itself, or through a slot if
 * it has a fill function. */
static spmm_status_t send_pageable(const struct spmmi_upload *u, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char *slot = NULL, *const device = (char *)(uintptr_t)u->device;
    const uint64_t chunk = u->fill == NULL || u->count < chunk_of(u) ? u->count : chunk_of(u);
    if (u->fill != NULL)
        SPMM_TRY_ALLOC(slot = spmmi_alloc(chunk, u->size), diag);
    for (uint64_t first = 0; first < u->count; first += chunk) {
        const uint64_t count = u->count - first < chunk ? u->count - first : chunk;
        if (slot != NULL)
            u->fill(u->source, first, count, slot);
        SPMM_TRY_CUDA(cudaMemcpy(device + first * u->size, slot != NULL ? slot : u->source,
                                 (size_t)count * u->size, cudaMemcpyHostToDevice),
                      diag);
    }
cleanup:
    spmmi_free(slot);
    return status;
}

static void job_run(void *uploads, uint64_t job, int thread)
{
    const struct spmmi_uploads *const u = uploads;
    (void)thread;
    u->job(u->context, (int)job);
}

static spmm_status_t send_all_pageable(struct spmmi_uploads *uploads, uint64_t bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_each((uint64_t)uploads->job_count, spmmi_pack_threads(bytes), job_run, uploads);
    for (int i = 0; i < uploads->count; i++)
        SPMM_TRY(send_pageable(&uploads->list[i], diag));
cleanup:
    return status;
}

static spmm_status_t send_all(struct spmmi_uploads *uploads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct transfer t = {.uploads = uploads};
    uint64_t bytes = 0;
    for (int i = 0; i < uploads->count; i++) {
        const struct spmmi_upload *const u = &uploads->list[i];
        t.first[i + 1] = t.first[i] + (u->count + chunk_of(u) - 1) / chunk_of(u);
        bytes += u->count * u->size;
    }
    if (!ring_take(bytes))
        return send_all_pageable(uploads, bytes, diag);
    cudaError_t error = cudaGetDevice(&t.number);
    if (error == cudaSuccess)
        error = send_by_threads(&t, bytes);
    (void)pthread_mutex_unlock(&ring.lock);
    SPMM_TRY_CUDA(error, diag);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_upload_all(struct spmmi_uploads *uploads, spmm_diag_t *diag)
{
    const spmm_status_t status = send_all(uploads, diag);
    uploads->count = uploads->job_count = 0;
    return status;
}

spmm_status_t spmmi_cuda_upload(const void *device, uint64_t count, size_t size, spmmi_upload_fill fill,
                                const void *source, spmm_diag_t *diag)
{
    struct spmmi_uploads one = {.count = 0};
    spmmi_upload_add(&one, device, count, size, fill, source);
    return spmmi_cuda_upload_all(&one, diag);
}

spmm_status_t spmmi_cuda_copy_array(const void *device, const void *host, uint64_t count, size_t size,
                                    spmm_diag_t *diag)
{
    return spmmi_cuda_upload(device, count, size, NULL, host, diag);
}
