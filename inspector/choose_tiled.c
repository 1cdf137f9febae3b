/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_tiled.h. */
#include "choose_tiled.h"

#include <math.h>
#include <string.h>

#include "format/alloc.h"
#include "format/diag.h"
#include "model_paper.h"

#define SECTOR_BYTES 32.0
#define LANES 32.0
#define ORDER_WORTH 1.5 /* times what is to beat: the largest gain that is hoped for from an order */

static uint32_t panel_rows_for(const struct spmmi_request *r, uint64_t units, int64_t n)
{
    if (r->options.panel_rows != 0)
        return r->options.panel_rows;
    return spmmi_balance_panel_rows(units, n, spmmi_model_register_tile(n, r->options.dtype),
                                    r->device.multiprocessors, r->options.blocks_per_sm);
}

/* The chart, unless the caller decided. Rows that are to be cut though the chart would leave them whole are cut as
 * uneven ones are. */
static struct spmmi_balance balance(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                    double utilisation)
{
    const spmm_inspect_options_t *o = &r->options;
    const struct spmmi_balance_input input = {a->mean, a->stddev, utilisation};
    struct spmmi_balance_rule rule = {o->u_min, o->cv_max, o->segment_scale, o->segment_least};
    const bool is_whole = r->schedule == SPMM_SCHEDULE_WHOLE || o->balance == SPMM_BALANCE_NONE;
    const bool is_cut = r->schedule == SPMM_SCHEDULE_SEGMENTED || o->balance == SPMM_BALANCE_SEGMENTS;
    struct spmmi_balance b = spmmi_balance_choose(&rule, &input);
    if (is_whole)
        b = (struct spmmi_balance){SPMM_SCHEDULE_WHOLE, 0, SPMMI_REASON_FORCED, 0, 0};
    if (is_cut && b.schedule == SPMM_SCHEDULE_WHOLE) {
        rule.cv_max = -1;
        b = spmmi_balance_choose(&rule, &input);
    }
    if (is_cut)
        b = (struct spmmi_balance){b.schedule, b.segment, SPMMI_REASON_FORCED, 0, 0};
    if (o->segment_length != 0 && b.schedule == SPMM_SCHEDULE_SEGMENTED)
        b.segment = o->segment_length;
    return b;
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
    const double bytes = (double)spmm_dtype_size(r->options.dtype);
    const double share = (spread - 1) / (SECTOR_BYTES / bytes - 1);
    const double rate = spmmi_profile_curve_at(&r->device.strided, bytes);
    return rate > 0 ? share * (double)rows * (double)n * bytes / rate : 0;
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
                                                    .register_tile = (uint32_t)stats->register_tile};
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

/* An order is kept if it raises the intensity and, where the model can say, lowers the time; one that
 * changes nothing is none, unless the caller wants C in it. */
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
        c->intensity_reordered > c->intensity && (model == NULL || c->seconds_reordered < c->seconds);
    if (!pays && (o->reorder == SPMM_REORDER_AUTO || (study->is_in_order && !o->permute_output)))
        goto cleanup;
    c->flags = SPMMI_PART_REORDERED | (o->permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
    c->stats = reordered;
    c->seconds = c->seconds_reordered;
cleanup:
    return status;
}

spmm_status_t spmmi_choose_tiled(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                 struct spmmi_tiled_studies *studies, const struct spmmi_model_matrix *model,
                                 uint32_t layout, int64_t n, double to_beat,
                                 struct spmmi_tiled_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_study *study = NULL;
    memset(choice, 0, sizeof *choice);
    choice->utilisation =
        spmmi_utilisation((uint64_t)a->rows, panel_rows_for(r, (uint64_t)a->rows, n), n,
                          spmmi_model_register_tile(n, r->options.dtype), r->device.multiprocessors);
    choice->balance = balance(r, a, choice->utilisation);
    SPMM_TRY(spmmi_study_of(studies, a, choice->balance.segment, &study, diag));
    choice->study = study;
    choice->panel_rows = panel_rows_for(r, study->units, n);
    SPMM_TRY(spmmi_study_panels(study, a, r, choice->panel_rows, false, n, &choice->stats, diag));
    choice->seconds = predict(r, model, choice, &choice->stats, layout, n);
    if (may_order_pay(r, model, choice, layout, n, to_beat))
        SPMM_TRY(try_order(r, a, study, model, layout, n, choice, diag));
cleanup:
    return status;
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
