/* SPDX-License-Identifier: Apache-2.0 */
/* See panel_stats.h. Counts are whole numbers summed over panels, so that no order of threads shows in them; each
 * quotient is one division of two counts. */
#include "panel_stats.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "column_set.h"
#include "format/alloc.h"
#include "format/diag.h"
#include "panel_pattern.h"

#define LANES 32u /* units of a warp */
#define LINE_BYTES 64u
#define SECTOR_BYTES 32u

__extension__ typedef unsigned __int128 u128;

struct totals {
    int64_t footprint, footprint_max, stages, stages_max, slices, runs, lines, sectors;
};

/* What a thread needs to count one panel after the other. */
struct worker {
    struct spmmi_column_set set;
    uint32_t *columns; /* of the panel, ascending */
    uint32_t *longest; /* of each warp in each stage; zero between panels */
    struct totals totals;
};

struct panel {
    uint64_t first, end;               /* places in the order */
    uint32_t footprint, stages, width; /* width: columns a stage, the last one may have fewer */
};

/* ---- One panel ---- */

/* Collect the columns and cut them into stages: as few as hold them, equally wide. */
static void panel_open(const struct spmmi_panel_pattern *p, int64_t index, struct worker *w,
                       struct panel *panel)
{
    const struct spmmi_panel_input *in = p->in;
    panel->first = (uint64_t)index * in->panel_rows;
    panel->end = panel->first + in->panel_rows < in->units ? panel->first + in->panel_rows : in->units;
    for (uint64_t place = panel->first; place < panel->end; place++) {
        const uint64_t unit = spmmi_panel_unit(in, place);
        for (int64_t q = in->unit_ptr[unit]; q < in->unit_ptr[unit + 1]; q++)
            spmmi_column_set_add(&w->set, (uint32_t)p->col_ind[q]);
    }
    panel->footprint = spmmi_column_set_drain(&w->set, w->columns);
    panel->stages = panel->footprint / in->stage_slots + (panel->footprint % in->stage_slots != 0);
    panel->width = panel->stages == 0 ? 0 : (panel->footprint - 1) / panel->stages + 1;
}

/* The most entries that a unit of each warp has in each stage. */
static void count_longest(const struct spmmi_panel_pattern *p, const struct worker *w,
                          const struct panel *panel)
{
    const struct spmmi_panel_input *in = p->in;
    const uint32_t warps = in->panel_rows / LANES;
    for (uint64_t place = panel->first; place < panel->end; place++) {
        const uint64_t unit = spmmi_panel_unit(in, place);
        const int64_t end = in->unit_ptr[unit + 1];
        uint32_t *longest = w->longest + (place - panel->first) / LANES;
        for (int64_t q = in->unit_ptr[unit], from = q; q < end; longest += warps, from = q) {
            const uint32_t stage = (uint32_t)((longest - w->longest) / warps);
            const uint32_t last = (stage + 1) * panel->width;
            const int32_t limit = last < panel->footprint ? (int32_t)w->columns[last] : INT32_MAX;
            while (q < end && p->col_ind[q] < limit)
                q++;
            const uint32_t length = (uint32_t)(q - from);
            *longest = length > *longest ? length : *longest;
        }
    }
}

/* Runs of consecutive columns, lines and sectors of one stage, each counted once. */
static void count_access(const struct spmmi_panel_pattern *p, const uint32_t *columns, uint32_t count,
                         struct totals *totals)
{
    const uint32_t a_line = LINE_BYTES / p->in->number_bytes, a_sector = SECTOR_BYTES / p->in->number_bytes;
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t column = p->column == NULL ? columns[i] : (uint32_t)p->column[columns[i]];
        totals->runs += i == 0 || column != before + 1;
        totals->lines += i == 0 || column / a_line != before / a_line;
        totals->sectors += i == 0 || column / a_sector != before / a_sector;
        before = column;
    }
}

static void count_panel(const struct spmmi_panel_pattern *p, int64_t index, struct worker *w)
{
    struct panel panel;
    struct totals *totals = &w->totals;
    panel_open(p, index, w, &panel);
    count_longest(p, w, &panel);
    const size_t cells = (size_t)panel.stages * (p->in->panel_rows / LANES);
    for (size_t i = 0; i < cells; i++)
        totals->slices += w->longest[i];
    memset(w->longest, 0, cells * sizeof *w->longest);
    for (uint32_t first = 0; first < panel.footprint; first += panel.width) {
        const uint32_t left = panel.footprint - first;
        count_access(p, w->columns + first, left < panel.width ? left : panel.width, totals);
    }
    totals->footprint += panel.footprint;
    totals->footprint_max = panel.footprint > totals->footprint_max ? panel.footprint : totals->footprint_max;
    totals->stages += panel.stages;
    totals->stages_max = panel.stages > totals->stages_max ? panel.stages : totals->stages_max;
}

