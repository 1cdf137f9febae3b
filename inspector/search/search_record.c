/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of a decision for the trace: for each kernel the best candidate or why there is none,
 * then further evidence. */
#include <math.h>

#include "search.h"

#define US_PER_SECOND 1e6

struct writer {
    const struct spmmi_search *search;
    const struct spmmi_candidate *winner;
    struct spmmi_decision *decision;
};

/* Appends a record. Drops it if the list is full; the winner is recorded before that can happen. */
static void add(const struct writer *w, const struct spmmi_candidate *c, struct spmmi_trace t)
{
    const struct spmmi_family *const row = spmmi_family_of(c->family);
    const spmm_dtype_t dtype = w->search->request->options.a_type;
    if (w->decision->record_count == SPMMI_RECORD_MAX)
        return;
    t.family = c->family;
    t.schedule = t.schedule != 0 ? t.schedule : c->schedule;
    for (int i = 0; t.schedule == 0; i++)
        t.schedule = spmmi_schedule_at(i)->family == c->family ? spmmi_schedule_at(i)->id : t.schedule;
    if (dtype == SPMM_F32 && row->compute == SPMMI_COMPUTE_TENSOR)
        t.compute = c->compute != 0 ? c->compute : SPMM_COMPUTE_3XTF32;
    if (row->compute == SPMMI_COMPUTE_EITHER)
        t.compute = c->compute;
    t.predicted_us = t.schedule == c->schedule ? US_PER_SECOND * c->seconds : 0;
    t.measured_us = t.schedule == c->schedule ? c->measured_us : 0;
    w->decision->records[w->decision->record_count++] = t;
}

/* Returns true if x is a better candidate to record than y: one that may run wins, then one with a
 * prediction, then the faster one. */
static bool tells_more(const struct spmmi_search *s, const struct spmmi_candidate *x,
                       const struct spmmi_candidate *y)
{
    if (y == NULL)
        return true;
    if ((x->refused == 0) != (y->refused == 0))
        return x->refused == 0;
    if ((x->seconds > 0) != (y->seconds > 0))
        return x->seconds > 0;
    const double a = spmmi_search_value(s, x), b = spmmi_search_value(s, y);
    return isfinite(a) || isfinite(b) ? a < b : x->weighed < y->weighed;
}

/* Returns the best candidate of a kernel; with schedule 0, the record about the whole family. */
static const struct spmmi_candidate *best_of(const struct writer *w, spmm_family_t family,
                                             spmm_schedule_t schedule)
{
    const struct spmmi_search *const s = w->search;
    const struct spmmi_candidate *best = NULL;
    if (w->winner->family == family && w->winner->schedule == schedule)
        return w->winner;
    for (int i = 0; i < s->count; i++) {
        const struct spmmi_candidate *const c = &s->list[i];
        const bool is_told_apart =
            c->refused == SPMMI_REASON_PRUNED || c->refused == SPMMI_REASON_NOT_MEASURED;
        /* For families with plain f32 and tf32 kernels, only the plain f32 candidate is recorded for a kernel
         * that lost. Older libraries do not know tf32 records of these families, and in most plans they would
         * be the only thing that those libraries do not know. */
        const bool is_split =
            spmmi_is_tf32(c->compute) && spmmi_family_of(family)->compute == SPMMI_COMPUTE_EITHER;
        const bool is_of = c->family == family && c->schedule == schedule && !is_told_apart && !is_split;
        if (is_of && tells_more(s, c, best))
            best = c;
    }
    return best;
}

/* Returns the candidate that the winner was compared with: the best of all other kernels. */
static const struct spmmi_candidate *runner_up(const struct writer *w)
{
    const struct spmmi_search *const s = w->search;
    const struct spmmi_candidate *best = NULL;
    for (int i = 0; i < s->count; i++) {
        const struct spmmi_candidate *const c = &s->list[i];
        const bool is_winner = c->family == w->winner->family && c->schedule == w->winner->schedule;
        if (!is_winner && c->refused == 0 && isfinite(spmmi_search_value(s, c)) && tells_more(s, c, best))
            best = c;
    }
    return best;
}

/* Returns the record of the winner: the reason and the two values that were compared. */
static struct spmmi_trace of_winner(const struct writer *w)
{
    const struct spmmi_candidate *const c = w->winner, *const other = runner_up(w);
    struct spmmi_trace t = {.chosen = 1, .reason = SPMMI_REASON_PREDICTED};
    if (spmmi_is_forced(w->search) && (w->search->request->schedule != 0 || other == NULL)) {
        t.reason = SPMMI_REASON_FORCED;
        return t;
    }
    if (c->measured_us > 0) {
        t.reason = SPMMI_REASON_MEASURED;
        t.value = c->measured_us;
        t.threshold = other != NULL ? other->measured_us : c->measured_us;
        return t;
    }
    if (c->seconds <= 0) {
        t.reason = SPMMI_REASON_UNPRICED;
        return t;
    }
    t.value = US_PER_SECOND * c->seconds;
    t.threshold = US_PER_SECOND * (other != NULL ? other->seconds : c->seconds);
    if (other != NULL && other->seconds < c->seconds) { /* the winner has the smaller risk */
        t.reason = SPMMI_REASON_MARGIN;
        t.threshold = US_PER_SECOND * other->weighed * c->seconds / c->weighed;
    }
    return t;
}

