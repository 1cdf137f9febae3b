/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the tiled family: whole or segmented rows, as the decision chart proposes and the opposite,
 * each in row blocks of a suitable height; and a permutation of the units of the better one. */
#include "tiled_plan.h"

#include <math.h>

#include "format/base/diag.h"
#include "inspector/cost/roofline.h"
#include "inspector/search/planner.h"
#include "tiled_chart_plan.h"
#include "tiled_cost.h"
#include "tiled_analysis_plan.h"

#define SECTOR_BYTES 32.0
#define LANES 32.0
/* Largest speed-up over the best candidate that is assumed for a permutation (docs/model.md). */
#define PERMUTATION_PRUNING_FACTOR 1.5
#define US_PER_SECOND 1e6

/* A way to split rows, and its metrics in the order of A. */
struct way {
    struct spmmi_balance balance;
    struct spmmi_tiled_analysis *analysis;
    uint32_t block_rows;
    spmm_row_block_metrics_t stats;
};

static uint32_t block_rows_for(const struct spmmi_request *r, uint64_t units, int64_t n, uint32_t tile)
{
    if (r->tiled.block_rows != 0)
        return r->tiled.block_rows;
    return spmmi_balance_block_rows(units, n, tile, r->device.multiprocessors, r->tiled.blocks_per_sm);
}

/* Returns U, by which the decision chart judges whether whole rows occupy the device. As in paper 000, R is as
 * large as it may be: with the R of the launch, a few long rows would seem to occupy it. */
static double utilisation_of(const struct spmmi_request *r, uint64_t rows, int64_t n)
{
    const uint32_t tile = spmmi_model_register_tile(n, rows, r->options.a_type, 0);
    return spmmi_utilisation(rows, block_rows_for(r, rows, n, tile), n, tile, r->device.multiprocessors);
}

/* Asks the decision chart. must_cut: rows that it would leave whole are segmented as uneven rows are. */
static struct spmmi_balance ask_chart(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                      double utilisation, bool must_cut)
{
    const spmm_tiled_options_t *o = &r->tiled;
    const struct spmmi_balance_input input = {a->mean, a->stddev, utilisation};
    const struct spmmi_balance_rule rule = {o->u_min, must_cut ? -1 : o->cv_max, o->segment_scale,
                                            o->segment_min};
    struct spmmi_balance b = spmmi_balance_choose(&rule, &input);
    if (o->segment_length != 0 && b.schedule == SPMM_SCHEDULE_SEGMENTED)
        b.segment = o->segment_length;
    return b;
}

static bool must_stay_whole(const struct spmmi_request *r)
{
    return r->schedule == SPMM_SCHEDULE_WHOLE || r->tiled.balance == SPMM_BALANCE_NONE;
}

static bool must_be_cut(const struct spmmi_request *r)
{
    return r->schedule == SPMM_SCHEDULE_SEGMENTED || r->tiled.balance == SPMM_BALANCE_SEGMENTS;
}

/* Returns the chart's proposal, unless the caller decided. */
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

/* Finds the opposite of the chart's proposal: whole rows, or segments that split some rows.
 * Returns false if there is none. */
static bool other_side(const struct spmmi_request *r, const struct spmmi_pattern *a, double utilisation,
                       const struct spmmi_balance *chart, struct spmmi_balance *other)
{
    *other = (struct spmmi_balance){.schedule = SPMM_SCHEDULE_WHOLE};
    if (chart->schedule == SPMM_SCHEDULE_WHOLE)
        *other = ask_chart(r, a, utilisation, true);
    return r->tiled.balance == SPMM_BALANCE_AUTO && chart->reason != SPMMI_REASON_FORCED &&
           other->schedule != chart->schedule && (other->segment == 0 || other->segment < a->longest) &&
           a->nnz + a->rows <= (int64_t)SPMMI_UNIT_MAX;
}

/* Returns the intensity of Eq. 3 or Eq. 6 for the R of this n. Unlike in the paper, writes of C count: their
 * bytes times the sector amplification. */
static double intensity(const struct spmmi_request *r, const struct spmmi_pattern *a,
                        const spmm_row_block_metrics_t *stats, double sector_amplification)
{
    const spmm_matrix_stats_t rows = {.row_mean = a->mean, .row_stddev = a->stddev};
    const struct spmmi_roofline s =
        spmmi_roofline_of(&rows, stats, r->options.a_type, (double)stats->register_tile);
    const double read = stats->segment != 0 ? spmmi_roofline_segmented(&s, SPMMI_ROOFLINE_COLD_MISS)
                                            : spmmi_roofline_tiled(&s, SPMMI_ROOFLINE_COLD_MISS);
    return read > 0 && a->mean > 0 ? 2 / (2 / read + s.b_t * sector_amplification / a->mean) : 0;
}

