/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the bcsr family (docs/model.md). A thread block owns a block-row group and a tile of columns;
 * each warp multiplies one or two block rows by the tile or by half of it. Two more warps (one with the TMA)
 * copy to shared memory, several steps ahead: the rows of B of a step's four block columns, and the step's
 * blocks of A. Constants named _STEPS are in units of SPMMI_MODEL_STEP_CYCLES. */
#include <math.h>

#include "bcsr_shape.h"
#include "bcsr_cost.h"
#include "kernels/tcblock/tcblock_cost.h"
#include "kernels/tcblock/tcblock_passes_shape.h"

#define BLOCK_ROWS ((double)SPMMI_BCSR_ROWS)
#define STEP_BLOCKS ((double)SPMMI_BCSR_STEP)
#define STEP_BYTES 24.0 /* bytes per step: its block columns, mask and first block */
#define TILE_MIN 8.0    /* columns per MMA */
#define REGISTERS 72.0  /* registers per thread in addition to its sums */
#define REGISTER_BYTES 4.0
#define RESERVED_BYTES 1024.0 /* shared memory that the system reserves per thread block */
#define BLOCKS_MAX 16.0       /* maximum thread blocks per multiprocessor */
#define BLOCK_ISSUE 20.0      /* instructions of a warp per block that do not depend on the tile */
#define LOAD_BYTES 512.0      /* bytes that a warp loads from shared memory at once */
#define WORD_BYTES 16.0       /* bytes that a lane copies at once, if B is aligned */
#define STAGE_ISSUE 40.0      /* instructions of a warp per step */
#define COPY_ISSUE 6.0        /* instructions to copy a word of B per lane; blocks of A are copied in bulk */
#define TURN_STEPS 0.4        /* per step: barriers, masks, and the latency of its copies */
#define COPY_STEPS \
    0.05 /* per COPY_BYTES of B in a step, which two copying warps request at once; the same with the TMA */
#define COPY_BYTES (SPMMI_BCSR_COPIERS * LOAD_BYTES)
#define MMA_STEPS 0.003  /* per MMA of a warp in a step; values of 8 bytes count twice */
#define SPLIT_STEPS 0.75 /* share of a step's time with split values: other warps split A meanwhile */
#define SPLIT_ISSUE 35.0 /* instructions to split a block of A of 4-byte values */
/* A block row's share of the instructions of four warps that multiply 4 block rows by 64 columns. */
#define PIECE_ISSUE 45.0
#define GROUP_RATE 1.5 /* tf32 rate of warpgroups over the rate of single warps */
/* Factor of the terms of warpgroups that multiply half groups (3xtf32 with less than 3 of 4 blocks): without it
 * predictions of FEM meshes and blocks, which are 1.04 to 1.3 times too short, would prefer bcsr to panel
 * (docs/decisions/0143). */
#define HALVES_TIMES 1.2
/* Additional cost of storing C, in bytes of C: all block-row groups end with their stores, which
 * nothing hides. Persistent thread blocks copy meanwhile, but if a multiprocessor has only one,
 * stores follow one another. */
#define STORE_TIMES 10.0
#define STORE_TIMES_BESIDE 9.0
#define STORE_TIMES_ALONE 12.0

/* Returns the launch shape. The fullest step is not known here; a step without gaps is assumed, as in
 * matrices for which block-row groups pay. */
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

/* Whether warpgroups multiply split values (3xtf32), with A in shared memory. */
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

/* Returns the share of a step's block positions that have a block. */
static double filled(const struct spmmi_tcblock_counts *f)
{
    return fmin(f->blocks / fmax(f->steps * STEP_BLOCKS * f->unit_rows / BLOCK_ROWS, 1), 1);
}

/* Whether thread blocks are persistent: warpgroups of 16-bit types with row-major operands
 * (bcsr_wgmma.cuh). */
static int is_persistent(const struct spmmi_model_query *q, const struct spmmi_bcsr_shape *l)
{
    return l->has_groups && !l->is_columns && !is_split(q, l);
}

