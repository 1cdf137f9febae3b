/* SPDX-License-Identifier: Apache-2.0 */
/* The rows family on the CPU: splits a product into column panels (n) and row chunks.
 *
 * A chunk is a fixed number of the plan's items. The width of a column panel follows from the shape alone. So
 * plan and shape fix the order of every sum, and any number of threads gives the same bits. If chunks of a
 * nonzero split share a row, each stores its sum in a carry slot. The slots are added in order at the end of
 * the panel, and C is written once.
 *
 * Column-major B is packed panel by panel into row-major scratch that stays in the cache. Column-major C is
 * written from a small row-major block. If B has 16 bits, so is C of any layout, and the block holds sums. */
#include "rows_cpu.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#include "format/base/team.h"
#include "rows_cpu_shares.h"

#define CHUNK_NONZEROS 4096
#define BLOCK_BYTES (32 * ROWS_TILE_BYTES)
#define BLOCK_UNIT 8         /* rows, or columns, in whole vectors of a transposition */
#define BLOCK_ROWS_MAX 256   /* of C that are transposed to column-major at once */
#define BLOCK_ROWS_NARROW 32 /* the same for fewer columns than BLOCK_UNIT */
#define PACK_ROWS 1024       /* of B that a thread packs at once */
#define UNROLL_MAX 4
#define SLOTS 2 /* per chunk: for the row that began before it, for the row that continues after it */
#define PARALLEL_WORK_MIN (1 << 15) /* with fewer multiplications one thread is faster */

struct job {
    const struct spmmi_rows_csr *a;
    const struct spmmi_product *product;
    const struct rows_cpu_level *base; /* has all functions except span */
    rows_span_fn *span;
    spmm_dtype_t b_type, c_type, sum_type;
    int splits_rows; /* nonzero split: chunks may share rows */
    int64_t n;
    int64_t b_size, c_size, sum_size; /* bytes of one value */
    int64_t chunk_items, chunk_count;
    int64_t panel;  /* columns per panel */
    bool is_packed; /* B is packed into scratch */
    int64_t scratch_ld;
    int64_t slot_bytes;
    char *slots, *scratch;
};

/* One panel: columns [first, first + width) of B and C. */
struct panel {
    int64_t first, width;
    const char *b;
    int64_t ldb, b_column;
    char *c;
    int64_t c_row, c_column; /* distance between rows, and between columns, of C in elements */
};

static bool is_by_columns(const spmm_dense_t *dense)
{
    return dense->layout == SPMM_COL_MAJOR;
}

/* Returns the width of panels of column-major B that is not packed. 16-bit types have one column. */
static int64_t columns_unpacked(const struct job *job)
{
    return job->b_type == job->sum_type ? spmmi_smaller(job->n, ROWS_COLUMNS_MAX) : 1;
}

static struct job job_make(const struct spmmi_rows_csr *a, const struct spmmi_product *product,
                           void *workspace)
{
    const struct spmmi_part *part = &a->part;
    const struct rows_cpu_level *level = rows_cpu_level_pick();
    struct job job = {.a = a,
                      .product = product,
                      .base = level->base != NULL ? level->base : level,
                      .span = level->span[product->a_type][product->b.type],
                      .b_type = product->b.type,
                      .c_type = product->c.type,
                      .sum_type = product->b.type == SPMM_F64 ? SPMM_F64 : SPMM_F32,
                      .splits_rows = part->schedule == SPMM_SCHEDULE_NONZERO_SPLIT,
                      .n = product->b.cols};
    job.b_size = (int64_t)spmm_dtype_size(job.b_type);
    job.c_size = (int64_t)spmm_dtype_size(job.c_type);
    job.sum_size = (int64_t)spmm_dtype_size(job.sum_type);
    job.chunk_items = CHUNK_NONZEROS > part->item_size ? CHUNK_NONZEROS / part->item_size : 1;
    job.chunk_count = ((int64_t)part->item_count + job.chunk_items - 1) / job.chunk_items;
    const bool is_turned = is_by_columns(&product->b) && job.n > 1;
    job.is_packed = is_turned && spmmi_rows_packs(a->rows, a->cols, a->nnz, job.n, job.b_size);
    job.panel = is_turned && !job.is_packed
                    ? columns_unpacked(&job)
                    : spmmi_rows_panel_width(a->cols, job.n, job.b_size,
                                             job.is_packed ? spmmi_rows_scratch_bytes(a->nnz, a->cols) : 0);
    const int64_t line = ROWS_LINE_BYTES / job.b_size;
    job.scratch_ld = job.panel > line ? spmmi_round_up(job.panel, line) : job.panel;
    job.slot_bytes = job.splits_rows ? spmmi_round_up(job.panel * job.sum_size, ROWS_LINE_BYTES) : 0;
    job.slots = workspace;
    if (job.slots != NULL)
        job.scratch = job.slots + SLOTS * job.chunk_count * job.slot_bytes;
    return job;
}

