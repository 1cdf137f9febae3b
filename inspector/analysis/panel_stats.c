/* SPDX-License-Identifier: Apache-2.0 */
/* See panel_stats.h. Counts are whole numbers summed over panels, so that no order of threads shows in them; each
 * quotient is one division of two counts. */
#include "panel_stats.h"

#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "panel_count.h"
#include "panel_sample.h"
#include "panel_widest.h"

#define WIDEST_NONZEROS (INT64_C(1) << 21) /* of a matrix whose widest panel is looked for */

__extension__ typedef unsigned __int128 u128;

/* Sums over all panels, and maxima. */
struct totals {
    struct spmmi_panel_count sum;
    int64_t footprint_max, stages_max;
};

static void add_maxima(const struct spmmi_panel_count *c, struct totals *t)
{
    t->footprint_max = c->footprint > t->footprint_max ? c->footprint : t->footprint_max;
    t->stages_max = c->stages > t->stages_max ? c->stages : t->stages_max;
}

static spmm_status_t count_all(const struct spmmi_panel_pattern *p, int64_t panels, struct totals *totals)
{
    int64_t most = 0;
    struct spmmi_panel_count *counts = spmmi_alloc((uint64_t)panels, sizeof *counts);
    if (counts == NULL)
        return SPMM_ERR_MEMORY;
    for (int64_t i = 0; i < panels; i++) {
        const int64_t nonzeros = spmmi_panel_nonzeros(p->in, i);
        most = nonzeros > most ? nonzeros : most;
    }
    const spmm_status_t status = spmmi_panels_count(p, NULL, panels, most, counts);
    for (int64_t i = 0; i < panels && status == SPMM_OK; i++) {
        add_maxima(&counts[i], totals);
        totals->sum.footprint += counts[i].footprint;
        totals->sum.stages += counts[i].stages;
        totals->sum.slices += counts[i].slices;
        totals->sum.runs += counts[i].runs;
        totals->sum.lines += counts[i].lines;
        totals->sum.sectors += counts[i].sectors;
    }
    spmmi_free(counts);
    return status;
}

/* One panel of three stages makes a product wait long if all others have one, and a sample hardly meets it. So it is
 * looked for where panels of the sample come near it, as far as that is cheap. */
static spmm_status_t add_widest(const struct spmmi_panel_pattern *p, const struct spmmi_panel_sample *sample,
                                struct totals *totals)
{
    struct spmmi_panel_count count;
    if (sample->is_all || totals->stages_max > 1 || totals->footprint_max <= p->in->stage_slots ||
        p->nnz > WIDEST_NONZEROS)
        return SPMM_OK;
    const int64_t widest = spmmi_panel_widest(p->in);
    const spmm_status_t status = spmmi_panels_count(p, &widest, 1, sample->most, &count);
    if (status == SPMM_OK)
        add_maxima(&count, totals);
    return status;
}

static spmm_status_t count_sample(const struct spmmi_panel_pattern *p, int64_t panels_most,
                                  struct totals *totals)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_panel_count *counts = NULL;
    struct spmmi_panel_sample sample;
    struct {
        double footprint, stages, slices, runs, lines, sectors;
    } sum = {0};
    SPMM_TRY(spmmi_panel_sample_open(p->in, panels_most, &sample));
    counts = spmmi_alloc((uint64_t)sample.count, sizeof *counts);
    status = counts == NULL ? SPMM_ERR_MEMORY
                            : spmmi_panels_count(p, sample.list, sample.count, sample.most, counts);
    for (int64_t i = 0; i < sample.count && status == SPMM_OK; i++) {
        add_maxima(&counts[i], totals);
        sum.footprint += sample.weight[i] * (double)counts[i].footprint;
        sum.stages += sample.weight[i] * (double)counts[i].stages;
        sum.slices += sample.weight[i] * (double)counts[i].slices;
        sum.runs += sample.weight[i] * (double)counts[i].runs;
        sum.lines += sample.weight[i] * (double)counts[i].lines;
        sum.sectors += sample.weight[i] * (double)counts[i].sectors;
    }
    if (status == SPMM_OK)
        status = add_widest(p, &sample, totals);
    totals->sum =
        (struct spmmi_panel_count){llround(sum.footprint), llround(sum.stages), llround(sum.slices),
                                   llround(sum.runs),      llround(sum.lines),  llround(sum.sectors)};
cleanup:
    spmmi_free(counts);
    spmmi_panel_sample_close(&sample);
    return status;
}

/* ---- Figures ---- */

