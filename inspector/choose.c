/* SPDX-License-Identifier: Apache-2.0 */
/* See choose.h. All thresholds are in the one table below. */
#include "choose.h"

#include <assert.h>
#include <stdbool.h>

/* Row split pays when rows are long enough to fill a lane group, and as long as no row is so much longer
 * than the others that one lane group is still busy when all others are done.
 *
 * mean_row: at 9.35 nonzeros a row the curves of row split and merge-based split cross in the paper "Design
 *   Principles for Sparse Matrix Multiplication on the GPU" (Kepler, 157 matrices, n = 64).
 * longest_free, longest_factor: row split bears a longest row of longest_free nonzeros, or of longest_factor
 *   mean rows. These are estimates: a row of 256 takes a lane group about as long as the launch.
 * A rule holds for n_min..n_max; the ranges of the table are ascending and leave no gap. */
struct rule {
    int64_t n_min, n_max;
    double mean_row;
    double longest_free, longest_factor;
};
static const struct rule rules[] = {
    {1, SPMMI_N_MAX, 9.35, 256, 4},
};
#define RULE_COUNT (sizeof rules / sizeof rules[0])
static_assert(RULE_COUNT <= SPMMI_DECISION_MAX, "one decision for each rule");

/* A granule is what one lane group works off in one go: short items keep many in flight. */
#define GRANULE 8u

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
    const double mean = in->rows > 0 ? (double)in->nnz / (double)in->rows : 0;
    if (mean < rule->mean_row)
        return (struct verdict){SPMM_SCHEDULE_NONZERO_SPLIT, SPMMI_REASON_MEAN_ROW, mean, rule->mean_row};
    const double scaled = rule->longest_factor * mean;
    const double bearable = scaled > rule->longest_free ? scaled : rule->longest_free;
    if ((double)in->longest > bearable)
        return (struct verdict){SPMM_SCHEDULE_NONZERO_SPLIT, SPMMI_REASON_IMBALANCE, (double)in->longest,
                                bearable};
    return (struct verdict){SPMM_SCHEDULE_ROW_SPLIT, SPMMI_REASON_MEAN_ROW, mean, rule->mean_row};
}

static bool wanted(const struct spmmi_choice_input *in, const struct rule *rule)
{
    for (int i = 0; i < in->n_count; i++) {
        if (in->n[i] >= rule->n_min && in->n[i] <= rule->n_max)
            return true;
    }
    return in->n_count == 0;
}

static struct spmmi_decision decide(const struct verdict *v, const struct rule *rule)
{
    static const spmm_schedule_t candidates[SPMMI_CANDIDATE_COUNT] = {
        SPMM_SCHEDULE_ROW_SPLIT,
        SPMM_SCHEDULE_NONZERO_SPLIT,
    };
    struct spmmi_decision d = {.n_min = rule->n_min, .n_max = rule->n_max, .schedule = v->winner};
    for (int i = 0; i < SPMMI_CANDIDATE_COUNT; i++) {
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
        if (!wanted(input, &rules[i]))
            continue;
        const struct verdict v = judge(input, &rules[i]);
        if (count > 0 && decisions[count - 1].schedule == v.winner &&
            decisions[count - 1].n_max + 1 == rules[i].n_min)
            decisions[count - 1].n_max = rules[i].n_max;
        else
            decisions[count++] = decide(&v, &rules[i]);
    }
    return count;
}