uint64_t spmmi_rows_csr_workspace(const struct spmmi_rows_csr *a, const struct spmmi_product *product)
{
    const struct job job = job_make(a, product, NULL);
    const uint64_t slots = SLOTS * (uint64_t)(job.chunk_count * job.slot_bytes);
    const uint64_t scratch = job.is_packed ? (uint64_t)a->cols * (uint64_t)(job.scratch_ld * job.b_size) : 0;
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
        panel.b_column = 1;
    } else {
        panel.b = spmmi_column(b, first);
        panel.ldb = spmmi_row_step(b);
        panel.b_column = spmmi_column_step(b);
    }
    return panel;
}

/* Returns the number of partial sums per row: several if rows of the tile are too short to hide latency. */
static int unroll_for(int64_t width_bytes)
{
    return width_bytes <= 64 ? 4 : width_bytes <= 128 ? 2 : 1;
}

/* Runs all columns of the panel, tile by tile. */
static void span_run(const struct job *job, const struct rows_span *whole, int64_t width)
{
    const int64_t tile = ROWS_TILE_BYTES / job->sum_size;
    for (int64_t j = 0; j < width; j += tile) {
        const int64_t columns = width - j < tile ? width - j : tile;
        struct rows_span span = *whole;
        span.b = (const char *)whole->b + j * job->b_size;
        span.out = (char *)whole->out + j * job->sum_size;
        job->span(&span, columns, unroll_for(columns * job->sum_size));
    }
}

/* Returns true if a factor is finite in the type of the sums. */
static bool is_finite(const struct job *job, double factor)
{
    return job->sum_type == SPMM_F64 ? isfinite(factor) : isfinite((float)factor);
}

/* Returns true if spans only store sums (B of 16 bits); a store function then scales and rounds them. */
static bool has_raw_sums(const struct job *job)
{
    return job->b_type != job->sum_type;
}

/* Stores a block of sums, or of values that the span has already scaled, in columns j .. of C. */
static void block_store(const struct job *job, const struct panel *panel, const struct rows_span *span,
                        int64_t j, int64_t columns, double alpha)
{
    char *c = panel->c + (span->row_begin * panel->c_row + j * panel->c_column) * job->c_size;
    const int64_t rows = span->row_end - span->row_begin;
    if (has_raw_sums(job) || panel->c_column == 1) {
        const struct rows_store store = {rows,         columns,         span->out, span->ldo,         c,
                                         panel->c_row, panel->c_column, alpha,     job->product->beta};
        job->base->store[job->c_type](&store);
        return;
    }
    const struct rows_block turn = {rows, columns,         span->out, span->ldo,
                                    c,    panel->c_column, alpha,     job->product->beta};
    job->base->unpack[job->c_type](&turn);
}

/* Returns the number of columns from one row of a block of sums to the next. */
static int64_t block_ld(const struct job *job, int64_t columns)
{
    return has_raw_sums(job) ? spmmi_round_up(columns, ROWS_VECTOR_SUMS) : columns;
}

