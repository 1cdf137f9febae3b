/* SPDX-License-Identifier: Apache-2.0 */
/* See search_fit.h. */
#include "search_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "search_share.h"

/* Two variants that can be merged. */
struct pair {
    uint32_t first, second;
    double by_first, by_second; /* loss of both if the kernel of the first or second runs */
    bool is_of_second;          /* the kernel of the second runs after the merge */
    double loss;
    /* The kernel of one of them changes, so the merge is counted. */
    bool is_counted;
    bool is_shared; /* all GPUs have both variants */
    bool is_measured;
    bool is_last; /* measured, and the loss exceeds SPMMI_SHARE_LOSS: merged last */
};

/* Returns the largest n_max of the variants with smaller n in the group of v that have a layout of v; 0 if
 * there are none. */
static int64_t end_before(const struct spmmi_draft *draft, const struct spmmi_draft_variant *v)
{
    int64_t end = 0;
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        const struct spmmi_draft_variant *const u = &draft->variants[i];
        if (u->group == v->group && (u->of.layouts & v->of.layouts) != 0 && u->of.n_min < v->of.n_min &&
            u->of.n_max > end)
            end = u->of.n_max;
    }
    return end;
}

/* Extends each range of n down to the end of the previous one: nobody asked for n in the gap, and the kernel
 * of the larger n runs there. All devices do this together. If only one device merged over a gap, others
 * would match its variant in the gap before their own of another n. */
static void close_gaps(struct spmmi_draft *draft)
{
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        const int64_t end = end_before(draft, &draft->variants[i]);
        if (end > 0 && end < draft->variants[i].of.n_min)
            draft->variants[i].of.n_min = end + 1;
    }
}

/* Returns true if the variants have the same layouts and adjacent ranges, or different layouts and the same
 * range. */
static bool may_merge(const struct spmmi_draft_variant *first, const struct spmmi_draft_variant *second)
{
    if (first->of.layouts == second->of.layouts)
        return first->of.n_max + 1 == second->of.n_min;
    return (first->of.layouts & second->of.layouts) == 0 && first->of.n_min == second->of.n_min &&
           first->of.n_max == second->of.n_max;
}

static double loss_of_both(const struct spmmi_draft_variant *a, const struct spmmi_draft_variant *b,
                           int decision)
{
    return fmax(a->loss[decision], b->loss[decision]);
}

/* Returns the pair of two variants of one group, without regard to other groups. */
static struct pair pair_alone(const struct spmmi_draft *draft, uint32_t first, uint32_t second)
{
    const struct spmmi_draft_variant *const a = &draft->variants[first], *const b = &draft->variants[second];
    struct pair p = {.first = first, .second = second};
    p.is_counted = a->of.part_first != b->of.part_first || a->of.compute != b->of.compute;
    p.by_first = p.is_counted ? loss_of_both(a, b, a->decision) : 0;
    p.by_second = p.is_counted ? loss_of_both(a, b, b->decision) : 0;
    p.is_measured = a->is_measured || b->is_measured;
    return p;
}

/* Returns the equivalent pair in another group; its first is variant_count if the group lacks one of the
 * variants. */
static struct pair pair_in(const struct spmmi_draft *draft, const struct pair *p, uint32_t group)
{
    const uint32_t first = spmmi_draft_alike(draft, p->first, group);
    const uint32_t second = spmmi_draft_alike(draft, p->second, group);
    if (first == draft->variant_count || second == draft->variant_count)
        return (struct pair){.first = draft->variant_count};
    return pair_alone(draft, first, second);
}

/* Returns the pair with its losses. If all GPUs share both variants, they merge on every GPU so that the
 * result stays shared; the loss is then the largest of any GPU. */
static struct pair pair_of(const struct spmmi_draft *draft, uint32_t first, uint32_t second)
{
    struct pair p = pair_alone(draft, first, second);
    p.is_shared = spmmi_draft_is_shared(draft, first) && spmmi_draft_is_shared(draft, second);
    for (uint32_t g = 0; g < draft->group_count && p.is_shared; g++) {
        const struct pair q = pair_in(draft, &p, g);
        if (q.first == draft->variant_count)
            continue;
        p.by_first = fmax(p.by_first, q.by_first);
        p.by_second = fmax(p.by_second, q.by_second);
        p.is_measured = p.is_measured || q.is_measured;
    }
    p.is_of_second = p.by_second < p.by_first;
    p.loss = fmin(p.by_first, p.by_second);
    p.is_last = p.is_measured && p.loss > SPMMI_SHARE_LOSS;
    return p;
}

/* Compares two pairs: the smaller loss is better, but pairs with is_last rank after all others. */
static bool is_better(const struct pair *a, const struct pair *b)
{
    return a->is_last != b->is_last ? b->is_last : a->loss < b->loss;
}

/* Finds the pair to merge next. Covered variants are candidates too: they stay covered only if they merge as
 * the variants that cover them do. */
