/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the tiled family: Eq. 3 and 6 of paper 000 with the traffic of each level of memory counted apart. */
#include <math.h>

#include "model_refined.h"

#define SECTOR 32.0
#define LANES 32.0
#define INDEX_BYTES 4.0
#define LOCAL_BYTES 2.0
#define L2_USED 0.7
#define ISSUE_PER_CYCLE 4.0
#define REGISTERS_BESIDE_SUMS 40.0 /* of a thread */
#define WARPS_PER_SM 64.0

/* From slot to slot of a stage: an odd number of 16-byte words, as the kernels place them to spread the banks. */
static double slot_bytes(double numbers_bytes)
{
    const double words = floor(numbers_bytes / 16);
    return words < 1 ? numbers_bytes : 16 * (words + (fmod(words, 2) == 0 ? 1 : 0));
}

/* Blocks that a multiprocessor holds: by shared memory, registers and warps. */
static double blocks_per_sm(const struct spmmi_model_query *q)
{
    const spmm_panel_stats_t *t = q->candidate->panels;
    const double tile = (double)q->candidate->register_tile;
    const double threads = (double)t->panel_rows;
    const double slots = t->stages_max > 1 ? 2 * ((double)t->stage_slots + 1) : (double)t->footprint_max + 1;
    const double shared = slots * slot_bytes(tile * q->number_bytes) + 1024;
    const double registers = threads * (REGISTERS_BESIDE_SUMS + tile * fmax(q->number_bytes, 4) / 4);
    const double blocks =
        fmin(fmin(floor(q->profile->shared_sm_bytes / shared), floor(q->profile->registers_sm / registers)),
             floor(WARPS_PER_SM * LANES / threads));
    return fmax(blocks, 1);
}

static void add_bytes(const struct spmmi_model_query *q, double passes, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const spmm_panel_stats_t *t = q->candidate->panels;
    const double tile = fmin((double)q->candidate->register_tile, q->n);
    const double entries = (double)t->slices * LANES;
    const double a = entries * (q->number_bytes + LOCAL_BYTES) + (double)t->footprint_sum * INDEX_BYTES;
    const double a_reads = a > L2_USED * d->l2_bytes ? passes : 1;
    const double partials = t->segment > 0 ? fmax((double)t->units - m->rows, 0) : 0;
    const double c = (m->rows + 2 * partials) * q->n * q->number_bytes;
    const double slot =
        q->is_col_major ? q->number_bytes : ceil(tile * q->number_bytes / SECTOR) * SECTOR / tile;
    const double staged =
        q->is_col_major ? (double)t->sectors * SECTOR * q->n : (double)t->footprint_sum * slot * q->n;
    const double once = m->cols_used * q->n * slot;
    /* Panels that run at a time share what they stage: the reuse that the last cache can hold, of one pass. */
    const struct spmmi_model_hit l2 = spmmi_model_hits(m, L2_USED * d->l2_bytes / (slot * tile));
    const double cold = m->nnz > 0 ? m->cols_used / m->nnz : 1;
    const double beyond = fmax(1 - l2.share - cold, 0) / fmax(1 - cold, 1e-9);
    const double b = fmin(once, staged) + fmax(staged - once, 0) * beyond;
    p->l1_share = m->nnz > 0 ? 1 - (double)t->footprint_sum / m->nnz : 0;
    p->l2_share = l2.share;

    p->term[SPMMI_TERM_DRAM] = (a * a_reads + b + c) / d->copy_rate;
    const double row = q->is_col_major ? SECTOR : fmax(tile * q->number_bytes, SECTOR);
    p->term[SPMMI_TERM_L2] =
        staged / spmmi_profile_table_at(&d->gather, row, fmin(once / passes, d->l2_bytes)) +
        (a * passes + c) / spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    p->term[SPMMI_TERM_L1] =
        (entries + (double)t->footprint_sum) * tile * passes * q->number_bytes / d->shared_rate;
    p->term[SPMMI_TERM_ALU] = 2 * entries * tile * passes / (q->number_bytes > 4 ? d->fma_f64 : d->fma_f32);
}

void spmmi_model_tiled(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const spmm_panel_stats_t *t = q->candidate->panels;
    const double tile = (double)q->candidate->register_tile;
    const double passes = ceil(q->n / tile);
    const double warps = fmax((double)t->panel_rows / LANES, 1);
    const double latency = SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
    const double panels = fmax((double)t->panels, 1);
    add_bytes(q, passes, p);
    const double instructions = (double)t->slices * (6 + tile * (1 + q->number_bytes / 16)) +
                                (double)t->footprint_sum / LANES * (4 + 3 * tile);
    p->term[SPMMI_TERM_ISSUE] = instructions * passes / (ISSUE_PER_CYCLE * d->multiprocessors * d->clock_hz);
    /* A stage waits for what it loads, four slices for their entries. */
    const double resident = d->multiprocessors * blocks_per_sm(q);
    const double steps = (double)t->stages + (double)t->slices / warps / 4;
    p->term[SPMMI_TERM_WAVES] = ceil(panels * passes / resident) * steps / panels * latency;
    p->term[SPMMI_TERM_LONGEST] = ((double)t->stages_max + (double)t->unit_max / 4) * latency;
    p->launches = t->segment > 0 && (double)t->units > q->matrix->rows ? 1 : 0;
}