/* Runs rows whose sums go to C through a block. Long pieces of columns touch fewer cache lines twice. */
static void rows_run_by_block(const struct job *job, const struct panel *panel, const struct rows_span *rows)
{
    _Alignas(ROWS_LINE_BYTES) char block[BLOCK_BYTES];
    struct rows_span span = *rows;
    const int64_t tile = ROWS_TILE_BYTES / job->sum_size;
    /* The span scales if beta is 0, which takes no more roundings, or if alpha is infinite or NaN: the span
     * knows the empty rows, and one more rounding changes nothing then. */
    const bool is_scaled = !has_raw_sums(job) && (rows->beta == 0 || !is_finite(job, rows->alpha));
    span.alpha = is_scaled ? rows->alpha : 1;
    span.beta = 0;
    span.out = block;
    const int64_t fit = BLOCK_BYTES / (block_ld(job, spmmi_smaller(panel->width, tile)) * job->sum_size);
    const int64_t most = panel->width < BLOCK_UNIT ? BLOCK_ROWS_NARROW : BLOCK_ROWS_MAX;
    const int64_t block_rows = spmmi_smaller(fit / BLOCK_UNIT * BLOCK_UNIT, most);
    for (int64_t i = rows->row_begin; i < rows->row_end; i += block_rows) {
        span.row_begin = i;
        span.row_end = spmmi_smaller(i + block_rows, rows->row_end);
        for (int64_t j = 0; j < panel->width; j += tile) {
            const int64_t columns = panel->width - j < tile ? panel->width - j : tile;
            span.b = panel->b + j * job->b_size;
            span.ldo = block_ld(job, columns);
            job->span(&span, columns, unroll_for(columns * job->sum_size));
            block_store(job, panel, &span, j, columns, is_scaled ? 1 : rows->alpha);
        }
    }
}

/* Runs rows whose sums go to C. */
static void rows_run(const struct job *job, const struct panel *panel, const struct rows_span *rows)
{
    struct rows_span span = *rows;
    if (has_raw_sums(job) || (panel->c_column != 1 && panel->width != 1 && rows->b_column <= 1)) {
        rows_run_by_block(job, panel, rows);
        return;
    }
    span.out = panel->c + span.row_begin * panel->c_row * job->c_size;
    span.ldo = panel->c_row;
    span.out_column = panel->c_column;
    span.streams = spmmi_rows_streams(job->a->rows, job->n, job->c_size);
    span_run(job, &span, panel->width);
}

/* Returns true if the chunk begins inside a row that an earlier chunk began. */
static bool chunk_has_head(const struct job *job, int64_t chunk)
{
    const struct spmmi_part *part = &job->a->part;
    const int64_t item = chunk * job->chunk_items;
    return job->splits_rows && job->a->row_ptr[part->items[item]] < item * part->item_size;
}

static char *slot_of(const struct job *job, int64_t chunk, int goes_on)
{
    return job->slots + (SLOTS * chunk + goes_on) * job->slot_bytes;
}

/* Computes the chunk's partial sum of a row that chunks share, and stores it in a slot. */
static void shared_row_run(const struct job *job, const struct panel *panel, int64_t row, char *slot,
                           const struct rows_span *span)
{
    struct rows_span shared = *span;
    shared.row_begin = row;
    shared.row_end = row + 1;
    shared.alpha = 1;
    shared.beta = 0;
    shared.out = slot;
    shared.ldo = job->panel;
    span_run(job, &shared, panel->width);
}

/* Runs the rows that the chunk shares with other chunks, and removes them from the span. */
static void shared_rows_run(const struct job *job, const struct panel *panel, int64_t chunk,
                            struct rows_span *span)
{
    if (chunk_has_head(job, chunk))
        shared_row_run(job, panel, span->row_begin++, slot_of(job, chunk, 0), span);
    if (span->row_begin < span->row_end && job->a->row_ptr[span->row_end] > span->p_end)
        shared_row_run(job, panel, --span->row_end, slot_of(job, chunk, 1), span);
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
                             .b_column = panel->b_column,
                             .out_column = 1,
                             .alpha = job->product->alpha,
                             .beta = job->product->beta,
                             .ahead_end = a->is_scattered ? a->nnz - ROWS_AHEAD - UNROLL_MAX : 0,
                             .ahead_from = spmmi_rows_ahead_from(a->rows, a->nnz)};
    span.row_begin = chunk == 0 ? 0 : a->part.items[item];
    span.row_end = is_last ? a->rows : a->part.items[item + job->chunk_items];
    if (job->splits_rows) {
        span.p_begin = item * a->part.item_size;
        span.p_end = is_last ? a->nnz : (item + job->chunk_items) * a->part.item_size;
        if (!is_last && a->row_ptr[span.row_end] < span.p_end)
            span.row_end++;
        shared_rows_run(job, panel, chunk, &span);
    }
    if (span.row_begin < span.row_end)
        rows_run(job, panel, &span);
}

