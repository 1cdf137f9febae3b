/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over independent pieces of work on several threads. With one thread,
 * nothing enters the OpenMP runtime, because a forked process may be unable
 * to start it (libomp refuses if a process with the same id was killed). */
#ifndef SPMMI_EACH_H
#define SPMMI_EACH_H

#include <stdint.h>

/* Calls piece(context, index, thread) once for each index below count, in any order, on up to `threads`
 * threads. The argument thread is the number of the calling thread, below `threads`. */
void spmmi_each(uint64_t count, int threads, void (*piece)(void *context, uint64_t index, int thread),
                void *context);

/* Returns the first index below count for which is_wrong returns true, or
 * count if there is none. Uses up to `threads` threads; `thread` is the number of
 * the calling thread, as for spmmi_each. Does not test indices after one that is
 * known to be wrong. */
uint64_t spmmi_first_wrong(uint64_t count, int threads,
                           int (*is_wrong)(const void *context, uint64_t index, int thread),
                           const void *context);

/* Sets new memory to zero.
 * Several threads share the page faults, which dominate the cost of the first access. */
void spmmi_zero(int threads, void *memory, uint64_t bytes);

/* Cut `things` items into pieces of `length` items. spmmi_pieces returns the number of pieces. Piece `index`
 * begins at index * length, and spmmi_piece_end returns its end (exclusive). */
static inline uint64_t spmmi_pieces(int64_t things, int64_t length)
{
    return (uint64_t)((things + length - 1) / length);
}
static inline int64_t spmmi_piece_end(int64_t things, int64_t length, uint64_t index)
{
    const int64_t begin = (int64_t)index * length;
    return things - begin < length ? things : begin + length;
}

#endif
