/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_tiled.h. */
#include "tiled_plan.h"

#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/cost/model_paper.h"

#define SECTOR_BYTES 32.0
#define LANES 32.0
#define ORDER_WORTH 1.5 /* times what is to beat: the largest gain that is hoped for from an order */
#define OVERRULES \
    0.9 /* of the time of what the chart proposes: below it, the other side of the chart is taken */
#define US_PER_SECOND 1e6
/* Scattered stores: up to this share of the last cache, other data being there too, they go at the rate of single
 * numbers in it; from so many times it on, at the rate of single numbers anywhere. Fitted to an H200. */
#define SCATTER_CACHED 0.05
#define SCATTER_APART 8.0

static uint32_t panel_rows_for(const struct spmmi_request *r, uint64_t units, int64_t n)
{
    if (r->options.panel_rows != 0)
        return r->options.panel_rows;
    return spmmi_balance_panel_rows(units, n, spmmi_model_register_tile(n, r->options.dtype),
                                    r->device.multiprocessors, r->options.blocks_per_sm);
}

/* The chart. must_cut: rows that it would leave whole are cut as uneven ones are. */
static struct spmmi_balance ask_chart(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                      double utilisation, bool must_cut)
{
    const spmm_inspect_options_t *o = &r->options;
    const struct spmmi_balance_input input = {a->mean, a->stddev, utilisation};
    const struct spmmi_balance_rule rule = {o->u_min, must_cut ? -1 : o->cv_max, o->segment_scale,
                                            o->segment_least};
    struct spmmi_balance b = spmmi_balance_choose(&rule, &input);
    if (o->segment_length != 0 && b.schedule == SPMM_SCHEDULE_SEGMENTED)
        b.segment = o->segment_length;
    return b;
}

static bool must_stay_whole(const struct spmmi_request *r)
{
    return r->schedule == SPMM_SCHEDULE_WHOLE || r->options.balance == SPMM_BALANCE_NONE;
}

static bool must_be_cut(const struct spmmi_request *r)
{
    return r->schedule == SPMM_SCHEDULE_SEGMENTED || r->options.balance == SPMM_BALANCE_SEGMENTS;
}

/* The chart, unless the caller decided. */
static struct spmmi_balance balance(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                    double utilisation)
{
    if (must_stay_whole(r))
        return (struct spmmi_balance){SPMM_SCHEDULE_WHOLE, 0, SPMMI_REASON_FORCED, 0, 0};
    const struct spmmi_balance b = ask_chart(r, a, utilisation, must_be_cut(r));
    if (must_be_cut(r))
        return (struct spmmi_balance){b.schedule, b.segment, SPMMI_REASON_FORCED, 0, 0};
    return b;
}

/* What the chart did not propose: whole rows, or segments that cut some. Returns false where there is nothing else. */
static bool other_side(const struct spmmi_request *r, const struct spmmi_pattern *a,
                       const struct spmmi_tiled_choice *c, struct spmmi_balance *other)
{
    *other = (struct spmmi_balance){.schedule = SPMM_SCHEDULE_WHOLE};
    if (c->chart.schedule == SPMM_SCHEDULE_WHOLE)
        *other = ask_chart(r, a, c->utilisation, true);
    other->reason = SPMMI_REASON_PREDICTED;
    return other->schedule != c->chart.schedule && (other->segment == 0 || other->segment < a->longest) &&
           a->nnz + a->rows <= (int64_t)SPMMI_UNIT_MAX;
}

/* Eq. 3, or Eq. 6, for the R of this n; and, unlike there, C is written: each row once for all its nonzeros, spread
 * times as many bytes as it has. */
static double intensity(const struct spmmi_request *r, const struct spmmi_pattern *a,
                        const spmm_panel_stats_t *stats, double spread)
{
    const spmm_stats_t rows = {.row_mean = a->mean, .row_stddev = a->stddev};
    const struct spmmi_paper s = spmmi_paper_of(&rows, stats, r->options.dtype, (double)stats->register_tile);
    const double read = stats->segment != 0 ? spmmi_paper_segmented(&s, SPMMI_PAPER_COLD_MISS)
                                            : spmmi_paper_tiled(&s, SPMMI_PAPER_COLD_MISS);
    return read > 0 && a->mean > 0 ? 2 / (2 / read + s.b_t * spread / a->mean) : 0;
}

double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double spread, int64_t n)
{
    const struct spmmi_device_profile *d = &r->device;
    const double bytes = (double)spmm_dtype_size(r->options.dtype);
    const double share = (spread - 1) / (SECTOR_BYTES / bytes - 1);
    const double columns = fmin((double)n, spmmi_model_register_tile(n, r->options.dtype));
    const double set = columns * (double)rows * bytes;
    const double cached = spmmi_profile_curve_at(&d->strided, bytes);
    const double apart = fmin(spmmi_profile_curve_at(&d->scatter, bytes), cached);
    if (set <= 0 || apart <= 0)
        return 0;
    const double beyond = log(set / (SCATTER_CACHED * d->l2_bytes)) / log(SCATTER_APART / SCATTER_CACHED);
    const double rate = cached * pow(apart / cached, fmin(fmax(beyond, 0), 1));
    return share * (double)rows * (double)n * bytes / rate;
}

