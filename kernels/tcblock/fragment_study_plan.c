/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_study_plan.h. The rows are taken in strips of 256, the height of the tallest panel. A word for each
 * column of a strip tells which of its 32 windows hold it: figures of every unit follow from these words alone. */
#include "fragment_study_plan.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "fragment_shape.h"
#include "inspector/analysis/column_set.h"
#include "format/base/alloc.h"
#include "inspector/analysis/panel_sample.h"

#define STRIP_ROWS SPMMI_FRAGMENT_STRIP
#define WINDOWS (STRIP_ROWS / SPMMI_WINDOW_ROWS)
#define BLOCK_COLUMNS 8u
#define BYTES_FREE 67108864 /* words of columns that all threads may have, however few the nonzeros */
#define BYTES_A_NONZERO 16

#define PAIRS 0x55555555u /* the first window of each block row of bcsr */
#define BCSR_WINDOWS 2u   /* of a block row */
#define BCSR_STEP SPMMI_FRAGMENT_WIDE_STEP

/* What a thread needs to count one strip after the other. */
struct worker {
    struct spmmi_column_set set;
    uint32_t *windows; /* of each column; zero between strips */
    uint32_t *columns; /* of the strip, then the windows of each */
};

/* Sums of one strip, for each unit. */
struct strip {
    int64_t footprint[SPMMI_FRAGMENT_UNITS], blocks[SPMMI_FRAGMENT_UNITS];
};

/* ---- Units ---- */

static const struct {
    spmm_family_t family;
    uint32_t rows;
} units_known[SPMMI_FRAGMENT_UNITS] = {
    [SPMMI_FRAGMENT_8] = {SPMM_FAMILY_WINDOW, SPMMI_WINDOW_ROWS},
    [SPMMI_FRAGMENT_64] = {SPMM_FAMILY_PANEL, 64},
    [SPMMI_FRAGMENT_128] = {SPMM_FAMILY_PANEL, 128},
    [SPMMI_FRAGMENT_256] = {SPMM_FAMILY_PANEL, 256},
    [SPMMI_FRAGMENT_BCSR_64] = {SPMM_FAMILY_BCSR, 64},
    [SPMMI_FRAGMENT_BCSR_128] = {SPMM_FAMILY_BCSR, 128},
};

spmm_family_t spmmi_fragment_family(enum spmmi_fragment_unit unit)
{
    return units_known[unit].family;
}

uint32_t spmmi_fragment_rows(enum spmmi_fragment_unit unit)
{
    return units_known[unit].rows;
}

enum spmmi_fragment_unit spmmi_fragment_unit_of(spmm_family_t family, uint32_t rows)
{
    int unit = SPMMI_FRAGMENT_8;
    while (unit < SPMMI_FRAGMENT_UNITS - 1 &&
           (units_known[unit].family != family || units_known[unit].rows != rows))
        unit++;
    return (enum spmmi_fragment_unit)unit;
}

static uint32_t units_a_strip(int unit)
{
    return STRIP_ROWS / units_known[unit].rows;
}

static uint32_t bcsr_columns(spmm_dtype_t dtype)
{
    return spmm_dtype_size(dtype) == 2 ? 16 : 8;
}

/* ---- One strip ---- */

/* The columns of the strip, ascending; windows of each are in w->windows. */
static uint32_t collect(const struct spmmi_pattern *a, const uint32_t *order, int64_t first, struct worker *w)
{
    const int64_t end = first + STRIP_ROWS < a->rows ? first + STRIP_ROWS : a->rows;
    for (int64_t place = first; place < end; place++) {
        const int64_t row = order == NULL ? place : (int64_t)order[place];
        const uint32_t window = 1u << (uint32_t)(place - first) / SPMMI_WINDOW_ROWS;
        const int64_t begin = a->row_ptr[row], length = a->row_ptr[row + 1] - begin;
        spmmi_column_set_add(&w->set, a->col_ind + begin, length);
        for (int64_t q = begin; q < begin + length; q++)
            w->windows[a->col_ind[q]] |= window;
    }
    return spmmi_column_set_drain(&w->set, w->columns);
}

/* Columns are replaced by their windows. */
static void take_windows(struct worker *w, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *const windows = &w->windows[w->columns[i]];
        w->columns[i] = *windows;
        *windows = 0;
    }
}

/* Blocks of one block column, whose windows these are, and the strips of bcsr that have it. */
static void add_block_column(uint32_t windows, uint32_t width, struct strip *out,
                             const struct spmmi_fragment_study *study, int64_t at)
{
    const int64_t blocks = __builtin_popcount((windows | windows >> 1) & PAIRS);
    for (int unit = SPMMI_FRAGMENT_BCSR_64; unit <= SPMMI_FRAGMENT_BCSR_128; unit++) {
        const uint32_t units = units_a_strip(unit), bits = WINDOWS / units;
        uint32_t *const held = study->steps[unit] + at * units;
        out->blocks[unit] += blocks;
        for (uint32_t u = 0; u < units; u++) {
            const uint32_t has = (windows >> u * bits & ((1u << bits) - 1)) != 0;
            out->footprint[unit] += has * width;
            held[u] += has;
        }
    }
}

