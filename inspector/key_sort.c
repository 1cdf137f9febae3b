/* SPDX-License-Identifier: Apache-2.0 */
/* See key_sort.h. Insertion, or one counting pass for each byte of the key. */
#include "key_sort.h"

#define SMALL 48 /* list that insertion sorts */

static void sort_small(uint64_t *list, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t moved = list[i];
        uint64_t k = i;
        for (; k > 0 && list[k - 1] >> 32 > moved >> 32; k--)
            list[k] = list[k - 1];
        list[k] = moved;
    }
}

void spmmi_key_sort(uint64_t *list, uint64_t *other, uint64_t count)
{
    if (count <= SMALL) {
        sort_small(list, count);
        return;
    }
    uint64_t start[4][256] = {{0}};
    for (uint64_t i = 0; i < count; i++)
        for (int digit = 0; digit < 4; digit++)
            start[digit][list[i] >> (32 + 8 * digit) & 255]++;
    for (int digit = 0; digit < 4; digit++) {
        uint64_t sum = 0;
        for (int value = 0; value < 256; value++) {
            const uint64_t here = start[digit][value];
            start[digit][value] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < count; i++)
            other[start[digit][list[i] >> (32 + 8 * digit) & 255]++] = list[i];
        uint64_t *const swapped = list;
        list = other;
        other = swapped;
    }
}
