/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of tensor cores that cost an inspection more: other orders of the rows, and rows split off. */
#include <math.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "fragment_plan.h"
#include "inspector/reorder/row_likeness.h"
#include "kernels/long_rows/peel_plan.h"

/* Bounds of what an order of the rows may win; all but the last from the matrices of docs/reordering.csv. */
#define ORDER_WORTH 2.0 /* times the best of all: the largest gain that is hoped for from an order */
#define ORDER_FILL 33.0 /* nonzeros of a block, a half of its places, from which on orders are not tried */
#define DENSITY_HOPELESS 4.0 /* nonzeros of a block below which no order is hoped to be dense enough */
#define LONG_ROWS 64.0       /* nonzeros of a mean row from which on orders are tried unseen */
#define SMALL_NONZEROS \
    500000 /* of a matrix whose orders cost some milliseconds: it bears the two figures below */
#define SMALL_FILL 48.0
#define SMALL_LONG_ROWS 32.0
#define LIKENESS_MOST 0.87 /* of what spmmi_row_likeness says, for shorter ones */
#define ORDER_GAIN 0.8 /* of blocks or footprints, what the first order leaves where others are tried too */
#define US_PER_SECOND 1e6

/* Of rows that are apart; 0: not looked at. */
struct likeness {
    double ratio;
};

static void close_likeness(void *memory)
{
    (void)memory;
}

static spmm_status_t likeness_of(const struct spmmi_search *s, double *ratio, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    struct likeness *known = spmmi_search_shelf(s, "likeness", sizeof *known, close_likeness);
    SPMM_TRY_ALLOC(known, diag);
    if (known->ratio == 0) {
        status =
            spmmi_row_likeness(a->rows, a->cols, a->row_ptr, a->col_ind, s->request->threads, &known->ratio);
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the likeness of rows");
    }
    *ratio = known->ratio;
cleanup:
    return status;
}

/* Making orders takes longer than all the rest, so a free choice tries them only where the blocks of windows have room
 * for more nonzeros, where what was found so far is not too far from what is to beat, and where a quick look finds like
 * rows apart; long rows are cheap to order, as the cost is that of rows. */
static spmm_status_t find_reason_against(const struct spmmi_search *s, const struct spmmi_candidate *leader,
                                         double density, struct spmmi_evidence *why, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    const bool is_small = a->nnz < SMALL_NONZEROS;
    const double full = is_small ? SMALL_FILL : ORDER_FILL, bound = leader->weighed / ORDER_WORTH;
    double likeness = 0;
    *why = spmmi_why((enum spmmi_reason)0, 0, 0);
    if (density < DENSITY_HOPELESS)
        *why = spmmi_why(SPMMI_REASON_DENSITY, density, DENSITY_HOPELESS);
    else if (bound >= s->best)
        *why = spmmi_why(SPMMI_REASON_PRUNED, US_PER_SECOND * bound, US_PER_SECOND * s->best);
    else if (density >= full)
        *why = spmmi_why(SPMMI_REASON_FULL, density, full);
    if (why->reason != 0 || a->mean >= (is_small ? SMALL_LONG_ROWS : LONG_ROWS))
        goto cleanup;
    SPMM_TRY(likeness_of(s, &likeness, diag));
    if (likeness >= LIKENESS_MOST)
        *why = spmmi_why(SPMMI_REASON_LIKENESS, likeness, LIKENESS_MOST);
cleanup:
    return status;
}

/* Do blocks of windows, or footprints of panels, fall so far that other orders may do as well? */
static bool gains_much(const struct spmmi_fragment_study *after, const struct spmmi_fragment_study *before)
{
    bool gains =
        after->figures[SPMMI_FRAGMENT_8].blocks < ORDER_GAIN * before->figures[SPMMI_FRAGMENT_8].blocks;
    for (int unit = SPMMI_FRAGMENT_64; unit <= SPMMI_FRAGMENT_128; unit++)
        gains = gains || after->figures[unit].footprint < ORDER_GAIN * before->figures[unit].footprint;
    return gains;
}

/* All orders that could pay where the caller names the family. A free choice goes on to the second only where the first
 * shows that there is much to gain. */
static spmm_status_t try_orders(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                const struct spmmi_fragment_study *natural, spmm_diag_t *diag)
{
    static const spmm_reorder_t of_auto[] = {SPMM_REORDER_MINHASH, SPMM_REORDER_RCM, SPMM_REORDER_RADIX};
    spmm_status_t status = SPMM_OK;
    const struct spmmi_row_order *order = NULL;
    const struct spmmi_fragment_study *study = NULL;
    bool gains = true;
    for (size_t i = 0; i < sizeof of_auto / sizeof of_auto[0] && gains; i++) {
        if (of_auto[i] == SPMM_REORDER_RCM && s->pattern->rows != s->pattern->cols)
            continue;
        gains = spmmi_is_forced(s);
        SPMM_TRY(spmmi_row_order_of(s->orders, of_auto[i], &order, diag));
        if (order->order == NULL)
            continue;
        SPMM_TRY(spmmi_fragment_study_of(s, order->order, &study, diag));
        SPMM_TRY(spmmi_fragment_emit(s, rules, order, diag));
        gains = gains || gains_much(study, natural);
    }
cleanup:
    return status;
}

