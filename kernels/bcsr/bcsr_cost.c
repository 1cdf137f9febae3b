/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the bcsr family (docs/model.md). A thread block owns a block-row group and a tile of columns; each warp
 * multiplies one or two block rows by the tile or by half of it. Two more warps, with the TMA one, copy to shared
 * memory, several steps ahead: the rows of B of a step's four block columns, and the step's blocks of A. */
#include <math.h>

#include "bcsr_shape.h"
#include "bcsr_cost.h"
#include "kernels/tcblock/tcblock_cost.h"

#define BLOCK_ROWS ((double)SPMMI_BCSR_ROWS)
#define STEP_BLOCKS ((double)SPMMI_BCSR_STEP)
#define STEP_BYTES 24.0 /* its block columns, mask and first block */
#define TILE_MIN 8.0    /* columns of an MMA */
#define REGISTERS 72.0  /* of a thread beside its sums */
#define REGISTER_BYTES 4.0
#define RESERVED_BYTES 1024.0 /* shared memory that the system reserves for each thread block */
#define BLOCKS_MAX 16.0       /* of threads, of a multiprocessor */
#define BLOCK_ISSUE 20.0      /* instructions of a block of a warp that do not depend on the tile */
#define LOAD_BYTES 512.0      /* that a warp loads of shared memory at once */
#define STAGE_ISSUE 40.0      /* of a step of a warp */
#define COPY_ISSUE 6.0        /* to copy 16 bytes of B a lane; blocks of A are copied whole */
#define TURN_STEPS 0.4        /* of a step: its barriers and masks, and the latency of its copies */
#define COPY_STEPS \
    0.05 /* of each COPY_BYTES of B in it: two copying warps request them at once; so with the TMA */
#define COPY_BYTES (SPMMI_BCSR_COPIERS * LOAD_BYTES)
#define MMA_STEPS 0.003  /* of each MMA of a warp in it; values of 8 bytes take two for one */
#define SPLIT_STEPS 0.75 /* of a step of parts: other warps split A meanwhile */
#define SPLIT_ISSUE 35.0 /* to split a block of A, whose values have 4 bytes */
#define PIECE_ISSUE 45.0 /* of four warps that multiply four block rows by 64 columns, a block row's share */
#define GROUP_RATE 1.5   /* of tensor cores with warpgroups, over the rate of single warps: tf32 */
/* The bytes of C, what storing them takes beside: all block-row groups end with it, none hides it. Persistent thread
 * blocks copy meanwhile, but store one after the other where a multiprocessor has one alone. */
#define STORE_TIMES 10.0
#define STORE_TIMES_BESIDE 9.0
#define STORE_TIMES_ALONE 12.0

/* The fullest step is not known here: one without gaps, as where block-row groups pay. */
static struct spmmi_bcsr_shape launch_of(const struct spmmi_model_query *q)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const uint32_t unit_rows = (uint32_t)f->unit_rows;
    const int has_wgmma = d->target == SPMMI_BCSR_GROUP_TARGET || d->target == SPMMI_TARGET_ANY;
    const struct spmmi_bcsr_operands operands = {
        (uint32_t)q->n, (uint32_t)q->value_bytes, q->is_col_major || fmod(q->n * q->value_bytes, 16) == 0,
        spmmi_tcblock_has_whole_columns(q),
        q->candidate->compute == SPMM_COMPUTE_3XTF32 && spmmi_bcsr_fills_groups(f->blocks, f->steps)};
    return spmmi_bcsr_launch(&operands, unit_rows, has_wgmma, SPMMI_BCSR_STEP * unit_rows / SPMMI_BCSR_ROWS,
                             (uint32_t)d->shared_block_bytes);
}

/* Do warpgroups multiply parts of values, those of A in shared memory? */
static int is_split(const struct spmmi_model_query *q, const struct spmmi_bcsr_shape *l)
{
    return l->has_groups && q->value_bytes > 2;
}

