/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_analysis_plan.h. Rows are counted in chunks of 256, the height of the tallest unit. A
 * 32-bit word per column of a chunk has one bit per row window that contains the column. The metrics of
 * all units follow from these words. */
#include "tcblock_analysis_plan.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "tcblock_shape.h"
#include "format/matrix/column_set.h"
#include "format/matrix/sorted_columns.h"
#include "format/base/alloc.h"
#include "format/base/many_columns.h"
#include "format/base/team.h"
#include "inspector/analysis/row_block_sample.h"

#define CHUNK_ROWS SPMMI_TCBLOCK_CHUNK
#define WINDOWS (CHUNK_ROWS / SPMMI_WINDOW_ROWS)
#define BLOCK_COLUMNS 8u
#define BYTES_FREE 67108864 /* for window words: always allowed, for all threads together */
#define BYTES_A_NONZERO 16

#define PAIRS 0x55555555u /* bit of the first window of each bcsr block row */
#define BCSR_WINDOWS 2u   /* windows per block row */
#define BCSR_STEP SPMMI_TCBLOCK_WIDE_STEP

/* Buffers that one thread reuses for all its chunks. */
struct worker {
    struct spmmi_column_set set;
    /* window word per column of A, zero between chunks; NULL: the chunk's columns are sorted instead */
    uint32_t *all;
    uint32_t *columns; /* columns of the chunk, ascending */
    uint32_t *windows; /* window word of each of these columns */
};

/* Sums over one chunk, for each kind of unit. */
struct chunk {
    int64_t working_set[SPMMI_TCBLOCK_UNITS], blocks[SPMMI_TCBLOCK_UNITS];
};

/* ---- Units ---- */

static const struct {
    spmm_family_t family;
    uint32_t rows;
} units_known[SPMMI_TCBLOCK_UNITS] = {
    [SPMMI_TCBLOCK_8] = {SPMM_FAMILY_WINDOW, SPMMI_WINDOW_ROWS},
    [SPMMI_TCBLOCK_64] = {SPMM_FAMILY_PANEL, 64},
    [SPMMI_TCBLOCK_128] = {SPMM_FAMILY_PANEL, 128},
    [SPMMI_TCBLOCK_256] = {SPMM_FAMILY_PANEL, 256},
    [SPMMI_TCBLOCK_BCSR_64] = {SPMM_FAMILY_BCSR, 64},
    [SPMMI_TCBLOCK_BCSR_128] = {SPMM_FAMILY_BCSR, 128},
};

spmm_family_t spmmi_tcblock_family(enum spmmi_tcblock_unit unit)
{
    return units_known[unit].family;
}

uint32_t spmmi_tcblock_rows(enum spmmi_tcblock_unit unit)
{
    return units_known[unit].rows;
}

enum spmmi_tcblock_unit spmmi_tcblock_unit_of(spmm_family_t family, uint32_t rows)
{
    int unit = SPMMI_TCBLOCK_8;
    while (unit < SPMMI_TCBLOCK_UNITS - 1 &&
           (units_known[unit].family != family || units_known[unit].rows != rows))
        unit++;
    return (enum spmmi_tcblock_unit)unit;
}

static uint32_t units_per_chunk(int unit)
{
    return CHUNK_ROWS / units_known[unit].rows;
}

static uint32_t bcsr_columns(spmm_dtype_t dtype)
{
    return spmm_dtype_size(dtype) == 2 ? 16 : 8;
}

/* ---- One chunk ---- */

/* A chunk: the rows at positions first .. end - 1 of the permutation. */
struct span {
    const struct spmmi_pattern *a;
    const uint32_t *permutation;
    int64_t first, end;
};

static int64_t row_at(const struct span *s, int64_t position)
{
    return s->permutation == NULL ? position : (int64_t)s->permutation[position];
}

static uint32_t window_at(const struct span *s, int64_t position)
{
    return 1u << (uint32_t)(position - s->first) / SPMMI_WINDOW_ROWS;
}

/* Collects the chunk's columns and their window words with an array over all columns.
 * Returns the number of columns. */
static uint32_t collect(const struct span *s, struct worker *w)
{
    for (int64_t position = s->first; position < s->end; position++) {
        const int64_t row = row_at(s, position);
        const uint32_t window = window_at(s, position);
        const int64_t begin = s->a->row_ptr[row], length = s->a->row_ptr[row + 1] - begin;
        spmmi_column_set_add(&w->set, s->a->col_ind + begin, length);
        for (int64_t q = begin; q < begin + length; q++)
            w->all[s->a->col_ind[q]] |= window;
    }
    const uint32_t count = spmmi_column_set_drain(&w->set, w->columns);
    for (uint32_t i = 0; i < count; i++) {
        w->windows[i] = w->all[w->columns[i]];
        w->all[w->columns[i]] = 0;
    }
    return count;
}

