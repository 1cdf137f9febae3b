/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the rows family. They follow the launch (a lane group owns a tile of columns and processes
 * its nonzeros four or eight at a time), with rounded weights: the fitted factors absorb the rest. */
#include <math.h>

#include "kernels/shared/passes_shape.h"
#include "rows_columns_cost.h"
#include "rows_columns_shape.h"
#include "rows_cost.h"
#include "rows_plan.h"
#include "rows_short_shape.h"
#include "rows_slices_shape.h"

#define SECTOR 32.0
#define WARP 32.0
#define THREADS ((double)SPMMI_ROWS_THREADS)
#define LINE_COST 64.0     /* minimum cost of an L1 cache lookup, in bytes */
#define NARROW_BYTES 2.125 /* per index, with the bit that ends a row */
#define KEPT_SHARE 0.6     /* cost of keeping sums of C / cost of converting C (docs/decisions/0101) */
#define ISSUE_PER_CYCLE 4.0
/* Cost of a step of a nonzero split, in units of SPMMI_MODEL_STEP_CYCLES: lower if rows of B are in the L1
 * cache, higher if they are in DRAM (docs/decisions/0094). */
#define L1_STEPS 0.5
#define DRAM_STEPS 2.0

/* Rows that groups share: the steps of a team before and after its own, each of which waits for A; the part
 * of the launch that an early start hides, at most half of it; the cost of a step of lanes that load less
 * than 16 bytes. From products on an H100 (docs/decisions/0119, 0127). */
#define SHARED_ENDS 4.0
#define EARLY_SECONDS 1.5e-6
#define NARROW_STEPS 0.5

/* Adjacent lanes read adjacent nonzeros: the minimum cost of an L1 cache lookup of a row of B, in bytes; and
 * for staged few columns a factor for the gathers past the L1 cache. Both matter for rows of B of a sector or
 * less (docs/decisions/0105). */
#define NEAR_LINE_COST 24.0
#define STAGED_GATHERS 3.5

/* Time of groups with one short row each / time of teams of one group, without the launch: from 78 products of
 * six matrices on an H100, 2 to 32 columns (docs/decisions/0133). */
#define SHORT_SHARE 0.75

/* Constants of sliced rows, by tools/dev/fit_model from 45 products on an H100 (docs/decisions/0120). */
static const struct spmmi_model_constants sliced_constants[] = {
    {0.54, 1, {0.673, 0.719, 0.52, 1, 0.995, 0.978, 0.83, 1}, 0},    /* f32 */
    {0.609, 1, {0.681, 0.789, 1.03, 1, 0.999, 0.996, 0.915, 1}, 0},  /* f64 */
    {0.502, 1, {0.683, 0.667, 0.356, 1, 0.98, 0.923, 0.727, 1}, 0}}; /* 16 bits */

/* The launch of a product. */
struct shape {
    double lanes;       /* per group; all lanes process the same nonzeros */
    double share;       /* row split: lanes (one column) or groups that share a row; else 1 */
    double vec;         /* columns per lane */
    double tile, tiles; /* columns per tile, number of tiles */
    double blocks_per_sm;
    double group, block; /* nonzero split: most nonzeros of a lane group; mean per block */
    int is_staged;       /* nonzero split of few columns */
    int is_sliced; /* row split of one column, with sliced rows; share is the number of warps per slice */
    int is_kept;   /* blocks keep the sums of column-major C */
    int is_direct; /* column-major C is stored value by value */
    int is_team;   /* row split of several columns: groups share rows, or have one each (rows_teams.cuh) */
    int is_short;  /* a team of one group that has a short row (rows_short.cuh) */
};

static double pass_columns(const struct spmmi_model_query *q)
{
    return q->is_col_major
               ? (double)spmmi_pass_columns((int64_t)q->n, (int64_t)(q->matrix->rows + q->matrix->cols),
                                            (size_t)q->value_bytes, SPMMI_ROWS_PASS_COLUMNS)
               : q->n;
}

/* Returns the columns per lane that the alignment of B and C allows; converted operands are aligned. */
static uint32_t vec_of(const struct spmmi_model_query *q)
{
    const uint32_t bytes = (uint32_t)q->value_bytes;
    uint32_t vec = 16 / bytes;
    while (vec > 1 && !q->is_col_major && (int64_t)q->n % vec != 0)
        vec = spmmi_rows_narrower(vec, bytes);
    return vec;
}

