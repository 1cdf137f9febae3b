/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_study.h. The rows are taken in strips of 256, the height of the tallest panel. A word for each column of
 * a strip tells which of its 32 windows hold it: figures of every height follow from these words alone. */
#include "fragment_study.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "column_set.h"
#include "format/alloc.h"
#include "panel_sample.h"

#define STRIP_ROWS 256u
#define WINDOWS (STRIP_ROWS / SPMMI_WINDOW_ROWS)
#define BLOCK_COLUMNS 8u
#define BYTES_FREE 67108864 /* words of columns that all threads may have, however few the nonzeros */
#define BYTES_A_NONZERO 16
#define PACKED_PADDING 7.0 /* values, at most: of a step of a panel, to 16 bytes */
#define NUMBERED_MOST 0.9

/* Windows: a warp walks an item, and a multiprocessor takes so many at a time. Where no unit has more steps than
 * WINDOW_BEARABLE even items, none is cut, and no sums are added. */
#define WINDOW_ITEMS 32.0
#define WINDOW_STEPS_LEAST 16.0
#define WINDOW_BEARABLE 2.0
/* Panels: a block of threads walks an item, for each tile of columns. Only units are cut that are so many times as long
 * as the mean, or, where there are fewer than PANEL_ITEMS a multiprocessor, as the mean of so many. */
#define PANEL_ITEMS 4.0
#define PANEL_STEPS_LEAST 8.0
#define PANEL_BEARABLE 4.0

/* What a thread needs to count one strip after the other. */
struct worker {
    struct spmmi_column_set set;
    uint32_t *windows; /* of each column; zero between strips */
    uint32_t *columns; /* of the strip, then the windows of each */
};

/* Sums of one strip, for each height. */
struct strip {
    int64_t footprint[SPMMI_FRAGMENT_HEIGHTS], blocks[SPMMI_FRAGMENT_HEIGHTS];
};

static uint32_t step_columns(int height)
{
    return height == SPMMI_FRAGMENT_8 ? SPMMI_STEP_COLUMNS(SPMM_FAMILY_WINDOW)
                                      : SPMMI_STEP_COLUMNS(SPMM_FAMILY_PANEL);
}

static uint32_t units_a_strip(int height)
{
    return STRIP_ROWS / SPMMI_FRAGMENT_ROWS(height);
}

/* ---- One strip ---- */

/* The windows of each column of the strip, columns ascending. */
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
    const uint32_t count = spmmi_column_set_drain(&w->set, w->columns);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *const windows = &w->windows[w->columns[i]];
        w->columns[i] = *windows;
        *windows = 0;
    }
    return count;
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

