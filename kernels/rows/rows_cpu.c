/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family on the CPU: how a product is cut into panels of columns and chunks of rows.
 *
 * A chunk is a fixed number of the plan's items, a panel a width that follows from the shape alone, so the
 * order of every sum is fixed by plan and shape and any number of threads gives the same bits. A row that
 * nonzero split shares among chunks is written by the chunk in which it begins; each later chunk leaves its
 * sum in its carry slot, and the slots are added in order at the end of the panel.
 * Column-major B is packed panel by panel into row-major scratch that stays in the cache; column-major C is
 * written from a small row-major block.                                                            */
#include "rows_cpu.h"

#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#define CHUNK_NONZEROS 4096
#define PANEL_BYTES_MAX 2048             /* of one row of B */
#define SCRATCH_BYTES (INT64_C(8) << 20) /* packed B should stay in the shared cache */
#define BLOCK_ROWS 32                    /* rows of C that are turned to column-major at once */
#define LINE_BYTES 64
#define PARALLEL_WORK_MIN (1 << 15) /* multiplications below which threads cost more than they give */

enum { ROW_SPLIT = 1, NONZERO_SPLIT = 2 };

struct job {
    const struct spmmi_rows_host *args;
    const struct rows_cpu_ops *ops;
    int schedule;
    int64_t size; /* bytes of one number */
    int64_t chunk_items, chunk_count;
    int64_t panel;  /* columns of a panel */
    bool is_packed; /* B goes through scratch */
    int64_t scratch_ld;
    int64_t slot_bytes;
    char *slots, *scratch;
};

/* One panel: columns [first, first + width) of B and C. */
struct panel {
    int64_t first, width;
    const char *b;
    int64_t ldb;
    char *c;
    int64_t c_row, c_column; /* distance of neighbours in C, in elements */
};

static const struct rows_cpu_ops *ops_pick(int dtype)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq"))
            return &spmmi_rows_cpu_avx512[dtype - 1];
        return &spmmi_rows_cpu_avx2[dtype - 1];
    }
#endif
    return &spmmi_rows_cpu_portable[dtype - 1];
}

static int64_t round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Columns of a panel: as many as keep the packed B in the cache, in whole cache lines. */
static int64_t panel_width(const struct spmmi_rows_host *args, int64_t size, bool is_packed)
{
    int64_t bytes = PANEL_BYTES_MAX;
    if (is_packed) {
        const int64_t fit = SCRATCH_BYTES / (args->cols + 1) / LINE_BYTES * LINE_BYTES;
        bytes = fit < LINE_BYTES ? LINE_BYTES : fit < bytes ? fit : bytes;
    }
    return args->n < bytes / size ? args->n : bytes / size;
}

static struct job job_make(const struct spmmi_rows_host *args, int schedule, int dtype)
{
    struct job job = {.args = args, .ops = ops_pick(dtype), .schedule = schedule, .size = dtype == 1 ? 4 : 8};
    job.chunk_items = CHUNK_NONZEROS > args->granule ? CHUNK_NONZEROS / args->granule : 1;
    job.chunk_count = ((int64_t)args->item_count + job.chunk_items - 1) / job.chunk_items;
    const bool is_turned = args->b_is_col_major && args->n > 1;
    /* With far fewer nonzeros than rows of B, packing all of B would cost more than columns one by one. */
    job.is_packed = is_turned && args->nnz >= args->cols / 2;
    job.panel = is_turned && !job.is_packed ? 1 : panel_width(args, job.size, job.is_packed);
    const int64_t line = LINE_BYTES / job.size;
    job.scratch_ld = job.panel > line ? round_up(job.panel, line) : job.panel;
    job.slot_bytes = schedule == NONZERO_SPLIT ? round_up(job.panel * job.size, LINE_BYTES) : 0;
    job.slots = args->workspace;
    if (job.slots != NULL)
        job.scratch = job.slots + job.chunk_count * job.slot_bytes;
    return job;
}

static uint64_t workspace_bytes(const struct spmmi_rows_host *args, int schedule, int dtype)
{
    const struct job job = job_make(args, schedule, dtype);
    const uint64_t slots = (uint64_t)job.chunk_count * (uint64_t)job.slot_bytes;
    const uint64_t scratch = job.is_packed ? (uint64_t)args->cols * (uint64_t)(job.scratch_ld * job.size) : 0;
    return slots + scratch;
}