/* Sets the shape of a nonzero split of few columns. Returns true if it is staged. Assumes blocks of the
 * middle size that are as full as in measurements, or that have as many rows as they can. */
static int has_staged_shape(const struct spmmi_model_query *q, struct shape *s)
{
    const double full = 0.85;
    const int64_t n = (int64_t)pass_columns(q);
    const uint32_t sum_bytes = q->value_bytes > 4 ? 8 : 4;
    if (q->candidate->schedule != SPMM_SCHEDULE_NONZERO_SPLIT || n > SPMMI_STAGED_COLUMNS_MAX)
        return 0;
    const struct spmmi_rows_shape staged = spmmi_staged_shape_of(n);
    const double block = full * 2 * spmmi_staged_least(spmmi_staged_grid(staged));
    *s = (struct shape){.lanes = staged.lanes,
                        .vec = staged.vec,
                        .tile = (double)staged.lanes * staged.vec,
                        .block = block,
                        .blocks_per_sm = SPMMI_STAGED_BLOCKS_PER_SM(sum_bytes, staged.vec),
                        .is_staged = 1};
    const double blocks =
        fmax(q->matrix->nnz / block, q->matrix->rows_used / SPMMI_STAGED_RANKS_MAX(staged.lanes));
    return spmmi_staged_pays(n, staged, sum_bytes, (uint64_t)blocks, (uint32_t)q->profile->multiprocessors);
}

/* Sets the shape of a row split of one column with sliced rows. Returns false if rows are not sliced. */
static int has_sliced_shape(const struct spmmi_model_query *q, struct shape *s)
{
    const struct spmmi_row_slices *const slices = &q->matrix->slices;
    const uint32_t sum_bytes = q->value_bytes > 4 ? 8 : 4;
    if (q->candidate->schedule != SPMM_SCHEDULE_ROW_SPLIT || q->n != 1 ||
        !spmmi_slices_fit((int64_t)q->matrix->nnz, slices->entries, slices->padding_max, 0))
        return 0;
    const uint32_t run = spmmi_slice_run(spmmi_slices_index(slices, (uint32_t)q->value_bytes));
    *s = (struct shape){
        .lanes = 1, .vec = 1, .blocks_per_sm = SPMMI_SLICED_BLOCKS_PER_SM(sum_bytes, run), .is_sliced = 1};
    s->share = spmmi_slices_warps((uint32_t)slices->entries, (uint32_t)slices->rows,
                                  (uint32_t)q->profile->multiprocessors);
    s->tile = s->tiles = 1;
    return 1;
}

/* Row split: returns the number of lanes (one column) or groups that share a row. */
static uint32_t share_of(const struct spmmi_model_query *q, const struct shape *s)
{
    const struct spmmi_model_matrix *const m = q->matrix;
    const uint64_t nnz = (uint64_t)m->nnz, rows = (uint64_t)m->rows_used;
    if (q->n == 1)
        return spmmi_rows_lanes_of(nnz, rows, (uint32_t)q->profile->multiprocessors);
    return spmmi_rows_share_of(nnz, rows, (uint64_t)m->longest, (uint32_t)s->lanes,
                               (uint64_t)ceil(pass_columns(q) / s->tile),
                               (uint64_t)(q->profile->multiprocessors * s->blocks_per_sm));
}

/* Returns the grid of the blocks of a nonzero split of `columns` columns. */
static int grid_of(const struct spmmi_model_query *q, struct spmmi_rows_shape launch, double columns)
{
    const struct spmmi_model_matrix *const m = q->matrix;
    const double width = launch.lanes * launch.vec;
    const struct spmmi_rows_tiles tiles = {.count = (uint64_t)ceil(columns / width),
                                           .nnz = (uint64_t)m->nnz,
                                           .dense_rows = (uint64_t)(m->rows + m->cols),
                                           .row_bytes = (uint64_t)(width * q->value_bytes),
                                           .slots = (uint64_t)q->profile->multiprocessors *
                                                    SPMMI_ROWS_BLOCKS_PER_SM(q->value_bytes),
                                           .l2_bytes = (uint64_t)q->profile->l2_bytes};
    return spmmi_rows_tiled_grid(launch, &tiles);
}

