/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_metrics.h. Exact counts are integers that are summed over row blocks, so the number of
 * threads does not change them. Each quotient is one division of two counts. */
#include "row_block_metrics.h"

#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "row_block_count.h"
#include "row_block_sample.h"
#include "row_block_widest.h"

#define WIDEST_NONZEROS (INT64_C(1) << 21) /* maximum nonzeros of a matrix for the search of add_widest */

__extension__ typedef unsigned __int128 u128;

/* Sums and maxima over all row blocks. */
struct totals {
    struct spmmi_row_block_count sum;
    int64_t working_set_max, stages_max;
};

static void add_maxima(const struct spmmi_row_block_count *c, struct totals *t)
{
    t->working_set_max = c->working_set > t->working_set_max ? c->working_set : t->working_set_max;
    t->stages_max = c->stages > t->stages_max ? c->stages : t->stages_max;
}

static spmm_status_t count_all(const struct spmmi_row_block_pattern *p, int64_t row_blocks,
                               struct totals *totals)
{
    int64_t most = 0;
    struct spmmi_row_block_count *counts = spmmi_alloc((uint64_t)row_blocks, sizeof *counts);
    if (counts == NULL)
        return SPMM_ERR_MEMORY;
    for (int64_t i = 0; i < row_blocks; i++) {
        const int64_t nonzeros = spmmi_row_block_nonzeros(p->in, i);
        most = nonzeros > most ? nonzeros : most;
    }
    const spmm_status_t status = spmmi_row_blocks_count(p, NULL, row_blocks, most, counts);
    for (int64_t i = 0; i < row_blocks && status == SPMM_OK; i++) {
        add_maxima(&counts[i], totals);
        totals->sum.working_set += counts[i].working_set;
        totals->sum.stages += counts[i].stages;
        totals->sum.slices += counts[i].slices;
        totals->sum.runs += counts[i].runs;
        totals->sum.lines += counts[i].lines;
        totals->sum.sectors += counts[i].sectors;
    }
    spmmi_free(counts);
    return status;
}

/* Adds the widest row block to the maxima. A single row block with three stages slows a product down if all
 * others have one stage, and a sample rarely contains it. So the widest row block is searched if all row
 * blocks of the sample have one stage but come near three, and if the matrix is small enough. */
static spmm_status_t add_widest(const struct spmmi_row_block_pattern *p,
                                const struct spmmi_row_block_sample *sample, struct totals *totals)
{
    struct spmmi_row_block_count count;
    if (sample->is_all || totals->stages_max > 1 || totals->working_set_max <= p->in->stage_slots ||
        p->nnz > WIDEST_NONZEROS)
        return SPMM_OK;
    const int64_t widest = spmmi_row_block_widest(p->in);
    const spmm_status_t status = spmmi_row_blocks_count(p, &widest, 1, sample->most, &count);
    if (status == SPMM_OK)
        add_maxima(&count, totals);
    return status;
}

static spmm_status_t count_sample(const struct spmmi_row_block_pattern *p, int64_t row_blocks_max,
                                  struct totals *totals)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_row_block_count *counts = NULL;
    struct spmmi_row_block_sample sample;
    struct {
        double working_set, stages, slices, runs, lines, sectors;
    } sum = {0};
    SPMM_TRY(spmmi_row_block_sample_open(p->in, row_blocks_max, &sample));
    counts = spmmi_alloc((uint64_t)sample.count, sizeof *counts);
    status = counts == NULL ? SPMM_ERR_MEMORY
                            : spmmi_row_blocks_count(p, sample.list, sample.count, sample.most, counts);
    for (int64_t i = 0; i < sample.count && status == SPMM_OK; i++) {
        add_maxima(&counts[i], totals);
        sum.working_set += sample.weight[i] * (double)counts[i].working_set;
        sum.stages += sample.weight[i] * (double)counts[i].stages;
        sum.slices += sample.weight[i] * (double)counts[i].slices;
        sum.runs += sample.weight[i] * (double)counts[i].runs;
        sum.lines += sample.weight[i] * (double)counts[i].lines;
        sum.sectors += sample.weight[i] * (double)counts[i].sectors;
    }
    if (status == SPMM_OK)
        status = add_widest(p, &sample, totals);
    totals->sum =
        (struct spmmi_row_block_count){llround(sum.working_set), llround(sum.stages), llround(sum.slices),
                                       llround(sum.runs),        llround(sum.lines),  llround(sum.sectors)};
