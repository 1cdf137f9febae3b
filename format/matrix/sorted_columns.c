/* SPDX-License-Identifier: Apache-2.0 */
/* See sorted_columns.h. */
#include "sorted_columns.h"

static void sift_down(int32_t *a, int64_t root, int64_t count)
{
    const int32_t moved = a[root];
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && a[child + 1] > a[child];
        if (a[child] <= moved)
            break;
        a[root] = a[child];
        root = child;
    }
    a[root] = moved;
}

/* Heap sort. It needs no memory and O(n log n) time in the worst case, which matters for the long rows of
 * power-law matrices. */
static void sort_long(int32_t *a, int64_t count)
{
    for (int64_t i = count / 2 - 1; i >= 0; i--)
        sift_down(a, i, count);
    for (int64_t end = count - 1; end > 0; end--) {
        const int32_t largest = a[0];
        a[0] = a[end];
        a[end] = largest;
        sift_down(a, 0, end);
    }
}

static void sort_short(int32_t *a, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const int32_t moved = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > moved; j--)
            a[j] = a[j - 1];
        a[j] = moved;
    }
}

int64_t spmmi_sort_unique(int32_t *columns, int64_t count)
{
    if (count < 2)
        return count;
    if (count <= 40)
        sort_short(columns, count);
    else
        sort_long(columns, count);
    int64_t kept = 1;
    for (int64_t i = 1; i < count; i++) {
        if (columns[i] != columns[kept - 1])
            columns[kept++] = columns[i];
    }
    return kept;
}
