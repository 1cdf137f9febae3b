/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family on the CPU: how a product is split into column panels (n) and row chunks.
 *
 * A chunk is a fixed number of the plan's items. The width of a column panel follows from the shape alone. So plan and
 * shape fix the order of every sum, and any number of threads gives the same bits. A row that nonzero split shares
 * among chunks is written by the chunk in which it begins; each later chunk leaves its sum in its carry slot, and the
 * slots are added in order at the end of the panel.
 *
 * Column-major B is packed panel by panel into row-major scratch that stays in the cache; column-major C is written
 * from a small row-major block. */
#include "rows_cpu.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#include "format/base/team.h"
#include "kernels/shared/level_cpu.h"

#define CHUNK_NONZEROS 4096
#define PANEL_BYTES_MAX 2048             /* of one row of B */
#define SCRATCH_BYTES (INT64_C(8) << 20) /* packed B should stay in the shared cache */
#define BLOCK_ROWS 32                    /* rows of C that are transposed to column-major at once */
#define LINE_BYTES 64
#define PARALLEL_WORK_MIN (1 << 15) /* multiplications below which one thread is faster */

struct job {
    const struct spmmi_rows_csr *a;
    const struct spmmi_product *product;
    const struct rows_cpu_ops *ops;
    int splits_rows; /* nonzero split: chunks may share rows */
    int64_t n;
    int64_t size; /* bytes of one value */
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

static const struct rows_cpu_ops *ops_pick(spmm_dtype_t dtype)
{
#if defined(__x86_64__)
    if (spmmi_cpu_has_avx2()) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq"))
            return &spmmi_rows_cpu_avx512[dtype];
        return &spmmi_rows_cpu_avx2[dtype];
    }
#endif
    return &spmmi_rows_cpu_portable[dtype];
}

static int64_t round_up(int64_t x, int64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Columns of a panel: as many as keep the packed B in the cache, in whole cache lines. */
static int64_t panel_width(const struct job *job)
{
    int64_t bytes = PANEL_BYTES_MAX;
    if (job->is_packed) {
        const int64_t fit = SCRATCH_BYTES / (job->a->cols + 1) / LINE_BYTES * LINE_BYTES;
        bytes = fit < LINE_BYTES ? LINE_BYTES : fit < bytes ? fit : bytes;
    }
    return job->n < bytes / job->size ? job->n : bytes / job->size;
}

static bool is_by_columns(const spmm_dense_t *dense)
{
    return dense->layout == SPMM_COL_MAJOR;
}

static struct job job_make(const struct spmmi_rows_csr *a, const struct spmmi_product *product,
                           void *workspace)
{
    const struct spmmi_part *part = &a->part;
    struct job job = {.a = a,
                      .product = product,
                      .ops = ops_pick(product->a_type),
                      .splits_rows = part->schedule == SPMM_SCHEDULE_NONZERO_SPLIT,
                      .n = product->b.cols,
                      .size = (int64_t)spmm_dtype_size(product->a_type)};
    job.chunk_items = CHUNK_NONZEROS > part->item_size ? CHUNK_NONZEROS / part->item_size : 1;
    job.chunk_count = ((int64_t)part->item_count + job.chunk_items - 1) / job.chunk_items;
    const bool is_turned = is_by_columns(&product->b) && job.n > 1;
    /* With far fewer nonzeros than rows of B, packing all of B would cost more than columns one by one. */
    job.is_packed = is_turned && a->nnz >= a->cols / 2;
    job.panel = is_turned && !job.is_packed ? 1 : panel_width(&job);
    const int64_t line = LINE_BYTES / job.size;
    job.scratch_ld = job.panel > line ? round_up(job.panel, line) : job.panel;
    job.slot_bytes = job.splits_rows ? round_up(job.panel * job.size, LINE_BYTES) : 0;
    job.slots = workspace;
    if (job.slots != NULL)
        job.scratch = job.slots + job.chunk_count * job.slot_bytes;
    return job;
}

uint64_t spmmi_rows_csr_workspace(const struct spmmi_rows_csr *a, const struct spmmi_product *product)
{
    const struct job job = job_make(a, product, NULL);
    const uint64_t slots = (uint64_t)job.chunk_count * (uint64_t)job.slot_bytes;
    const uint64_t scratch = job.is_packed ? (uint64_t)a->cols * (uint64_t)(job.scratch_ld * job.size) : 0;
    return slots + scratch;
}

static struct panel panel_at(const struct job *job, int64_t first)
{
    const spmm_dense_t *b = &job->product->b, *c = &job->product->c;
    struct panel panel = {.first = first};
    panel.width = job->n - first < job->panel ? job->n - first : job->panel;
    panel.c_row = spmmi_row_step(c);
    panel.c_column = spmmi_column_step(c);
    panel.c = spmmi_column(c, first);
    if (job->is_packed) {
        panel.b = job->scratch;
        panel.ldb = job->scratch_ld;
    } else {
        panel.b = spmmi_column(b, first);
        panel.ldb = spmmi_row_step(b);
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

/* Is it finite in the type of the sums? */
static bool is_finite(const struct job *job, double factor)
{
    return job->size == sizeof(double) ? isfinite(factor) : isfinite((float)factor);
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
    /* The span knows which rows are empty; one rounding more is none where alpha is infinite or NaN. */
    const bool is_scaled = rows->beta == 0 || !is_finite(job, rows->alpha);
    span.alpha = is_scaled ? rows->alpha : 1;
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
                                            is_scaled ? 1 : rows->alpha,
                                            rows->beta};
            job->ops->unpack(&turn);
        }
    }
}

