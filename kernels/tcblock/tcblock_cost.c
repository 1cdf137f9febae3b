/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the tensor-core families: traffic, arithmetic and latency of window and panel, and the terms
 * that bcsr shares with them (docs/model.md). The constants are rounded values derived from the kernels;
 * fitted factors correct the rest. Constants named _STEPS are times in units of SPMMI_MODEL_STEP_CYCLES.
 * TAIL_WAVES, STAGE_SHARE, STAGE_ISSUE, ITEM_ISSUE and MMA_STEPS are from the fits of docs/decisions/0084,
 * PANEL_STEPS and COPY_STEPS from the fits of 0094. */
#include "tcblock_cost.h"

#include <math.h>

#include "format/family.h"
#include "format/plan.h"
#include "tcblock_passes_shape.h"
#include "tcblock_shape.h"

#define SECTOR 32.0
#define INDEX_BYTES 4.0
#define MAP_BYTES ((double)SPMMI_TCBLOCK_MAP_BYTES)
#define LOCAL_BYTES ((double)SPMMI_TCBLOCK_LOCAL_BYTES)
#define BLOCK ((double)SPMMI_TCBLOCK_VALUES)
#define WINDOW_ROWS 8.0
#define L2_USED 0.7
#define WAVEFRONT 128.0
#define MMA_COLUMNS 16.0 /* columns of B per MMA */

/* Reuse in L1 between 8 neighbouring row windows, interpolated in the logarithm: 0 no
 * reuse, 1 all rows of B shared. */
#define WINDOW_SHARED 0.5
#define START_STEPS 1.0 /* to start an item */
#define JOIN_STEPS 2.0  /* to add the sums of the shares of an item */
#define PANEL_STEPS 2.0 /* per step of a row block: latency of its copies */
#define COPY_STEPS 3.0  /* per COPY_BYTES of B in a step: a thread block copies, then multiplies */
#define COPY_BYTES 16384.0
#define MMA_STEPS 0.02       /* per MMA of a warp in a step, with its preparation */
#define UNPACK_STEPS 0.1     /* added for each packed block of a warp */
#define SUM_STEPS 2.0        /* to start adding 8 rows of a split unit */
#define PART_STEPS 0.15      /* added for each slot of the unit, one after the other */
#define CONVERSION_STEPS 8.0 /* per launch that converts an operand */
#define PART_TIMES 1.0       /* extra cost of stores that fill parts of sectors, in bytes of C */
#define ALIGN_STEPS \
    3.0 /* per launch that copies B so that its columns are aligned, together with the next launch */
/* Row blocks without two stages: cost of an incomplete last wave, or of a single wave. */
#define TAIL_WAVES 0.5
#define STAGE_SHARE 0.5   /* copy time as a share of a row block's work, which only other row blocks hide */
#define ALONE_SHARE 0.5   /* share of the longest row block's work that nothing hides */
#define WINDOW_ISSUE 24.0 /* window: instructions per block that do not depend on the tile */
#define PANEL_ISSUE 10.0
#define STAGE_ISSUE 130.0 /* panel: instructions of a warp per step */
#define ITEM_ISSUE 300.0  /* panel: instructions of a warp per item, to begin and to store C */
#define PACKED_ISSUE 24.0 /* instructions to unpack a block */
#define PACKED_WAVEFRONTS 4.0

static void read_compute(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s)
{
    const struct spmmi_device_profile *d = q->profile;
    const spmm_compute_t compute = q->candidate->compute;
    const int is_split = compute == SPMM_COMPUTE_3XTF32;
    const int is_tf32 = spmmi_is_tf32(compute);
    s->products = is_split ? 3 : 1;
    s->conversions = is_split ? 3 : is_tf32 ? 1 : 0;
    s->rate = is_tf32 ? d->mma_tf32 : compute == SPMM_COMPUTE_F64 ? d->mma_f64 : d->mma_f16;
    s->sum_bytes = compute == SPMM_COMPUTE_F64 ? 8 : 4;
}

/* Whether rows of B are read in words of 16 bytes: row-major scratch of a column-major operand always is, B
 * itself only if n values fill whole words. */
static int is_wide(const struct spmmi_model_query *q)
{
    return q->is_col_major || fmod(q->n * q->value_bytes, 16) == 0;
}