/* Returns the thread blocks that a multiprocessor holds at a time. Every stage can hold the fullest step,
 * which is estimated halfway between a mean step and a step without gaps. For persistent thread blocks with
 * tiles of 64 columns, registers are overestimated: their launches have one more thread block. Correcting
 * this would choose groups of 128 rows for n of 64 and 128, which was not measured (docs/decisions/0085). */
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
    /* Load imbalance: with one block-row group more than multiprocessors, one multiprocessor has
     * twice the work of the others. */
    if (blocks > 0)
        s->uneven = fmax(s->uneven, ceil(blocks) / blocks);
}

/* Returns the share of a step's block positions that is multiplied. Warpgroups multiply zeros for absent
 * blocks. With split values they skip halves of the group without blocks. Because the blocks of a step
 * cluster, that share is the square root of the filled share, halfway in the logarithm. */
static double multiplied(const struct spmmi_model_query *q, const struct spmmi_tcblock_counts *f,
                         const struct spmmi_bcsr_shape *l)
{
    return is_split(q, l) ? sqrt(filled(f)) : l->has_groups ? 1 : filled(f);
}

/* Returns the time of a step of a single resident thread block, in SPMMI_MODEL_STEP_CYCLES: its warps wait
 * for the rows of B, then multiply one after the other. */
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

/* Work of the warps per block: bytes read from shared memory, and instructions. */
struct block_work {
    double read, issued;
};

/* Returns the work of single warps. Each warp loads its own operands; two block rows of a warp read B once if
 * both have a block in the block column. */
static struct block_work work_of_warps(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                                       const struct spmmi_bcsr_shape *l)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double width = f->step_columns / STEP_BLOCKS;
    const double reads = l->height > 1 ? 1 - filled(f) / 2 : 1;
    const double read = l->across * f->positions * q->value_bytes + reads * width * s->staged_row;
    const double values = l->across * f->positions / 32 + reads * width * s->tile / 32; /* values per lane */
    const struct block_work w = {read, l->across * BLOCK_ISSUE + read / LOAD_BYTES +
                                           s->products * s->tile / TILE_MIN + values * s->conversions};
    return w;
}

/* Returns the work of 16-bit warpgroups. Four block rows share reads of B, without instructions, in all block
 * columns of a step. So the reads per existing block grow by 1 / filled. */
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

/* Returns the work of warpgroups with split values. Blocks of A are read and split, and each 64 columns of
 * the tile read the parts. Rows of B are read once for four block rows. */
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

/* Returns the bytes of B that a lane copies at once (BcsrColumnCopier). */
static double word_of(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s)
{
    const int is_direct = q->is_col_major && !s->is_converted && !s->is_aligned;
    return is_direct && fmod(q->matrix->cols * q->value_bytes, WORD_BYTES) != 0
               ? fmax(q->value_bytes, SPMMI_TCBLOCK_WORD_BYTES)
               : WORD_BYTES;
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
    const double copies = b_stored / (LOAD_BYTES / WORD_BYTES * word_of(q, s)) * COPY_ISSUE;
    p->term[SPMMI_TERM_L1] = s->uneven * (b_stored + blocks * (block_bytes + work.read)) / d->shared_rate;
    p->term[SPMMI_TERM_ALU] = s->uneven * 2 * f->positions * positions * s->tile * s->products / rate;
    p->term[SPMMI_TERM_ISSUE] = s->uneven * (blocks * work.issued + copies + steps) /
                                (SPMMI_TCBLOCK_ISSUE * d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_L2] += store_times(q, s, &l) * q->matrix->rows * q->n * q->value_bytes /
                              spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    spmmi_tcblock_waiting(q, s, steps_of_step(q, s), p);
    if (is_split(q, &l) && spmmi_bcsr_skips_halves(f->blocks, f->steps)) {
        static const int own[] = {SPMMI_TERM_L1, SPMMI_TERM_ALU, SPMMI_TERM_ISSUE, SPMMI_TERM_WAVES,
                                  SPMMI_TERM_LONGEST};
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            p->term[own[i]] *= HALVES_TIMES;
    }
}

int spmmi_bcsr_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_tcblock_terms own = {
        .takes_columns = 1, .launch = read_launch, .shape = shape_of, .terms = add_terms};
    return spmmi_tcblock_cost(q, &own, p);
}
