/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_family.h. */
#include "choose_family.h"

#include <math.h>
#include <string.h>

#include "choose_fragment.h"
#include "choose_tiled.h"
#include "format/diag.h"

#define N_TYPICAL 64
#define US_PER_SECOND 1e6
#define TILED_NNZ_MIN 50000 /* smaller matrices were not measured, and a launch is most of their time */

struct context {
    const struct spmmi_request *request;
    const struct spmmi_pattern *pattern;
    struct spmmi_studies *studies;
    struct spmmi_model_matrix model;
    uint32_t layout;
};

static bool is_tensor(spmm_family_t family)
{
    return family == SPMM_FAMILY_WINDOW || family == SPMM_FAMILY_PANEL;
}

/* Of a matrix without nonzeros the models say nothing. */
static bool is_modelled(const struct context *x)
{
    return x->pattern->nnz > 0;
}

/* The refined model speaks of the tiled family on GPUs only. */
static const struct spmmi_model_matrix *tiled_model(const struct context *x)
{
    return is_modelled(x) && x->request->device.target != SPMMI_TARGET_CPU ? &x->model : NULL;
}

/* A single column is left to the rows family, whose kernels for it no tiled one was measured against. So a free choice
 * for all n always has a rows part, which the CPU prefers. */
static bool considers_tiled(const struct context *x, int64_t n)
{
    if (x->request->family != 0)
        return x->request->family == SPMM_FAMILY_TILED;
    return n > 1 && x->pattern->nnz >= TILED_NNZ_MIN && tiled_model(x) != NULL &&
           x->pattern->nnz + x->pattern->rows <= (int64_t)SPMMI_UNIT_MAX;
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

/* Rows give way. */
static void take_tiled(const struct context *x, const struct spmmi_tiled_choice *c, struct spmmi_decision *d)
{
    const bool is_forced = x->request->family == SPMM_FAMILY_TILED;
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        struct spmmi_trace *t = &d->candidates[i];
        t->chosen = 0;
        t->reason = is_forced ? SPMMI_REASON_FORCED : SPMMI_REASON_PREDICTED;
        t->figure = is_forced ? 0 : t->predicted_us;
        t->threshold = is_forced ? 0 : US_PER_SECOND * c->seconds;
    }
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
                                    struct spmmi_family_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *r = x->request;
    const bool is_forced = r->family == SPMM_FAMILY_TILED;
    const double rows_us = winner_us(d);
    const double to_beat = is_forced ? (double)INFINITY : rows_us / US_PER_SECOND;
    struct spmmi_tiled_choice c;
    SPMM_TRY(spmmi_choose_tiled(r, x->pattern, &x->studies->tiled, tiled_model(x), x->layout, d->n, to_beat,
                                &c, diag));
    const bool is_taken = c.seconds < to_beat;
    if (is_taken) {
        take_tiled(x, &c, d);
        SPMM_TRY(keep_figures(x, &c, d->n, choice, diag));
    }
    d->candidate_count +=
        spmmi_tiled_trace(r, &c, is_taken ? 0 : rows_us, d->candidates + d->candidate_count);
cleanup:
    return status;
}

static spmm_status_t force_fragment(const struct context *x, struct spmmi_decision *d, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_fragment_choice c;
    SPMM_TRY(spmmi_choose_fragment(x->request, x->pattern, &x->studies->fragments, d->n, &c, diag));
    for (int i = 0; i < SPMMI_CANDIDATE_ROWS; i++) {
        struct spmmi_trace *t = &d->candidates[i];
        t->chosen = 0;
        t->reason = SPMMI_REASON_FORCED;
        t->figure = t->threshold = 0;
    }
    d->family = c.family;
    d->schedule = c.schedule;
    d->granule = c.granule;
    d->panel_rows = c.panel_rows;
    d->flags = c.flags;
    d->compute = x->request->tensor;
    d->order = c.order->order;
    d->candidates[d->candidate_count++] = (struct spmmi_trace){
        .family = c.family, .schedule = c.schedule, .chosen = 1, .reason = SPMMI_REASON_FORCED};
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
    *count = r->options.permute_output ? whole_range(r, decisions) : spmmi_choose(&input, decisions);
    for (int i = 0; i < *count; i++) {
        decisions[i].layouts = x->layout;
        if (is_modelled(x))
            predict_rows(x, &decisions[i]);
        if (is_tensor(r->family))
            SPMM_TRY(force_fragment(x, &decisions[i], diag));
        if (considers_tiled(x, decisions[i].n))
            SPMM_TRY(consider_tiled(x, &decisions[i], choice, diag));
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