int spmmi_tcblock_has_whole_columns(const struct spmmi_model_query *q)
{
    const struct spmmi_model_tcblocks *f = spmmi_tcblock_metrics(q);
    return q->is_col_major && f->partials <= 0 && !f->has_long_rows && !f->is_reordered;
}

uint32_t spmmi_tcblock_pass_columns(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    return (uint32_t)(s->is_converted ? spmmi_tcblock_converted_columns(
                                            (int64_t)q->n, (int64_t)q->matrix->rows, (int64_t)q->matrix->cols,
                                            !s->stores_columns, (size_t)q->value_bytes)
                                      : (int64_t)q->n);
}

double spmmi_tcblock_value_bytes(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    return s->is_packed ? f->blocks * MAP_BYTES + f->nnz * q->value_bytes
                        : f->blocks * BLOCK * q->value_bytes;
}

/* Returns the load imbalance: with few row blocks, or one very long one, most multiprocessors idle. */
static double unevenness(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const struct spmmi_model_tcblocks *f = spmmi_tcblock_metrics(q);
    const double longest = fmin(f->counts->longest, f->item_size) / s->shares;
    const double mean = f->counts->steps * s->tiles / q->profile->multiprocessors;
    return s->is_window ? 1 : fmax(ALONE_SHARE * longest / fmax(mean, 1e-9), 1);
}

static double bytes_of_a(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double columns = f->step_columns * INDEX_BYTES;
    if (s->is_window)
        return f->steps * columns + spmmi_tcblock_value_bytes(q, s);
    return f->steps * (columns + s->windows * INDEX_BYTES) + f->blocks * LOCAL_BYTES +
           spmmi_tcblock_value_bytes(q, s);
}

/* Returns the number of rows of B that are loaded from beyond the L1 cache for one tile. */
static double gathered_of(const struct spmmi_tcblock_counts *f, const struct spmmi_tcblock_shape *s)
{
    if (!s->is_window)
        return f->working_set;
    return f->working_set > 0 && f->shared > 0
               ? f->working_set * pow(fmin(f->shared / f->working_set, 1), WINDOW_SHARED)
               : 0;
}

/* Returns the number of waves: all items and tiles over those that the device processes at a time. */
static double waves_of(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const double items = fmax(spmmi_tcblock_metrics(q)->items, 1);
    return items * s->tiles * s->shares / (q->profile->multiprocessors * s->resident);
}

static struct spmmi_tcblock_shape shape_of(const struct spmmi_model_query *q,
                                           const struct spmmi_tcblock_terms *own)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    struct spmmi_tcblock_shape s = {.is_window = own->is_window,
                                    .is_packed = q->candidate->schedule == SPMM_SCHEDULE_PACKED,
                                    .shares = 1};
    s.is_wide = is_wide(q);
    s.is_converted = q->is_col_major && !(own->takes_columns && spmmi_tcblock_has_whole_columns(q));
    s.stores_columns = s.is_converted && own->stores_columns && spmmi_tcblock_has_whole_columns(q);
    s.is_aligned =
        q->is_col_major && !s.is_converted &&
        spmmi_tcblock_aligns_b((uint64_t)(q->matrix->cols * q->value_bytes), (uint32_t)q->value_bytes, q->n,
                               f->steps * f->step_columns, q->matrix->cols);
    own->launch(q, &s);
    s.tiles = ceil(q->n / s.tile);
    s.windows = f->unit_rows / WINDOW_ROWS;
    s.staged_row = s.tile * q->value_bytes;
    s.row = ceil(fmin(s.tile, q->n) * q->value_bytes / SECTOR) * SECTOR;
    read_compute(q, &s);
    s.uneven = unevenness(q, &s);
    if (own->shape != NULL) {
        own->shape(q, &s);
        return s;
    }
    s.a_bytes = bytes_of_a(q, &s);
    s.gathered = gathered_of(f, &s);
    if (!s.is_window)
        s.uneven *= 1 + STAGE_SHARE / s.resident;
    if (!s.is_window && !s.has_ring)
        s.uneven *= 1 + TAIL_WAVES / fmax(waves_of(q, &s), 1);
    return s;
}