/* Returns the shape of products of `columns` columns by rows.cuh. */
static struct shape columns_shape(const struct spmmi_model_query *q, double columns)
{
    const uint32_t bytes = (uint32_t)q->value_bytes;
    const struct spmmi_rows_shape launch =
        spmmi_rows_shape_of((int64_t)columns, vec_of(q), q->is_col_major ? 0 : bytes);
    /* The fitted factors were measured with the usual slack. */
    const int grid = grid_of(q, launch, columns);
    const struct spmmi_rows_blocks blocks =
        spmmi_rows_blocks_with(spmmi_rows_slack(grid), (uint64_t)q->matrix->nnz, SPMMI_MODEL_ITEM_SIZE, bytes,
                               grid, (uint32_t)q->profile->multiprocessors);
    return (struct shape){.lanes = launch.lanes,
                          .share = 1,
                          .vec = launch.vec,
                          .tile = (double)launch.lanes * launch.vec,
                          .group = (double)blocks.group_nonzeros,
                          .block = (double)blocks.nonzeros,
                          .blocks_per_sm = SPMMI_ROWS_BLOCKS_PER_SM(bytes)};
}

/* Returns the shape that is launched. The number of groups per row depends on the width of all columns; if
 * groups share no row, blocks may keep C. */
static struct shape shape_of(const struct spmmi_model_query *q)
{
    struct shape s;
    if (has_sliced_shape(q, &s)) {
        s.is_direct = spmmi_rows_cost_stores_directly(q);
        return s;
    }
    if (!has_staged_shape(q, &s))
        s = columns_shape(q, pass_columns(q));
    s.share = q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT ? share_of(q, &s) : 1;
    const int stores = spmmi_rows_cost_teams_store(q, s.lanes * s.share);
    s.is_short = q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT && !q->is_col_major &&
                 spmmi_rows_are_short((uint64_t)q->matrix->longest, (uint32_t)s.share, (int64_t)q->n,
                                      (uint32_t)s.lanes, (uint32_t)s.vec, (uint32_t)q->value_bytes);
    if (s.is_short)
        s.share = 1;
    s.is_team = q->n > 1 && (stores || s.share > 1 || s.is_short);
    s.is_direct = stores || spmmi_rows_cost_stores_directly(q);
    if (!s.is_team && s.share <= 1 && spmmi_rows_cost_keeps_columns(q)) {
        s = columns_shape(q, SPMMI_ROWS_KEPT_COLUMNS);
        s.is_kept = 1;
    }
    s.tiles = ceil(q->n / s.tile);
    return s;
}

static int log2_of(double x)
{
    return (int)lround(log2(x));
}

/* Adds the terms of sliced rows: each batch of entries waits for its columns and then for B. Lanes load
 * adjacent entries of A. */
static void add_slices(const struct spmmi_model_query *q, const struct shape *s, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const double latency = SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
    const double resident = d->multiprocessors * s->blocks_per_sm;
    const double batches = (double)q->matrix->slices.batches; /* of a warp */
    const double instructions = 16 * SPMMI_SLICE_BATCH;
    p->term[SPMMI_TERM_L1] = q->matrix->nnz * LINE_COST / d->l1_rate;
    p->term[SPMMI_TERM_ISSUE] = batches * instructions / (ISSUE_PER_CYCLE * d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_WAVES] = ceil(batches * WARP / THREADS) * 2 * latency / resident;
    p->term[SPMMI_TERM_LONGEST] = ceil(q->matrix->longest / (s->share * SPMMI_SLICE_BATCH)) * 2 * latency;
}

/* Returns the cost of a step from the hit shares of the caches, which p contains. For few columns and for
 * 16-bit values the measurements show no difference. */
static double step_of(const struct spmmi_model_query *q, const struct shape *s,
                      const struct spmmi_prediction *p)
{
    if (s->is_staged || q->value_bytes < 4)
        return 1;
    return L1_STEPS * p->l1_share + (p->l2_share - p->l1_share) + DRAM_STEPS * (1 - p->l2_share);
}

