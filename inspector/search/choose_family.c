/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_family.h. */
#include "choose_family.h"

#include <math.h>
#include <string.h>

#include "kernels/tcblock/fragment_plan.h"
#include "kernels/tiled/tiled_plan.h"
#include "format/base/diag.h"

#define N_TYPICAL 64
#define US_PER_SECOND 1e6
#define FRAGMENT_N_MIN 8
#define PEEL_HOPE 3.0 /* times what is to beat: the largest gain that is hoped for from peeling */
#define NNZ_MIN 50000 /* smaller matrices were not measured, and a launch is most of their time */

struct context {
    const struct spmmi_request *request;
    const struct spmmi_pattern *pattern;
    struct spmmi_studies *studies;
    struct spmmi_model_matrix model;
    uint32_t layout;
};

/* Of a matrix without nonzeros the models say nothing. */
static bool is_modelled(const struct context *x)
{
    return x->pattern->nnz > 0;
}

/* The refined model speaks of the families beside rows on GPUs only. */
static const struct spmmi_model_matrix *gpu_model(const struct context *x)
{
    return is_modelled(x) && x->request->device.target != SPMMI_TARGET_CPU ? &x->model : NULL;
}

/* A single column is left to the rows family, whose kernels for it no tiled one was measured against. So a free choice
 * for all n always has a rows part, which the CPU prefers. */
static bool considers_tiled(const struct context *x, int64_t n)
{
    if (x->request->family != 0)
        return x->request->family == SPMM_FAMILY_TILED;
    return n > 1 && x->pattern->nnz >= NNZ_MIN && gpu_model(x) != NULL &&
           x->pattern->nnz + x->pattern->rows <= (int64_t)SPMMI_UNIT_MAX;
}

/* Few columns leave most of an MMA idle. A free choice needs constants that were fitted. */
static bool considers_fragments(const struct context *x, int64_t n)
{
    const struct spmmi_request *r = x->request;
    if (spmmi_is_fragments(r->family))
        return true;
    return (r->family == 0 || r->may_be_tensor) && r->tensor != 0 && n >= FRAGMENT_N_MIN &&
           x->pattern->nnz >= NNZ_MIN && x->pattern->nnz <= (int64_t)UINT32_MAX && gpu_model(x) != NULL &&
           (spmmi_fragment_is_fitted(r, SPMM_FAMILY_WINDOW) ||
            spmmi_fragment_is_fitted(r, SPMM_FAMILY_PANEL) || spmmi_fragment_is_fitted(r, SPMM_FAMILY_BCSR));
}

static void predict_rows(const struct context *x, struct spmmi_decision *d)
{
    const struct spmmi_request *r = x->request;
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        struct spmmi_trace *t = &d->candidates[i];
        const struct spmmi_model_candidate candidate = {.family = t->family, .schedule = t->schedule};
        const struct spmmi_prediction p =
            spmmi_model_predict(&r->device, &x->model, &candidate, d->n, x->layout, r->options.dtype);
        t->predicted_us = US_PER_SECOND * p.seconds;
    }
}

static double winner_us(const struct spmmi_decision *d)
{
    for (int i = 0; i < d->candidate_count; i++) {
        if (d->candidates[i].chosen)
            return d->candidates[i].predicted_us;
    }
    return 0;
}

/* What was considered so far loses, to what the caller wants or to what is predicted to be faster. Entries that answer
 * a question of the way there keep their reason. */
static void give_way(struct spmmi_decision *d, bool is_forced, double us)
{
    for (int i = 0; i < d->candidate_count; i++) {
        struct spmmi_trace *t = &d->candidates[i];
        const bool is_order = t->reason == SPMMI_REASON_REUSE || t->reason == SPMMI_REASON_BLOCKS;
        const bool has_lost = t->reason == SPMMI_REASON_PREDICTED || t->reason == SPMMI_REASON_IMBALANCE;
        if (is_forced || has_lost || (t->chosen && !is_order)) {
            t->reason = is_forced ? SPMMI_REASON_FORCED : SPMMI_REASON_PREDICTED;
            t->figure = is_forced ? 0 : t->predicted_us;
            t->threshold = is_forced ? 0 : us;
        }
        t->chosen = 0;
    }
}