/* ---- Candidates ---- */

static struct spmmi_tiled_analyses *analyses_of(const struct spmmi_search *s)
{
    struct spmmi_tiled_analyses *const all =
        spmmi_search_cache(s, "tiled analyses", sizeof *all, spmmi_analyses_close);
    if (all != NULL)
        all->columns_used = (int64_t)s->model->cols_used;
    return all;
}

static spmm_status_t analysis_way(const struct spmmi_search *s, struct way *w, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    struct spmmi_tiled_analyses *const all = analyses_of(s);
    SPMM_TRY_ALLOC(all, diag);
    SPMM_TRY(spmmi_analysis_of(all, s->pattern, w->balance.segment, &w->analysis, diag));
    const uint32_t tile =
        spmmi_model_register_tile(s->n, w->analysis->units, r->options.a_type, r->device.multiprocessors);
    w->block_rows = block_rows_for(r, w->analysis->units, s->n, tile);
    SPMM_TRY(
        spmmi_analysis_row_blocks(w->analysis, s->pattern, r, w->block_rows, false, s->n, &w->stats, diag));
cleanup:
    return status;
}

static struct spmmi_tiled_metrics metrics_of(const struct way *w, const spmm_row_block_metrics_t *stats)
{
    return (struct spmmi_tiled_metrics){.row_blocks = stats,
                                        .register_tile = (uint32_t)stats->register_tile,
                                        .cut_rows = (double)w->analysis->cut_rows};
}

static struct spmmi_candidate candidate_of(const struct spmmi_search *s, const struct way *w)
{
    return (struct spmmi_candidate){.family = SPMM_FAMILY_TILED,
                                    .schedule = w->balance.schedule,
                                    .item_size = w->balance.segment,
                                    .unit_rows = w->block_rows,
                                    .stage_slots = s->request->tiled.stage_slots};
}

/* Adds the tests of the chart to the trace as evidence. */
static void add_chart(const struct spmmi_search *s, const struct spmmi_balance *chart, double utilisation,
                      struct spmmi_candidate *c)
{
    if (chart->reason == SPMMI_REASON_FORCED)
        return;
    const spmm_schedule_t contrary =
        chart->schedule == SPMM_SCHEDULE_WHOLE ? SPMM_SCHEDULE_SEGMENTED : SPMM_SCHEDULE_WHOLE;
    if (chart->reason != SPMMI_REASON_UNDERUSED)
        c->evidence[c->evidence_count++] = (struct spmmi_evidence){
            SPMMI_REASON_UNDERUSED, utilisation, s->request->tiled.u_min, SPMM_SCHEDULE_SEGMENTED};
    c->evidence[c->evidence_count++] =
        (struct spmmi_evidence){chart->reason, chart->value, chart->threshold, contrary};
}

/* Returns true if the units are permuted. The identity counts only if the caller wants C permuted. */
static bool is_a_permutation(const struct spmmi_request *r, const struct spmmi_tiled_analysis *analysis)
{
    return !analysis->is_identity || r->options.permute_output;
}

