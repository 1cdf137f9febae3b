/* SPDX-License-Identifier: Apache-2.0 */
/* See alloc.h. Counters exist only in builds with SPMM_TEST_HOOKS: shipped libraries keep no state. */
#include "alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checked.h"

#define BLOCK_ALIGN 64u /* one cache line, and the widest SIMD vector */

/* First touches of large arrays cost more than the work on them: 64 MB take 90 ms in pages of 4 KiB and
 * 22 ms in huge ones (2-core virtual machine). Below this size the pages would mostly be slack. */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_FROM (2 * HUGE_PAGE)

#ifdef SPMM_TEST_HOOKS
#include <malloc.h>
#include <stdatomic.h>

static _Atomic int64_t fail_at = -1;
static _Atomic int64_t count_now;
static _Atomic int64_t live_now;
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

void spmmi_alloc_peak_reset(void)
{
    atomic_store(&bytes_then, atomic_load(&bytes_now));
    atomic_store(&bytes_peak, atomic_load(&bytes_now));
}

uint64_t spmmi_alloc_peak_bytes(void)
{
    return (uint64_t)(atomic_load(&bytes_peak) - atomic_load(&bytes_then));
}

/* A block comes (sign 1) or goes (sign -1). */
static void count_block(void *block, int sign)
{
    const int64_t bytes = sign * (int64_t)malloc_usable_size(block);
    const int64_t now = atomic_fetch_add(&bytes_now, bytes) + bytes;
    int64_t peak = atomic_load(&bytes_peak);
    (void)atomic_fetch_add(&live_now, sign);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now))
        continue;
}

static int must_fail(void)
{
    const int64_t k = atomic_load(&fail_at);
    const int64_t now = atomic_fetch_add(&count_now, 1);
    return k >= 0 && (now == k || (now > k && atomic_load(&fail_every)));
}
#else
static int must_fail(void)
{
    return 0;
}
static void count_block(void *block, int sign)
{
    (void)block;
    (void)sign;
}
#endif

static void *new_block(size_t bytes)
{
    void *block = NULL;
    const size_t align = bytes >= HUGE_FROM ? HUGE_PAGE : BLOCK_ALIGN;
    if (posix_memalign(&block, align, bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (align == HUGE_PAGE)
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* advice: a system without huge pages ignores it */
#endif
    return block;
}

void *spmmi_alloc(uint64_t count, size_t size)
{
    uint64_t bytes = 0;
    if (must_fail() || !spmmi_mul_u64(count, size, &bytes) || !spmmi_align_u64(bytes, BLOCK_ALIGN, &bytes) ||
        bytes > PTRDIFF_MAX)
        return NULL;
    void *block = new_block(bytes == 0 ? BLOCK_ALIGN : (size_t)bytes);
    if (block != NULL)
        count_block(block, 1);
    return block;
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
    if (block != NULL)
        count_block(block, -1);
    free(block);
}