static void take_tiled(const struct context *x, const struct spmmi_tiled_choice *c, struct spmmi_decision *d)
{
    give_way(d, x->request->family == SPMM_FAMILY_TILED, US_PER_SECOND * c->seconds);
    d->family = SPMM_FAMILY_TILED;
    d->schedule = c->balance.schedule;
    d->granule = c->balance.segment;
    d->panel_rows = c->panel_rows;
    d->stage_slots = x->request->options.stage_slots;
    d->flags = c->flags;
}

/* Exact figures of what runs; a plan has those of one configuration. */
static spmm_status_t keep_figures(const struct context *x, const struct spmmi_tiled_choice *c, int64_t n,
                                  struct spmmi_family_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const bool is_reordered = (c->flags & SPMMI_PART_REORDERED) != 0;
    if (choice->panel_stats.panel_rows > 0)
        goto cleanup;
    if (x->request->family == SPMM_FAMILY_TILED)
        choice->panel_stats = c->stats; /* exact already */
    else
        SPMM_TRY(spmmi_study_exact(c->study, x->pattern, x->request, c->panel_rows, is_reordered, n,
                                   &choice->panel_stats, diag));
cleanup:
    return status;
}

static spmm_status_t consider_tiled(const struct context *x, struct spmmi_decision *d,
                                    struct spmmi_tiled_choice *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *r = x->request;
    const bool is_forced = r->family == SPMM_FAMILY_TILED;
    const double rows_us = winner_us(d);
    const double to_beat = is_forced ? (double)INFINITY : rows_us / US_PER_SECOND;
    SPMM_TRY(spmmi_choose_tiled(r, x->pattern, &x->studies->tiled, gpu_model(x), x->layout, d->n, to_beat, c,
                                diag));
    const bool is_taken = c->seconds < to_beat;
    if (is_taken)
        take_tiled(x, c, d);
    d->candidate_count += spmmi_tiled_trace(r, c, is_taken ? 0 : rows_us, d->candidates + d->candidate_count);
cleanup:
    return status;
}

/* Where it is predicted to pay, the configuration with long rows apart is the best one. */
static spmm_status_t consider_peeling(const struct context *x, int64_t n, double to_beat,
                                      struct spmmi_fragment_choice *c, struct spmmi_peel_choice *peel,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *peel = (struct spmmi_peel_choice){.peel = NULL};
    double least = (double)INFINITY;
    for (int i = 0; i < c->count; i++)
        least = fmin(least, c->list[i].seconds);
    if (gpu_model(x) == NULL || c->count == 0 || least > PEEL_HOPE * to_beat)
        goto cleanup;
    SPMM_TRY(spmmi_peel_consider(x->request, x->pattern, &x->model, x->layout, n, c, &x->studies->peels, peel,
                                 diag));
    if (peel->pays)
        c->best = peel->option;
cleanup:
    return status;
}