/* Returns the record of a candidate that lost: why, and the two values that were compared. */
static struct spmmi_trace of_loser(const struct writer *w, const struct spmmi_candidate *c)
{
    const struct spmmi_candidate *const winner = w->winner;
    struct spmmi_trace t = {.reason = SPMMI_REASON_PREDICTED};
    if (c->refused != 0)
        return (struct spmmi_trace){.reason = c->refused, .value = c->value, .threshold = c->threshold};
    if (c->measured_us > 0 && winner->measured_us > 0)
        return (struct spmmi_trace){
            .reason = SPMMI_REASON_MEASURED, .value = c->measured_us, .threshold = winner->measured_us};
    if (c->seconds <= 0)
        return (struct spmmi_trace){.reason = SPMMI_REASON_UNPRICED};
    t.value = US_PER_SECOND * c->seconds;
    t.threshold = US_PER_SECOND * winner->seconds;
    if (c->seconds < winner->seconds) { /* it would have won without its risk */
        t.reason = SPMMI_REASON_MARGIN;
        t.threshold = US_PER_SECOND * winner->weighed * c->seconds / c->weighed;
    }
    return t;
}

/* Records evidence about a permutation or a long-row split once for all kernels: for the winner, else for the
 * best candidate that has it. */
static void add_evidence(const struct writer *w, const struct spmmi_candidate *c,
                         const struct spmmi_evidence *e)
{
    const struct spmmi_candidate *best = c;
    const struct spmmi_search *const s = w->search;
    for (int i = 0; i < s->count; i++) {
        const struct spmmi_candidate *const other = &s->list[i];
        if (other->evidence_count == 0 || other->evidence[0].reason != c->evidence[0].reason ||
            other->permutation_kind != c->permutation_kind ||
            (other->long_rows != NULL) != (c->long_rows != NULL))
            continue;
        if (other == w->winner || (best != w->winner && tells_more(s, other, best)))
            best = other;
    }
    if (best != c)
        return;
    const bool is_permutation = e->reason == SPMMI_REASON_BLOCKS || e->reason == SPMMI_REASON_REUSE;
    const bool is_taken =
        (e->against == 0 && c == w->winner) ||
        (is_permutation && w->winner->permutation != NULL && c->permutation == w->winner->permutation);
    add(w, c,
        (struct spmmi_trace){.schedule = e->against,
                             .reason = e->reason,
                             .chosen = is_taken,
                             .permutation = c->permutation_kind,
                             .value = e->value,
                             .threshold = e->threshold});
}

/* Records candidates that a bound pruned, and those that could not be measured. */
static void add_others(const struct writer *w)
{
    for (int i = 0; i < w->search->count; i++) {
        const struct spmmi_candidate *const c = &w->search->list[i];
        if (c->refused == SPMMI_REASON_PRUNED || c->refused == SPMMI_REASON_NOT_MEASURED ||
            (c->refused != 0 && c->schedule == 0 && c->permutation_kind != 0))
            add(w, c,
                (struct spmmi_trace){.reason = c->refused,
                                     .permutation = c->permutation_kind,
                                     .value = c->value,
                                     .threshold = c->threshold});
    }
}

void spmmi_search_record(const struct spmmi_search *s, const struct spmmi_candidate *winner,
                         struct spmmi_decision *decision)
{
    const struct writer w = {s, winner, decision};
    const struct spmmi_family *row = NULL;
    const struct spmmi_schedule *schedule = NULL;
    for (int f = 0; (row = spmmi_family_at(f)) != NULL; f++) {
        const struct spmmi_candidate *whole = best_of(&w, row->id, (spmm_schedule_t)0);
        if (whole != NULL && whole->permutation_kind == SPMM_REORDER_AUTO)
            add(&w, whole, of_loser(&w, whole));
        for (int i = 0; (schedule = spmmi_schedule_at(i)) != NULL; i++) {
            const struct spmmi_candidate *const c =
                schedule->family == row->id ? best_of(&w, row->id, schedule->id) : NULL;
            if (c != NULL)
                add(&w, c, c == winner ? of_winner(&w) : of_loser(&w, c));
        }
    }
    for (int i = 0; i < s->count; i++)
        for (int e = 0; e < s->list[i].evidence_count; e++)
            add_evidence(&w, &s->list[i], &s->list[i].evidence[e]);
    add_others(&w);
}
