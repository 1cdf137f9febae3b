/* SPDX-License-Identifier: Apache-2.0 */
/* See search_fit.h. */
#include "search_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "search_share.h"

/* Two variants that may become one. */
struct pair {
    uint32_t first, second;
    bool is_of_second; /* whose kernel runs then */
    double loss;
    bool is_last; /* a measured decision loses more than predictions can tell apart */
};

/* Is the second what comes next in n? Ranges that the caller named may have a gap between them: its products run one of
 * the two anyway. */
static bool are_neighbours(const struct spmmi_draft *draft, const struct spmmi_draft_variant *first,
                           const struct spmmi_draft_variant *second)
{
    for (uint32_t i = 0; i < draft->variant_count; i++) {
        const struct spmmi_draft_variant *const v = &draft->variants[i];
        if (v->group == first->group && (v->of.layouts & first->of.layouts) != 0 &&
            v->of.n_min > first->of.n_max && v->of.n_min < second->of.n_min)
            return false;
    }
    return second->of.n_min > first->of.n_max;
}

static bool may_merge(const struct spmmi_draft *draft, const struct spmmi_draft_variant *first,
                      const struct spmmi_draft_variant *second)
{
    if (first->of.layouts == second->of.layouts)
        return are_neighbours(draft, first, second);
    return (first->of.layouts & second->of.layouts) == 0 && first->of.n_min == second->of.n_min &&
           first->of.n_max == second->of.n_max;
}

static double loss_of_both(const struct spmmi_draft_variant *a, const struct spmmi_draft_variant *b,
                           int decision)
{
    return fmax(a->loss[decision], b->loss[decision]);
}

static struct pair pair_of(const struct spmmi_draft *draft, uint32_t first, uint32_t second)
{
    const struct spmmi_draft_variant *const a = &draft->variants[first], *const b = &draft->variants[second];
    const double by_first = loss_of_both(a, b, a->decision), by_second = loss_of_both(a, b, b->decision);
    struct pair p = {first, second, by_second < by_first, fmin(by_first, by_second), false};
    p.is_last = (a->is_measured || b->is_measured) && p.loss > SPMMI_SHARE_LOSS;
    return p;
}

static bool is_better(const struct pair *a, const struct pair *b)
{
    return a->is_last != b->is_last ? b->is_last : a->loss < b->loss;
}

/* Covered variants too: where they merge as those that cover them do, they stay covered. */
static bool find_least(const struct spmmi_draft *draft, struct pair *least)
{
    bool is_found = false;
    for (uint32_t i = 0; i < draft->variant_count; i++)
        for (uint32_t k = i + 1;
             k < draft->variant_count && draft->variants[k].group == draft->variants[i].group; k++) {
            if (!may_merge(draft, &draft->variants[i], &draft->variants[k]))
                continue;
            const struct pair p = pair_of(draft, i, k);
            if (!is_found || is_better(&p, least))
                *least = p;
            is_found = true;
        }
    return is_found;
}

/* The trace is that of the decision whose kernel runs. */
static void merge(struct spmmi_draft *draft, const struct pair *p)
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

/* Of two variants for any device a product could take either. */
static bool has_any(const struct spmmi_draft *draft)
{
    for (uint32_t i = 0; i < draft->variant_count; i++)
        if (draft->variants[i].of.target == SPMMI_TARGET_ANY)
            return true;
    return false;
}

static bool runs_another(const struct spmmi_draft *draft, const struct pair *p)
{
    const struct spmmi_variant *const a = &draft->variants[p->first].of, *const b =
                                                                             &draft->variants[p->second].of;
    return a->part_first != b->part_first || a->compute != b->compute;
}

spmm_status_t spmmi_draft_fit(struct spmmi_draft *draft, struct spmmi_merges *merges, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *merges = (struct spmmi_merges){0, 0};
    draft->shares = spmmi_draft_variants_needed(draft) > SPMMI_VARIANT_MAX && !has_any(draft);
    while (spmmi_draft_variants_needed(draft) > SPMMI_VARIANT_MAX ||
           spmmi_draft_parts_needed(draft) > SPMMI_PART_MAX) {
        struct pair least = {0};
        SPMM_REQUIRE(find_least(draft, &least), SPMM_ERR_ARGUMENT, diag,
                     "so many devices, types and ops need more than %d variants or %d parts, even with one "
                     "variant for all layouts and numbers of columns: name fewer",
                     SPMMI_VARIANT_MAX, SPMMI_PART_MAX);
        merges->count += runs_another(draft, &least);
        merge(draft, &least);
        merges->loss = fmax(merges->loss, least.loss);
    }
cleanup:
    return status;
}

void spmmi_merges_text(const struct spmmi_merges *merges, char *text, size_t room)
{
    const char *const what = merges->count == 1 ? "range of n or layout runs" : "ranges of n or layouts run";
    char loss[48] = "with an unknown loss";
    if (isfinite(merges->loss))
        (void)snprintf(loss, sizeof loss, "at most %.1f %% slower", 100 * merges->loss);
    (void)snprintf(text, room, "%d %s a neighbour's kernel, %s", merges->count, what, loss);
}