/* Makes the candidate of the same way with permuted units: the permutation of the options, or radix. */
static spmm_status_t reorder(const struct spmmi_search *s, const struct way *w,
                             spmm_row_block_metrics_t *stats, struct spmmi_candidate *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    struct spmmi_tiled_analysis *const analysis = w->analysis;
    const bool is_new = analysis->permutation == NULL;
    SPMM_TRY(spmmi_analysis_permutation(analysis, s->pattern, r, diag));
    if (is_new && !analysis->is_identity) {
        const struct spmmi_unit_permutation permutation = {
            analysis->units, analysis->unit_ptr, spmmi_analysis_permutation_kind(r), analysis->permutation};
        SPMM_TRY(spmmi_search_note_permutation(s, &permutation, diag));
    }
    SPMM_TRY(spmmi_analysis_row_blocks(analysis, s->pattern, r, w->block_rows, !analysis->is_identity, s->n,
                                       stats, diag));
    const bool scatters = s->layout == SPMM_LAYOUTS_COL_MAJOR && !r->options.permute_output;
    const double amplification = scatters ? analysis->sector_amplification : 1;
    *c = candidate_of(s, w);
    c->permutation_kind = spmmi_analysis_permutation_kind(r);
    c->permutation = analysis->permutation;
    c->flags = SPMMI_PART_REORDERED | (r->options.permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
    c->inspect_seconds = spmmi_permutation_seconds(s);
    c->more_seconds = scatters ? spmmi_scatter_seconds(r, s->pattern->rows, amplification, s->n) : 0;
    c->evidence[c->evidence_count++] =
        spmmi_why(SPMMI_REASON_REUSE, intensity(r, s->pattern, stats, amplification),
                  intensity(r, s->pattern, &w->stats, 1));
cleanup:
    return status;
}

/* Emits the candidate with permuted units, if these are permuted at all. Without a prediction, it is the
 * default if the caller named the permutation, or if its intensity is greater. */
static spmm_status_t emit_reordered(struct spmmi_search *s, const struct way *w, bool is_against,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_row_block_metrics_t stats;
    struct spmmi_candidate c;
    SPMM_TRY(reorder(s, w, &stats, &c, diag));
    const struct spmmi_tiled_metrics metrics = metrics_of(w, &stats);
    c.metrics = &metrics;
    c.is_against_chart = is_against;
    const bool is_named = s->request->options.reorder != SPMM_REORDER_AUTO;
    c.is_default = is_named || c.evidence[0].value > c.evidence[0].threshold;
    if (is_a_permutation(s->request, w->analysis))
        SPMM_TRY(spmmi_search_emit(s, &c, diag));
cleanup:
    return status;
}

static bool is_predicted(const struct spmmi_search *s)
{
    return s->pattern->nnz > 0 && s->request->device.target != SPMMI_TARGET_CPU;
}

static spmm_status_t emit_way(struct spmmi_search *s, const struct way *w, const struct way *chart,
                              double utilisation, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_reorder_t wanted = s->request->options.reorder;
    const struct spmmi_tiled_metrics metrics = metrics_of(w, &w->stats);
    struct spmmi_candidate c = candidate_of(s, w);
    c.metrics = &metrics;
    c.is_against_chart = w != chart;
    c.is_default = true;
    if (w == chart)
        add_chart(s, &chart->balance, utilisation, &c);
    /* If the caller names a permutation or there is no prediction, permuted units are emitted at once. */
    if (wanted > SPMM_REORDER_NONE || (wanted == SPMM_REORDER_AUTO && !is_predicted(s))) {
        SPMM_TRY(emit_reordered(s, w, w != chart, diag));
        if (wanted > SPMM_REORDER_NONE && is_a_permutation(s->request, w->analysis))
            c.refused = SPMMI_REASON_FORCED;
    }
    SPMM_TRY(spmmi_search_emit(s, &c, diag));
cleanup:
    return status;
}

/* Finds the chart's way, and the opposite one if both are predicted. */
static spmm_status_t ways_of(const struct spmmi_search *s, struct way ways[2], int *count,
                             double *utilisation, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    const struct spmmi_pattern *const a = s->pattern;
    *utilisation = utilisation_of(r, (uint64_t)a->rows, s->n);
    ways[0].balance = balance(r, a, *utilisation);
    *count = 1 + (is_predicted(s) && other_side(r, a, *utilisation, &ways[0].balance, &ways[1].balance));
    for (int i = 0; i < *count; i++)
        SPMM_TRY(analysis_way(s, &ways[i], diag));
cleanup:
    return status;
}

static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    struct way ways[2];
    double utilisation = 0;
    int count = 0;
    if (!spmmi_is_forced(s) && a->nnz + a->rows > (int64_t)SPMMI_UNIT_MAX) {
        const struct spmmi_evidence why =
            spmmi_why(SPMMI_REASON_TOO_LARGE, (double)(a->nnz + a->rows), SPMMI_UNIT_MAX);
        return spmmi_search_refuse(s, SPMM_FAMILY_TILED, (spmm_schedule_t)0, SPMM_REORDER_AUTO, &why, diag);
    }
    SPMM_TRY(ways_of(s, ways, &count, &utilisation, diag));
    for (int i = 0; i < count; i++)
        SPMM_TRY(emit_way(s, &ways[i], &ways[0], utilisation, diag));
cleanup:
    return status;
}

/* Returns a lower bound of the time with any permutation: row blocks without padding or latency, no two of
 * which need the same column. */
static double bound_of(const struct spmmi_search *s, const struct way *w)
{
    const double bytes = (double)spmm_dtype_size(s->request->options.a_type);
    spmm_row_block_metrics_t best = w->stats;
    struct spmmi_candidate c = candidate_of(s, w);
    const struct spmmi_tiled_metrics metrics = metrics_of(w, &best);
    c.metrics = &metrics;
    best.working_set_sum = (int64_t)fmin(s->model->cols_used, (double)best.working_set_sum);
    best.working_set_max = (int64_t)fmin((double)best.unit_max, (double)best.working_set_max);
    best.stages = best.stages < best.row_blocks ? best.stages : best.row_blocks;
    best.stages_max = 1;
    best.slices = (int64_t)ceil(s->model->nnz / LANES);
    best.sectors = (int64_t)ceil(s->model->cols_used * bytes / SECTOR_BYTES);
    return spmmi_search_price(s, &c);
}