/* ---- All panels ---- */

/* No panel has more distinct columns than this. */
static int64_t footprint_bound(const struct spmmi_panel_pattern *p)
{
    int64_t bound = 0, nonzeros = 0;
    for (uint64_t place = 0; place < p->in->units; place++) {
        const uint64_t unit = spmmi_panel_unit(p->in, place);
        nonzeros = place % p->in->panel_rows == 0 ? 0 : nonzeros;
        nonzeros += p->in->unit_ptr[unit + 1] - p->in->unit_ptr[unit];
        bound = nonzeros > bound ? nonzeros : bound;
    }
    return bound < p->cols ? bound : p->cols;
}

static spmm_status_t worker_open(const struct spmmi_panel_pattern *p, int64_t bound, struct worker *w)
{
    const uint64_t stages = (uint64_t)bound / p->in->stage_slots + 1;
    w->columns = spmmi_alloc((uint64_t)bound, sizeof *w->columns);
    w->longest = spmmi_alloc_zero(stages * (p->in->panel_rows / LANES), sizeof *w->longest);
    if (w->columns == NULL || w->longest == NULL)
        return SPMM_ERR_MEMORY;
    return spmmi_column_set_new(&w->set, p->cols);
}

static void worker_close(struct worker *w)
{
    spmmi_column_set_free(&w->set);
    spmmi_free(w->longest);
    spmmi_free(w->columns);
}

static void totals_add(struct totals *sum, const struct totals *t)
{
    sum->footprint += t->footprint;
    sum->footprint_max = t->footprint_max > sum->footprint_max ? t->footprint_max : sum->footprint_max;
    sum->stages += t->stages;
    sum->stages_max = t->stages_max > sum->stages_max ? t->stages_max : sum->stages_max;
    sum->slices += t->slices;
    sum->runs += t->runs;
    sum->lines += t->lines;
    sum->sectors += t->sectors;
}

static spmm_status_t count_panels(const struct spmmi_panel_pattern *p, int64_t panels, struct totals *sum)
{
    spmm_status_t status = SPMM_OK;
    const int64_t bound = footprint_bound(p);
    struct worker *workers = spmmi_alloc_zero((uint64_t)p->threads, sizeof *workers);
    if (workers == NULL)
        return SPMM_ERR_MEMORY;
    for (int t = 0; t < p->threads && status == SPMM_OK; t++)
        status = worker_open(p, bound, &workers[t]);
    if (status == SPMM_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->threads)
        for (int64_t i = 0; i < panels; i++)
            count_panel(p, i, &workers[omp_get_thread_num()]);
    }
    for (int t = 0; t < p->threads; t++) {
        totals_add(sum, &workers[t].totals);
        worker_close(&workers[t]);
    }
    spmmi_free(workers);
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
    out->panels = out->units / in->panel_rows + (out->units % in->panel_rows != 0);
    out->blocks = out->panels * turns;
    out->utilization = spmmi_quotient(out->blocks, in->multiprocessors);
}

static void panel_figures(const struct totals *t, int64_t nnz, spmm_panel_stats_t *out)
{
    out->footprint_sum = t->footprint;
    out->footprint_max = t->footprint_max;
    out->footprint_mean = spmmi_quotient(t->footprint, out->panels);
    out->rho = spmmi_quotient(nnz, t->footprint);
    out->stages = t->stages;
    out->stages_max = t->stages_max;
    out->slices = t->slices;
    out->padding = spmmi_quotient(t->slices * LANES, nnz);
    out->runs = t->runs;
    out->run_mean = spmmi_quotient(t->footprint, t->runs);
    out->lines = t->lines;
    out->sectors = t->sectors;
    out->line_cost = spmmi_quotient(t->lines * LINE_BYTES, t->footprint * out->number_bytes);
    out->sector_cost = spmmi_quotient(t->sectors * SECTOR_BYTES, t->footprint * out->number_bytes);
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
    SPMM_TRY(spmmi_panel_pattern_open(in, &pattern));
    schedule_figures(in, out);
    unit_figures(in, out);
    SPMM_TRY(spmmi_panel_reuse_count(&pattern, false, out));
    SPMM_TRY(count_panels(&pattern, out->panels, &totals));
    panel_figures(&totals, pattern.nnz, out);
cleanup:
    spmmi_panel_pattern_close(&pattern);
    return status;
}
