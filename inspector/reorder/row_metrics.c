/* SPDX-License-Identifier: Apache-2.0 */
/* See row_metrics.h. Everything is counted in one pass. The position at which a column was last seen tells
 * whether the column is new to its block row (8 or 16 rows) and to the row blocks of all heights, as row
 * blocks nest: positions a and b are in the same row block of 2^h rows if a ^ b has no bit at or above bit h.
 * Threads process 256 rows at a time, so that no two threads share a row block. */
#include "row_metrics.h"

#include <math.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "format/matrix/numbered_columns.h"

#define GROUP 256u   /* rows of the highest row block; a thread processes this many at a time */
#define LOWEST_BIT 3 /* the lowest row blocks have 2^3 rows */
#define ALIGN 16     /* aligned groups of columns that stay together if columns are renumbered */
#define NEVER 32     /* greater than the number of any bit in which two positions differ */
#define NONZEROS_PARALLEL 100000

struct counting {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const uint32_t *permutation;
    int threads;
    struct spmmi_numbered_columns columns;
    uint32_t *met;                      /* memory of all threads, see struct memory */
    uint32_t *group[SPMM_BLOCK_SHAPES]; /* blocks per block row */
};

/* The memory of a thread for columns and aligned blocks: 1 + the last position (column) or block row (block8,
 * block16) that contained it; 0: none yet. */
struct memory {
    uint32_t *column, *block8, *block16;
};

static int64_t groups_of(int64_t rows, int shape)
{
    const int64_t height = shape == SPMM_BLOCKS_8X8 ? 8 : 16;
    return rows / height + (rows % height != 0);
}

static int64_t memory_values(const struct counting *c)
{
    return c->cols + (c->cols / 8 + 1) + (c->cols / 16 + 1);
}

static struct memory memory_of(const struct counting *c, int thread)
{
    struct memory m;
    m.column = c->met + thread * memory_values(c);
    m.block8 = m.column + c->cols;
    m.block16 = m.block8 + c->cols / 8 + 1;
    return m;
}

/* ---- Columns ---- */

static spmm_status_t prepare(struct counting *c)
{
    const int64_t nnz = c->row_ptr[c->rows];
    c->columns = spmmi_columns_own(c->cols, c->col_ind);
    if (spmmi_columns_are_many(c->cols / ALIGN, nnz) &&
        spmmi_columns_number(&c->columns, nnz, ALIGN, 1) != SPMM_OK)
        return SPMM_ERR_MEMORY;
    c->cols = c->columns.cols;
    c->col_ind = c->columns.col_ind;
    /* Limits the threads, so that their memory is not much larger than the matrix. */
    const int64_t most = c->cols == 0 ? 1 : 1 + 8 * nnz / c->cols;
    c->threads = nnz < NONZEROS_PARALLEL ? 1 : c->threads;
    c->threads = most < c->threads ? (int)most : c->threads;
    c->met = spmmi_alloc_zero((uint64_t)c->threads * (uint64_t)memory_values(c), sizeof *c->met);
    if (c->met == NULL)
        return SPMM_ERR_MEMORY;
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++) {
        c->group[shape] = spmmi_alloc_zero((uint64_t)groups_of(c->rows, shape), sizeof *c->group[shape]);
        if (c->group[shape] == NULL)
            return SPMM_ERR_MEMORY;
    }
    return SPMM_OK;
}

static void release(struct counting *c)
{
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++)
        spmmi_free(c->group[shape]);
    spmmi_free(c->met);
    spmmi_numbered_columns_free(&c->columns);
}

/* ---- Counting ---- */

/* Adds to *new8 and *new16 the aligned blocks of a row that are new to its block row of 16 rows. */
static void count_aligned(const int32_t *columns, int64_t length, uint32_t group, struct memory *m,
                          uint32_t *new8, uint32_t *new16)
{
    uint32_t count8 = 0, count16 = 0;
    for (int64_t i = 0; i < length; i++) {
        const uint32_t block = (uint32_t)columns[i] / 8;
        count8 += m->block8[block] != group + 1;
        count16 += m->block16[block / 2] != group + 1;
        m->block8[block] = group + 1;
        m->block16[block / 2] = group + 1;
    }
    *new8 += count8;
    *new16 += count16;
}