/* Emits the better way with permuted units, if the caller names no permutation. */
static spmm_status_t refine(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_candidate *const leader =
        spmmi_search_leader(s, SPMM_FAMILY_TILED, (spmm_schedule_t)0, false);
    struct way w = {.analysis = NULL};
    bool repays = true;
    if (leader == NULL || s->request->options.reorder != SPMM_REORDER_AUTO)
        goto cleanup;
    w.balance = (struct spmmi_balance){.schedule = leader->schedule, .segment = leader->item_size};
    SPMM_TRY(analysis_way(s, &w, diag));
    const double risk = spmmi_search_risk(s, leader);
    double bound = leader->weighed / PERMUTATION_PRUNING_FACTOR;
    if (bound < s->best)
        bound = risk * bound_of(s, &w);
    if (!spmmi_is_forced(s) && bound >= s->best) {
        const struct spmmi_evidence why =
            spmmi_why(SPMMI_REASON_PRUNED, US_PER_SECOND * bound, US_PER_SECOND * s->best);
        SPMM_TRY(spmmi_search_refuse(s, SPMM_FAMILY_TILED, leader->schedule,
                                     spmmi_analysis_permutation_kind(s->request), &why, diag));
        goto cleanup;
    }
    SPMM_TRY(spmmi_search_repays(s, SPMM_FAMILY_TILED, spmmi_analysis_permutation_kind(s->request),
                                 spmmi_permutation_seconds(s), bound, &repays, diag));
    if (repays)
        SPMM_TRY(emit_reordered(s, &w, leader->is_against_chart, diag));
cleanup:
    return status;
}

static spmm_status_t check_options(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_tiled_options_t *const o = &r->tiled;
    SPMM_REQUIRE(r->schedule != SPMM_SCHEDULE_WHOLE || o->balance != SPMM_BALANCE_SEGMENTS, SPMM_ERR_ARGUMENT,
                 diag, "the kernel tiled/whole cannot be combined with tiled.balance segments");
    SPMM_REQUIRE(r->schedule != SPMM_SCHEDULE_SEGMENTED || o->balance != SPMM_BALANCE_NONE, SPMM_ERR_ARGUMENT,
                 diag, "the kernel tiled/segmented cannot be combined with tiled.balance none");
cleanup:
    return status;
}

/* ---- The chosen candidate ---- */

static spmm_status_t analysis_of_candidate(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                           struct spmmi_tiled_analysis **analysis, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_analyses *const all = analyses_of(s);
    SPMM_TRY_ALLOC(all, diag);
    SPMM_TRY(spmmi_analysis_of(all, s->pattern, c->item_size, analysis, diag));
cleanup:
    return status;
}

static spmm_status_t metrics(const struct spmmi_search *s, const struct spmmi_candidate *c,
                             spmm_row_block_metrics_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_analysis *analysis = NULL;
    SPMM_TRY(analysis_of_candidate(s, c, &analysis, diag));
    const bool is_moved = (c->flags & SPMMI_PART_REORDERED) != 0;
    if (spmmi_is_forced(s)) /* already exact */
        SPMM_TRY(spmmi_analysis_row_blocks(analysis, s->pattern, s->request, c->unit_rows,
                                           is_moved && !analysis->is_identity, s->n, stats, diag));
    else
        SPMM_TRY(spmmi_analysis_exact(analysis, s->pattern, s->request, c->unit_rows, is_moved, s->n, stats,
                                      diag));
cleanup:
    return status;
}

static spmm_status_t build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tiled_analysis *analysis = NULL;
    SPMM_TRY(analysis_of_candidate(s, c, &analysis, diag));
    const bool is_moved = (c->flags & SPMMI_PART_REORDERED) != 0;
    SPMM_TRY(spmmi_part_set_items(part, analysis->units, is_moved ? analysis->permutation : NULL, diag));
cleanup:
    return status;
}

const struct spmmi_planner spmmi_tiled_planner = {
    .family = SPMM_FAMILY_TILED,
    .nonzeros_min = SPMMI_NONZEROS_MEASURED,
    .small_columns_min = 32,
    .permutes_output = 2,
    .check_options = check_options,
    .propose = propose,
    .refine = refine,
    .cost = spmmi_tiled_cost,
    .build = build,
    .metrics = metrics,
};