/* Collects the same columns and words by sorting the chunk's nonzeros. Needs no array over all columns. */
static uint32_t collect_sorted(const struct span *s, struct worker *w)
{
    int32_t *const columns = (int32_t *)w->columns;
    int64_t count = 0;
    for (int64_t position = s->first; position < s->end; position++) {
        const int64_t row = row_at(s, position);
        for (int64_t q = s->a->row_ptr[row]; q < s->a->row_ptr[row + 1]; q++)
            columns[count++] = s->a->col_ind[q];
    }
    count = spmmi_sort_unique(columns, count);
    memset(w->windows, 0, (size_t)count * sizeof *w->windows);
    for (int64_t position = s->first; position < s->end; position++) {
        const int64_t row = row_at(s, position);
        for (int64_t q = s->a->row_ptr[row]; q < s->a->row_ptr[row + 1]; q++)
            w->windows[spmmi_sorted_position(columns, count, s->a->col_ind[q])] |= window_at(s, position);
    }
    return (uint32_t)count;
}

/* Adds the blocks of one block column, and its use by the bcsr block-row groups.
 * `windows` combines its columns. */
static void add_block_column(uint32_t windows, uint32_t width, struct chunk *out,
                             const struct spmmi_tcblock_analysis *analysis, int64_t at)
{
    const int64_t blocks = __builtin_popcount((windows | windows >> 1) & PAIRS);
    for (int unit = SPMMI_TCBLOCK_BCSR_64; unit <= SPMMI_TCBLOCK_BCSR_128; unit++) {
        const uint32_t units = units_per_chunk(unit), bits = WINDOWS / units;
        uint32_t *const held = analysis->steps[unit] + at * units;
        out->blocks[unit] += blocks;
        for (uint32_t u = 0; u < units; u++) {
            const uint32_t has = (windows >> u * bits & ((1u << bits) - 1)) != 0;
            out->working_set[unit] += has * width;
            held[u] += has;
        }
    }
}

/* Counts the bcsr units. Columns ascend, so the columns of one block column are adjacent. */
static void count_bcsr(const struct worker *w, uint32_t count, uint32_t width,
                       const struct spmmi_tcblock_analysis *analysis, int64_t at, struct chunk *out)
{
    const int shift = __builtin_ctz(width);
    for (int unit = SPMMI_TCBLOCK_BCSR_64; unit <= SPMMI_TCBLOCK_BCSR_128; unit++)
        memset(analysis->steps[unit] + at * units_per_chunk(unit), 0,
               units_per_chunk(unit) * sizeof *analysis->steps[unit]);
    for (uint32_t i = 0; i < count;) {
        const uint32_t block = w->columns[i] >> shift;
        uint32_t windows = 0;
        for (; i < count && w->columns[i] >> shift == block; i++)
            windows |= w->windows[i];
        add_block_column(windows, width, out, analysis, at);
    }
    for (int unit = SPMMI_TCBLOCK_BCSR_64; unit <= SPMMI_TCBLOCK_BCSR_128; unit++) {
        uint32_t *const steps = analysis->steps[unit] + at * units_per_chunk(unit);
        for (uint32_t u = 0; u < units_per_chunk(unit); u++)
            steps[u] = (steps[u] + BCSR_STEP - 1) / BCSR_STEP;
    }
}

/* Ends a step and returns its blocks: each window has its columns in blocks of 8. Clears `held`. */
static int64_t end_step(uint32_t held[WINDOWS])
{
    int64_t blocks = 0;
    for (uint32_t w = 0; w < WINDOWS; w++)
        blocks += (held[w] + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    memset(held, 0, WINDOWS * sizeof *held);
    return blocks;
}

/* Counts the row blocks of one height. */
static void count_row_blocks(const struct worker *w, uint32_t count, int unit, struct chunk *out,
                             uint32_t *steps)
{
    const uint32_t step = SPMMI_TCBLOCK_PANEL_STEP;
    const uint32_t units = units_per_chunk(unit), bits = WINDOWS / units;
    const uint32_t all = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t held[WINDOWS] = {0};
    for (uint32_t u = 0; u < units; u++) {
        uint32_t columns = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t windows = w->windows[i] >> u * bits & all;
            if (windows != 0 && columns++ % step == 0)
                out->blocks[unit] += end_step(held);
            for (; windows != 0; windows &= windows - 1)
                held[__builtin_ctz(windows)]++;
        }
        out->blocks[unit] += end_step(held);
        out->working_set[unit] += columns;
        steps[u] = columns / step + (columns % step != 0);
    }
}