cleanup:
    spmmi_free(counts);
    spmmi_row_block_sample_close(&sample);
    return status;
}

/* ---- Metrics ---- */

static void unit_metrics(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out)
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

static void schedule_metrics(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out)
{
    const int64_t turns = in->n / in->register_tile + (in->n % in->register_tile != 0);
    out->block_rows = in->block_rows;
    out->stage_slots = in->stage_slots;
    out->segment = in->segment;
    for (uint64_t u = 0; u < in->units && in->permutation != NULL && !out->is_reordered; u++)
        out->is_reordered = in->permutation[u] != u;
    out->value_bytes = in->value_bytes;
    out->register_tile = in->register_tile;
    out->n = in->n;
    out->multiprocessors = in->multiprocessors;
    out->units = (int64_t)in->units;
    out->row_blocks = spmmi_row_blocks_of(in);
    out->thread_blocks = out->row_blocks * turns;
    out->utilization = spmmi_quotient(out->thread_blocks, in->multiprocessors);
}

static void row_block_metrics(const struct totals *totals, int64_t nnz, spmm_row_block_metrics_t *out)
{
    const struct spmmi_row_block_count *const t = &totals->sum;
    out->working_set_sum = t->working_set;
    out->working_set_max = totals->working_set_max;
    out->working_set_mean = spmmi_quotient(t->working_set, out->row_blocks);
    out->rho = spmmi_quotient(nnz, t->working_set);
    out->stages = t->stages;
    out->stages_max = totals->stages_max;
    out->slices = t->slices;
    out->padding = spmmi_quotient(t->slices * SPMMI_ROW_BLOCK_LANES, nnz);
    out->runs = t->runs;
    out->run_mean = spmmi_quotient(t->working_set, t->runs);
    out->lines = t->lines;
    out->sectors = t->sectors;
    out->line_cost = spmmi_quotient(t->lines * SPMMI_ROW_BLOCK_LINE_BYTES, t->working_set * out->value_bytes);
    out->sector_cost =
        spmmi_quotient(t->sectors * SPMMI_ROW_BLOCK_SECTOR_BYTES, t->working_set * out->value_bytes);
    /* Paper 000 divides the working set "by M" to get L. But elements of B are reused, and B has N rows in
     * the notation of the paper (Section 2.1). Its bound N / nnz <= Gamma also holds for N only: with the
     * working set F <= nnz and C >= 1, C / (F / N) >= N / nnz. Rows of B that belong to empty columns of A
     * are never read. Without them 1 <= L, as the paper also requires. */
    out->l2_reuse = spmmi_quotient(t->working_set, out->columns_used);
    out->line_gamma = out->l2_reuse > 0 ? out->line_cost / out->l2_reuse : 0.0;
    out->sector_gamma = out->l2_reuse > 0 ? out->sector_cost / out->l2_reuse : 0.0;
}

spmm_status_t spmmi_row_block_metrics(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out)
{
    spmm_status_t status = SPMM_OK;
    struct totals totals = {0};
    struct spmmi_row_block_pattern pattern;
    memset(out, 0, sizeof *out);
    SPMM_TRY(spmmi_row_block_pattern_open(in, false, &pattern));
    schedule_metrics(in, out);
    unit_metrics(in, out);
    SPMM_TRY(spmmi_row_block_reuse_count(&pattern, out));
    SPMM_TRY(count_all(&pattern, out->row_blocks, &totals));
    row_block_metrics(&totals, pattern.nnz, out);
cleanup:
    spmmi_row_block_pattern_close(&pattern);
    return status;
}

spmm_status_t spmmi_row_block_estimate(const struct spmmi_row_block_input *in, int64_t columns_used,
                                       int64_t row_blocks_max, spmm_row_block_metrics_t *out)
{
    spmm_status_t status = SPMM_OK;
    struct totals totals = {0};
    struct spmmi_row_block_pattern pattern;
    memset(out, 0, sizeof *out);
    SPMM_TRY(spmmi_row_block_pattern_open(in, true, &pattern));
    schedule_metrics(in, out);
    unit_metrics(in, out);
    out->columns_used = columns_used;
    SPMM_TRY(count_sample(&pattern, row_blocks_max, &totals));
    row_block_metrics(&totals, pattern.nnz, out);
cleanup:
    spmmi_row_block_pattern_close(&pattern);
    return status;
}