static void sums_add(const struct job *job, int64_t n, const void *slot, void *sum)
{
    for (int64_t j = 0; j < n; j++) {
        if (job->sum_type == SPMM_F64)
            ((double *)sum)[j] += ((const double *)slot)[j];
        else
            ((float *)sum)[j] += ((const float *)slot)[j];
    }
}

/* Adds the carry slots of each shared row, in order, and stores the sum in C. */
static void carries_add(const struct job *job, const struct panel *panel)
{
    const uint32_t *items = job->a->part.items;
    for (int64_t chunk = 1, next; chunk < job->chunk_count; chunk = next) {
        next = chunk + 1;
        if (!chunk_has_head(job, chunk))
            continue;
        const int64_t row = items[chunk * job->chunk_items];
        char *sum = slot_of(job, chunk - 1, 1); /* of the chunk in which the row begins */
        sums_add(job, panel->width, slot_of(job, chunk, 0), sum);
        for (; next < job->chunk_count && items[next * job->chunk_items] == row; next++)
            sums_add(job, panel->width, slot_of(job, next, 0), sum);
        const struct rows_store store = {1,
                                         panel->width,
                                         sum,
                                         job->panel,
                                         panel->c + row * panel->c_row * job->c_size,
                                         panel->c_row,
                                         panel->c_column,
                                         job->product->alpha,
                                         job->product->beta};
        job->base->store[job->c_type](&store);
    }
}

/* Packs rows [begin, begin + count) of the panel of B into the scratch. */
static void scratch_fill(const struct job *job, const struct panel *panel, int64_t begin, int64_t count)
{
    const spmm_dense_t *b = &job->product->b;
    char *from = (char *)spmmi_column(b, panel->first) + begin * job->b_size;
    const struct rows_block block = {count,
                                     panel->width,
                                     job->scratch + begin * job->scratch_ld * job->b_size,
                                     job->scratch_ld,
                                     from,
                                     b->ld,
                                     1,
                                     0};
    job->base->pack[job->b_type](&block);
}

/* Runs one panel. There are barriers only after packing and at the end: if threads share cores with other
 * work, each barrier can cost a time slice. */
static void panel_run(const struct job *job, const struct panel *panel, int threads)
{
    const int64_t cols = job->a->cols, pack_count = job->is_packed ? (cols + PACK_ROWS - 1) / PACK_ROWS : 0;
    struct rows_shares packs, chunks;
    rows_shares_make(&packs, pack_count, threads);
    rows_shares_make(&chunks, job->chunk_count, threads);
#pragma omp parallel num_threads(spmmi_team(threads))
    {
        const int thread = omp_get_thread_num();
        if (job->is_packed) {
            for (int64_t i, visited = 0; (i = rows_shares_take(&packs, thread, &visited)) >= 0;)
                scratch_fill(job, panel, i * PACK_ROWS, spmmi_smaller(cols - i * PACK_ROWS, PACK_ROWS));
#pragma omp barrier
        }
        for (int64_t i, visited = 0; (i = rows_shares_take(&chunks, thread, &visited)) >= 0;)
            chunk_run(job, panel, i);
    }
    if (job->splits_rows)
        carries_add(job, panel);
}

/* Computes C = beta * C, for products with alpha = 0 or an empty A. */
static void scale_run(const struct job *job)
{
    const spmm_dense_t *c = &job->product->c;
    const bool is_turned = is_by_columns(c);
    const int64_t lines = is_turned ? job->n : job->a->rows, length = is_turned ? job->a->rows : job->n;
    if (job->product->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        job->base->scale[job->c_type](length, job->product->beta, (char *)c->data + i * c->ld * job->c_size);
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
