/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the bcsr family (docs/model.md). A block of threads owns a strip and a tile of columns; each warp multiplies
 * one or two block rows by the tile or by half of it. Two more warps copy to shared memory, several steps ahead: the
 * rows of B of a step's four block columns, and the step's blocks of A. */
#include <math.h>

#include "kernels/tcblock/fragment_cost.h"

#define SECTOR 32.0
#define BLOCK_ROWS 16.0
#define STEP_BLOCKS 4.0 /* block columns of a step */
#define STEP_BYTES 24.0 /* its block columns, mask and first block */
#define COPIERS 2.0     /* warps that copy */
#define TILE_LEAST 8.0  /* columns of an MMA */
#define REGISTERS 72.0  /* of a thread beside its sums */
#define REGISTER_BYTES 4.0
#define BLOCKS_MOST 16.0 /* of threads, of a multiprocessor */
#define BLOCK_ISSUE 20.0 /* instructions of a block of a warp that do not depend on the tile */
#define LOAD_BYTES 512.0 /* that a warp loads of shared memory at once */
#define STAGE_ISSUE 40.0 /* of a step of a warp */
#define COPY_ISSUE 6.0   /* to copy 16 bytes of B a lane; blocks of A are copied whole */
#define TURN_STEPS 0.4   /* of a step: its barriers and masks, and waiting for what it asked for */
#define COPY_STEPS 0.05  /* of each COPY_BYTES of B in it, which the warps that copy ask for at once */
#define COPY_BYTES (COPIERS * LOAD_BYTES)
#define MMA_STEPS 0.003 /* of each MMA of a warp in it; numbers of 8 bytes take two for one */
#define STORE_TIMES \
    10.0 /* the bytes of C, what storing them takes beside: all strips end with it, none hides it */

struct launch {
    double tile;   /* columns of a block of threads */
    double across; /* warps beside each other, which share them */
    double height; /* block rows of a warp */
    double stages; /* steps that are on their way at once */
};

/* The narrowest tile that covers n, of at most 128 columns; numbers of 8 bytes, and tall strips of 4, have 64. */
static struct launch launch_of(const struct spmmi_model_query *q)
{
    const int is_tall = spmmi_fragment_metrics(q)->figures->unit_rows > 64;
    const double most = q->number_bytes > 4 || (q->number_bytes > 2 && is_tall) ? 64 : 128;
    struct launch l = {.tile = TILE_LEAST, .across = 1, .height = 1};
    while (l.tile < q->n && l.tile < most)
        l.tile *= 2;
    l.stages = l.tile <= 16 ? 5 : l.tile <= 32 ? 4 : 3;
    if (l.tile == 128 || (q->number_bytes > 4 && l.tile >= 32))
        l.across = 2;
    if (l.tile == 128 && q->number_bytes == 2)
        l.height = 2;
    return l;
}

static double tile_of(const struct spmmi_model_query *q)
{
    return launch_of(q).tile;
}

/* Warps below each other. */
static double warps_down(const struct spmmi_fragment_figures *f, const struct launch *l)
{
    return f->unit_rows / (BLOCK_ROWS * l->height);
}

/* Of the places of a step, the share that has a block. */
static double filled(const struct spmmi_fragment_figures *f)
{
    return fmin(f->blocks / fmax(f->steps * STEP_BLOCKS * f->unit_rows / BLOCK_ROWS, 1), 1);
}

