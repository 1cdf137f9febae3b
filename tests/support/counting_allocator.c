/* SPDX-License-Identifier: Apache-2.0 */
/* See counting_allocator.h. */
#include "counting_allocator.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/common.h>

static _Atomic int64_t held, held_before, most;

#define HEAD 64u /* bytes in front of each block, for its size; no larger alignment is requested */

static void *allocate(void *context, size_t bytes, size_t alignment)
{
    (void)context, (void)alignment;
    char *block = aligned_alloc(HEAD, HEAD + (bytes + HEAD - 1) / HEAD * HEAD);
    if (block == NULL)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    const int64_t now = atomic_fetch_add(&held, (int64_t)bytes) + (int64_t)bytes;
    int64_t peak = atomic_load(&most);
    while (now > peak && !atomic_compare_exchange_weak(&most, &peak, now))
        continue;
    return block + HEAD;
}

static void release(void *context, void *memory)
{
    size_t bytes = 0;
    (void)context;
    char *const block = (char *)memory - HEAD;
    memcpy(&bytes, block, sizeof bytes);
    (void)atomic_fetch_sub(&held, (int64_t)bytes);
    free(block);
}

void test_counting_allocator_set(void)
{
    const spmm_allocator_t allocator = {sizeof allocator, allocate, release, NULL};
    if (spmm_allocator_set(&allocator, NULL) != SPMM_OK)
        abort();
}

void test_counting_peak_reset(void)
{
    atomic_store(&held_before, atomic_load(&held));
    atomic_store(&most, atomic_load(&held));
}

uint64_t test_counting_peak(void)
{
    return (uint64_t)(atomic_load(&most) - atomic_load(&held_before));
}
