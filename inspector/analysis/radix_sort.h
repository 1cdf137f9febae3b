/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of words that hold a key above and an item below. */
#ifndef SPMMI_RADIX_SORT_H
#define SPMMI_RADIX_SORT_H

#include <stdint.h>

static inline uint64_t spmmi_key_pack(uint32_t key, uint32_t item)
{
    return (uint64_t)key << 32 | item;
}

/* Sort list[count] by the upper half of its words, stable; other is as large. */
void spmmi_radix_sort(uint64_t *list, uint64_t *other, uint64_t count);

/* Equal keys become neighbours, in the order that they had; other keys come in any order. */
void spmmi_key_group(uint64_t *list, uint64_t *other, uint64_t count);

#endif
