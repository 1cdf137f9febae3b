/* SPDX-License-Identifier: Apache-2.0 */
/* See reorder_radix.h. A merge sort. The first two digits of a number (its first two columns) are stored next
 * to the unit as a key, so that most comparisons read no columns. The order is total, so the result does not
 * depend on the number of threads. */
#include "reorder_radix.h"

#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "permutation_units.h"

#define DIGITS 2             /* columns per key */
#define DIGIT_END UINT32_MAX /* the number has no more digits: it is smaller than any that has */
#define RUN 16               /* up to this many units are sorted by insertion */
#define GRAIN 8192           /* tasks with fewer units are not split */

struct entry {
    uint64_t key; /* a smaller key means a larger number */
    uint32_t unit;
};

struct patterns {
    const int64_t *unit_ptr;
    const int32_t *col_ind;
};

static uint64_t key_of(const struct patterns *p, uint64_t unit)
{
    const int64_t first = p->unit_ptr[unit], end = p->unit_ptr[unit + 1];
    uint64_t key = 0;
    for (int64_t i = 0; i < DIGITS; i++)
        key = key << 32 | (first + i < end ? (uint32_t)p->col_ind[first + i] : DIGIT_END);
    return key;
}

/* Compares two units with equal keys: by the digits after the key, then by index. */
static bool tail_before(const struct patterns *p, uint32_t a, uint32_t b)
{
    const int64_t end_a = p->unit_ptr[a + UINT64_C(1)], end_b = p->unit_ptr[b + UINT64_C(1)];
    int64_t i = p->unit_ptr[a] + DIGITS, k = p->unit_ptr[b] + DIGITS;
    while (i < end_a && k < end_b && p->col_ind[i] == p->col_ind[k])
        i++, k++;
    if (i < end_a && k < end_b)
        return p->col_ind[i] < p->col_ind[k];
    if (i < end_a || k < end_b)
        return i < end_a;
    return a < b;
}

static bool before(const struct patterns *p, const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key < b->key : tail_before(p, a->unit, b->unit);
}

static void insertion_sort(const struct patterns *p, struct entry *list, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        const struct entry moved = list[i];
        uint64_t k = i;
        for (; k > 0 && before(p, &moved, &list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = moved;
    }
}

/* Returns the number of entries of the sorted list that come before e. */
static uint64_t rank_of(const struct patterns *p, const struct entry *list, uint64_t count,
                        const struct entry *e)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (before(p, &list[middle], e))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges two sorted lists into out. A large merge is split at the middle of the longer list. */
static void merge(const struct patterns *p, const struct entry *a, uint64_t count_a, const struct entry *b,
                  uint64_t count_b, struct entry *out)
{
    if (count_a < count_b) {
        merge(p, b, count_b, a, count_a, out);
        return;
    }
    if (count_a + count_b > GRAIN) {
        const uint64_t cut_a = count_a / 2, cut_b = rank_of(p, b, count_b, &a[cut_a]);
#pragma omp task
        merge(p, a, cut_a, b, cut_b, out);
        merge(p, a + cut_a, count_a - cut_a, b + cut_b, count_b - cut_b, out + cut_a + cut_b);
#pragma omp taskwait
        return;
    }
    const struct entry *const end_a = a + count_a, *const end_b = b + count_b;
    while (a < end_a && b < end_b)
        *out++ = before(p, b, a) ? *b++ : *a++;
    memcpy(out, a, (size_t)(end_a - a) * sizeof *out);
    memcpy(out + (end_a - a), b, (size_t)(end_b - b) * sizeof *out);
}

/* Sorts list[count]; `other` has the same size. The result is stored in `other` if to_other is set, else in
 * `list`. */
static void sort(const struct patterns *p, struct entry *list, struct entry *other, uint64_t count,
                 bool to_other)
{
    if (count <= RUN) {
        insertion_sort(p, list, count);
        if (to_other)
            memcpy(other, list, (size_t)count * sizeof *list);
        return;
    }
    const uint64_t half = count / 2;
#pragma omp task if (count > GRAIN)
    sort(p, list, other, half, !to_other);
    sort(p, list + half, other + half, count - half, !to_other);
#pragma omp taskwait
    const struct entry *const from = to_other ? list : other;
    merge(p, from, half, from + half, count - half, to_other ? other : list);
}

spmm_status_t spmmi_reorder_radix(uint64_t count, const int64_t *unit_ptr, const int32_t *col_ind,
                                  int threads, uint32_t *permutation)
{
    spmm_status_t status = SPMM_OK;
    const struct patterns patterns = {unit_ptr, col_ind};
    struct entry *list = spmmi_alloc(count, sizeof *list), *other = spmmi_alloc(count, sizeof *other);
    if (list == NULL || other == NULL) {
        status = SPMM_ERR_MEMORY;
        goto cleanup;
    }
#pragma omp parallel num_threads(spmmi_team(count > GRAIN ? threads : 1))
    {
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < count; i++)
            list[i] = (struct entry){key_of(&patterns, i), (uint32_t)i};
#pragma omp single
        sort(&patterns, list, other, count, false);
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < count; i++)
            permutation[i] = list[i].unit;
    }
cleanup:
    spmmi_free(other);
    spmmi_free(list);
    return status;
}

spmm_status_t spmmi_permutation_radix(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    return spmmi_reorder_radix(in->units, in->unit_ptr, in->col_ind, in->threads, permutation);
}
