/* SPDX-License-Identifier: Apache-2.0 */
/* Arrival counters: words of 64 bits in the caller's workspace, on which the thread blocks that share a row count
 * their arrivals. Nobody initialises them: a word holds a tag above its count, and a tag that is not the executor's
 * means that the word held something else.
 *
 * Why every interleaving counts right. Call a word ours when its tag is the executor's. Each step below is one atomic
 * operation on one word, and there are four that change it:
 *   add 1 to a word that is ours, or swap count v of ours for v + 1: an arrival with v before it;
 *   swap a word that is not ours for tag | 1: an arrival with none before it;
 *   add 1 to a word that is not ours: no arrival yet, the block swaps next; the word may become tag | 0, by carry.
 * So a word that is ours always holds the number of arrivals so far: it becomes ours as tag | 0 after none, or as
 * tag | 1 by the first, and stays ours, since a count never reaches the tag (SPMMI_ARRIVALS_MAX). A swap fails only
 * because another block changed the word, and each block adds once and swaps once, so the loop ends.
 * The last block stores tag | 0. Later products of the executor then need the addition alone, also those that use the
 * word for another row: whatever was a counter of this executor is ready. Only a word that held the tag, of 40 random
 * bits, by chance would miscount. */
#ifndef SPMMI_ARRIVAL_H
#define SPMMI_ARRIVAL_H

#include "kernel_base.h"

#define SPMMI_ARRIVAL_BITS 24 /* of the count: see spmmi_rows_blocks_of for how many blocks there can be */
#define SPMMI_ARRIVALS_MAX ((UINT64_C(1) << SPMMI_ARRIVAL_BITS) - 1)
/* The tag of an executor, in place, from its random number of 40 bits, which is not 0. */
#define SPMMI_ARRIVAL_TAG(random) ((uint64_t)(random) << SPMMI_ARRIVAL_BITS)

#ifdef __CUDACC__
#define SPMMI_ARRIVAL_FUNCTION static __device__ __forceinline__
/* Both return what the word held before. */
#define SPMMI_ARRIVAL_ADD(word) atomicAdd((unsigned long long *)(word), 1ull)
#define SPMMI_ARRIVAL_SWAP(word, from, to) \
    atomicCAS((unsigned long long *)(word), (unsigned long long)(from), (unsigned long long)(to))
#endif

#ifdef SPMMI_ARRIVAL_FUNCTION /* in C only where a test has steps of its own, whose every order it tries */

SPMMI_ARRIVAL_FUNCTION int spmmi_arrival_is_ours(uint64_t held, uint64_t tag)
{
    return (held & ~SPMMI_ARRIVALS_MAX) == tag;
}

/* Count an arrival; returns how many there were before it. */
SPMMI_ARRIVAL_FUNCTION uint32_t spmmi_arrive(uint64_t *word, uint64_t tag)
{
    uint64_t held = SPMMI_ARRIVAL_ADD(word);
    if (spmmi_arrival_is_ours(held, tag))
        return (uint32_t)(held & SPMMI_ARRIVALS_MAX);
    held++;
    for (;;) {
        const int is_ours = spmmi_arrival_is_ours(held, tag);
        const uint64_t found = SPMMI_ARRIVAL_SWAP(word, held, is_ours ? held + 1 : tag | 1);
        if (found == held)
            return is_ours ? (uint32_t)(held & SPMMI_ARRIVALS_MAX) : 0;
        held = found;
    }
}

/* The last to arrive makes the word ready for the next product. */
SPMMI_ARRIVAL_FUNCTION void spmmi_arrivals_end(uint64_t *word, uint64_t tag)
{
    *word = tag;
}

#endif
#endif