/* Counts the row windows, whose steps are single blocks. */
static void count_windows(const struct worker *w, uint32_t count, struct chunk *out, uint32_t *steps)
{
    uint32_t held[WINDOWS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t windows = w->windows[i]; windows != 0; windows &= windows - 1)
            held[__builtin_ctz(windows)]++;
    }
    for (uint32_t u = 0; u < WINDOWS; u++) {
        out->working_set[SPMMI_TCBLOCK_8] += held[u];
        steps[u] = (held[u] + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
        out->blocks[SPMMI_TCBLOCK_8] += steps[u];
    }
}

/* The input and output that all chunks share. */
struct count {
    const struct spmmi_pattern *a;
    const uint32_t *permutation;
    uint32_t width; /* columns per block column of bcsr */
    const struct spmmi_tcblock_analysis *analysis;
    struct chunk *chunks;
};

static void count_chunk(const struct count *c, int64_t index, int64_t at, struct worker *w)
{
    struct chunk *const out = &c->chunks[at];
    struct span span = {c->a, c->permutation, index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS};
    span.end = span.end < c->a->rows ? span.end : c->a->rows;
    const uint32_t count = w->all != NULL ? collect(&span, w) : collect_sorted(&span, w);
    memset(out, 0, sizeof *out);
    count_bcsr(w, count, c->width, c->analysis, at, out);
    count_windows(w, count, out, c->analysis->steps[SPMMI_TCBLOCK_8] + at * WINDOWS);
    for (int unit = SPMMI_TCBLOCK_64; unit <= SPMMI_TCBLOCK_256; unit++)
        count_row_blocks(w, count, unit, out, c->analysis->steps[unit] + at * units_per_chunk(unit));
}

/* ---- All chunks ---- */

/* Allocates the buffers of a worker. most: maximum number of nonzeros in a chunk. Errors: MEMORY. */
static spmm_status_t worker_open(const struct spmmi_pattern *a, int64_t most, struct worker *w)
{
    const uint64_t columns = (uint64_t)(most < a->cols ? most : a->cols);
    w->columns = spmmi_alloc(columns, sizeof *w->columns);
    w->windows = spmmi_alloc(columns, sizeof *w->windows);
    if (w->columns == NULL || w->windows == NULL)
        return SPMM_ERR_MEMORY;
    if (spmmi_columns_are_many(a->cols, a->nnz))
        return SPMM_OK;
    w->all = spmmi_alloc_zero((uint64_t)a->cols, sizeof *w->all);
    return w->all == NULL ? SPMM_ERR_MEMORY : spmmi_column_set_new(&w->set, a->cols);
}

static void worker_close(struct worker *w)
{
    spmmi_column_set_free(&w->set);
    spmmi_free(w->all);
    spmmi_free(w->windows);
    spmmi_free(w->columns);
}

/* Returns the number of threads to use, so that all their arrays are not much larger than the matrix. */
static int count_threads(const struct spmmi_pattern *a, int64_t most, int threads)
{
    const int64_t columns = spmmi_columns_are_many(a->cols, a->nnz) ? most : a->cols;
    const int64_t bytes = a->nnz * BYTES_A_NONZERO > BYTES_FREE ? a->nnz * BYTES_A_NONZERO : BYTES_FREE;
    const int64_t enough = bytes / (columns * (int64_t)sizeof(uint32_t) + 1);
    return enough < 1 ? 1 : enough < threads ? (int)enough : threads;
}

static spmm_status_t count_chunks(const struct count *c, const struct spmmi_row_block_sample *sample,
                                  int threads)
{
    spmm_status_t status = SPMM_OK;
    const int used = count_threads(c->a, sample->most, threads);
    struct worker *workers = spmmi_alloc_zero((uint64_t)used, sizeof *workers);
    if (workers == NULL)
        return SPMM_ERR_MEMORY;
    for (int t = 0; t < used && status == SPMM_OK; t++)
        status = worker_open(c->a, sample->most, &workers[t]);
    if (status == SPMM_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(spmmi_team(used))
        for (int64_t i = 0; i < sample->count; i++)
            count_chunk(c, sample->list[i], i, &workers[omp_get_thread_num()]);
    }
    for (int t = 0; t < used; t++)
        worker_close(&workers[t]);
    spmmi_free(workers);
    return status;
}

