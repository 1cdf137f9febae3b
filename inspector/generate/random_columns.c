/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of rows and numbers of nodes: sorted, drawn, shuffled. */
#include "format/base/alloc.h"
#include "generate.h"

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

/* Heap sort: no memory and no bad case, which a row of a power-law matrix would find. */
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

int32_t *spmmi_random_permutation(int64_t count, uint64_t seed)
{
    int32_t *p = spmmi_alloc((uint64_t)count, sizeof *p);
    if (p == NULL)
        return NULL;
    struct spmmi_random r = spmmi_random_stream(seed, (uint64_t)count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = spmmi_random_below(&r, i + 1);
        p[i] = p[j];
        p[j] = (int32_t)i;
    }
    return p;
}

void spmmi_random_sample(struct spmmi_random *r, int64_t k, int64_t d, int32_t *out)
{
    int64_t have = 0;
    if (2 * d > k) {
        /* Dense: walk all candidates and take each with the chance that leaves d in the end. */
        for (int64_t j = 0; j < k; j++) {
            if (spmmi_random_below(r, k - j) < d - have)
                out[have++] = (int32_t)j;
        }
        return;
    }
    /* Sparse: at most half are taken, so a draw is new with a chance of at least one half. */
    while (have < d) {
        while (have < d)
            out[have++] = (int32_t)spmmi_random_below(r, k);
        have = spmmi_sort_unique(out, have);
    }
}
