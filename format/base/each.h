/* SPDX-License-Identifier: Apache-2.0 */
/* Work that falls into pieces, on several threads. On one thread no piece enters the OpenMP runtime: a process that was
 * forked may be unable to start it (libomp refuses where a process of the same number was killed). */
#ifndef SPMMI_EACH_H
#define SPMMI_EACH_H

#include <stdint.h>

/* Calls piece(context, index, thread) for each index below count, once and in any order, on up to so many threads,
 * each with a number below them. */
void spmmi_each(uint64_t count, int threads, void (*piece)(void *context, uint64_t index, int thread),
                void *context);

/* The first index below count that is wrong, or count. Looks at them on up to so many threads, whose number is_wrong
 * gets too; none is begun behind one that is wrong. */
uint64_t spmmi_first_wrong(uint64_t count, int threads,
                           int (*is_wrong)(const void *context, uint64_t index, int thread),
                           const void *context);

/* Zeros in new memory: the first access to a page takes long, and each thread makes some of them. */
void spmmi_zero(int threads, void *memory, uint64_t bytes);

/* Pieces of `length` of so many things, and where piece `index` ends; it begins at index * length. */
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
