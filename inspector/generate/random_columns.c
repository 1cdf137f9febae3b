/* SPDX-License-Identifier: Apache-2.0 */
/* Random permutations, and random samples of columns. */
#include "format/base/alloc.h"
#include "generate.h"
#include "format/matrix/sorted_columns.h"

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
        /* Dense: go through all candidates and take each one with the probability that gives d in the end. */
        for (int64_t j = 0; j < k; j++) {
            if (spmmi_random_below(r, k - j) < d - have)
                out[have++] = (int32_t)j;
        }
        return;
    }
    /* Sparse: at most half of the candidates are taken, so each draw is new with probability 1/2 or more. */
    while (have < d) {
        while (have < d)
            out[have++] = (int32_t)spmmi_random_below(r, k);
        have = spmmi_sort_unique(out, have);
    }
}