/* Does the chunk begin inside a row that an earlier chunk began? */
static bool chunk_has_head(const struct job *job, int64_t chunk)
{
    const struct spmmi_part *part = &job->a->part;
    const int64_t item = chunk * job->chunk_items;
    return job->splits_rows && job->a->row_ptr[part->items[item]] < item * part->item_size;
}

/* The row that was begun before the span: its sum goes to the chunk's slot, and the span loses it. */
static void head_run(const struct job *job, const struct panel *panel, int64_t chunk, struct rows_span *span)
{
    struct rows_span head = *span;
    head.row_end = head.row_begin + 1;
    head.alpha = 1;
    head.beta = 0;
    head.out = job->slots + chunk * job->slot_bytes;
    head.ldo = job->panel;
    span_run(job, &head, panel->width);
    span->row_begin++;
}

static void chunk_run(const struct job *job, const struct panel *panel, int64_t chunk)
{
    const struct spmmi_rows_csr *a = job->a;
    const int64_t item = chunk * job->chunk_items;
    const bool is_last = chunk + 1 == job->chunk_count;
    struct rows_span span = {.row_ptr = a->row_ptr,
                             .col_ind = a->col_ind,
                             .values = a->values,
                             .p_begin = 0,
                             .p_end = a->nnz,
                             .b = panel->b,
                             .ldb = panel->ldb,
                             .alpha = job->product->alpha,
                             .beta = job->product->beta};
    span.row_begin = chunk == 0 ? 0 : a->part.items[item];
    span.row_end = is_last ? a->rows : a->part.items[item + job->chunk_items];
    if (job->splits_rows) {
        span.p_begin = item * a->part.item_size;
        span.p_end = is_last ? a->nnz : (item + job->chunk_items) * a->part.item_size;
        if (!is_last && a->row_ptr[span.row_end] < span.p_end)
            span.row_end++;
        if (chunk_has_head(job, chunk))
            head_run(job, panel, chunk, &span);
    }
    if (span.row_begin < span.row_end)
        rows_run(job, panel, &span);
}

/* Add the carry slots of each shared row, in order, and give the sum to C. */
static void carries_add(const struct job *job, const struct panel *panel)
{
    const uint32_t *items = job->a->part.items;
    for (int64_t chunk = 0, next; chunk < job->chunk_count; chunk = next) {
        next = chunk + 1;
        if (!chunk_has_head(job, chunk))
            continue;
        const int64_t row = items[chunk * job->chunk_items];
        char *sum = job->slots + chunk * job->slot_bytes;
        for (; next < job->chunk_count && items[next * job->chunk_items] == row; next++)
            job->ops->add(panel->width, job->slots + next * job->slot_bytes, sum);
        job->ops->add_scaled(panel->width, job->product->alpha, sum,
                             panel->c + row * panel->c_row * job->size, panel->c_column);
    }
}

/* Rows [begin, begin + count) of the panel of B into the scratch. */
static void scratch_fill(const struct job *job, const struct panel *panel, int64_t begin, int64_t count)
{
    const spmm_dense_t *b = &job->product->b;
    char *from = (char *)spmmi_column(b, panel->first) + begin * job->size;
    const struct rows_block block = {count,
                                     panel->width,
                                     job->scratch + begin * job->scratch_ld * job->size,
                                     job->scratch_ld,
                                     from,
                                     b->ld,
                                     1,
                                     0};
    job->ops->pack(&block);
}

/* One panel. Barriers only after packing and at the end: where threads share cores with other work, each barrier can
 * cost a time slice. */
static void panel_run(const struct job *job, const struct panel *panel, int threads)
{
    const int64_t pack_rows = 1024;
    const int64_t pack_count = job->is_packed ? (job->a->cols + pack_rows - 1) / pack_rows : 0;
#pragma omp parallel num_threads(spmmi_team(threads))
    {
        if (job->is_packed) {
#pragma omp for schedule(dynamic, 1)
            for (int64_t i = 0; i < pack_count; i++) {
                const int64_t left = job->a->cols - i * pack_rows;
                scratch_fill(job, panel, i * pack_rows, left < pack_rows ? left : pack_rows);
            }
        }
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t i = 0; i < job->chunk_count; i++)
            chunk_run(job, panel, i);
    }
    if (job->splits_rows)
        carries_add(job, panel);
}

/* C = beta * C, for products with alpha = 0 or an empty A. */
static void scale_run(const struct job *job)
{
    const spmm_dense_t *c = &job->product->c;
    const bool is_turned = is_by_columns(c);
    const int64_t lines = is_turned ? job->n : job->a->rows, length = is_turned ? job->a->rows : job->n;
    if (job->product->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        job->ops->scale(length, job->product->beta, (char *)c->data + i * c->ld * job->size);
}

void spmmi_rows_csr_run(const struct spmmi_rows_csr *a, const struct spmmi_product *product, void *workspace,
                        int threads)
{
    const struct job job = job_make(a, product, workspace);
    if (a->rows == 0 || job.n == 0)
        return;
    if (product->alpha == 0 || a->nnz == 0) {
        scale_run(&job);
        return;
    }
    const bool is_small = a->nnz <= PARALLEL_WORK_MIN / job.n;
    const int most = threads > 0 ? threads : omp_get_max_threads();
    for (int64_t first = 0; first < job.n; first += job.panel) {
        const struct panel panel = panel_at(&job, first);
        panel_run(&job, &panel, is_small ? 1 : most);
    }
}
