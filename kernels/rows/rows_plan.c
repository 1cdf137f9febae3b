/* SPDX-License-Identifier: Apache-2.0 */
/* See choose.h. All thresholds are in the one table below. */
#include "rows_plan.h"

#include <assert.h>
#include <stddef.h>

/* Row split reads neighbouring rows in step, so that rows of B meet in the L1 cache, and shares no row; but the
 * longest row is walked by one lane group. It pays while that walk ends before the launch would end anyway:
 *
 *   longest row <= max(longest_free, WALK * nnz * columns)
 *
 * WALK is the time of one gathered number, f32, at the rate of a long launch over the time of one step of a walk
 * (0.09 to 0.15 us where the longest row is the launch), fitted on an H200; docs/decisions/0011 has the figures.
 * columns is the width that a range of n is judged by, longest_free what even a small matrix bears.
 * This replaces the rule of "Design Principles for Sparse Matrix Multiplication on the GPU" (row split from 9.35
 * nonzeros a row on), which takes row split for blogcatalog (64.8 a row) at 20 times the time and refuses it for
 * usroads (2.6 a row), where it takes 0.8 to 0.9 times the time. The ranges of n are ascending and leave no gap;
 * columns and longest_free do not fall, so that what row split bears grows with n. */
#define WALK 2.5e-6
struct rule {
    int64_t n_min, n_max, typical;
    double columns, longest_free;
};
static const struct rule rules[] = {
    {1, 1, 1, 4, 16},     {2, 12, 8, 24, 40},      {13, 48, 32, 32, 40},
    {49, 96, 64, 64, 40}, {97, 192, 128, 128, 50}, {193, SPMMI_N_MAX, 256, 256, 50},
};
#define RULE_COUNT (sizeof rules / sizeof rules[0])
static_assert(RULE_COUNT <= SPMMI_DECISION_MAX, "one decision for each rule");

/* A granule is what one lane group works off in one go: short items keep many in flight. */
#define GRANULE 8u
#define N_PREDICTED 64 /* of merged ranges: what the trace's predictions are for, at most */

uint32_t spmmi_choose_granule(spmm_schedule_t schedule)
{
    (void)schedule;
    return GRANULE;
}

struct verdict {
    spmm_schedule_t winner;
    enum spmmi_reason reason;
    double figure, threshold;
};

static struct verdict judge(const struct spmmi_choice_input *in, const struct rule *rule)
{
    if (in->forced != 0)
        return (struct verdict){in->forced, SPMMI_REASON_FORCED, 0, 0};
    const double walked = WALK * (double)in->nnz * rule->columns;
    const double bearable = walked > rule->longest_free ? walked : rule->longest_free;
    const spmm_schedule_t winner =
        (double)in->longest <= bearable ? SPMM_SCHEDULE_ROW_SPLIT : SPMM_SCHEDULE_NONZERO_SPLIT;
    return (struct verdict){winner, SPMMI_REASON_IMBALANCE, (double)in->longest, bearable};
}

/* The number of columns that a range is judged by: the first that the caller named; 0: the range is not wanted. */
static int64_t judged_by(const struct spmmi_choice_input *in, const struct rule *rule)
{
    for (int i = 0; i < in->n_count; i++) {
        if (in->n[i] >= rule->n_min && in->n[i] <= rule->n_max)
            return in->n[i];
    }
    return in->n_count == 0 ? rule->typical : 0;
}

static struct spmmi_decision decide(const struct verdict *v, const struct rule *rule, int64_t n)
{
    static const spmm_schedule_t candidates[SPMMI_CANDIDATE_ROWS] = {
        SPMM_SCHEDULE_ROW_SPLIT,
        SPMM_SCHEDULE_NONZERO_SPLIT,
    };
    struct spmmi_decision d = {.n_min = rule->n_min,
                               .n_max = rule->n_max,
                               .n = n,
                               .family = SPMM_FAMILY_ROWS,
                               .schedule = v->winner,
                               .granule = spmmi_choose_granule(v->winner),
                               .candidate_count = SPMMI_CANDIDATE_ROWS};
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        d.candidates[i] = (struct spmmi_trace){
            .family = SPMM_FAMILY_ROWS,
            .schedule = candidates[i],
            .chosen = candidates[i] == v->winner,
            .reason = v->reason,
            .figure = v->figure,
            .threshold = v->threshold,
        };
    }
    return d;
}

int spmmi_choose(const struct spmmi_choice_input *input, struct spmmi_decision decisions[SPMMI_DECISION_MAX])
{
    int count = 0;
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const int64_t n = judged_by(input, &rules[i]);
        if (n == 0)
            continue;
        const struct verdict v = judge(input, &rules[i]);
        decisions[count++] = decide(&v, &rules[i], n);
    }
    return count;
}

int spmmi_decisions_agree(const struct spmmi_decision *a, const struct spmmi_decision *b)
{
    return a->family == b->family && a->schedule == b->schedule && a->granule == b->granule &&
           a->panel_rows == b->panel_rows && a->stage_slots == b->stage_slots && a->flags == b->flags &&
           a->compute == b->compute && a->order == b->order && a->peel == b->peel;
}

/* What row split bears grows with n: its closest call is the first range, that of nonzero split the last. */
static void widen(struct spmmi_decision *d, const struct spmmi_decision *next)
{
    const struct spmmi_decision first = *d;
    if (next->n <= N_PREDICTED)
        *d = *next;
    d->n_min = first.n_min;
    d->n_max = next->n_max;
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        const struct spmmi_trace *a = &first.candidates[i], *b = &next->candidates[i];
        if (a->reason == SPMMI_REASON_IMBALANCE && b->reason == SPMMI_REASON_IMBALANCE)
            d->candidates[i].threshold =
                d->schedule == SPMM_SCHEDULE_NONZERO_SPLIT ? b->threshold : a->threshold;
    }
}

int spmmi_decisions_merge(struct spmmi_decision *decisions, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct spmmi_decision *last = kept > 0 ? &decisions[kept - 1] : NULL;
        if (last != NULL && last->n_max + 1 == decisions[i].n_min &&
            spmmi_decisions_agree(last, &decisions[i]))
            widen(last, &decisions[i]);
        else
            decisions[kept++] = decisions[i];
    }
    return kept;
}
