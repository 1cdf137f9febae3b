/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of 64-bit words with a key in the upper half and an item in the lower half. */
#ifndef SPMMI_RADIX_SORT_H
#define SPMMI_RADIX_SORT_H

#include <stdint.h>

static inline uint64_t spmmi_key_pack(uint32_t key, uint32_t item)
{
    return (uint64_t)key << 32 | item;
}

/* Sorts list[count] by key. The sort is stable. other is scratch memory of the same size. */
void spmmi_radix_sort(uint64_t *list, uint64_t *other, uint64_t count);

/* Reorders list[count] so that equal keys are adjacent, in their original order. The order of different keys
 * is unspecified. other is scratch memory of the same size. */
void spmmi_key_group(uint64_t *list, uint64_t *other, uint64_t count);

#endif
