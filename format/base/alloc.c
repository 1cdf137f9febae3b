/* SPDX-License-Identifier: Apache-2.0 */
/* See alloc.h. The allocator cannot be exchanged while any block is allocated, so every block returns to the
 * allocator that it came from. */
#include "alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checked.h"
#include "diag.h"
#include "options.h"

#define BLOCK_ALIGN 64u /* one cache line, and the widest SIMD vector */

/* Page faults at the first access to a large array cost more than the work on
 * it: 64 MB take 90 ms in pages of 4 KiB and 22 ms in huge pages (2-core virtual
 * machine). Below HUGE_FROM bytes, huge pages would be mostly unused. */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_FROM (2 * HUGE_PAGE)

static void *own_allocate(void *context, size_t bytes, size_t alignment)
{
    void *block = NULL;
    (void)context;
    const size_t align = bytes >= HUGE_FROM ? HUGE_PAGE : alignment;
    if (posix_memalign(&block, align, bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (align == HUGE_PAGE)
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* advice: a system without huge pages ignores it */
#endif
    return block;
}

static void own_release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static const spmm_allocator_t own = {sizeof own, own_allocate, own_release, NULL};
static spmm_allocator_t allocator = {sizeof allocator, own_allocate, own_release, NULL};
static _Atomic int64_t live_now; /* blocks not yet freed */

spmm_status_t spmm_allocator_set(const spmm_allocator_t *given, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t live = atomic_load(&live_now);
    spmm_allocator_t next = given == NULL ? own : (spmm_allocator_t){sizeof next, NULL, NULL, NULL};
    spmmi_diag_clear(diag);
    SPMM_TRY(spmmi_options_read(&next, sizeof next, given, "allocator", diag));
    SPMM_REQUIRE(next.allocate != NULL && next.release != NULL, SPMM_ERR_ARGUMENT, diag,
                 "the allocator lacks %s", next.allocate == NULL ? "allocate" : "release");
    SPMM_REQUIRE(live == 0, SPMM_ERR_ARGUMENT, diag,
                 "%lld blocks of the present allocator are held: destroy all objects before it is exchanged",
                 (long long)live);
    allocator = next;
cleanup:
    return status;
}

#ifdef SPMM_TEST_HOOKS
#include <malloc.h>

static _Atomic int64_t fail_at = -1;
static _Atomic int64_t count_now, count_failed;
static _Atomic int fail_every;
static _Atomic int64_t bytes_now, bytes_then, bytes_peak;

void spmmi_alloc_fail_at(int64_t k, int every)
{
    atomic_store(&count_now, 0);
    atomic_store(&fail_every, every);
    atomic_store(&fail_at, k);
}

int64_t spmmi_alloc_live(void)
{
    return atomic_load(&live_now);
}

int64_t spmmi_alloc_count(void)
{
    return atomic_load(&count_now);
}

int64_t spmmi_alloc_failures(void)
{
    return atomic_load(&count_failed);
}

void spmmi_alloc_peak_reset(void)
{
    atomic_store(&bytes_then, atomic_load(&bytes_now));
    atomic_store(&bytes_peak, atomic_load(&bytes_now));
}

uint64_t spmmi_alloc_peak_bytes(void)
{
    return (uint64_t)(atomic_load(&bytes_peak) - atomic_load(&bytes_then));
}

/* Adds (sign 1) or subtracts (sign -1) the bytes of a block and updates the peak. Does nothing for a caller's
 * allocator, whose block sizes are unknown. */
static void count_bytes(void *block, int sign)
{
    if (allocator.allocate != own_allocate)
        return;
    const int64_t bytes = sign * (int64_t)malloc_usable_size(block);
    const int64_t now = atomic_fetch_add(&bytes_now, bytes) + bytes;
    int64_t peak = atomic_load(&bytes_peak);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now))
        continue;
}

static int must_fail(void)
{
    const int64_t k = atomic_load(&fail_at);
    const int64_t now = atomic_fetch_add(&count_now, 1);
    const int fails = k >= 0 && (now == k || (now > k && atomic_load(&fail_every)));
    atomic_fetch_add(&count_failed, fails);
    return fails;
}
#else
static int must_fail(void)
{
    return 0;
}
static void count_bytes(void *block, int sign)
{
    (void)block;
    (void)sign;
}
#endif

void *spmmi_alloc(uint64_t count, size_t size)
{
    uint64_t bytes = 0;
    if (must_fail() || !spmmi_mul_u64(count, size, &bytes) || !spmmi_align_u64(bytes, BLOCK_ALIGN, &bytes) ||
        bytes > PTRDIFF_MAX)
        return NULL;
    (void)atomic_fetch_add(&live_now, 1);
    void *block =
        allocator.allocate(allocator.context, bytes == 0 ? BLOCK_ALIGN : (size_t)bytes, BLOCK_ALIGN);
    if (block != NULL)
        count_bytes(block, 1);
    else
        (void)atomic_fetch_sub(&live_now, 1);
    return block;
}

uint64_t spmmi_alloc_bytes(uint64_t count, size_t size)
{
    const uint64_t bytes = count * size;
    return bytes == 0 ? BLOCK_ALIGN : (bytes + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
}

void *spmmi_alloc_zero(uint64_t count, size_t size)
{
    void *block = spmmi_alloc(count, size);
    if (block != NULL)
        memset(block, 0, (size_t)(count * size));
    return block;
}

void spmmi_free(void *block)
{
    if (block == NULL)
        return;
    count_bytes(block, -1);
    allocator.release(allocator.context, block);
    (void)atomic_fetch_sub(&live_now, 1);
}

void *spmmi_zstd_alloc(void *opaque, size_t bytes)
{
    (void)opaque;
    return spmmi_alloc(bytes, 1);
}

void spmmi_zstd_free(void *opaque, void *block)
{
    (void)opaque;
    spmmi_free(block);
}