static void count_panels(const struct worker *w, uint32_t count, int height, struct strip *out,
                         uint32_t *steps)
{
    const uint32_t units = units_a_strip(height), bits = WINDOWS / units;
    const uint32_t all = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t held[WINDOWS] = {0};
    for (uint32_t u = 0; u < units; u++) {
        uint32_t columns = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t windows = w->columns[i] >> u * bits & all;
            if (windows != 0 && columns++ % step_columns(height) == 0)
                out->blocks[height] += end_step(held);
            for (; windows != 0; windows &= windows - 1)
                held[__builtin_ctz(windows)]++;
        }
        out->blocks[height] += end_step(held);
        out->footprint[height] += columns;
        steps[u] = columns / step_columns(height) + (columns % step_columns(height) != 0);
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

static void count_strip(const struct spmmi_pattern *a, const uint32_t *order, int64_t index, int64_t at,
                        struct worker *w, const struct spmmi_fragment_study *study, struct strip *out)
{
    const uint32_t count = collect(a, order, index * STRIP_ROWS, w);
    memset(out, 0, sizeof *out);
    count_windows(w, count, out, study->steps[SPMMI_FRAGMENT_8] + at * WINDOWS);
    for (int h = SPMMI_FRAGMENT_64; h < SPMMI_FRAGMENT_HEIGHTS; h++)
        count_panels(w, count, h, out, study->steps[h] + at * units_a_strip(h));
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

static spmm_status_t count_strips(const struct spmmi_pattern *a, const uint32_t *order,
                                  const struct spmmi_panel_sample *sample, int threads,
                                  const struct spmmi_fragment_study *study, struct strip *strips)
{
    spmm_status_t status = SPMM_OK;
    const int used = count_threads(a, threads);
    struct worker *workers = spmmi_alloc_zero((uint64_t)used, sizeof *workers);
    if (workers == NULL)
        return SPMM_ERR_MEMORY;
    for (int t = 0; t < used && status == SPMM_OK; t++)
        status = worker_open(a, sample->most, &workers[t]);
    if (status == SPMM_OK) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(used)
        for (int64_t i = 0; i < sample->count; i++)
            count_strip(a, order, sample->list[i], i, &workers[omp_get_thread_num()], study, &strips[i]);
    }
    for (int t = 0; t < used; t++)
        worker_close(&workers[t]);
    spmmi_free(workers);
    return status;
}

/* Least steps of the unit that holds the longest row: a sample may have missed it. */
static double least_longest(const struct spmmi_pattern *a, int height)
{
    return ceil((double)a->longest / step_columns(height));
}

static void add_up(const struct spmmi_pattern *a, const struct strip *strips, struct spmmi_fragment_study *s)
{
    for (int h = 0; h < SPMMI_FRAGMENT_HEIGHTS; h++) {
        struct spmmi_fragment_figures *f = &s->figures[h];
        const int64_t rows = SPMMI_FRAGMENT_ROWS(h), units = units_a_strip(h);
        *f = (struct spmmi_fragment_figures){.unit_rows = (uint32_t)rows, .nnz = (double)a->nnz};
        f->units = (double)(a->rows / rows + (a->rows % rows != 0));
        f->longest = least_longest(a, h);
        for (int64_t i = 0; i < s->strips; i++) {
            f->footprint += s->weight[i] * (double)strips[i].footprint[h];
            f->blocks += s->weight[i] * (double)strips[i].blocks[h];
            f->shared += s->weight[i] * (double)strips[i].footprint[SPMMI_FRAGMENT_64];
            for (int64_t u = i * units; u < (i + 1) * units; u++) {
                f->steps += s->weight[i] * s->steps[h][u];
                f->longest = fmax(f->longest, s->steps[h][u]);
            }
        }
    }
}

spmm_status_t spmmi_fragment_study_open(const struct spmmi_pattern *a, const uint32_t *order,
                                        int64_t strips_most, int threads, struct spmmi_fragment_study *study)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    const struct spmmi_panel_input input = {
        .units = (uint64_t)a->rows, .unit_ptr = a->row_ptr, .order = order, .panel_rows = STRIP_ROWS};
    const int64_t all = a->rows / STRIP_ROWS + 1;
    struct spmmi_panel_sample sample = {0};
    struct strip *strips = NULL;
    memset(study, 0, sizeof *study);
    if (spmmi_panel_sample_open(&input, strips_most > 0 ? strips_most : all, &sample) != SPMM_OK)
        goto cleanup;
    const uint64_t count = (uint64_t)sample.count;
    uint64_t units = 0;
    for (int h = 0; h < SPMMI_FRAGMENT_HEIGHTS; h++)
        units += units_a_strip(h);
    strips = spmmi_alloc(count, sizeof *strips);
    study->weight = spmmi_alloc(count, sizeof *study->weight);
    study->steps[0] = spmmi_alloc(count * units, sizeof *study->steps[0]);
    if (strips == NULL || study->weight == NULL || study->steps[0] == NULL)
        goto cleanup;
    for (int h = 1; h < SPMMI_FRAGMENT_HEIGHTS; h++)
        study->steps[h] = study->steps[h - 1] + count * units_a_strip(h - 1);
    if (count_strips(a, order, &sample, threads, study, strips) != SPMM_OK)
        goto cleanup;
    study->strips = sample.count;
    if (count > 0)
        memcpy(study->weight, sample.weight, count * sizeof *study->weight);
    add_up(a, strips, study);
    status = SPMM_OK;
cleanup:
    spmmi_free(strips);
    spmmi_panel_sample_close(&sample);
    return status;
}

void spmmi_fragment_study_close(struct spmmi_fragment_study *study)
{
    spmmi_free(study->steps[0]);
    spmmi_free(study->weight);
    memset(study, 0, sizeof *study);
}

struct spmmi_fragment_items spmmi_fragment_items(const struct spmmi_fragment_study *study,
                                                 enum spmmi_fragment_height height, uint32_t granule)
{
    struct spmmi_fragment_items sum = {study->figures[height].units, 0};
    const int64_t units = units_a_strip((int)height);
    for (int64_t u = 0; u < study->strips * units; u++) {
        const uint32_t steps = study->steps[height][u];
        const double items = steps / granule + (steps % granule != 0);
        if (items <= 1)
            continue;
        sum.items += study->weight[u / units] * (items - 1);
        sum.partials += study->weight[u / units] * items;
    }
    return sum;
}

bool spmmi_fragment_fits(const struct spmmi_fragment_figures *f, spmm_schedule_t schedule)
{
    const int height = f->unit_rows == SPMMI_WINDOW_ROWS ? SPMMI_FRAGMENT_8 : SPMMI_FRAGMENT_64;
    const double padding = height == SPMMI_FRAGMENT_8 ? 0 : PACKED_PADDING * f->steps;
    const double values =
        schedule == SPMM_SCHEDULE_DENSE ? BLOCK_COLUMNS * SPMMI_WINDOW_ROWS * f->blocks : f->nnz + padding;
    return fmax(values, step_columns(height) * f->steps) <= NUMBERED_MOST * UINT32_MAX;
}

static double window_granule(const struct spmmi_fragment_figures *f, int multiprocessors)
{
    const double even = fmax(ceil(f->steps / (WINDOW_ITEMS * multiprocessors)), WINDOW_STEPS_LEAST);
    return f->longest <= WINDOW_BEARABLE * even ? fmax(even, f->longest) : even;
}

static double panel_granule(const struct spmmi_fragment_figures *f, int multiprocessors)
{
    const double mean = f->steps / fmax(f->units, PANEL_ITEMS * multiprocessors);
    return fmax(ceil(PANEL_BEARABLE * mean), PANEL_STEPS_LEAST);
}

uint32_t spmmi_fragment_granule(const struct spmmi_fragment_figures *figures, int multiprocessors)
{
    const double wanted = figures->unit_rows == SPMMI_WINDOW_ROWS ? window_granule(figures, multiprocessors)
                                                                  : panel_granule(figures, multiprocessors);
    return (uint32_t)fmin(wanted, SPMMI_STEPS_MAX);
}
