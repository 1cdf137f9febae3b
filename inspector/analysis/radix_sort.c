/* SPDX-License-Identifier: Apache-2.0 */
/* See radix_sort.h. Short lists use insertion sort, others one counting pass per byte of the key. */
#include "radix_sort.h"

#define SMALL 48       /* maximum length of a list for insertion sort */
#define GROUP_BITS 11  /* bits of a digit of spmmi_key_group, which sorts by the two lowest digits first */
#define GROUP_MIN 4096 /* minimum number of keys for grouping; fewer keys are sorted */

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

void spmmi_radix_sort(uint64_t *list, uint64_t *other, uint64_t count)
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

/* Sorts a run of keys with equal low digits, unless all keys are equal, which is the usual case. */
static void sort_run(uint64_t *list, uint64_t *other, uint64_t count)
{
    uint64_t i = 1;
    while (i < count && list[i] >> 32 == list[0] >> 32)
        i++;
    if (i < count)
        spmmi_radix_sort(list, other, count);
}

void spmmi_key_group(uint64_t *list, uint64_t *other, uint64_t count)
{
    enum { VALUES = 1 << GROUP_BITS, MASK = VALUES - 1 };
    const uint64_t low = ((UINT64_C(1) << 2 * GROUP_BITS) - 1) << 32;
    uint64_t start[2][VALUES] = {{0}};
    if (count < GROUP_MIN) {
        spmmi_radix_sort(list, other, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        for (int digit = 0; digit < 2; digit++)
            start[digit][list[i] >> (32 + GROUP_BITS * digit) & MASK]++;
    uint64_t *from = list, *to = other;
    for (int digit = 0; digit < 2; digit++) {
        uint64_t sum = 0;
        for (int value = 0; value < VALUES; value++) {
            const uint64_t here = start[digit][value];
            start[digit][value] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < count; i++)
            to[start[digit][from[i] >> (32 + GROUP_BITS * digit) & MASK]++] = from[i];
        to = from;
        from = from == list ? other : list;
    }
    for (uint64_t i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && ((list[end] ^ list[i]) & low) == 0;)
            end++;
        if (end - i > 1)
            sort_run(list + i, other, end - i);
    }
}