static spmm_status_t consider_orders(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_candidate *const leader =
        spmmi_search_leader(s, rules->family, (spmm_schedule_t)0, false);
    const struct spmmi_fragment_study *natural = NULL;
    struct spmmi_evidence why = spmmi_why((enum spmmi_reason)0, 0, 0);
    bool repays = true;
    if (leader == NULL || s->request->options.reorder != SPMM_REORDER_AUTO)
        goto cleanup;
    SPMM_TRY(spmmi_fragment_study_of(s, NULL, &natural, diag));
    if (!spmmi_is_forced(s))
        SPMM_TRY(
            find_reason_against(s, leader, spmmi_fragment_study_fill(natural, SPMMI_FRAGMENT_8), &why, diag));
    if (why.reason != 0) {
        SPMM_TRY(spmmi_search_refuse(s, rules->family, (spmm_schedule_t)0, SPMM_REORDER_MINHASH, &why, diag));
        goto cleanup;
    }
    SPMM_TRY(spmmi_search_repays(s, rules->family, SPMM_REORDER_MINHASH, spmmi_order_seconds(s),
                                 leader->weighed / ORDER_WORTH, &repays, diag));
    if (repays)
        SPMM_TRY(try_orders(s, rules, natural, diag));
cleanup:
    return status;
}

/* ---- Rows split off ---- */

static void close_study(void *study)
{
    spmmi_fragment_study_close(study);
    spmmi_free(study);
}

/* Figures of the rows that are left, in their order. */
static spmm_status_t study_left(const struct spmmi_search *s, const struct spmmi_pattern *left,
                                const uint32_t *rows, struct spmmi_peel *peel, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    struct spmmi_fragment_study *study = spmmi_alloc_zero(1, sizeof *study);
    SPMM_TRY_ALLOC(study, diag);
    peel->left = study;
    peel->close_left = close_study;
    status = spmmi_fragment_study_open(left, rows, r->options.dtype, spmmi_fragment_sample(r, s->pattern),
                                       r->threads, study);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of tensor cores");
cleanup:
    return status;
}

/* The best configuration of each schedule, without the rows that are longest in their units. */
static spmm_status_t split_rows(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                spmm_schedule_t schedule, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_candidate *const leader = spmmi_search_leader(s, rules->family, schedule, true);
    const struct spmmi_fragment_study *whole = NULL;
    const struct spmmi_peel *peel = NULL;
    if (leader == NULL)
        goto cleanup;
    SPMM_TRY(spmmi_fragment_study_of(s, leader->order, &whole, diag));
    if (!spmmi_peel_may_pay(s, leader, spmmi_fragment_study_fill(whole, SPMMI_FRAGMENT_8)))
        goto cleanup;
    SPMM_TRY(spmmi_peel_of(s, leader->order, leader->unit_rows, study_left, &peel, diag));
    if (peel->left == NULL)
        goto cleanup;
    const enum spmmi_fragment_unit unit = spmmi_fragment_unit_of(rules->family, leader->unit_rows);
    const struct spmmi_fragment_study *const left = peel->left;
    struct spmmi_model_fragments metrics;
    struct spmmi_candidate c = {.order = leader->order,
                                .order_kind = leader->order_kind,
                                .inspect_seconds = leader->inspect_seconds,
                                .peel = peel,
                                .more_seconds = spmmi_peel_seconds(s, peel)};
    c.evidence[c.evidence_count++] = spmmi_why(SPMMI_REASON_PEELED, (double)peel->count, (double)peel->nnz);
    c.evidence[c.evidence_count++] =
        spmmi_why(SPMMI_REASON_PEELED_BLOCKS, left->figures[unit].blocks, whole->figures[unit].blocks);
    spmmi_fragment_candidate(s, rules, left, unit, schedule, &metrics, &c);
    SPMM_TRY(spmmi_search_emit(s, &c, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_fragment_refine(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(consider_orders(s, rules, diag));
    for (int schedule = SPMM_SCHEDULE_DENSE; schedule <= SPMM_SCHEDULE_PACKED; schedule++)
        SPMM_TRY(split_rows(s, rules, (spmm_schedule_t)schedule, diag));
cleanup:
    return status;
}