static struct panel panel_at(const struct job *job, int64_t first)
{
    const struct spmmi_rows_host *args = job->args;
    struct panel panel = {.first = first};
    panel.width = args->n - first < job->panel ? args->n - first : job->panel;
    panel.c_row = args->c_is_col_major ? 1 : args->ldc;
    panel.c_column = args->c_is_col_major ? args->ldc : 1;
    panel.c = (char *)args->c + first * panel.c_column * job->size;
    if (job->is_packed) {
        panel.b = job->scratch;
        panel.ldb = job->scratch_ld;
    } else {
        panel.b = (const char *)args->b + first * (args->b_is_col_major ? args->ldb : 1) * job->size;
        panel.ldb = args->b_is_col_major ? 1 : args->ldb;
    }
    return panel;
}

/* Partial sums a row: several where a row of the tile is too short to hide the latency of one chain. */
static int unroll_for(int64_t width_bytes)
{
    return width_bytes <= 64 ? 4 : width_bytes <= 128 ? 2 : 1;
}

/* All columns of the panel, tile by tile. */
static void span_run(const struct job *job, const struct rows_span *whole, int64_t width)
{
    const int64_t tile = ROWS_TILE_BYTES / job->size;
    for (int64_t j = 0; j < width; j += tile) {
        const int64_t columns = width - j < tile ? width - j : tile;
        struct rows_span span = *whole;
        span.b = (const char *)whole->b + j * job->size;
        span.out = (char *)whole->out + j * job->size;
        job->ops->span(&span, columns, unroll_for(columns * job->size));
    }
}

/* Rows whose sums go to C. */
static void rows_run(const struct job *job, const struct panel *panel, const struct rows_span *rows)
{
    struct rows_span span = *rows;
    if (panel->c_column == 1 || panel->width == 1) {
        span.out = panel->c + span.row_begin * panel->c_row * job->size;
        span.ldo = panel->c_row;
        span_run(job, &span, panel->width);
        return;
    }
    _Alignas(LINE_BYTES) char block[BLOCK_ROWS * ROWS_TILE_BYTES];
    const int64_t tile = ROWS_TILE_BYTES / job->size;
    span.alpha = 1;
    span.beta = 0;
    span.out = block;
    for (int64_t i = rows->row_begin; i < rows->row_end; i += BLOCK_ROWS) {
        span.row_begin = i;
        span.row_end = rows->row_end - i < BLOCK_ROWS ? rows->row_end : i + BLOCK_ROWS;
        for (int64_t j = 0; j < panel->width; j += tile) {
            const int64_t columns = panel->width - j < tile ? panel->width - j : tile;
            span.b = panel->b + j * job->size;
            span.ldo = columns;
            job->ops->span(&span, columns, unroll_for(columns * job->size));
            const struct rows_block turn = {span.row_end - i,
                                            columns,
                                            block,
                                            columns,
                                            panel->c + (i + j * panel->c_column) * job->size,
                                            panel->c_column,
                                            rows->alpha,
                                            rows->beta};
            job->ops->unpack(&turn);
        }
    }
}

/* Does the chunk begin inside a row that an earlier chunk began? */
static bool chunk_has_head(const struct job *job, int64_t chunk)
{
    const struct spmmi_rows_host *args = job->args;
    const int64_t item = chunk * job->chunk_items;
    return job->schedule == NONZERO_SPLIT && args->row_ptr[args->items[item]] < item * args->granule;
}

static void chunk_run(const struct job *job, const struct panel *panel, int64_t chunk)
{
    const struct spmmi_rows_host *args = job->args;
    const int64_t item = chunk * job->chunk_items;
    const bool is_last = chunk + 1 == job->chunk_count;
    struct rows_span span = {.row_ptr = args->row_ptr,
                             .col_ind = args->col_ind,
                             .values = args->values,
                             .p_begin = 0,
                             .p_end = args->nnz,
                             .b = panel->b,
                             .ldb = panel->ldb,
                             .alpha = args->alpha,
                             .beta = args->beta};
    span.row_begin = chunk == 0 ? 0 : args->items[item];
    span.row_end = is_last ? args->rows : args->items[item + job->chunk_items];
    if (job->schedule == NONZERO_SPLIT) {
        span.p_begin = item * args->granule;
        span.p_end = is_last ? args->nnz : (item + job->chunk_items) * args->granule;
        if (!is_last && args->row_ptr[span.row_end] < span.p_end)
            span.row_end++;
        if (chunk_has_head(job, chunk)) {
            struct rows_span head = span;
            head.row_end = head.row_begin + 1;
            head.alpha = 1;
            head.beta = 0;
            head.out = job->slots + chunk * job->slot_bytes;
            head.ldo = job->panel;
            span_run(job, &head, panel->width);
            span.row_begin++;
        }
    }
    if (span.row_begin < span.row_end)
        rows_run(job, panel, &span);
}