static void add_bytes(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                      struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const struct spmmi_model_tcblocks *f = spmmi_tcblock_metrics(q);
    const double a = s->a_bytes, c = m->rows * q->n * q->value_bytes;
    /* Written and read once. */
    const double sums = 2 * f->partials * f->counts->unit_rows * q->n * s->sum_bytes;
    const double gathered = s->gathered;
    const double staged = gathered * s->row * s->tiles, once = m->cols_used * s->row * s->tiles;
    const struct spmmi_model_hit l2 = spmmi_model_hits(m, &m->by_rows, L2_USED * d->l2_bytes / s->row, 0);
    const double cold = m->nnz > 0 ? m->cols_used / m->nnz : 1;
    const double beyond = fmax(1 - l2.share - cold, 0) / fmax(1 - cold, 1e-9);
    const int is_near = (s->is_converted || s->is_aligned) &&
                        once <= L2_USED * d->l2_bytes; /* just copied, so it hits the L2 cache */
    const double b = is_near ? 0 : fmin(once, staged) + fmax(staged - once, 0) * beyond;
    const double a_reads = a > L2_USED * d->l2_bytes ? s->tiles : 1;
    const double stream = spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    const double c_rate =
        f->is_reordered ? fmin(spmmi_profile_curve_at(&d->scatter, s->row), stream) : stream;
    p->l1_share = m->nnz > 0 ? 1 - gathered / m->nnz : 0;
    p->l2_share = l2.share;
    p->term[SPMMI_TERM_DRAM] = (a * a_reads + b + c + sums) / d->copy_rate;
    p->term[SPMMI_TERM_L2] =
        staged / spmmi_profile_table_at(&d->gather, s->row, fmin(once / s->tiles, d->l2_bytes)) +
        (a * s->tiles + sums) / stream + c / c_rate;
}

/* Adds the time for bytes read from L1 (window), or read from and written to shared memory (panel). */
static void add_near_bytes(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                           struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double values = s->is_packed ? PACKED_WAVEFRONTS * WAVEFRONT : BLOCK * q->value_bytes;
    const double block = 8 * s->staged_row + values;
    if (s->is_window) {
        p->term[SPMMI_TERM_L1] = f->blocks * block * s->tiles / d->l1_rate;
        return;
    }
    const double stored =
        f->working_set * s->staged_row + spmmi_tcblock_value_bytes(q, s) + f->blocks * LOCAL_BYTES;
    p->term[SPMMI_TERM_L1] = s->uneven * (stored + f->blocks * block) * s->tiles / d->shared_rate;
}

/* Returns the load instructions of B of a lane per block: 8 bytes each (panel), 16 bytes
 * or one value each (window). */
static double loads_of_block(const struct spmmi_tcblock_shape *s)
{
    return !s->is_window ? s->staged_row / 32 : s->is_wide ? s->staged_row / 64 : s->tile / 4;
}

static void add_instructions(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                             struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double mmas = s->products * s->tile / MMA_COLUMNS;
    const double loads = loads_of_block(s);
    const double values = s->tile / 4 + 2; /* of B and A, per lane */
    const double block = (s->is_window ? WINDOW_ISSUE : PANEL_ISSUE) + loads + values * s->conversions +
                         mmas + (s->is_packed ? PACKED_ISSUE : 0);
    const double items = spmmi_tcblock_metrics(q)->items;
    const double stages = s->is_window ? 0 : (f->steps * STAGE_ISSUE + items * ITEM_ISSUE) * s->windows;
    p->term[SPMMI_TERM_ALU] = s->uneven * 2 * BLOCK * f->blocks * s->tile * s->tiles * s->products / s->rate;
    p->term[SPMMI_TERM_ISSUE] = s->uneven * (f->blocks * block + stages) * s->tiles /
                                (SPMMI_TCBLOCK_ISSUE * d->multiprocessors * d->clock_hz);
}

void spmmi_tcblock_waiting(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                           double step, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_tcblocks *f = spmmi_tcblock_metrics(q);
    const double t = SPMMI_MODEL_STEP_CYCLES / d->clock_hz, items = fmax(f->items, 1);
    const double waves = fmax(waves_of(q, s), 1);
    const double start = START_STEPS + (s->shares > 1 ? JOIN_STEPS : 0), of_share = step / s->shares;
    p->term[SPMMI_TERM_WAVES] = waves * (start + of_share * f->counts->steps / items) * t;
    p->term[SPMMI_TERM_LONGEST] = (start + of_share * fmin(f->counts->longest, f->item_size)) * t;
}

