/* SPDX-License-Identifier: Apache-2.0 */
/* Terms of the bcsr family (docs/model.md). A block of four warps owns a strip, of which each warp has one or two block
 * rows, and a tile of columns; the rows of B of a step's four block columns and the step's blocks of A are copied to
 * shared memory, several steps ahead. */
#include <math.h>

#include "model_fragment.h"

#define SECTOR 32.0
#define BLOCK_ROWS 16.0
#define STEP_BLOCKS 4.0 /* block columns of a step */
#define STEP_BYTES 24.0 /* its block columns, mask and first block */
#define WARPS 4.0       /* of a block of threads */
#define TILE_LEAST 8.0  /* columns of an MMA */
#define REGISTERS 72.0  /* of a thread beside its sums */
#define REGISTER_BYTES 4.0
#define BLOCKS_MOST 16.0 /* of threads, of a multiprocessor */
#define BLOCK_ISSUE 20.0 /* instructions of a block of A that do not depend on the tile */
#define LOAD_BYTES 512.0 /* that a warp loads of shared memory at once */
#define STAGE_ISSUE 60.0 /* of a step of a warp, beside its copies */
#define COPY_ISSUE 6.0   /* to copy 16 bytes a lane */
#define READY_STEPS 1.0  /* until what a step asked for is there, shared by the steps that are on their way */
#define TURN_STEPS 0.15  /* of a step: its barrier, masks and addresses */
#define BLOCK_STEPS 0.02 /* of each block of a warp in it */

/* The narrowest of 8, 16, 32, 64 and 128 that covers n; numbers of 8 bytes have no 128. */
double spmmi_bcsr_tile(const struct spmmi_model_query *q)
{
    const double most = q->number_bytes > 4 ? 64 : 128;
    double tile = TILE_LEAST;
    while (tile < q->n && tile < most)
        tile *= 2;
    return tile;
}

/* Steps that are on their way at once. */
static double stages_of(double tile)
{
    return tile <= 16 ? 5 : tile <= 32 ? 4 : 3;
}

static double width_of(const struct spmmi_fragment_figures *f)
{
    return f->step_columns / STEP_BLOCKS;
}

/* Of the places of a step, the share that has a block. */
static double filled(const struct spmmi_fragment_figures *f)
{
    return fmin(f->blocks / fmax(f->steps * STEP_BLOCKS * f->unit_rows / BLOCK_ROWS, 1), 1);
}

/* Shared memory has room for the fullest step in every stage: halfway between a mean step and one without gaps. */
static double blocks_at_a_time(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s)
{
    const struct spmmi_fragment_figures *f = q->candidate->fragments->figures;
    const double block_rows = f->unit_rows / BLOCK_ROWS, places = STEP_BLOCKS * block_rows;
    const double blocks = (1 + filled(f)) / 2 * places * f->places * q->number_bytes;
    const double stage = f->step_columns * (s->staged_row + SECTOR) + blocks;
    const double sums = block_rows / WARPS * s->tile / TILE_LEAST * 4 * s->sum_bytes / REGISTER_BYTES;
    const double by_registers = q->profile->registers_sm / (32 * WARPS * (REGISTERS + sums));
    const double by_shared = q->profile->shared_sm_bytes / (stages_of(s->tile) * stage);
    return fmax(fmin(fmin(floor(by_registers), floor(by_shared)), BLOCKS_MOST), 1);
}

void spmmi_bcsr_shape(const struct spmmi_model_query *q, struct spmmi_fragment_shape *s)
{
    const struct spmmi_fragment_figures *f = q->candidate->fragments->figures;
    s->a_bytes = f->blocks * f->places * q->number_bytes + f->steps * STEP_BYTES;
    s->gathered = f->footprint;
    s->resident = blocks_at_a_time(q, s);
}

void spmmi_bcsr_terms(const struct spmmi_model_query *q, const struct spmmi_fragment_shape *s,
                      struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_fragment_figures *f = q->candidate->fragments->figures;
    const double blocks = f->blocks * s->tiles, block_bytes = f->places * q->number_bytes;
    /* Two block rows of a warp read B once where both have the block column. */
    const double reads = f->unit_rows > WARPS * BLOCK_ROWS ? 1 - filled(f) / 2 : 1;
    const double rows = width_of(f) * s->staged_row; /* of B, of a block */
    const double stored = f->footprint * s->staged_row * s->tiles + blocks * block_bytes;
    const double loads = block_bytes / LOAD_BYTES + reads * rows / LOAD_BYTES;
    const double mmas = s->products * s->tile / TILE_LEAST;
    const double numbers = f->places / 32 + reads * width_of(f) / 4 * s->tile / 8; /* of a lane, of A and B */
    const double copies = stored / (16 * 32) * COPY_ISSUE;
    const double warp_steps = f->steps * s->tiles * WARPS;
    p->term[SPMMI_TERM_L1] = s->uneven * (stored + blocks * (block_bytes + reads * rows)) / d->shared_rate;
    p->term[SPMMI_TERM_ALU] = s->uneven * 2 * f->places * blocks * s->tile * s->products / s->rate;
    p->term[SPMMI_TERM_ISSUE] = s->uneven *
                                (blocks * (BLOCK_ISSUE + loads + mmas + numbers * s->conversions) + copies +
                                 warp_steps * STAGE_ISSUE) /
                                (SPMMI_FRAGMENT_ISSUE * d->multiprocessors * d->clock_hz);
    const double in_step = f->blocks / fmax(f->steps * WARPS, 1);
    spmmi_fragment_waiting(q, s, READY_STEPS / (stages_of(s->tile) - 1) + TURN_STEPS + BLOCK_STEPS * in_step,
                           p);
}