static double predict(const struct spmmi_request *r, const struct spmmi_model_matrix *model,
                      const struct spmmi_tiled_choice *c, const spmm_panel_stats_t *stats, uint32_t layout,
                      int64_t n)
{
    if (model == NULL)
        return 0;
    const struct spmmi_model_candidate candidate = {.family = SPMM_FAMILY_TILED,
                                                    .schedule = c->balance.schedule,
                                                    .panels = stats,
                                                    .register_tile = (uint32_t)stats->register_tile,
                                                    .cut_rows = (double)c->study->cut_rows};
    return spmmi_model_predict(&r->device, model, &candidate, n, layout, r->options.dtype).seconds;
}

/* Could an order beat that? Not if panels without padding or waiting, of which no two need the same column, do not. */
static bool may_order_pay(const struct spmmi_request *r, const struct spmmi_model_matrix *model,
                          const struct spmmi_tiled_choice *c, uint32_t layout, int64_t n, double to_beat)
{
    const double bytes = (double)spmm_dtype_size(r->options.dtype);
    spmm_panel_stats_t best = c->stats;
    if (r->options.reorder != SPMM_REORDER_AUTO || model == NULL || !isfinite(to_beat))
        return r->options.reorder != SPMM_REORDER_NONE;
    if (c->seconds >= ORDER_WORTH * to_beat)
        return false;
    best.footprint_sum = (int64_t)fmin(model->cols_used, (double)best.footprint_sum);
    best.footprint_max = (int64_t)fmin((double)best.unit_max, (double)best.footprint_max);
    best.stages = best.stages < best.panels ? best.stages : best.panels;
    best.stages_max = 1;
    best.slices = (int64_t)ceil(model->nnz / LANES);
    best.sectors = (int64_t)ceil(model->cols_used * bytes / SECTOR_BYTES);
    return predict(r, model, c, &best, layout, n) < to_beat;
}

/* An order is kept if the refined model predicts less time, or, where it says nothing, if the intensity is greater; one
 * that changes nothing is none, unless the caller wants C in it. */
static spmm_status_t try_order(const struct spmmi_request *r, const struct spmmi_pattern *a,
                               struct spmmi_tiled_study *study, const struct spmmi_model_matrix *model,
                               uint32_t layout, int64_t n, struct spmmi_tiled_choice *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    spmm_panel_stats_t reordered;
    SPMM_TRY(spmmi_study_order(study, a, r, diag));
    SPMM_TRY(spmmi_study_panels(study, a, r, c->panel_rows, !study->is_in_order, n, &reordered, diag));
    const bool scatters = layout == SPMM_LAYOUT_COL_MAJOR && !o->permute_output;
    const double spread = scatters ? study->spread : 1;
    c->is_tried = true;
    c->intensity = intensity(r, a, &c->stats, 1);
    c->intensity_reordered = intensity(r, a, &reordered, spread);
    c->seconds_reordered = predict(r, model, c, &reordered, layout, n);
    if (scatters && c->seconds_reordered > 0)
        c->seconds_reordered += spmmi_scatter_seconds(r, a->rows, spread, n);
    const bool pays =
        model != NULL ? c->seconds_reordered < c->seconds : c->intensity_reordered > c->intensity;
    if (!pays && (o->reorder == SPMM_REORDER_AUTO || (study->is_in_order && !o->permute_output)))
        goto cleanup;
    c->flags = SPMMI_PART_REORDERED | (o->permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
    c->stats = reordered;
    c->seconds = c->seconds_reordered;
cleanup:
    return status;
}

/* Figures of choice->balance in the order of A, and their prediction. */
static spmm_status_t configure(const struct spmmi_request *r, const struct spmmi_pattern *a,
                               struct spmmi_tiled_studies *studies, const struct spmmi_model_matrix *model,
                               uint32_t layout, int64_t n, struct spmmi_tiled_choice *choice,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_study_of(studies, a, choice->balance.segment, &choice->study, diag));
    choice->panel_rows = panel_rows_for(r, choice->study->units, n);
    SPMM_TRY(spmmi_study_panels(choice->study, a, r, choice->panel_rows, false, n, &choice->stats, diag));
    choice->seconds = predict(r, model, choice, &choice->stats, layout, n);
cleanup:
    return status;
}

/* Where nobody but the chart decided, the model may: it is right more often, if it is not about little. */
static spmm_status_t arbitrate(const struct spmmi_request *r, const struct spmmi_pattern *a,
                               struct spmmi_tiled_studies *studies, const struct spmmi_model_matrix *model,
                               uint32_t layout, int64_t n, struct spmmi_tiled_choice *choice,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_choice other = *choice;
    if (model == NULL || r->options.balance != SPMM_BALANCE_AUTO ||
        choice->chart.reason == SPMMI_REASON_FORCED || !other_side(r, a, choice, &other.balance))
        goto cleanup;
    SPMM_TRY(configure(r, a, studies, model, layout, n, &other, diag));
    choice->other_seconds = other.other_seconds = other.seconds;
    other.balance.figure = US_PER_SECOND * other.seconds;
    other.balance.threshold = US_PER_SECOND * choice->seconds;
    if (other.seconds < OVERRULES * choice->seconds)
        *choice = other;
cleanup:
    return status;
}

