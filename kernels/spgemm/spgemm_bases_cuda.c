/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_bases.h. */
#include "spgemm_bases.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

#define NEAR_SHIFT_MIN 2 /* 3 bytes per start; with a smaller shift not less than 4 */

#ifdef SPMM_TEST_HOOKS
uint32_t spmmi_spgemm_near_range = 1u << 16, spmmi_spgemm_left_range = SPMMI_SPGEMM_LEFT_RANGE;
#define NEAR_RANGE spmmi_spgemm_near_range
#define LEFT_RANGE spmmi_spgemm_left_range
#else
#define NEAR_RANGE (1u << 16)
#define LEFT_RANGE SPMMI_SPGEMM_LEFT_RANGE
#endif

/* Numbers, `count` of them; each 2^shift neighbours share a base, the least of them. */
struct numbers {
    uint32_t *of;
    int64_t count;
    uint32_t shift;
    int threads;
};

/* The neighbours that share a base: numbers [first, end). */
struct range {
    int64_t first, end;
    uint32_t least, most;
};

static struct range range_of(const struct numbers *x, int64_t b)
{
    const int64_t first = b << x->shift, last = (b + 1) << x->shift;
    struct range r = {first, last < x->count ? last : x->count, x->of[first], x->of[first]};
    for (int64_t i = first + 1; i < r.end; i++) {
        r.least = x->of[i] < r.least ? x->of[i] : r.least;
        r.most = x->of[i] > r.most ? x->of[i] : r.most;
    }
    return r;
}

static int64_t base_count(const struct numbers *x)
{
    return (x->count + (INT64_C(1) << x->shift) - 1) >> x->shift;
}

/* Returns true if all distances are below `limit`. */
static int fits(const struct numbers *x, uint32_t limit)
{
    int is_far = 0;
#pragma omp parallel for num_threads(spmmi_team(x->threads)) reduction(| : is_far)
    for (int64_t b = 0; b < base_count(x); b++) {
        const struct range r = range_of(x, b);
        is_far |= r.most - r.least >= limit;
    }
    return !is_far;
}

/* Sets the largest shift with which all distances are below `limit`; 0 if none does from `least` on. */
static void choose_shift(struct numbers *x, uint32_t limit, uint32_t least)
{
    x->shift = SPMMI_SPGEMM_SHIFT_MAX;
    while (x->shift >= least && !fits(x, limit))
        x->shift--;
    if (x->shift < least)
        x->shift = 0;
}

/* Moves the bases, each of which was stored in place of its first number, to the front. */
static uint32_t collect_bases(const struct numbers *x)
{
    const int64_t bases = base_count(x);
    for (int64_t b = 0; b < bases; b++)
        x->of[b] = x->of[b << x->shift];
    return (uint32_t)bases;
}

static spmm_status_t base_starts(struct spmmi_spgemm_items *items, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct numbers x = {items->starts, items->direct, 0, threads};
    choose_shift(&x, NEAR_RANGE, NEAR_SHIFT_MIN);
    items->start_count = items->direct;
    if (x.shift == 0)
        return SPMM_OK;
    SPMM_TRY_ALLOC(items->near_starts = spmmi_alloc(items->direct, sizeof *items->near_starts), diag);
#pragma omp parallel for num_threads(spmmi_team(threads))
    for (int64_t b = 0; b < base_count(&x); b++) {
        const struct range r = range_of(&x, b);
        for (int64_t p = r.first; p < r.end; p++)
            items->near_starts[p] = (uint16_t)(items->starts[p] - r.least);
        items->starts[r.first] = r.least;
    }
    items->start_shift = x.shift;
    items->start_count = collect_bases(&x);
cleanup:
    return status;
}

static void base_lefts(struct spmmi_spgemm_items *items, int threads)
{
    struct numbers x = {items->lefts, items->listed, 0, threads};
    struct spmmi_spgemm_row *const rows = items->rows + items->direct;
    choose_shift(&x, LEFT_RANGE, 1);
#pragma omp parallel for num_threads(spmmi_team(threads))
    for (int64_t b = 0; b < base_count(&x); b++) {
        const struct range r = range_of(&x, b);
        for (int64_t t = r.first; t < r.end; t++)
            rows[t].counts |= (items->lefts[t] - r.least) << SPMMI_SPGEMM_COUNT_BITS;
        items->lefts[r.first] = r.least;
    }
    items->left_shift = x.shift;
    items->left_count = collect_bases(&x);
}

spmm_status_t spmmi_spgemm_bases_make(struct spmmi_spgemm_items *items, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    base_lefts(items, threads);
    if (items->pull_count > 0 || items->mask_count > 0)
        SPMM_TRY(base_starts(items, threads, diag));
cleanup:
    return status;
}
