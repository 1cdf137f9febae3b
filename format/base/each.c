/* SPDX-License-Identifier: Apache-2.0 */
/* See each.h. Parallel regions are in functions of their own, because compilers may call the OpenMP runtime
 * at the start of a function that has one. */
#include "each.h"

#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "team.h"

#define ZEROED (INT64_C(2) << 20) /* bytes per piece of spmmi_zero: one huge page */

__attribute__((noinline)) static void
each_in_parallel(uint64_t count, int threads, void (*piece)(void *context, uint64_t index, int thread),
                 void *context)
{
#pragma omp parallel for schedule(dynamic) num_threads(spmmi_team(threads))
    for (uint64_t i = 0; i < count; i++)
        piece(context, i, omp_get_thread_num());
}

void spmmi_each(uint64_t count, int threads, void (*piece)(void *context, uint64_t index, int thread),
                void *context)
{
    if (threads > 1 && count > 1) {
        each_in_parallel(count, threads, piece, context);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        piece(context, i, 0);
}

__attribute__((noinline)) static uint64_t
first_wrong_in_parallel(uint64_t count, int threads,
                        int (*is_wrong)(const void *context, uint64_t index, int thread), const void *context)
{
    _Atomic uint64_t first = count;
#pragma omp parallel for schedule(dynamic) num_threads(spmmi_team(threads))
    for (uint64_t i = 0; i < count; i++) {
        uint64_t known = atomic_load(&first);
        if (i >= known || !is_wrong(context, i, omp_get_thread_num()))
            continue;
        while (i < known && !atomic_compare_exchange_weak(&first, &known, i))
            ;
    }
    return atomic_load(&first);
}

uint64_t spmmi_first_wrong(uint64_t count, int threads,
                           int (*is_wrong)(const void *context, uint64_t index, int thread),
                           const void *context)
{
    uint64_t i = 0;
    if (threads > 1 && count > 1)
        return first_wrong_in_parallel(count, threads, is_wrong, context);
    while (i < count && !is_wrong(context, i, 0))
        i++;
    return i;
}

struct zeros {
    char *memory;
    int64_t bytes;
};

static void zero_piece(void *zeros, uint64_t index, int thread)
{
    const struct zeros *const z = zeros;
    const int64_t begin = (int64_t)index * ZEROED, end = spmmi_piece_end(z->bytes, ZEROED, index);
    (void)thread;
    memset(z->memory + begin, 0, (size_t)(end - begin));
}

void spmmi_zero(int threads, void *memory, uint64_t bytes)
{
    struct zeros zeros = {memory, (int64_t)bytes};
    spmmi_each(spmmi_pieces(zeros.bytes, ZEROED), threads, zero_piece, &zeros);
}
