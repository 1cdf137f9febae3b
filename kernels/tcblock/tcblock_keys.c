/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_keys.h. */
#include "tcblock_keys.h"

#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)

static uint32_t digit_of(uint64_t key, uint32_t low, uint32_t shift)
{
    return (((uint32_t)(key >> SPMMI_KEY_SHIFT) - low) >> shift) % DIGITS;
}

void spmmi_tcblock_keys_sort(uint64_t **keys, uint64_t **spare, uint32_t count, uint32_t low, uint32_t high)
{
    uint64_t *from = *keys, *to = *spare;
    for (uint32_t shift = 0; shift < SPMMI_KEY_SHIFT && (high - low) >> shift > 0; shift += DIGIT_BITS) {
        uint32_t positions[DIGITS + 1] = {0};
        for (uint32_t i = 0; i < count; i++)
            positions[digit_of(from[i], low, shift) + 1]++;
        for (uint32_t d = 1; d < DIGITS; d++)
            positions[d] += positions[d - 1];
        for (uint32_t i = 0; i < count; i++)
            to[positions[digit_of(from[i], low, shift)]++] = from[i];
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    *keys = from;
    *spare = to;
}