/* Adds the nonzeros of a row to counts[b], where b - 1 is the highest bit in which its position differs from
 * the last position of the column; b = 0: the same position, b = NEVER: a new column. Returns the number of
 * columns that are new to the row window of 8 rows. */
static uint32_t count_columns(const int32_t *columns, int64_t length, uint32_t position, struct memory *m,
                              int64_t counts[NEVER + 1])
{
    uint32_t fresh = 0;
    for (int64_t i = 0; i < length; i++) {
        const uint32_t met = m->column[columns[i]], differs = (met - 1) ^ position;
        const int bits = met == 0 ? NEVER : differs == 0 ? 0 : 32 - __builtin_clz(differs);
        m->column[columns[i]] = position + 1;
        counts[bits]++;
        fresh += bits > LOWEST_BIT;
    }
    return fresh;
}

/* Counts the rows of a group. `fresh` collects the columns that are new to the current row window. */
static void count_group(const struct counting *c, uint64_t first, struct memory *m, int64_t counts[NEVER + 1])
{
    const uint64_t rows = (uint64_t)c->rows, end = first + GROUP < rows ? first + GROUP : rows;
    uint32_t fresh = 0;
    for (uint64_t position = first; position < end; position++) {
        const uint64_t row = c->permutation == NULL ? position : c->permutation[position];
        const int32_t *columns = c->col_ind + c->row_ptr[row];
        const int64_t length = c->row_ptr[row + 1] - c->row_ptr[row];
        const uint64_t group = position / 16;
        fresh += count_columns(columns, length, (uint32_t)position, m, counts);
        count_aligned(columns, length, (uint32_t)group, m, &c->group[SPMM_BLOCKS_16X8][group],
                      &c->group[SPMM_BLOCKS_16X16][group]);
        if (position % 8 == 7 || position + 1 == end) {
            c->group[SPMM_BLOCKS_8X8][position / 8] = fresh / 8 + (fresh % 8 != 0);
            fresh = 0;
        }
    }
}

static void summarise(const uint32_t *group, int64_t groups, int shape, spmm_permutation_metrics_t *metrics)
{
    int64_t count = 0, most = 0;
    double squares = 0;
    for (int64_t i = 0; i < groups; i++) {
        count += group[i];
        most = group[i] > most ? group[i] : most;
    }
    const double mean = groups > 0 ? (double)count / (double)groups : 0;
    for (int64_t i = 0; i < groups; i++)
        squares += (group[i] - mean) * (group[i] - mean);
    metrics->block_count[shape] = count;
    metrics->block_max[shape] = most;
    metrics->block_mean[shape] = mean;
    metrics->block_stddev[shape] = groups > 0 ? sqrt(squares / (double)groups) : 0;
}

static void count_all(const struct counting *c, spmm_permutation_metrics_t *metrics)
{
    int64_t sums[NEVER + 1] = {0};
    const int64_t groups = c->rows / GROUP + (c->rows % GROUP != 0);
#pragma omp parallel num_threads(spmmi_team(c->threads))
    {
        int64_t counts[NEVER + 1] = {0};
        struct memory m = memory_of(c, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < groups; i++)
            count_group(c, (uint64_t)i * GROUP, &m, counts);
#pragma omp critical(spmmi_row_metrics)
        for (int b = 0; b <= NEVER; b++)
            sums[b] += counts[b];
    }
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++) {
        metrics->working_set[h] = 0;
        for (int b = LOWEST_BIT + h + 1; b <= NEVER; b++)
            metrics->working_set[h] += sums[b];
        const double nnz = (double)c->row_ptr[c->rows];
        metrics->reuse[h] = metrics->working_set[h] > 0 ? nnz / (double)metrics->working_set[h] : 0;
    }
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++)
        summarise(c->group[shape], groups_of(c->rows, shape), shape, metrics);
}

spmm_status_t spmmi_row_metrics_count(int64_t rows, int64_t cols, const int64_t *row_ptr,
                                      const int32_t *col_ind, const uint32_t *permutation, int threads,
                                      spmm_permutation_metrics_t *metrics)
{
    struct counting c = {.rows = rows,
                         .cols = cols,
                         .row_ptr = row_ptr,
                         .col_ind = col_ind,
                         .permutation = permutation,
                         .threads = threads};
    const spmm_status_t status = prepare(&c);
    if (status == SPMM_OK)
        count_all(&c, metrics);
    release(&c);
    return status;
}