spmm_status_t spmmi_choose_tiled(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                 struct spmmi_tiled_studies *studies, const struct spmmi_model_matrix *model,
                                 uint32_t layout, int64_t n, double to_beat,
                                 struct spmmi_tiled_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    memset(choice, 0, sizeof *choice);
    choice->utilisation =
        spmmi_utilisation((uint64_t)a->rows, panel_rows_for(r, (uint64_t)a->rows, n), n,
                          spmmi_model_register_tile(n, r->options.dtype), r->device.multiprocessors);
    choice->chart = choice->balance = balance(r, a, choice->utilisation);
    SPMM_TRY(configure(r, a, studies, model, layout, n, choice, diag));
    choice->chart_seconds = choice->seconds;
    SPMM_TRY(arbitrate(r, a, studies, model, layout, n, choice, diag));
    if (may_order_pay(r, model, choice, layout, n, to_beat))
        SPMM_TRY(try_order(r, a, choice->study, model, layout, n, choice, diag));
cleanup:
    return status;
}

int spmmi_tiled_trace(const struct spmmi_request *r, const struct spmmi_tiled_choice *c, double rows_us,
                      struct spmmi_trace list[SPMMI_TILED_TRACE_MAX])
{
    const struct spmmi_balance *b = &c->balance, *chart = &c->chart;
    const bool is_overruled = b->schedule != chart->schedule, is_taken = rows_us <= 0;
    const double us = US_PER_SECOND * c->seconds, chart_us = US_PER_SECOND * c->chart_seconds;
    int count = 0;
    /* What the chart asked and left .. */
    if (chart->reason == SPMMI_REASON_UNEVEN || chart->reason == SPMMI_REASON_EVEN)
        list[count++] = (struct spmmi_trace){.schedule = SPMM_SCHEDULE_SEGMENTED,
                                             .reason = SPMMI_REASON_UNDERUSED,
                                             .figure = c->utilisation,
                                             .threshold = r->options.u_min};
    list[count++] = (struct spmmi_trace){
        .schedule = chart->schedule == SPMM_SCHEDULE_WHOLE ? SPMM_SCHEDULE_SEGMENTED : SPMM_SCHEDULE_WHOLE,
        .reason = chart->reason,
        .predicted_us = US_PER_SECOND * c->other_seconds,
        .figure = chart->figure,
        .threshold = chart->threshold};
    /* .. what it proposed in vain .. */
    if (is_overruled)
        list[count++] = (struct spmmi_trace){.schedule = chart->schedule,
                                             .reason = SPMMI_REASON_PREDICTED,
                                             .predicted_us = chart_us,
                                             .figure = chart_us,
                                             .threshold = US_PER_SECOND * c->other_seconds};
    /* .. and what is left of it all. */
    list[count++] = (struct spmmi_trace){.schedule = b->schedule,
                                         .chosen = is_taken,
                                         .reason = is_taken ? b->reason : SPMMI_REASON_PREDICTED,
                                         .predicted_us = us,
                                         .figure = is_taken ? b->figure : us,
                                         .threshold = is_taken ? b->threshold : rows_us};
    if (c->is_tried)
        list[count++] = (struct spmmi_trace){.schedule = b->schedule,
                                             .chosen = is_taken && (c->flags & SPMMI_PART_REORDERED) != 0,
                                             .reason = SPMMI_REASON_REUSE,
                                             .predicted_us = US_PER_SECOND * c->seconds_reordered,
                                             .figure = c->intensity_reordered,
                                             .threshold = c->intensity};
    for (int i = 0; i < count; i++)
        list[i].family = SPMM_FAMILY_TILED;
    return count;
}

spmm_status_t spmmi_tiled_part(const struct spmmi_tiled_study *study, const struct spmmi_decision *d,
                               spmm_op_t op, struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *part = (struct spmmi_part){.op = op,
                                .family = SPMM_FAMILY_TILED,
                                .schedule = d->schedule,
                                .granule = d->granule,
                                .item_count = study->units,
                                .panel_rows = d->panel_rows,
                                .stage_slots = d->stage_slots,
                                .flags = d->flags};
    part->items = spmmi_alloc(study->units, sizeof *part->items);
    SPMM_TRY_ALLOC(part->items, diag);
    if ((d->flags & SPMMI_PART_REORDERED) != 0) {
        memcpy(part->items, study->order, (size_t)study->units * sizeof *part->items);
        goto cleanup;
    }
    for (uint64_t i = 0; i < study->units; i++)
        part->items[i] = (uint32_t)i;
cleanup:
    return status;
}