/* Adds the terms of kernels that walk rows: steps of warps, of blocks and of the longest walk. */
static void add_walks(const struct spmmi_model_query *q, const struct shape *s, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const double latency = SPMMI_MODEL_STEP_CYCLES / d->clock_hz;
    const double resident = d->multiprocessors * s->blocks_per_sm;
    double warp_steps = 0;
    double block_steps = 0;
    double step = step_of(q, s, p);
    double longest = 0;
    if (q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT) {
        const double team =
            s->lanes * s->share; /* lanes per row: more than a warp if groups of several warps share it */
        warp_steps = m->item_steps[log2_of(fmax(WARP / team, 1))] / s->share * fmax(team / WARP, 1);
        block_steps = m->item_steps[log2_of(fmax(THREADS / team, 1))] / s->share;
        longest = m->item_longest / s->share;
        if (p->is_shared) {
            block_steps += SHARED_ENDS * m->rows_used * s->share * s->lanes / THREADS;
            step = s->vec * q->value_bytes < 16 ? NARROW_STEPS : 1;
        }
    } else if (s->is_staged) {
        warp_steps = m->nnz / 4 * s->lanes / WARP;
        longest = 2;
        block_steps = m->nnz * s->lanes / (THREADS * 8) * 2;
    } else {
        const double blocks = ceil(m->nnz / s->block);
        warp_steps = m->nnz / 4 * s->lanes / WARP;
        block_steps = blocks * (s->block * s->lanes / THREADS / 4 + 2); /* 2: joining cut rows */
        /* A row longer than a block is summed from slots; the groups of a block add them in parallel. */
        const double slots = m->longest / s->block;
        longest = s->group / 4 + 2 + (slots > 1 ? 4 + slots * s->lanes / THREADS : 0);
    }
    const double instructions = 24 + 4 * s->vec;
    /* Each group of a warp reads its own lines: two of nonzeros and four of B per step. If products are
     * staged or groups share a row, neighbouring groups read neighbouring nonzeros. */
    const double row = fmin(q->n, s->tile) * q->value_bytes;
    const int is_near = s->is_staged || p->is_shared;
    const double line_cost = is_near ? NEAR_LINE_COST : LINE_COST;
    const double of_a = is_near ? 4 * (SPMMI_ROWS_INDEX_BYTES + q->value_bytes) : 2 * LINE_COST;
    p->term[SPMMI_TERM_L1] =
        warp_steps * s->tiles * WARP / s->lanes * (of_a + 4 * fmax(row, line_cost)) / d->l1_rate;
    p->term[SPMMI_TERM_ISSUE] =
        warp_steps * s->tiles * instructions / (ISSUE_PER_CYCLE * d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_WAVES] = step * block_steps * s->tiles * latency / resident;
    p->term[SPMMI_TERM_LONGEST] = longest * latency;
}

/* Returns the nonzeros of the rows of a block: the consecutive accesses that one L1 cache serves. */
static double block_window(const struct spmmi_model_query *q, const struct shape *s)
{
    const double groups = THREADS / s->lanes / s->share;
    if (s->is_sliced)
        return q->matrix->nnz / fmax(q->matrix->rows_used, 1) * groups;
    if (q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT)
        return q->matrix->nnz / fmax(q->matrix->items, 1) * groups;
    return s->block;
}

/* Few columns: returns the hit share if all of B fits the L1 cache, else 0. Each multiprocessor then misses
 * each sector of B once, whatever the order of its blocks. */
static double narrow_share(const struct spmmi_model_query *q)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const double row = q->n * q->value_bytes, b = m->cols_used * row;
    const double reads = m->nnz * fmax(row / SECTOR, 1) / d->multiprocessors;
    return b <= SPMMI_ROWS_L1_USED * d->l1_bytes ? fmax(1 - b / SECTOR / reads, 0) : 0;
}

/* Returns the locality of the order in which blocks run. All blocks of a wave of a nonzero split begin at
 * once, far from each other; the blocks of a row split are neighbours. */
static const struct spmmi_model_locality *order_of(const struct spmmi_model_query *q, const struct shape *s)
{
    const int begins_apart = q->candidate->schedule == SPMM_SCHEDULE_NONZERO_SPLIT && !s->is_staged;
    return begins_apart ? &q->matrix->side_by_side : &q->matrix->by_rows;
}