/* Neighbours that share a block column are one after the other. */
static void count_bcsr(const struct worker *w, uint32_t count, uint32_t width,
                       const struct spmmi_fragment_study *study, int64_t at, struct strip *out)
{
    const int shift = __builtin_ctz(width);
    for (int unit = SPMMI_FRAGMENT_BCSR_64; unit <= SPMMI_FRAGMENT_BCSR_128; unit++)
        memset(study->steps[unit] + at * units_a_strip(unit), 0,
               units_a_strip(unit) * sizeof *study->steps[unit]);
    for (uint32_t i = 0; i < count;) {
        const uint32_t block = w->columns[i] >> shift;
        uint32_t windows = 0;
        for (; i < count && w->columns[i] >> shift == block; i++)
            windows |= w->windows[w->columns[i]];
        add_block_column(windows, width, out, study, at);
    }
    for (int unit = SPMMI_FRAGMENT_BCSR_64; unit <= SPMMI_FRAGMENT_BCSR_128; unit++) {
        uint32_t *const steps = study->steps[unit] + at * units_a_strip(unit);
        for (uint32_t u = 0; u < units_a_strip(unit); u++)
            steps[u] = (steps[u] + BCSR_STEP - 1) / BCSR_STEP;
    }
}

/* Blocks of a step: each window has 8 of its columns in one. */
static int64_t end_step(uint32_t held[WINDOWS])
{
    int64_t blocks = 0;
    for (uint32_t w = 0; w < WINDOWS; w++)
        blocks += (held[w] + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    memset(held, 0, WINDOWS * sizeof *held);
    return blocks;
}

static void count_panels(const struct worker *w, uint32_t count, int unit, struct strip *out, uint32_t *steps)
{
    const uint32_t step = SPMMI_FRAGMENT_PANEL_STEP;
    const uint32_t units = units_a_strip(unit), bits = WINDOWS / units;
    const uint32_t all = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t held[WINDOWS] = {0};
    for (uint32_t u = 0; u < units; u++) {
        uint32_t columns = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t windows = w->columns[i] >> u * bits & all;
            if (windows != 0 && columns++ % step == 0)
                out->blocks[unit] += end_step(held);
            for (; windows != 0; windows &= windows - 1)
                held[__builtin_ctz(windows)]++;
        }
        out->blocks[unit] += end_step(held);
        out->footprint[unit] += columns;
        steps[u] = columns / step + (columns % step != 0);
    }
}

static void count_windows(const struct worker *w, uint32_t count, struct strip *out, uint32_t *steps)
{
    uint32_t held[WINDOWS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t windows = w->columns[i]; windows != 0; windows &= windows - 1)
            held[__builtin_ctz(windows)]++;
    }
    for (uint32_t u = 0; u < WINDOWS; u++) {
        out->footprint[SPMMI_FRAGMENT_8] += held[u];
        steps[u] = (held[u] + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
        out->blocks[SPMMI_FRAGMENT_8] += steps[u];
    }
}

/* What all strips are counted for. */
struct count {
    const struct spmmi_pattern *a;
    const uint32_t *order;
    uint32_t width; /* of a block column of bcsr */
    const struct spmmi_fragment_study *study;
    struct strip *strips;
};

static void count_strip(const struct count *c, int64_t index, int64_t at, struct worker *w)
{
    struct strip *const out = &c->strips[at];
    const uint32_t count = collect(c->a, c->order, index * STRIP_ROWS, w);
    memset(out, 0, sizeof *out);
    count_bcsr(w, count, c->width, c->study, at, out);
    take_windows(w, count);
    count_windows(w, count, out, c->study->steps[SPMMI_FRAGMENT_8] + at * WINDOWS);
    for (int unit = SPMMI_FRAGMENT_64; unit <= SPMMI_FRAGMENT_256; unit++)
        count_panels(w, count, unit, out, c->study->steps[unit] + at * units_a_strip(unit));
}

/* ---- All of them ---- */

/* most: nonzeros of the strip that holds most. */
static spmm_status_t worker_open(const struct spmmi_pattern *a, int64_t most, struct worker *w)
{
    w->windows = spmmi_alloc_zero((uint64_t)a->cols, sizeof *w->windows);
    w->columns = spmmi_alloc((uint64_t)(most < a->cols ? most : a->cols), sizeof *w->columns);
    if (w->windows == NULL || w->columns == NULL)
        return SPMM_ERR_MEMORY;
    return spmmi_column_set_new(&w->set, a->cols);
}

static void worker_close(struct worker *w)
{
    spmmi_column_set_free(&w->set);
    spmmi_free(w->columns);
    spmmi_free(w->windows);
}

static int count_threads(const struct spmmi_pattern *a, int threads)
{
    const int64_t bytes = a->nnz * BYTES_A_NONZERO > BYTES_FREE ? a->nnz * BYTES_A_NONZERO : BYTES_FREE;
    const int64_t most = bytes / (a->cols * (int64_t)sizeof(uint32_t) + 1);
    return most < 1 ? 1 : most < threads ? (int)most : threads;
}

