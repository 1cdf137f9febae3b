/* SPDX-License-Identifier: Apache-2.0 */
/* Arrival counters: words of 64 bits in the caller's workspace, on which the thread blocks that share a row
 * count their arrivals. Nobody initialises them: v arrivals are the word tag + v * stride, where the tag is a
 * random number of the executor and the stride an odd constant. A word that has none of these values, for v
 * up to SPMMI_ARRIVALS_MAX, was used for something else before.
 *
 * Why every interleaving counts right. Call a word ours if it has one of these values. Each step below is one
 * atomic operation on one word, and these steps change it:
 *   add the stride to a word that is ours, or swap count v of ours for v + 1: an arrival after v others;
 *   swap a word that is not ours for count 1: the first arrival;
 *   add the stride to a word that is not ours: no arrival yet, the block swaps next; it may become count 0.
 * So a word that is ours always holds the number of arrivals so far. It becomes ours as count 0 before any
 * arrival, or as count 1 by the first one, and stays ours, because there are never more arrivals than
 * SPMMI_ARRIVALS_MAX. A swap fails only if another block changed the word. Each block adds once and swaps
 * once, so the loop ends.
 * The last block stores count 0. Later products of the executor then need the addition alone, even if they
 * use the word for another row: every former counter of this executor is ready.
 *
 * Why a stride, not a tag above a count. Between two products a caller may use the workspace for an array
 * that ends inside a word, and part of a tag would stay. With a stride, a count changes the whole word: two
 * words of one executor never differ in their lowest 39 or highest 40 bits alone (test_arrival.c tries all
 * differences). So a word that was half overwritten is not ours, whatever the values are. A word that was
 * overwritten by more is ours by chance only: decision 0024 has the probabilities. */
#ifndef SPMMI_ARRIVAL_H
#define SPMMI_ARRIVAL_H

#include "kernel_base.h"

#define SPMMI_ARRIVALS_MAX \
    ((UINT64_C(1) << 24) - 1) /* spmmi_rows_blocks_of shows how many blocks there can be */
#define SPMMI_ARRIVAL_STRIDE UINT64_C(0x9e3779b97f4a7c15)  /* 2^64 / golden ratio, rounded to an odd number */
#define SPMMI_ARRIVAL_INVERSE UINT64_C(0xf1de83e19937733d) /* stride * inverse = 1 modulo 2^64 */

#ifdef __cplusplus /* kernels */
#define SPMMI_ARRIVAL_FUNCTION static __device__ __forceinline__
/* Both return what the word held before. */
#define SPMMI_ARRIVAL_ADD(word, step) atomicAdd((unsigned long long *)(word), (unsigned long long)(step))
#define SPMMI_ARRIVAL_SWAP(word, from, to) \
    atomicCAS((unsigned long long *)(word), (unsigned long long)(from), (unsigned long long)(to))
#endif

#ifdef SPMMI_ARRIVAL_FUNCTION /* in C only for a test that tries every order of its own steps */

/* Returns the number of arrivals that the word holds; more than SPMMI_ARRIVALS_MAX: the word is not ours. */
SPMMI_ARRIVAL_FUNCTION uint64_t spmmi_arrivals_of(uint64_t held, uint64_t tag)
{
    return (held - tag) * SPMMI_ARRIVAL_INVERSE;
}

/* Counts an arrival. Returns the number of arrivals before it. */
SPMMI_ARRIVAL_FUNCTION uint32_t spmmi_arrive(uint64_t *word, uint64_t tag)
{
    uint64_t held = SPMMI_ARRIVAL_ADD(word, SPMMI_ARRIVAL_STRIDE);
    uint64_t count = spmmi_arrivals_of(held, tag);
    if (count <= SPMMI_ARRIVALS_MAX)
        return (uint32_t)count;
    held += SPMMI_ARRIVAL_STRIDE;
    for (;;) {
        count = spmmi_arrivals_of(held, tag);
        const int is_ours = count <= SPMMI_ARRIVALS_MAX;
        const uint64_t found = SPMMI_ARRIVAL_SWAP(word, held, (is_ours ? held : tag) + SPMMI_ARRIVAL_STRIDE);
        if (found == held)
            return is_ours ? (uint32_t)count : 0;
        held = found;
    }
}

/* Makes the word ready for the next product. The last block to arrive calls this. */
SPMMI_ARRIVAL_FUNCTION void spmmi_arrivals_end(uint64_t *word, uint64_t tag)
{
    *word = tag;
}

#endif
#endif