static void unit_figures(const struct spmmi_panel_input *in, spmm_panel_stats_t *out)
{
    u128 squares = 0;
    for (uint64_t u = 0; u < in->units; u++) {
        const int64_t length = in->unit_ptr[u + 1] - in->unit_ptr[u];
        squares += (u128)length * (u128)length;
        out->unit_max = length > out->unit_max ? length : out->unit_max;
    }
    if (in->units == 0)
        return;
    const u128 nnz = (u128)in->unit_ptr[in->units], units = in->units;
    out->unit_mean = (double)nnz / (double)units;
    out->unit_stddev = sqrt((double)(units * squares - nnz * nnz) / (double)(units * units));
}

static void schedule_figures(const struct spmmi_panel_input *in, spmm_panel_stats_t *out)
{
    const int64_t turns = in->n / in->register_tile + (in->n % in->register_tile != 0);
    out->panel_rows = in->panel_rows;
    out->stage_slots = in->stage_slots;
    out->segment = in->segment;
    for (uint64_t u = 0; u < in->units && in->order != NULL && !out->is_reordered; u++)
        out->is_reordered = in->order[u] != u;
    out->number_bytes = in->number_bytes;
    out->register_tile = in->register_tile;
    out->n = in->n;
    out->multiprocessors = in->multiprocessors;
    out->units = (int64_t)in->units;
    out->panels = spmmi_panels_of(in);
    out->blocks = out->panels * turns;
    out->utilization = spmmi_quotient(out->blocks, in->multiprocessors);
}

static void panel_figures(const struct totals *totals, int64_t nnz, spmm_panel_stats_t *out)
{
    const struct spmmi_panel_count *const t = &totals->sum;
    out->footprint_sum = t->footprint;
    out->footprint_max = totals->footprint_max;
    out->footprint_mean = spmmi_quotient(t->footprint, out->panels);
    out->rho = spmmi_quotient(nnz, t->footprint);
    out->stages = t->stages;
    out->stages_max = totals->stages_max;
    out->slices = t->slices;
    out->padding = spmmi_quotient(t->slices * SPMMI_PANEL_LANES, nnz);
    out->runs = t->runs;
    out->run_mean = spmmi_quotient(t->footprint, t->runs);
    out->lines = t->lines;
    out->sectors = t->sectors;
    out->line_cost = spmmi_quotient(t->lines * SPMMI_PANEL_LINE_BYTES, t->footprint * out->number_bytes);
    out->sector_cost =
        spmmi_quotient(t->sectors * SPMMI_PANEL_SECTOR_BYTES, t->footprint * out->number_bytes);
    /* The paper divides the footprint "by M"; B has N rows in its notation (Section 2.1), what is reused is an
     * element of B, and its bound N / nnz <= Gamma holds for N only: with the footprint F <= nnz and C >= 1,
     * C / (F / N) >= N / nnz. Columns of A without nonzeros are rows of B that nobody reads: without them 1 <= L,
     * as the paper also asks. */
    out->l2_reuse = spmmi_quotient(t->footprint, out->columns_used);
    out->line_gamma = out->l2_reuse > 0 ? out->line_cost / out->l2_reuse : 0.0;
    out->sector_gamma = out->l2_reuse > 0 ? out->sector_cost / out->l2_reuse : 0.0;
}

spmm_status_t spmmi_panel_stats(const struct spmmi_panel_input *in, spmm_panel_stats_t *out)
{
    spmm_status_t status = SPMM_OK;
    struct totals totals = {0};
    struct spmmi_panel_pattern pattern;
    memset(out, 0, sizeof *out);
    SPMM_TRY(spmmi_panel_pattern_open(in, false, &pattern));
    schedule_figures(in, out);
    unit_figures(in, out);
    SPMM_TRY(spmmi_panel_reuse_count(&pattern, out));
    SPMM_TRY(count_all(&pattern, out->panels, &totals));
    panel_figures(&totals, pattern.nnz, out);
cleanup:
    spmmi_panel_pattern_close(&pattern);
    return status;
}

spmm_status_t spmmi_panel_estimate(const struct spmmi_panel_input *in, int64_t columns_used,
                                   int64_t panels_most, spmm_panel_stats_t *out)
{
    spmm_status_t status = SPMM_OK;
    struct totals totals = {0};
    struct spmmi_panel_pattern pattern;
    memset(out, 0, sizeof *out);
    SPMM_TRY(spmmi_panel_pattern_open(in, true, &pattern));
    schedule_figures(in, out);
    unit_figures(in, out);
    out->columns_used = columns_used;
    SPMM_TRY(count_sample(&pattern, panels_most, &totals));
    panel_figures(&totals, pattern.nnz, out);
cleanup:
    spmmi_panel_pattern_close(&pattern);
    return status;
}
