/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the metrics of a matrix that predictions need (cost_model.h). */
#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "cost_model.h"
#include "format/matrix/numbered_columns.h"

#define STEP 4 /* nonzeros per step */
/* Thread blocks per wave of a nonzero split, and their maximum nonzeros: approximate
 * values of an H100 for the widest tiles (kernels/rows/rows_shape.h). If a matrix
 * uses fewer columns than SIDE_BY_SIDE_COLUMNS_MIN, B fits into the L2 cache. The
 * second walk is then skipped, and the eviction of B by A and C is not predicted. */
#define WAVE_BLOCKS 640
#define BLOCK_NONZEROS_MAX 1024
#define SIDE_BY_SIDE_COLUMNS_MIN 32768

/* Times between consecutive uses of a column, in bins of powers of two. For the first and the last use, the
 * time counts from the begin and to the end of the order. */
struct times {
    double count[SPMMI_REUSE_BINS], sum[SPMMI_REUSE_BINS];
};

/* Returns the smallest b with time <= 2^b, at most the last bin. */
static int bin_of(int64_t time)
{
    const int b = time <= 1 ? 0 : 64 - __builtin_clzll((unsigned long long)(time - 1));
    return b < SPMMI_REUSE_BINS ? b : SPMMI_REUSE_BINS - 1;
}

static void add_time(struct times *t, int64_t time)
{
    const int b = bin_of(time);
    t->count[b] += 1;
    t->sum[b] += (double)time;
}

/* Computes the locality from the times between uses (inner) and at both ends (outer). The mean working set of
 * windows of w = 2^b nonzeros is cols_used minus the mean number of columns that a window does not contain. A
 * window does not contain a column if it is inside a gap longer than w between uses of this column. */
static void measure_locality(const struct times *inner, const struct times *outer, double nnz,
                             double cols_used, struct spmmi_model_locality *l)
{
    double uses = 0;
    for (int b = 0; b < SPMMI_REUSE_BINS; b++) {
        const double window = ldexp(1, b);
        double missed = 0;
        uses += inner->count[b];
        l->near[b] = nnz > 0 ? uses / nnz : 0;
        for (int c = b + 1; c < SPMMI_REUSE_BINS; c++)
            missed += inner->sum[c] + outer->sum[c] - window * (inner->count[c] + outer->count[c]);
        l->working_set[b] = window >= nnz ? cols_used : cols_used - missed / (nnz - window + 1);
    }
}

/* An order of the nonzeros: the blocks of a wave are processed side by side, one nonzero of each block in
 * turn. Then the next wave follows. */
struct order {
    int64_t nnz, block, blocks; /* all nonzeros; nonzeros per block; blocks per wave */
};

/* Returns the nonzeros per block for full waves of equal blocks. */
static int64_t block_nonzeros(int64_t nnz)
{
    const int64_t waves = nnz / (WAVE_BLOCKS * BLOCK_NONZEROS_MAX) + 1;
    return nnz / (WAVE_BLOCKS * waves) + 1;
}

/* Walks all nonzeros in this order and computes the locality. last[column] is the time of the last use,
 * counted from 1; it must be 0 initially. Returns the number of columns that are used. */
static double walk(const struct order *o, const int32_t *col_ind, int64_t cols, int64_t *last,
                   struct spmmi_model_locality *locality)
{
    struct times inner = {0};
    struct times outer = {0};
    int64_t time = 0;
    double cols_used = 0;
    for (int64_t first = 0; first < o->nnz; first += o->block * o->blocks) {
        for (int64_t step = 0; step < o->block; step++) {
            for (int64_t p = first + step, b = 0; b < o->blocks && p < o->nnz; b++, p += o->block) {
                int64_t *const l = &last[col_ind[p]];
                time++;
                if (*l > 0)
                    add_time(&inner, time - *l);
                else
                    add_time(&outer, time);
                *l = time;
            }
        }
    }
    for (int64_t c = 0; c < cols; c++) {
        if (last[c] > 0) {
            add_time(&outer, o->nnz - last[c] + 1);
            cols_used += 1;
        }
    }
    measure_locality(&inner, &outer, (double)o->nnz, cols_used, locality);
    return cols_used;
}

static spmm_status_t analysis_columns(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                      struct spmmi_model_matrix *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct order by_rows = {nnz, nnz > 0 ? nnz : 1, 1};
    const struct order side_by_side = {nnz, block_nonzeros(nnz), WAVE_BLOCKS};
    struct spmmi_numbered_columns columns = spmmi_columns_own(cols, col_ind);
    int64_t *last = NULL;
    if (spmmi_columns_are_many(cols, nnz))
        status = spmmi_columns_number(&columns, nnz, 1, 1);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the columns of %lld nonzeros",
                 (long long)nnz);
    SPMM_TRY_ALLOC(last = spmmi_alloc_zero((uint64_t)columns.cols, sizeof *last), diag);
    m->cols_used = walk(&by_rows, columns.col_ind, columns.cols, last, &m->by_rows);
    m->side_by_side = m->by_rows;
    if (m->cols_used >= SIDE_BY_SIDE_COLUMNS_MIN) {
        memset(last, 0, (size_t)columns.cols * sizeof *last);
        (void)walk(&side_by_side, columns.col_ind, columns.cols, last, &m->side_by_side);
    }
cleanup:
    spmmi_free(last);
    spmmi_numbered_columns_free(&columns);
    return status;
}

/* Accumulates, for groups of 1, 2, 4 .. consecutive items, the sum of the maxima of the groups. */
struct item_levels {
    double most[SPMMI_STEP_LEVELS];
    double *sum;
    int64_t count;
};

static void flush_level(struct item_levels *l, int level)
{
    l->sum[level] += l->most[level];
    l->most[level] = 0;
}

static void close_item(struct item_levels *l, double steps)
{
    l->count++;
    for (int i = 0; i < SPMMI_STEP_LEVELS; i++) {
        l->most[i] = fmax(l->most[i], steps);
        if (l->count % ((int64_t)1 << i) == 0)
            flush_level(l, i);
    }
}

/* Computes the metrics of rows and of the items of a row split:
 * consecutive rows with at least item size nonzeros. */
static void analysis_rows(int64_t rows, const int64_t *row_ptr, struct spmmi_model_matrix *m)
{
    const int64_t item_size = SPMMI_MODEL_ITEM_SIZE;
    struct item_levels levels = {.sum = m->item_steps};
    int64_t begin = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t length = row_ptr[row + 1] - row_ptr[row];
        m->rows_used += length > 0;
        m->longest = fmax(m->longest, (double)length);
        if (row_ptr[row + 1] - begin >= item_size || row + 1 == rows) {
            const double steps = ceil((double)(row_ptr[row + 1] - begin) / STEP);
            m->item_longest = fmax(m->item_longest, steps);
            close_item(&levels, steps);
            begin = row_ptr[row + 1];
        }
    }
    for (int i = 0; i < SPMMI_STEP_LEVELS; i++)
        flush_level(&levels, i);
    m->items = (double)levels.count;
}

spmm_status_t spmmi_model_analysis(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   struct spmmi_model_matrix *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *matrix =
        (struct spmmi_model_matrix){.rows = (double)rows, .cols = (double)cols, .nnz = (double)row_ptr[rows]};
    analysis_rows(rows, row_ptr, matrix);
    matrix->slices = spmmi_row_slices_of(rows, row_ptr, col_ind);
    SPMM_TRY(analysis_columns(cols, row_ptr[rows], col_ind, matrix, diag));
cleanup:
    return status;
}
