/* SPDX-License-Identifier: Apache-2.0 */
/* How the threads of a parallel region divide numbered pieces of work.
 *
 * Each thread has a share of neighbouring pieces and processes them in order. A thread that has finished
 * continues with the remaining pieces of other shares. A thread therefore reads the same part of the operands
 * in every product, which stays in the cache of its core; prefetchers see one long stream; and threads
 * compete for a counter only at the end. If another program stops a thread, only one piece is delayed. */
#ifndef SPMMI_ROWS_CPU_SHARES_H
#define SPMMI_ROWS_CPU_SHARES_H

#include <stdatomic.h>
#include <stdint.h>

#define ROWS_SHARES_MAX 64 /* further threads use the shares of others */

struct rows_shares {
    int count;
    struct rows_share {
        _Alignas(64) _Atomic int64_t next; /* one cache line per share */
        int64_t end;
    } share[ROWS_SHARES_MAX];
};

/* Divides the pieces among threads, before the parallel region. There are no empty shares, which would only
 * be visited. */
static inline void rows_shares_make(struct rows_shares *shares, int64_t pieces, int threads)
{
    const int64_t most = threads < ROWS_SHARES_MAX ? threads : ROWS_SHARES_MAX, count = pieces < 1 ? 1
                                                                                        : pieces < most
                                                                                            ? pieces
                                                                                            : most;
    shares->count = (int)count;
    for (int64_t s = 0; s < count; s++) {
        atomic_init(&shares->share[s].next, pieces * s / count);
        shares->share[s].end = pieces * (s + 1) / count;
    }
}

/* Returns the next piece for a thread, or -1. *visited is 0 at first and counts the shares that the thread
 * found empty. */
static inline int64_t rows_shares_take(struct rows_shares *shares, int thread, int64_t *visited)
{
    for (; *visited < shares->count; ++*visited) {
        struct rows_share *share = &shares->share[(thread + *visited) % shares->count];
        if (atomic_load_explicit(&share->next, memory_order_relaxed) >= share->end)
            continue; /* a read alone leaves the cache line shared among all readers */
        const int64_t piece = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (piece < share->end)
            return piece;
    }
    return -1;
}

#endif
