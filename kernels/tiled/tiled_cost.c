/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the tiled family: Eq. 3 and 6 of paper 000, with the traffic of each level of
 * memory counted separately. */
#include <math.h>

#include "tiled_cost.h"
#include "tiled_shape.h"

#define SECTOR 32.0
#define LANES 32.0
#define INDEX_BYTES 4.0
#define LOCAL_BYTES 2.0
#define L2_USED 0.7
#define ISSUE_PER_CYCLE 4.0
#define WARPS_PER_SM 64.0
#define RESERVED_BYTES 1024.0 /* bytes of shared memory that the system reserves per thread block */
#define SPLIT_THREADS (LANES * SPMMI_TILED_SPLIT_GROUPS)
#define WAVEFRONT 128.0 /* bytes that shared memory and the L1 cache deliver per cycle */

/* Weights within a term, fitted together with the factors to the same measurements on an H200
 * (docs/model.md). Constants named _STEPS and LONE_ are in units of SPMMI_MODEL_STEP_CYCLES. */
#define PARTIAL_COST 2.0  /* bytes of a partial sum / bytes of an element of C */
#define ENTRY_PASSES 2.5  /* wavefronts for the entries of a slice */
#define COLUMN_PASSES 0.7 /* wavefronts per staged sector, column-major B */
#define ROW_PASSES 1.7    /* wavefronts per staged sector, row-major B */
#define STAGE_STEPS 1.5   /* per stage whose loads other thread blocks hide */
#define BATCH_STEPS 1.8   /* per batch of columns that a thread stages */
#define SLICE_STEPS 0.175 /* per slice */
#define LONE_STAGE 1.05   /* per stage of a thread block that runs alone, and doubling of R (decision 0136) */
#define LONE_BATCH 1.0    /* per batch, and per entry, of such a block */
#define LONE_ENTRY 0.17
#define SPLIT_STEPS 2.0   /* per wave of thread blocks that add split rows */
#define SUMS_A_STEP 128.0 /* partial sums of the longest row per step: eight groups of threads, loads ahead */

static const struct spmmi_tiled_metrics *metrics_of(const struct spmmi_model_query *q)
{
    return q->candidate->metrics;
}

uint32_t spmmi_model_register_tile(int64_t n, uint64_t units, spmm_dtype_t dtype, int multiprocessors)
{
    const struct spmmi_tiled_work work = {
        n, units, (uint32_t)multiprocessors, (uint32_t)spmm_dtype_size(dtype), 0, 0};
    return spmmi_tiled_register_tile(&work);
}

/* Columns of the widest stage, and of the widest stage with double buffering (turns),
 * as the launch knows them. */
struct slots {
    uint32_t stage, turns;
};

static struct slots slots_of(const spmm_row_block_metrics_t *t)
{
    const struct slots turns = {(uint32_t)t->stage_slots, (uint32_t)t->stage_slots};
    const struct slots one = {(uint32_t)t->working_set_max, 0};
    return t->stages_max > 1 ? turns : one;
}

/* Returns the thread blocks that a multiprocessor holds, limited by shared memory, registers and warps. */
static double blocks_per_sm(const struct spmmi_model_query *q)
{
    const spmm_row_block_metrics_t *t = metrics_of(q)->row_blocks;
    const uint32_t tile = metrics_of(q)->register_tile, bytes = (uint32_t)q->value_bytes;
    const double threads = (double)t->block_rows;
    const struct slots slots = slots_of(t);
    const double shared = spmmi_tiled_stages_bytes(slots.stage, slots.turns, tile, bytes) + RESERVED_BYTES;
    const double registers = threads * spmmi_tiled_registers(tile * spmmi_tiled_sum_size(bytes));
    const double blocks =
        fmin(fmin(floor(q->profile->shared_sm_bytes / shared), floor(q->profile->registers_sm / registers)),
             floor(WARPS_PER_SM * LANES / threads));
    return fmax(blocks, 1);
}

/* Returns the time of shared memory: wavefronts that read entries and their slots, and that store the
 * stage. */
static double shared_seconds(const struct spmmi_model_query *q, double passes)
{
    const spmm_row_block_metrics_t *t = metrics_of(q)->row_blocks;
    const double tile = fmin((double)metrics_of(q)->register_tile, q->n);
    const double row_sectors = (double)t->working_set_sum * ceil(tile * q->value_bytes / SECTOR) * passes;
    const double stores =
        q->is_col_major ? COLUMN_PASSES * (double)t->sectors * q->n : ROW_PASSES * row_sectors;
    /* Whole slots are read, also past n. */
    const double read = LANES * (double)metrics_of(q)->register_tile * q->value_bytes;
    const double reads = (double)t->slices * passes * (read / WAVEFRONT + ENTRY_PASSES);
    return (reads + stores) * WAVEFRONT / q->profile->shared_rate;
}

/* Returns true if rows are split. Rows of one segment have no partial sums. */
static int is_cut(const struct spmmi_model_query *q)
{
    return metrics_of(q)->row_blocks->segment > 0 &&
           (double)metrics_of(q)->row_blocks->units > q->matrix->rows;
}