static void read_launch(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s)
{
    const struct spmmi_model_tcblocks *f = spmmi_tcblock_metrics(q);
    const struct spmmi_bcsr_shape l = launch_of(q);
    const double items = fmax(f->items, 1), blocks = items * ceil(q->n / l.columns);
    s->tile = l.columns;
    if (is_split(q, &l) && !f->has_long_rows)
        s->shares = spmmi_bcsr_shares(blocks, f->counts->steps / items, q->profile->multiprocessors,
                                      SPMMI_BCSR_CLUSTER_MAX);
}

/* Of the positions of a step, the share that has a block. */
static double filled(const struct spmmi_tcblock_counts *f)
{
    return fmin(f->blocks / fmax(f->steps * STEP_BLOCKS * f->unit_rows / BLOCK_ROWS, 1), 1);
}

/* Warpgroups of 16-bit types with row-major operands (bcsr_wgmma.cuh). */
static int is_persistent(const struct spmmi_model_query *q, const struct spmmi_bcsr_shape *l)
{
    return l->has_groups && !l->is_columns && !is_split(q, l);
}

/* Shared memory has room for the fullest step in every stage: halfway between a mean step and one without gaps. Of
 * persistent thread blocks with tiles of 64 columns registers count for too much: their launches have one more. With
 * those groups of 128 rows would be chosen for n of 64 and 128, which was not measured (docs/decisions/0085). */
static double blocks_at_a_time(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const struct spmmi_bcsr_shape l = launch_of(q);
    const double positions = STEP_BLOCKS * f->unit_rows / BLOCK_ROWS;
    const double shared =
        spmmi_bcsr_shared(&l, (uint32_t)q->value_bytes, (uint32_t)ceil((1 + filled(f)) / 2 * positions));
    const double sums = l.height * l.tiles * 4 * s->sum_bytes / REGISTER_BYTES;
    const double by_registers = q->profile->registers_sm / (l.threads * (REGISTERS + sums));
    const double by_shared = q->profile->shared_sm_bytes / (shared + RESERVED_BYTES);
    const double most = is_persistent(q, &l) ? spmmi_bcsr_resident(l.down, l.columns) : BLOCKS_MAX;
    return fmax(fmin(fmin(floor(by_registers), floor(by_shared)), most), 1);
}

static void shape_of(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double blocks =
        spmmi_tcblock_metrics(q)->items * s->tiles * s->shares / q->profile->multiprocessors;
    s->a_bytes = f->blocks * f->positions * q->value_bytes + f->steps * STEP_BYTES;
    s->gathered = f->working_set;
    s->resident = blocks_at_a_time(q, s);
    /* Load imbalance: with one block-row group more than multiprocessors, one multiprocessor has twice the work of the
     * others. */
    if (blocks > 0)
        s->uneven = fmax(s->uneven, ceil(blocks) / blocks);
}

/* Of the positions of a step, those that are multiplied: warpgroups multiply zeros where there is no block. Where
 * values are split they leave out halves of the group without any: blocks of a step lie together, so the share is taken
 * halfway in the logarithm. */
static double multiplied(const struct spmmi_model_query *q, const struct spmmi_tcblock_counts *f,
                         const struct spmmi_bcsr_shape *l)
{
    return is_split(q, l) ? sqrt(filled(f)) : l->has_groups ? 1 : filled(f);
}

/* Of a thread block that is alone: its warps wait for the rows of B, and then multiply one after the other. */
static double steps_of_step(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const struct spmmi_bcsr_shape l = launch_of(q);
    const double mmas = STEP_BLOCKS * multiplied(q, f, &l) * l.height * l.tiles;
    const double share = is_split(q, &l) ? SPLIT_STEPS : 1;
    return share * (TURN_STEPS + COPY_STEPS * f->step_columns * s->staged_row / COPY_BYTES +
                    MMA_STEPS * mmas * s->products *
                        (q->value_bytes > 4 ? 2
                         : is_split(q, &l)  ? 1 / GROUP_RATE
                                            : 1));
}

/* What warps do with a block: bytes that they read of shared memory, and instructions. */
struct block_work {
    double read, issued;
};

