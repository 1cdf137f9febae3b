/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the families of the tensor cores: traffic, arithmetic and latency of window and panel, and what bcsr shares
 * with them (docs/model.md). Weights are rounded values derived from the kernels; the fitted factors cover the rest.
 * TAIL_WAVES, STAGE_SHARE, STAGE_ISSUE, ITEM_ISSUE and MMA_STEPS came with the fits of docs/decisions/0084, PANEL_STEPS
 * and COPY_STEPS with those of 0094. */
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
#define MMA_COLUMNS 16.0 /* of B */

/* Reuse in the L1 cache between 8 neighbouring row windows: from none (0) to all rows of B shared (1), interpolated in
 * the logarithm. */
#define WINDOW_SHARED 0.5
#define START_STEPS 1.0 /* of an item, in units of SPMMI_MODEL_STEP_CYCLES */
#define JOIN_STEPS 2.0  /* to add up the shares of an item's steps */
#define PANEL_STEPS 2.0 /* of a step of a row block: the latency of its copies */
#define COPY_STEPS 3.0  /* of each COPY_BYTES of B in it: a thread block copies, and then multiplies */
#define COPY_BYTES 16384.0
#define MMA_STEPS 0.02       /* of each MMA of a warp in it, with what prepares it */
#define UNPACK_STEPS 0.1     /* more, of each packed block of a warp */
#define SUM_STEPS 2.0        /* to add up 8 rows of a unit that was cut */
#define PART_STEPS 0.15      /* of each of its parts, one after the other */
#define CONVERSION_STEPS 8.0 /* of a launch that converts an operand */
#define PART_TIMES 1.0       /* the bytes of C, what stores of parts of sectors take more */
#define ALIGN_STEPS \
    3.0                /* of one that copies B to where its columns are aligned, and of the launch after it */
#define TAIL_WAVES 0.5 /* of a row block: few in the last wave, or an only one, unless they have two stages */
#define STAGE_SHARE 0.5   /* of the work of a row block, the time of its copies, which only others hide */
#define ALONE_SHARE 0.5   /* share of the work of the longest row block that nothing else hides */
#define WINDOW_ISSUE 24.0 /* instructions of a block that do not depend on the tile */
#define PANEL_ISSUE 10.0
#define STAGE_ISSUE 130.0 /* of a step of a warp of a row block */
#define ITEM_ISSUE 300.0  /* of a warp of an item of a row block: it begins, and stores C */
#define PACKED_ISSUE 24.0 /* to unpack a block */
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

/* Scratch of column-major operands has whole words, other rows of B only if n has. */
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

/* Load imbalance: where there are few row blocks, or one is long, most multiprocessors are idle. */
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

/* Rows of B that come past the L1 cache, each for one tile. */
static double gathered_of(const struct spmmi_tcblock_counts *f, const struct spmmi_tcblock_shape *s)
{
    if (!s->is_window)
        return f->working_set;
    return f->working_set > 0 && f->shared > 0
               ? f->working_set * pow(fmin(f->shared / f->working_set, 1), WINDOW_SHARED)
               : 0;
}

/* Of items, all at a time on which the multiprocessors work. */
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
    s.is_aligned = q->is_col_major && !s.is_converted && fmod(q->matrix->cols * q->value_bytes, 16) != 0;
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
    const double sums = 2 * f->partials * f->counts->unit_rows * q->n * s->sum_bytes; /* written and read */
    const double gathered = s->gathered;
    const double staged = gathered * s->row * s->tiles, once = m->cols_used * s->row * s->tiles;
    const struct spmmi_model_hit l2 = spmmi_model_hits(m, &m->by_rows, L2_USED * d->l2_bytes / s->row, 0);
    const double cold = m->nnz > 0 ? m->cols_used / m->nnz : 1;
    const double beyond = fmax(1 - l2.share - cold, 0) / fmax(1 - cold, 1e-9);
    const int is_near = (s->is_converted || s->is_aligned) &&
                        once <= L2_USED * d->l2_bytes; /* hits the cache, as just copied */
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

/* Bytes read from the L1 cache or from shared memory, and bytes written to shared memory. */
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

/* Of B, by 16 or 8 bytes a lane, or by numbers. */
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
    const double values = s->tile / 4 + 2; /* of a lane, of B and of A */
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

/* The second kernel: a thread block adds up a unit, 8 rows at a time, and the longest takes longest. */
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

/* Bytes that conversions read and write, and kernels that convert, in so many passes. */
static void add_converted(const struct spmmi_model_query *q, double values, double passes, double steps,
                          struct spmmi_prediction *p)
{
    p->launches = passes * (1 + p->launches) - 1;
    p->term[SPMMI_TERM_CONVERT] += values * q->n * q->value_bytes / q->profile->copy_rate +
                                   passes * steps * SPMMI_MODEL_STEP_CYCLES / q->profile->clock_hz;
}

/* Of B before each pass and, where it is not stored as it is, of C after it. */
static void add_conversions(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                            struct spmmi_prediction *p)
{
    const double passes = ceil(q->n / spmmi_tcblock_pass_columns(q, s));
    const double rows = s->stores_columns ? 0 : q->matrix->rows, kernels = s->stores_columns ? 1 : 2;
    add_converted(q, 2 * (q->matrix->cols + rows), passes, kernels * CONVERSION_STEPS, p);
}

/* Of column-major B where its columns do not begin at multiples of 16 bytes: its leading dimension is taken for its
 * height. */
static void add_alignment(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const double pass = (double)spmmi_tcblock_aligned_columns((int64_t)q->n, (int64_t)q->matrix->cols,
                                                              (size_t)q->value_bytes);
    add_converted(q, 2 * q->matrix->cols, ceil(q->n / pass), ALIGN_STEPS, p);
}

/* Of column-major C that is stored as it is, where its columns do not begin at multiples of 16 bytes; its leading
 * dimension is taken for its height too. */
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