static void add_waiting(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                        struct spmmi_prediction *p)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double blocks = f->blocks / fmax(f->steps * s->windows, 1);
    const double copied = f->working_set / fmax(f->steps, 1) * s->staged_row / COPY_BYTES;
    const double whole = s->is_window ? s->step_steps
                                      : PANEL_STEPS + COPY_STEPS * copied +
                                            MMA_STEPS * blocks * s->products * s->tile / MMA_COLUMNS;
    spmmi_tcblock_waiting(q, s, whole + (s->is_packed ? UNPACK_STEPS * (s->is_window ? 1 : blocks) : 0), p);
}

/* Adds the time of the second kernel. A thread block adds the slots of a unit, 8 rows at a time; the longest
 * unit determines the time. */
static void add_sums(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_model_tcblocks *f = spmmi_tcblock_metrics(q);
    if (f->partials <= 0)
        return;
    const double turns = f->counts->unit_rows / WINDOW_ROWS, parts = ceil(f->counts->longest / f->item_size);
    p->launches = 1;
    p->term[SPMMI_TERM_CONVERT] =
        turns * (SUM_STEPS + PART_STEPS * parts) * SPMMI_MODEL_STEP_CYCLES / q->profile->clock_hz;
}

/* Adds the time of conversions: `values` is the number of values read and written per column of B. Each of
 * the passes needs `steps` for its conversion kernels and repeats the launches. */
static void add_converted(const struct spmmi_model_query *q, double values, double passes, double steps,
                          struct spmmi_prediction *p)
{
    p->launches = passes * (1 + p->launches) - 1;
    p->term[SPMMI_TERM_CONVERT] += values * q->n * q->value_bytes / q->profile->copy_rate +
                                   passes * steps * SPMMI_MODEL_STEP_CYCLES / q->profile->clock_hz;
}

/* Adds the conversions of B before each pass, and of C after it unless the kernel
 * stores column-major C itself. */
static void add_conversions(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                            struct spmmi_prediction *p)
{
    const double passes = ceil(q->n / spmmi_tcblock_pass_columns(q, s));
    const double rows = s->stores_columns ? 0 : q->matrix->rows, kernels = s->stores_columns ? 1 : 2;
    add_converted(q, 2 * (q->matrix->cols + rows), passes, kernels * CONVERSION_STEPS, p);
}

/* Adds the aligned copy of a column-major B (spmmi_tcblock_aligns_b). The leading dimension is not known here and
 * assumed equal to the height of B. */
static void add_alignment(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const double pass = (double)spmmi_tcblock_aligned_columns((int64_t)q->n, (int64_t)q->matrix->cols,
                                                              (size_t)q->value_bytes);
    add_converted(q, 2 * q->matrix->cols, ceil(q->n / pass), ALIGN_STEPS, p);
}

/* Adds the cost of storing column-major C directly if its columns do not begin at multiples of 16 bytes. The
 * leading dimension is assumed equal to the height of C. */
static void add_parts(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const double bytes = q->matrix->rows * q->value_bytes;
    if (fmod(bytes, 16) != 0)
        p->term[SPMMI_TERM_CONVERT] += PART_TIMES * bytes * q->n / q->profile->copy_rate;
}

int spmmi_tcblock_cost(const struct spmmi_model_query *q, const struct spmmi_tcblock_terms *own,
                       struct spmmi_prediction *p)
{
    if (q->profile->target == SPMMI_TARGET_CPU)
        return 0;
    const struct spmmi_tcblock_shape s = shape_of(q, own);
    add_bytes(q, &s, p);
    if (own->terms != NULL) {
        own->terms(q, &s, p);
    } else {
        add_near_bytes(q, &s, p);
        add_instructions(q, &s, p);
        add_waiting(q, &s, p);
    }
    add_sums(q, p);
    if (s.is_converted)
        add_conversions(q, &s, p);
    if (s.is_aligned)
        add_alignment(q, p);
    if (q->is_col_major && (s.stores_columns || !s.is_converted))
        add_parts(q, p);
    return 1;
}