/* Each warp has operands of its own; two block rows of a warp read B once where both have the block column. */
static struct block_work work_of_warps(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                                       const struct spmmi_bcsr_shape *l)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double width = f->step_columns / STEP_BLOCKS;
    const double reads = l->height > 1 ? 1 - filled(f) / 2 : 1;
    const double read = l->across * f->positions * q->value_bytes + reads * width * s->staged_row;
    const double values = l->across * f->positions / 32 + reads * width * s->tile / 32; /* of a lane */
    const struct block_work w = {read, l->across * BLOCK_ISSUE + read / LOAD_BYTES +
                                           s->products * s->tile / TILE_MIN + values * s->conversions};
    return w;
}

/* Four block rows share what they read of B, without instructions, in all block columns of a step: of a block that is
 * there so many times more. */
static struct block_work work_of_groups(const struct spmmi_model_query *q,
                                        const struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double width = f->step_columns / STEP_BLOCKS, block_bytes = f->positions * q->value_bytes;
    const double rows = SPMMI_BCSR_GROUP_ROWS / BLOCK_ROWS, times = 1 / fmax(filled(f), 1e-9);
    const struct block_work w = {block_bytes + times * width * s->staged_row / rows,
                                 BLOCK_ISSUE + block_bytes / LOAD_BYTES};
    return w;
}

/* Blocks of A are read and split, and each 64 columns of the tile read the parts. Rows of B are read once for four
 * block rows. */
static struct block_work work_of_parts(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                                       const struct spmmi_bcsr_shape *l)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double width = f->step_columns / STEP_BLOCKS, block_bytes = f->positions * q->value_bytes;
    const double rows = SPMMI_BCSR_GROUP_ROWS / BLOCK_ROWS,
                 times = multiplied(q, f, l) / fmax(filled(f), 1e-9);
    const struct block_work w = {(1 + 2 + times * s->products * l->across) * block_bytes +
                                     times * width * s->staged_row / rows,
                                 SPLIT_ISSUE + times * PIECE_ISSUE * l->across};
    return w;
}

static double store_times(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                          const struct spmmi_bcsr_shape *l)
{
    if (!is_persistent(q, l))
        return STORE_TIMES;
    return s->resident > 1 ? STORE_TIMES_BESIDE : STORE_TIMES_ALONE;
}

static void add_terms(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                      struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const struct spmmi_bcsr_shape l = launch_of(q);
    const struct block_work work = is_split(q, &l) ? work_of_parts(q, s, &l)
                                   : l.has_groups  ? work_of_groups(q, s)
                                                   : work_of_warps(q, s, &l);
    const double blocks = f->blocks * s->tiles, block_bytes = f->positions * q->value_bytes;
    const double positions =
        multiplied(q, f, &l) * f->steps * STEP_BLOCKS * f->unit_rows / BLOCK_ROWS * s->tiles;
    const double rate = is_split(q, &l) ? GROUP_RATE * s->rate : s->rate;
    const double b_stored = f->working_set * s->staged_row * s->tiles;
    const double steps = f->steps * s->tiles * (l.threads / 32.0) * STAGE_ISSUE;
    const double copies = b_stored / LOAD_BYTES * COPY_ISSUE;
    p->term[SPMMI_TERM_L1] = s->uneven * (b_stored + blocks * (block_bytes + work.read)) / d->shared_rate;
    p->term[SPMMI_TERM_ALU] = s->uneven * 2 * f->positions * positions * s->tile * s->products / rate;
    p->term[SPMMI_TERM_ISSUE] = s->uneven * (blocks * work.issued + copies + steps) /
                                (SPMMI_TCBLOCK_ISSUE * d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_L2] += store_times(q, s, &l) * q->matrix->rows * q->n * q->value_bytes /
                              spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    spmmi_tcblock_waiting(q, s, steps_of_step(q, s), p);
}

int spmmi_bcsr_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_tcblock_terms own = {
        .takes_columns = 1, .launch = read_launch, .shape = shape_of, .terms = add_terms};
    return spmmi_tcblock_cost(q, &own, p);
}