/* Shared memory has room for the fullest step in every stage: halfway between a mean step and one without gaps. */
static double blocks_at_a_time(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s)
{
    const struct spmmi_fragment_figures *f = spmmi_fragment_metrics(q)->figures;
    const struct launch l = launch_of(q);
    const double places = STEP_BLOCKS * f->unit_rows / BLOCK_ROWS;
    const double blocks = (1 + filled(f)) / 2 * places * f->places * q->number_bytes;
    const double stage = f->step_columns * (s->staged_row + SECTOR) + blocks;
    const double sums = l.height * l.tile / l.across / TILE_LEAST * 4 * s->sum_bytes / REGISTER_BYTES;
    const double threads = 32 * (warps_down(f, &l) * l.across + COPIERS);
    const double by_registers = q->profile->registers_sm / (threads * (REGISTERS + sums));
    const double by_shared = q->profile->shared_sm_bytes / (l.stages * stage);
    return fmax(fmin(fmin(floor(by_registers), floor(by_shared)), BLOCKS_MOST), 1);
}

static void shape_of(const struct spmmi_model_query *q, struct spmmi_fragment_shape *s)
{
    const struct spmmi_fragment_figures *f = spmmi_fragment_metrics(q)->figures;
    const double blocks = spmmi_fragment_metrics(q)->items * s->tiles / q->profile->multiprocessors;
    s->a_bytes = f->blocks * f->places * q->number_bytes + f->steps * STEP_BYTES;
    s->gathered = f->footprint;
    s->resident = blocks_at_a_time(q, s);
    /* Strips are few: where there is one more than multiprocessors, one of these has twice the work of the others. */
    if (blocks > 0)
        s->uneven = fmax(s->uneven, ceil(blocks) / blocks);
}

/* Of a block of threads that is alone: its warps wait for the rows of B, and then multiply one after the other. */
static double steps_of_step(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s)
{
    const struct spmmi_fragment_figures *f = spmmi_fragment_metrics(q)->figures;
    const struct launch l = launch_of(q);
    const double mmas = STEP_BLOCKS * filled(f) * l.height * s->tile / l.across / TILE_LEAST;
    return TURN_STEPS + COPY_STEPS * f->step_columns * s->staged_row / COPY_BYTES +
           MMA_STEPS * mmas * s->products * (q->number_bytes > 4 ? 2 : 1);
}

static void add_terms(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s,
                      struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_fragment_figures *f = spmmi_fragment_metrics(q)->figures;
    const struct launch l = launch_of(q);
    const double blocks = f->blocks * s->tiles, block_bytes = f->places * q->number_bytes;
    const double width = f->step_columns / STEP_BLOCKS;
    /* Two block rows of a warp read B once where both have the block column. */
    const double reads = l.height > 1 ? 1 - filled(f) / 2 : 1;
    const double a_read = l.across * block_bytes, b_read = reads * width * s->staged_row; /* for a block */
    const double b_stored = f->footprint * s->staged_row * s->tiles;
    const double mmas = s->products * s->tile / TILE_LEAST;
    const double a_numbers = l.across * f->places / 32,
                 b_numbers = reads * width * s->tile / 32; /* of a lane */
    const double block = l.across * BLOCK_ISSUE + (a_read + b_read) / LOAD_BYTES + mmas +
                         (a_numbers + b_numbers) * s->conversions;
    const double warps = warps_down(f, &l) * l.across + COPIERS;
    const double steps = f->steps * s->tiles * warps * STAGE_ISSUE,
                 copies = b_stored / LOAD_BYTES * COPY_ISSUE;
    p->term[SPMMI_TERM_L1] =
        s->uneven * (b_stored + blocks * (block_bytes + a_read + b_read)) / d->shared_rate;
    p->term[SPMMI_TERM_ALU] = s->uneven * 2 * f->places * blocks * s->tile * s->products / s->rate;
    p->term[SPMMI_TERM_ISSUE] = s->uneven * (blocks * block + copies + steps) /
                                (SPMMI_FRAGMENT_ISSUE * d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_L2] += STORE_TIMES * q->matrix->rows * q->n * q->number_bytes /
                              spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    spmmi_fragment_waiting(q, s, steps_of_step(q, s), p);
}

int spmmi_bcsr_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_fragment_terms own = {.tile = tile_of, .shape = shape_of, .terms = add_terms};
    return spmmi_fragment_cost(q, &own, p);
}