/* Add the carry slots of each shared row, in order, and give the sum to C. */
static void carries_add(const struct job *job, const struct panel *panel)
{
    const struct spmmi_rows_host *args = job->args;
    for (int64_t chunk = 0, next; chunk < job->chunk_count; chunk = next) {
        next = chunk + 1;
        if (!chunk_has_head(job, chunk))
            continue;
        const int64_t row = args->items[chunk * job->chunk_items];
        char *sum = job->slots + chunk * job->slot_bytes;
        for (; next < job->chunk_count && args->items[next * job->chunk_items] == row; next++)
            job->ops->add(panel->width, job->slots + next * job->slot_bytes, sum);
        job->ops->add_scaled(panel->width, args->alpha, sum, panel->c + row * panel->c_row * job->size,
                             panel->c_column);
    }
}

/* Rows [begin, begin + count) of the panel of B into the scratch. */
static void scratch_fill(const struct job *job, const struct panel *panel, int64_t begin, int64_t count)
{
    const struct spmmi_rows_host *args = job->args;
    char *from = (char *)args->b + (begin + panel->first * args->ldb) * job->size;
    const struct rows_block block = {count,
                                     panel->width,
                                     job->scratch + begin * job->scratch_ld * job->size,
                                     job->scratch_ld,
                                     from,
                                     args->ldb,
                                     1,
                                     0};
    job->ops->pack(&block);
}

/* One panel. The threads meet after packing and at the end, not more often: where they have to share cores with
 * other work, each meeting can cost a time slice. */
static void panel_run(const struct job *job, const struct panel *panel, int threads)
{
    const struct spmmi_rows_host *args = job->args;
    const int64_t pack_rows = 1024;
    const int64_t pack_count = job->is_packed ? (args->cols + pack_rows - 1) / pack_rows : 0;
#pragma omp parallel num_threads(threads)
    {
        if (job->is_packed) {
#pragma omp for schedule(dynamic, 1)
            for (int64_t i = 0; i < pack_count; i++) {
                const int64_t left = args->cols - i * pack_rows;
                scratch_fill(job, panel, i * pack_rows, left < pack_rows ? left : pack_rows);
            }
        }
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t i = 0; i < job->chunk_count; i++)
            chunk_run(job, panel, i);
    }
    if (job->schedule == NONZERO_SPLIT)
        carries_add(job, panel);
}

/* C = beta * C, for products in which A has no part. */
static void scale_run(const struct job *job)
{
    const struct spmmi_rows_host *args = job->args;
    const int64_t lines = args->c_is_col_major ? args->n : args->rows;
    const int64_t length = args->c_is_col_major ? args->rows : args->n;
    if (args->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        job->ops->scale(length, args->beta, (char *)args->c + i * args->ldc * job->size);
}

static void run(const struct spmmi_rows_host *args, int schedule, int dtype)
{
    const struct job job = job_make(args, schedule, dtype);
    if (args->rows == 0 || args->n == 0)
        return;
    if (args->alpha == 0 || args->nnz == 0) {
        scale_run(&job);
        return;
    }
    const int threads = args->threads > 0 ? args->threads : omp_get_max_threads();
    const bool is_small = args->nnz <= PARALLEL_WORK_MIN / args->n;
    for (int64_t first = 0; first < args->n; first += job.panel) {
        const struct panel panel = panel_at(&job, first);
        panel_run(&job, &panel, is_small ? 1 : threads);
    }
}

#define INSTANCE(name, schedule, dtype)                                        \
    static void name##_run(const struct spmmi_rows_host *args)                 \
    {                                                                          \
        run(args, schedule, dtype);                                            \
    }                                                                          \
    static uint64_t name##_workspace_bytes(const struct spmmi_rows_host *args) \
    {                                                                          \
        return workspace_bytes(args, schedule, dtype);                         \
    }
INSTANCE(row_split_f32, ROW_SPLIT, 1)
INSTANCE(row_split_f64, ROW_SPLIT, 2)
INSTANCE(nonzero_split_f32, NONZERO_SPLIT, 1)
INSTANCE(nonzero_split_f64, NONZERO_SPLIT, 2)

const struct spmmi_rows_host_kernel spmmi_rows_host_kernels[2][2] = {
    {{row_split_f32_run, row_split_f32_workspace_bytes}, {row_split_f64_run, row_split_f64_workspace_bytes}},
    {{nonzero_split_f32_run, nonzero_split_f32_workspace_bytes},
     {nonzero_split_f64_run, nonzero_split_f64_workspace_bytes}},
};
