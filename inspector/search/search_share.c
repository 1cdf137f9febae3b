/* SPDX-License-Identifier: Apache-2.0 */
/* See search_share.h. */
#include "search_share.h"

#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

spmm_status_t spmmi_considered_keep(const struct spmmi_search *search, struct spmmi_decision *decision,
                                    struct spmmi_considered *considered, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = (uint64_t)search->count;
    *considered = (struct spmmi_considered){*search, decision, spmmi_search_value(search, &decision->winner)};
    considered->search.list = spmmi_alloc(count, sizeof *search->list);
    SPMM_TRY_ALLOC(considered->search.list, diag);
    memcpy(considered->search.list, search->list, count * sizeof *search->list);
cleanup:
    return status;
}

void spmmi_considered_free(struct spmmi_considered *considered, int count)
{
    for (int i = 0; i < count; i++)
        spmmi_free(considered[i].search.list);
}

static bool is_first_family(const struct spmmi_candidate *c)
{
    return c->family == spmmi_family_at(0)->id;
}

/* Returns true if the decision may change: it was not measured, and it has a prediction. */
static bool is_free(const struct spmmi_considered *d)
{
    return isfinite(d->least) && d->decision->winner.measured_us <= 0;
}

/* Returns true if c may replace a part that is given up: c is another part, not of the first family, and some
 * decision runs it already. */
static bool may_replace(const struct spmmi_considered *all, int count, const struct spmmi_candidate *c,
                        const struct spmmi_candidate *part)
{
    if (is_first_family(c) || spmmi_candidates_agree(c, part))
        return false;
    for (int i = 0; i < count; i++)
        if (spmmi_candidates_agree(c, &all[i].decision->winner))
            return true;
    return false;
}

/* Returns the relative loss of a decision if candidate c runs: 0.05 means 5 % slower than the fastest. */
static double loss_by(const struct spmmi_considered *d, const struct spmmi_candidate *c)
{
    return spmmi_search_value(&d->search, c) / d->least - 1;
}

/* Returns the replacement for `part` with the least loss; NULL if there is none. */
static const struct spmmi_candidate *other_part(const struct spmmi_considered *all, int count,
                                                const struct spmmi_considered *d,
                                                const struct spmmi_candidate *part)
{
    const struct spmmi_candidate *best = NULL;
    for (int k = 0; k < d->search.count; k++) {
        const struct spmmi_candidate *const c = &d->search.list[k];
        if (isfinite(spmmi_search_value(&d->search, c)) && may_replace(all, count, c, part) &&
            (best == NULL || loss_by(d, c) < loss_by(d, best)))
            best = c;
    }
    return best;
}

/* Returns the largest loss of any decision that runs `part`, if replacements run instead. INFINITY: a
 * decision has no replacement. */
static double loss_without(const struct spmmi_considered *all, int count, const struct spmmi_candidate *part)
{
    double loss = 0;
    for (int i = 0; i < count; i++) {
        const struct spmmi_considered *const d = &all[i];
        if (!spmmi_candidates_agree(&d->decision->winner, part))
            continue;
        const struct spmmi_candidate *const other = is_free(d) ? other_part(all, count, d, part) : NULL;
        loss = fmax(loss, other != NULL ? loss_by(d, other) : (double)INFINITY);
    }
    return loss;
}

/* Makes c the winner of a decision and rewrites its records. Its weighed time is lowered meanwhile, so that
 * the trace says that a slower prediction won by a margin: the benefit of a shared part. */
static void decide_anew(struct spmmi_considered *d, const struct spmmi_candidate *c)
{
    struct spmmi_candidate *const winner = &d->search.list[c - d->search.list];
    winner->weighed /= 1 + SPMMI_SHARE_LOSS;
    d->decision->winner = *winner;
    d->decision->record_count = 0;
    spmmi_search_record(&d->search, winner, d->decision);
    winner->weighed *= 1 + SPMMI_SHARE_LOSS;
}

/* Replaces a part in every decision that runs it. */
static void give_up(struct spmmi_considered *all, int count, struct spmmi_candidate part)
{
    for (int i = 0; i < count; i++)
        if (spmmi_candidates_agree(&all[i].decision->winner, &part))
            decide_anew(&all[i], other_part(all, count, &all[i], &part));
}

void spmmi_decisions_share(struct spmmi_considered *considered, int count)
{
    for (;;) {
        const struct spmmi_candidate *least = NULL;
        double least_loss = SPMMI_SHARE_LOSS;
        for (int i = 0; i < count; i++) {
            const struct spmmi_candidate *const part = &considered[i].decision->winner;
            const double loss =
                is_first_family(part) ? (double)INFINITY : loss_without(considered, count, part);
            if (loss <= least_loss) {
                least = part;
                least_loss = loss;
            }
        }
        if (least == NULL)
            return;
        give_up(considered, count, *least);
    }
}

/* Returns the relative loss of d if the winner of another decision runs; INFINITY if the search of d did not
 * consider it. */
static double loss_by_winner(const struct spmmi_considered *d, const struct spmmi_candidate *winner)
{
    double value = (double)INFINITY;
    for (int k = 0; k < d->search.count; k++)
        if (spmmi_candidates_agree(&d->search.list[k], winner))
            value = fmin(value, spmmi_search_value(&d->search, &d->search.list[k]));
    return isfinite(value) && isfinite(d->least) ? value / d->least - 1 : (double)INFINITY;
}

static bool is_part_of(const struct spmmi_considered *c, const struct spmmi_decision *d)
{
    return (c->search.layout & d->layouts) != 0 && c->search.n >= d->range.n_min &&
           c->search.n <= d->range.n_max;
}

void spmmi_decisions_losses(const struct spmmi_considered *considered, int count,
                            struct spmmi_decision *decisions, int decision_count)
{
    for (int i = 0; i < decision_count; i++)
        for (int j = 0; j < decision_count; j++) {
            double loss = 0;
            for (int k = 0; k < count; k++)
                if (is_part_of(&considered[k], &decisions[i]))
                    loss = fmax(loss, loss_by_winner(&considered[k], &decisions[j].winner));
            decisions[i].loss[j] = loss;
        }
}
