/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of n, and merging of those with the same decision (search.h). */
#include "search.h"

/* The ranges are ascending and without gaps; within a range the ranking of kernels hardly changes. `least` is
 * the least set that has the range; in a lesser set, the next wider range begins where it begins, and the
 * last one has no end.
 *
 * On a GPU two columns are judged by themselves, and ranges from 3 to 16 are for one and for two tiles of 8
 * columns of B (0153). The last two ranges are for matrices whose best kernel changes with wide n. Small
 * matrices leave a GPU idle at 256 columns (128 x 128 with 3,328 nonzeros, one H200, f32, n = 65,536: nonzero
 * split 201 us, row split 67 us). Nearly dense matrices change ranks too (2048 x 512, half full, one H100,
 * f32: at n = 512 panel takes 37 us, bcsr 28, dense 33 and in 3xtf32 30; at n = 2,048 they take 100, 76, 92
 * and 51). */
static const struct {
    struct spmmi_range range;
    enum spmmi_range_set least;
} known[SPMMI_RANGE_MAX] = {
    {{1, 1, 1}, SPMMI_RANGES_CPU},         {{2, 2, 2}, SPMMI_RANGES_GPU},
    {{3, 8, 8}, SPMMI_RANGES_CPU},         {{9, 16, 16}, SPMMI_RANGES_CPU},
    {{17, 48, 32}, SPMMI_RANGES_CPU},      {{49, 96, 64}, SPMMI_RANGES_CPU},
    {{97, 192, 128}, SPMMI_RANGES_CPU},    {{193, 383, 256}, SPMMI_RANGES_CPU},
    {{384, 1023, 512}, SPMMI_RANGES_WIDE}, {{1024, SPMMI_N_MAX, 4096}, SPMMI_RANGES_WIDE},
};

/* Returns the n for which a range is predicted: the first n in it that the caller named, or its typical n if
 * the caller named none at all. 0: the range is not wanted. */
static int64_t judged_by(const struct spmmi_range *range, const int64_t *n, int count)
{
    for (int i = 0; i < count; i++)
        if (n[i] >= range->n_min && n[i] <= range->n_max)
            return n[i];
    return count == 0 ? range->n : 0;
}

int spmmi_ranges(const int64_t *n, int count, enum spmmi_range_set set,
                 struct spmmi_range ranges[SPMMI_RANGE_MAX])
{
    int last = SPMMI_RANGE_MAX - 1, wanted = 0;
    int64_t n_min = 1;
    while (known[last].least > set)
        last--;
    for (int i = 0; i <= last; i++) {
        struct spmmi_range *const range = &ranges[wanted];
        if (known[i].least > set)
            continue;
        *range = known[i].range;
        range->n_min = n_min;
        n_min = range->n_max + 1;
        if (i == last)
            range->n_max = SPMMI_N_MAX;
        range->n = judged_by(range, n, count);
        wanted += range->n != 0;
    }
    return wanted;
}

bool spmmi_candidates_agree(const struct spmmi_candidate *x, const struct spmmi_candidate *y)
{
    return x->family == y->family && x->schedule == y->schedule && x->item_size == y->item_size &&
           x->unit_rows == y->unit_rows && x->stage_slots == y->stage_slots && x->flags == y->flags &&
           x->compute == y->compute && x->permutation == y->permutation && x->long_rows == y->long_rows;
}

/* Extends decision d over the adjacent range of `next`, which has the same winner. */
static void widen(struct spmmi_decision *d, const struct spmmi_decision *next)
{
    const int64_t n_min = d->range.n_min, first_n = d->first_n;
    const int64_t n_max = next->range.n_max;
    if (next->range.n <= SPMMI_NARROW)
        *d = *next;
    d->range.n_min = n_min;
    d->first_n = first_n;
    d->range.n_max = n_max;
}

int spmmi_decisions_merge(struct spmmi_decision *decisions, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct spmmi_decision *const last = kept > 0 ? &decisions[kept - 1] : NULL;
        if (last != NULL && last->range.n_max + 1 == decisions[i].range.n_min &&
            spmmi_candidates_agree(&last->winner, &decisions[i].winner))
            widen(last, &decisions[i]);
        else
            decisions[kept++] = decisions[i];
    }
    return kept;
}