/* Returns the metrics that do not depend on the chunks. `longest` starts with the steps of the longest row,
 * because that row may not be in the sample. */
static struct spmmi_tcblock_counts metrics_of(const struct count *c, int unit)
{
    const int64_t rows = units_known[unit].rows;
    const bool is_bcsr = units_known[unit].family == SPMM_FAMILY_BCSR;
    struct spmmi_tcblock_counts f = {.family = units_known[unit].family,
                                     .unit_rows = units_known[unit].rows,
                                     .units = (double)(c->a->rows / rows + (c->a->rows % rows != 0)),
                                     .nnz = (double)c->a->nnz};
    f.step_columns = is_bcsr                     ? BCSR_STEP * c->width
                     : rows == SPMMI_WINDOW_ROWS ? BLOCK_COLUMNS
                                                 : SPMMI_TCBLOCK_PANEL_STEP;
    f.positions = is_bcsr ? BCSR_WINDOWS * SPMMI_WINDOW_ROWS * c->width : SPMMI_WINDOW_ROWS * BLOCK_COLUMNS;
    f.longest = ceil((double)c->a->longest / f.step_columns);
    return f;
}

static void add_up(const struct count *c, struct spmmi_tcblock_analysis *s)
{
    for (int h = 0; h < SPMMI_TCBLOCK_UNITS; h++) {
        struct spmmi_tcblock_counts *f = &s->counts[h];
        const int64_t units = units_per_chunk(h);
        *f = metrics_of(c, h);
        for (int64_t i = 0; i < s->chunks; i++) {
            f->working_set += s->weight[i] * (double)c->chunks[i].working_set[h];
            f->blocks += s->weight[i] * (double)c->chunks[i].blocks[h];
            f->shared += s->weight[i] * (double)c->chunks[i].working_set[SPMMI_TCBLOCK_64];
            for (int64_t u = i * units; u < (i + 1) * units; u++) {
                f->steps += s->weight[i] * s->steps[h][u];
                f->longest = fmax(f->longest, s->steps[h][u]);
            }
        }
    }
}

spmm_status_t spmmi_tcblock_analysis_open(const struct spmmi_pattern *a, const uint32_t *permutation,
                                          spmm_dtype_t dtype, int64_t chunks_max, int threads,
                                          struct spmmi_tcblock_analysis *analysis)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    const struct spmmi_row_block_input input = {.units = (uint64_t)a->rows,
                                                .unit_ptr = a->row_ptr,
                                                .permutation = permutation,
                                                .block_rows = CHUNK_ROWS};
    const int64_t all = a->rows / CHUNK_ROWS + 1;
    struct spmmi_row_block_sample sample = {0};
    struct count all_of = {
        .a = a, .permutation = permutation, .width = bcsr_columns(dtype), .analysis = analysis};
    memset(analysis, 0, sizeof *analysis);
    if (spmmi_row_block_sample_open(&input, chunks_max > 0 ? chunks_max : all, &sample) != SPMM_OK)
        goto cleanup;
    const uint64_t count = (uint64_t)sample.count;
    uint64_t units = 0;
    for (int h = 0; h < SPMMI_TCBLOCK_UNITS; h++)
        units += units_per_chunk(h);
    all_of.chunks = spmmi_alloc(count, sizeof *all_of.chunks);
    analysis->weight = spmmi_alloc(count, sizeof *analysis->weight);
    analysis->steps[0] = spmmi_alloc(count * units, sizeof *analysis->steps[0]);
    if (all_of.chunks == NULL || analysis->weight == NULL || analysis->steps[0] == NULL)
        goto cleanup;
    for (int h = 1; h < SPMMI_TCBLOCK_UNITS; h++)
        analysis->steps[h] = analysis->steps[h - 1] + count * units_per_chunk(h - 1);
    if (count_chunks(&all_of, &sample, threads) != SPMM_OK)
        goto cleanup;
    analysis->chunks = sample.count;
    if (count > 0)
        memcpy(analysis->weight, sample.weight, count * sizeof *analysis->weight);
    add_up(&all_of, analysis);
    status = SPMM_OK;
cleanup:
    spmmi_free(all_of.chunks);
    spmmi_row_block_sample_close(&sample);
    return status;
}

void spmmi_tcblock_analysis_close(struct spmmi_tcblock_analysis *analysis)
{
    spmmi_free(analysis->steps[0]);
    spmmi_free(analysis->weight);
    memset(analysis, 0, sizeof *analysis);
}