static spmm_status_t count_strips(const struct count *c, const struct spmmi_panel_sample *sample, int threads)
{
    spmm_status_t status = SPMM_OK;
    const int used = count_threads(c->a, threads);
    struct worker *workers = spmmi_alloc_zero((uint64_t)used, sizeof *workers);
    if (workers == NULL)
        return SPMM_ERR_MEMORY;
    for (int t = 0; t < used && status == SPMM_OK; t++)
        status = worker_open(c->a, sample->most, &workers[t]);
    if (status == SPMM_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(used)
        for (int64_t i = 0; i < sample->count; i++)
            count_strip(c, sample->list[i], i, &workers[omp_get_thread_num()]);
    }
    for (int t = 0; t < used; t++)
        worker_close(&workers[t]);
    spmmi_free(workers);
    return status;
}

/* Figures that do not depend on the strips. Units have at least the steps of the longest row, which a sample may have
 * missed. */
static struct spmmi_fragment_figures figures_of(const struct count *c, int unit)
{
    const int64_t rows = units_known[unit].rows;
    const bool is_bcsr = units_known[unit].family == SPMM_FAMILY_BCSR;
    struct spmmi_fragment_figures f = {.family = units_known[unit].family,
                                       .unit_rows = units_known[unit].rows,
                                       .units = (double)(c->a->rows / rows + (c->a->rows % rows != 0)),
                                       .nnz = (double)c->a->nnz};
    f.step_columns = is_bcsr                     ? BCSR_STEP * c->width
                     : rows == SPMMI_WINDOW_ROWS ? BLOCK_COLUMNS
                                                 : SPMMI_FRAGMENT_PANEL_STEP;
    f.places = is_bcsr ? BCSR_WINDOWS * SPMMI_WINDOW_ROWS * c->width : SPMMI_WINDOW_ROWS * BLOCK_COLUMNS;
    f.longest = ceil((double)c->a->longest / f.step_columns);
    return f;
}

static void add_up(const struct count *c, struct spmmi_fragment_study *s)
{
    for (int h = 0; h < SPMMI_FRAGMENT_UNITS; h++) {
        struct spmmi_fragment_figures *f = &s->figures[h];
        const int64_t units = units_a_strip(h);
        *f = figures_of(c, h);
        for (int64_t i = 0; i < s->strips; i++) {
            f->footprint += s->weight[i] * (double)c->strips[i].footprint[h];
            f->blocks += s->weight[i] * (double)c->strips[i].blocks[h];
            f->shared += s->weight[i] * (double)c->strips[i].footprint[SPMMI_FRAGMENT_64];
            for (int64_t u = i * units; u < (i + 1) * units; u++) {
                f->steps += s->weight[i] * s->steps[h][u];
                f->longest = fmax(f->longest, s->steps[h][u]);
            }
        }
    }
}

spmm_status_t spmmi_fragment_study_open(const struct spmmi_pattern *a, const uint32_t *order,
                                        spmm_dtype_t dtype, int64_t strips_most, int threads,
                                        struct spmmi_fragment_study *study)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    const struct spmmi_panel_input input = {
        .units = (uint64_t)a->rows, .unit_ptr = a->row_ptr, .order = order, .panel_rows = STRIP_ROWS};
    const int64_t all = a->rows / STRIP_ROWS + 1;
    struct spmmi_panel_sample sample = {0};
    struct count all_of = {.a = a, .order = order, .width = bcsr_columns(dtype), .study = study};
    memset(study, 0, sizeof *study);
    if (spmmi_panel_sample_open(&input, strips_most > 0 ? strips_most : all, &sample) != SPMM_OK)
        goto cleanup;
    const uint64_t count = (uint64_t)sample.count;
    uint64_t units = 0;
    for (int h = 0; h < SPMMI_FRAGMENT_UNITS; h++)
        units += units_a_strip(h);
    all_of.strips = spmmi_alloc(count, sizeof *all_of.strips);
    study->weight = spmmi_alloc(count, sizeof *study->weight);
    study->steps[0] = spmmi_alloc(count * units, sizeof *study->steps[0]);
    if (all_of.strips == NULL || study->weight == NULL || study->steps[0] == NULL)
        goto cleanup;
    for (int h = 1; h < SPMMI_FRAGMENT_UNITS; h++)
        study->steps[h] = study->steps[h - 1] + count * units_a_strip(h - 1);
    if (count_strips(&all_of, &sample, threads) != SPMM_OK)
        goto cleanup;
    study->strips = sample.count;
    if (count > 0)
        memcpy(study->weight, sample.weight, count * sizeof *study->weight);
    add_up(&all_of, study);
    status = SPMM_OK;
cleanup:
    spmmi_free(all_of.strips);
    spmmi_panel_sample_close(&sample);
    return status;
}

void spmmi_fragment_study_close(struct spmmi_fragment_study *study)
{
    spmmi_free(study->steps[0]);
    spmmi_free(study->weight);
    memset(study, 0, sizeof *study);
}