static void add_bytes(const struct spmmi_model_query *q, double passes, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const spmm_row_block_metrics_t *t = metrics_of(q)->row_blocks;
    const double tile = fmin((double)metrics_of(q)->register_tile, q->n);
    const double entries = (double)t->slices * LANES;
    const double a = entries * (q->value_bytes + LOCAL_BYTES) + (double)t->working_set_sum * INDEX_BYTES;
    const double a_reads = a > L2_USED * d->l2_bytes ? passes : 1;
    const double partials = is_cut(q) ? (double)t->units - m->rows + metrics_of(q)->cut_rows : 0;
    const double c = (m->rows + 2 * PARTIAL_COST * partials) * q->n * q->value_bytes;
    const double slot =
        q->is_col_major ? q->value_bytes : ceil(tile * q->value_bytes / SECTOR) * SECTOR / tile;
    const double staged =
        q->is_col_major ? (double)t->sectors * SECTOR * q->n : (double)t->working_set_sum * slot * q->n;
    /* Isolated values in a column of B cost one sector each. */
    const double once =
        q->n * (q->is_col_major ? fmin(m->cols_used * SECTOR, m->cols * slot) : m->cols_used * slot);
    /* Row blocks that run at the same time share staged rows: within one pass, the reuse
     * that the L2 cache can hold. */
    const struct spmmi_model_hit l2 =
        spmmi_model_hits(m, &m->by_rows, L2_USED * d->l2_bytes / (slot * tile), 0);
    const double cold = m->nnz > 0 ? m->cols_used / m->nnz : 1;
    const double beyond = fmax(1 - l2.share - cold, 0) / fmax(1 - cold, 1e-9);
    const double b = fmin(once, staged) + fmax(staged - once, 0) * beyond;
    p->l1_share = m->nnz > 0 ? 1 - (double)t->working_set_sum / m->nnz : 0;
    p->l2_share = l2.share;

    p->term[SPMMI_TERM_DRAM] = (a * a_reads + b + c) / d->copy_rate;
    const double row = q->is_col_major ? SECTOR : fmax(tile * q->value_bytes, SECTOR);
    p->term[SPMMI_TERM_L2] =
        staged / spmmi_profile_table_at(&d->gather, row, fmin(once / passes, d->l2_bytes)) +
        (a * passes + c) / spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    p->term[SPMMI_TERM_L1] = shared_seconds(q, passes);
    p->term[SPMMI_TERM_ALU] = 2 * entries * tile * passes / (q->value_bytes > 4 ? d->fma_f64 : d->fma_f32);
}

/* Returns the bytes that a thread stages at a time, at whose multiples all rows of B begin
 * (stage_rows of tiled.cuh). */
static double word_bytes(const struct spmmi_model_query *q)
{
    double word = 16;
    while (word > q->value_bytes && ((double)metrics_of(q)->register_tile * q->value_bytes < word ||
                                     fmod(q->n * q->value_bytes, word) != 0))
        word /= 2;
    return word;
}

/* Returns the batches of columns that a thread stages one after the other in a mean stage. */
static double stage_batches(const struct spmmi_model_query *q)
{
    const spmm_row_block_metrics_t *t = metrics_of(q)->row_blocks;
    const double bytes = (double)metrics_of(q)->register_tile * q->value_bytes;
    /* Columns of B that a warp copies at a time. */
    const double across = fmin((double)metrics_of(q)->register_tile, 4);
    const double columns = (double)t->working_set_sum / fmax((double)t->stages, 1);
    const double words = q->is_col_major ? across : bytes / word_bytes(q);
    return fmax(ceil(columns * words / (double)t->block_rows / SPMMI_TILED_STAGE_BATCH), 1);
}

/* Adds the waves of thread blocks that hide each other's latency, and the thread block with
 * the longest latency chain. */
static void add_waiting(const struct spmmi_model_query *q, double passes, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const spmm_row_block_metrics_t *t = metrics_of(q)->row_blocks;
    const double step = SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
    const double row_blocks = fmax((double)t->row_blocks, 1);
    const double warps = fmax((double)t->block_rows / LANES, 1);
    const double batches = stage_batches(q);
    const double waves = fmax(row_blocks * passes / (d->multiprocessors * blocks_per_sm(q)), 1);
    const double stages = (double)t->stages / row_blocks;
    const double slices = (double)t->slices / warps / row_blocks;
    p->term[SPMMI_TERM_WAVES] =
        waves * (1 + stages * (STAGE_STEPS + BATCH_STEPS * batches) + SLICE_STEPS * slices) * step;
    p->term[SPMMI_TERM_LONGEST] =
        ((double)t->stages_max *
             (LONE_STAGE * log2((double)metrics_of(q)->register_tile) + LONE_BATCH * batches) +
         LONE_ENTRY * (double)t->unit_max) *
        step;
}

/* Adds the second kernel: a block of 256 threads per split row and 32 columns, and the longest row. */
static void add_sums(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const double blocks = metrics_of(q)->cut_rows * ceil(q->n / LANES);
    const double waves = blocks / (d->multiprocessors * WARPS_PER_SM * LANES / SPLIT_THREADS);
    const double sums = ceil(q->matrix->longest / (double)metrics_of(q)->row_blocks->segment);
    p->launches = 1;
    p->term[SPMMI_TERM_CONVERT] =
        (SPLIT_STEPS * waves + sums / SUMS_A_STEP) * SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
}

int spmmi_tiled_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    if (d->target == SPMMI_TARGET_CPU)
        return 0;
    const spmm_row_block_metrics_t *t = metrics_of(q)->row_blocks;
    const double tile = (double)metrics_of(q)->register_tile;
    const double passes = ceil(q->n / tile);
    add_bytes(q, passes, p);
    /* Instructions: per slice nine, plus one per column and one per 16 bytes of a slot; 5.5
     * per copy to shared memory. */
    const double instructions = (double)t->slices * (9 + tile * (1 + q->value_bytes / 16)) +
                                (double)t->working_set_sum / LANES * 5.5 * tile;
    p->term[SPMMI_TERM_ISSUE] = instructions * passes / (ISSUE_PER_CYCLE * d->multiprocessors * d->clock_hz);
    add_waiting(q, passes, p);
    if (is_cut(q))
        add_sums(q, p);
    return 1;
}