/* The tensor cores' configuration, compared with the rest where the caller did not name it. */
static spmm_status_t consider_fragments(const struct context *x, struct spmmi_decision *d, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *r = x->request;
    const bool is_forced = spmmi_is_fragments(r->family);
    const double others_us = winner_us(d);
    const double to_beat =
        is_forced ? (double)INFINITY : spmmi_fragment_margin(x->layout, d->n) * others_us / US_PER_SECOND;
    struct spmmi_fragment_choice c;
    struct spmmi_peel_choice peel;
    SPMM_TRY(spmmi_choose_fragment(r, x->pattern, &x->studies->fragments, gpu_model(x), x->layout, d->n,
                                   to_beat, &c, diag));
    SPMM_TRY(consider_peeling(x, d->n, to_beat, &c, &peel, diag));
    c.is_taken = c.best.family != 0 && c.best.seconds < to_beat;
    if (c.is_taken) {
        give_way(d, is_forced, US_PER_SECOND * c.best.seconds);
        d->family = c.best.family;
        d->schedule = c.best.schedule;
        d->granule = c.best.granule;
        d->panel_rows = c.best.panel_rows;
        d->stage_slots = 0;
        d->flags = (c.best.order != NULL || r->options.permute_output ? SPMMI_PART_REORDERED : 0u) |
                   (r->options.permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
        d->compute = r->tensor;
        d->order = c.best.order;
        d->peel = peel.pays ? peel.peel : NULL;
    }
    d->candidate_count += spmmi_fragment_trace(r, &c, others_us, d->candidates + d->candidate_count);
    d->candidate_count += spmmi_peel_trace(r, &peel, c.is_taken, d->candidates + d->candidate_count);
cleanup:
    return status;
}

/* C in another order is that for every product: one decision for all n. */
static int whole_range(const struct spmmi_request *r, struct spmmi_decision *decisions)
{
    const int64_t n = r->options.n_count > 0 ? r->options.n[0] : N_TYPICAL;
    const struct spmmi_choice_input input = {.n = &n, .n_count = 1};
    (void)spmmi_choose(&input, decisions);
    decisions[0].n_min = 1;
    decisions[0].n_max = SPMMI_N_MAX;
    return 1;
}

/* Decisions for one layout, one for each range of n. */
static spmm_status_t choose_layout(const struct context *x, struct spmmi_decision *decisions, int *count,
                                   struct spmmi_family_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *r = x->request;
    const struct spmmi_choice_input input = {
        .nnz = x->pattern->nnz,
        .longest = x->pattern->longest,
        .n = r->options.n,
        .n_count = r->options.n_count,
        .forced = r->family == SPMM_FAMILY_ROWS ? r->schedule : (spmm_schedule_t)0,
    };
    struct spmmi_tiled_choice tiled;
    *count = r->options.permute_output ? whole_range(r, decisions) : spmmi_choose(&input, decisions);
    for (int i = 0; i < *count; i++) {
        decisions[i].layouts = x->layout;
        if (is_modelled(x))
            predict_rows(x, &decisions[i]);
        if (considers_tiled(x, decisions[i].n))
            SPMM_TRY(consider_tiled(x, &decisions[i], &tiled, diag));
        if (considers_fragments(x, decisions[i].n))
            SPMM_TRY(consider_fragments(x, &decisions[i], diag));
        if (decisions[i].family == SPMM_FAMILY_TILED)
            SPMM_TRY(keep_figures(x, &tiled, decisions[i].n, choice, diag));
    }
cleanup:
    return status;
}

static bool all_agree(const struct spmmi_decision *a, const struct spmmi_decision *b, int count)
{
    for (int i = 0; i < count; i++) {
        if (!spmmi_decisions_agree(&a[i], &b[i]))
            return false;
    }
    return true;
}

/* Layouts for which the same runs share their variants; the trace is then that of column-major, where the families
 * differ most. */
spmm_status_t spmmi_choose_family(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                  struct spmmi_studies *studies, struct spmmi_family_choice *choice,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_decision row[SPMMI_DECISION_MAX], col[SPMMI_DECISION_MAX];
    struct context x = {.request = r, .pattern = a, .studies = studies};
    const uint32_t layouts = r->options.layouts, both = SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR;
    int row_count = 0, col_count = 0;
    memset(choice, 0, sizeof *choice);
    SPMM_TRY(spmmi_model_study(a->rows, a->cols, a->row_ptr, a->col_ind, &x.model, diag));
    studies->tiled.columns_used = (int64_t)x.model.cols_used;
    if ((layouts & SPMM_LAYOUT_COL_MAJOR) != 0) {
        x.layout = SPMM_LAYOUT_COL_MAJOR;
        SPMM_TRY(choose_layout(&x, col, &col_count, choice, diag));
    }
    if ((layouts & SPMM_LAYOUT_ROW_MAJOR) != 0 && !(r->options.permute_output && layouts == both)) {
        x.layout = SPMM_LAYOUT_ROW_MAJOR;
        SPMM_TRY(choose_layout(&x, row, &row_count, choice, diag));
    }
    if (layouts == both && all_agree(row, col, row_count)) {
        for (int i = 0; i < col_count; i++)
            col[i].layouts = both;
        row_count = 0;
    }
    row_count = spmmi_decisions_merge(row, row_count);
    col_count = spmmi_decisions_merge(col, col_count);
    memcpy(choice->decisions, row, (size_t)row_count * sizeof *row);
    memcpy(choice->decisions + row_count, col, (size_t)col_count * sizeof *col);
    choice->count = row_count + col_count;
cleanup:
    return status;
}