static bool find_least(const struct spmmi_draft *draft, struct pair *least)
{
    bool is_found = false;
    for (uint32_t i = 0; i < draft->variant_count; i++)
        for (uint32_t k = i + 1;
             k < draft->variant_count && draft->variants[k].group == draft->variants[i].group; k++) {
            if (!may_merge(&draft->variants[i], &draft->variants[k]))
                continue;
            const struct pair p = pair_of(draft, i, k);
            if (!is_found || is_better(&p, least))
                *least = p;
            is_found = true;
        }
    return is_found;
}

/* Merges a pair within its group. The result has the trace of the decision whose kernel runs. */
static void merge_alone(struct spmmi_draft *draft, const struct pair *p)
{
    const struct spmmi_draft_variant a = draft->variants[p->first], b = draft->variants[p->second];
    struct spmmi_draft_variant *const both = &draft->variants[p->first];
    *both = p->is_of_second ? b : a;
    both->of.n_min = a.of.n_min;
    both->of.n_max = b.of.n_max;
    both->of.layouts = a.of.layouts | b.of.layouts;
    both->is_measured = a.is_measured || b.is_measured;
    for (int i = 0; i < SPMMI_DECISION_MAX; i++)
        both->loss[i] = loss_of_both(&a, &b, i);
    draft->variant_count--;
    memmove(&draft->variants[p->second], &draft->variants[p->second + 1],
            (draft->variant_count - p->second) * sizeof *draft->variants);
}

/* Merges a pair, in all groups if it is shared. p is in the first group that has the pair, so all other
 * groups have higher indices, and merging them first leaves the indices of p valid. */
static void merge(struct spmmi_draft *draft, const struct pair *p)
{
    for (uint32_t g = 0; g < draft->group_count && p->is_shared; g++) {
        struct pair q = pair_in(draft, p, g);
        q.is_of_second = p->is_of_second;
        if (q.first < draft->variant_count && q.first != p->first)
            merge_alone(draft, &q);
    }
    merge_alone(draft, p);
}

/* Returns true if a variant for any device exists. Sharing is then off: it could make a second one for the
 * same products. */
static bool has_any(const struct spmmi_draft *draft)
{
    for (uint32_t i = 0; i < draft->variant_count; i++)
        if (draft->variants[i].of.target == SPMMI_TARGET_ANY)
            return true;
    return false;
}

static bool is_too_full(struct spmmi_draft *draft)
{
    return spmmi_draft_variants_needed(draft) > SPMMI_VARIANT_MAX ||
           spmmi_draft_parts_needed(draft) > SPMMI_PART_MAX;
}

spmm_status_t spmmi_draft_fit(struct spmmi_draft *draft, struct spmmi_merges *merges, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t groups = spmmi_draft_groups_needed(draft); /* one variant each */
    *merges = (struct spmmi_merges){0, 0};
    SPMM_REQUIRE(
        groups <= SPMMI_VARIANT_MAX, SPMM_ERR_ARGUMENT, diag,
        "a plan can hold %d variants, but %u are needed: one for each device, type and op, the CPU included; "
        "name fewer devices, types or ops",
        SPMMI_VARIANT_MAX, groups);
    if (is_too_full(draft))
        close_gaps(draft);
    if (spmmi_draft_variants_needed(draft) > SPMMI_VARIANT_MAX && !has_any(draft))
        spmmi_draft_share(draft);
    while (is_too_full(draft)) {
        struct pair least = {0};
        const uint32_t variants = spmmi_draft_variants_needed(draft);
        const bool is_of_variants = variants > SPMMI_VARIANT_MAX; /* merges can uncover variants */
        SPMM_REQUIRE(
            find_least(draft, &least), SPMM_ERR_ARGUMENT, diag,
            "a plan can hold %d %s, but %u are needed, even with one kernel for each device, type and op; "
            "name fewer devices, types or ops",
            is_of_variants ? SPMMI_VARIANT_MAX : SPMMI_PART_MAX, is_of_variants ? "variants" : "parts",
            is_of_variants ? variants : spmmi_draft_parts_needed(draft));
        merge(draft, &least);
        merges->count += least.is_counted;
        merges->loss = fmax(merges->loss, least.loss);
    }
cleanup:
    return status;
}

void spmmi_merges_text(const struct spmmi_merges *merges, char *text, size_t room)
{
    const char *const what = merges->count == 1 ? "range of n or layout runs" : "ranges of n or layouts run";
    char loss[48] = "with an unknown loss";
    /* Integers, because the decimal point of %f depends on the locale. */
    const long tenths = isfinite(merges->loss) ? lround(1000 * merges->loss) : 0;
    if (isfinite(merges->loss))
        (void)snprintf(loss, sizeof loss, "at most %ld.%ld %% slower", tenths / 10, tenths % 10);
    (void)snprintf(text, room, "%d %s a neighbour's kernel, %s", merges->count, what, loss);
}