static double bytes_of_a(const struct spmmi_model_query *q, const struct shape *s)
{
    const struct spmmi_model_matrix *m = q->matrix;
    const double value = m->has_equal_values ? 0 : q->value_bytes;
    if (s->is_sliced)
        return spmmi_slices_index_bytes(&m->slices, (uint32_t)q->value_bytes) +
               (double)m->slices.entries * value;
    return m->nnz * ((m->cols <= SPMMI_NARROW_COLUMNS ? NARROW_BYTES : SPMMI_ROWS_INDEX_BYTES) + value);
}

static void add_bytes(const struct spmmi_model_query *q, const struct shape *s, int b_is_near,
                      struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const double row = ceil(fmin(q->n, s->tile) * q->value_bytes / SECTOR) * SECTOR;
    const double set = m->cols_used * row;
    const double others =
        (bytes_of_a(q, s) + m->rows * fmin(q->n, s->tile) * q->value_bytes) / fmax(m->nnz, 1);
    const struct spmmi_model_hit l2 =
        spmmi_model_hits(m, order_of(q, s), SPMMI_ROWS_L2_USED * d->l2_bytes / row, others / row);
    /* The lane groups of a block run side by side: rows of B that the block needs again are still in its L1
     * cache. */
    p->l1_share = fmin(spmmi_model_reuse_distance(&m->by_rows, block_window(q, s)), l2.share);
    p->l2_share = l2.share;
    if (s->is_staged || q->n == 1)
        p->l1_share = fmax(p->l1_share, fmin(narrow_share(q), l2.share));

    const double a = bytes_of_a(q, s);
    const double a_reads = a > SPMMI_ROWS_L2_USED * d->l2_bytes ? s->tiles : 1;
    const double b = m->nnz * row * s->tiles;
    const double c = m->rows * ceil(q->n * q->value_bytes / SECTOR) * SECTOR;
    const double c_dram = m->rows * q->n * q->value_bytes;
    const double misses = b_is_near && set * s->tiles <= SPMMI_ROWS_L2_USED * d->l2_bytes ? 0 : 1 - l2.share;
    p->term[SPMMI_TERM_DRAM] = (a * a_reads + b * misses + c_dram) / d->copy_rate;
    const double stream = spmmi_profile_table_at(&d->gather, 512, 0.5 * d->l2_bytes);
    p->term[SPMMI_TERM_L2] = (s->is_staged ? STAGED_GATHERS : 1) * b * (1 - p->l1_share) /
                                 spmmi_profile_table_at(&d->gather, row, fmin(set, d->l2_bytes)) +
                             a * s->tiles / stream;
    p->term[SPMMI_TERM_L2] +=
        s->is_direct ? spmmi_rows_cost_stores(q, s->is_team ? s->lanes * s->share : 0, stream) : c / stream;
    p->term[SPMMI_TERM_ALU] =
        2 * m->nnz * s->tile * s->tiles / (q->value_bytes > 4 ? d->fma_f64 : d->fma_f32);
}

static void add_gpu(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_model_matrix *m = q->matrix;
    const struct shape s = shape_of(q);
    const int converts_c = q->is_col_major && !s.is_direct && !s.is_kept;
    p->is_shared = s.is_team;
    if (s.is_sliced)
        p->own = &sliced_constants[q->value_bytes > 4 ? 1 : q->value_bytes < 4 ? 2 : 0];
    p->early_s = p->is_shared ? fmin(EARLY_SECONDS, q->profile->launch_s / 2) : 0;
    add_bytes(q, &s, q->is_col_major, p);
    if (s.is_sliced)
        add_slices(q, &s, p);
    else
        add_walks(q, &s, p);
    for (int i = 0; s.is_short && i < SPMMI_TERMS; i++)
        p->term[i] *= SHORT_SHARE;
    if (q->is_col_major) {
        const double passes = ceil(q->n / pass_columns(q));
        const double of_c = converts_c ? 1 : s.is_direct ? 0 : KEPT_SHARE;
        const double values = (m->cols + of_c * m->rows) * q->n;
        p->launches = passes * (converts_c ? 3 : 2) - 1;
        p->term[SPMMI_TERM_CONVERT] = 2 * values * q->value_bytes / q->profile->copy_rate;
    }
}

int spmmi_rows_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    if (q->profile->target == SPMMI_TARGET_CPU)
        spmmi_rows_cpu_cost(q, p);
    else
        add_gpu(q, p);
    return 1;
}
