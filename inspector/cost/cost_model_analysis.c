/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of a matrix that predictions need: see cost_model.h. */
#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "cost_model.h"
#include "format/matrix/numbered_columns.h"

#define STEP 4 /* nonzeros of a step of a walk */

/* Times between uses of a column, the first and last use counted from the ends: by powers of two. */
struct times {
    double count[SPMMI_REUSE_BINS], sum[SPMMI_REUSE_BINS];
};

/* The least b with time <= 2^b. */
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

/* Mean working set of a window of w = 2^b nonzeros: columns minus the mean number of those that a window does not
 * contain; these are, for each column, the windows inside a gap longer than w. */
static void measure_locality(const struct times *inner, const struct times *outer, double nnz,
                             struct spmmi_model_matrix *m)
{
    double uses = 0;
    for (int b = 0; b < SPMMI_REUSE_BINS; b++) {
        const double window = ldexp(1, b);
        double missed = 0;
        uses += inner->count[b];
        m->near[b] = nnz > 0 ? uses / nnz : 0;
        for (int c = b + 1; c < SPMMI_REUSE_BINS; c++)
            missed += inner->sum[c] + outer->sum[c] - window * (inner->count[c] + outer->count[c]);
        m->working_set[b] = window >= nnz ? m->cols_used : m->cols_used - missed / (nnz - window + 1);
    }
}

static spmm_status_t analysis_columns(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                      struct spmmi_model_matrix *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct times inner = {0};
    struct times outer = {0};
    struct spmmi_numbered_columns columns = spmmi_columns_own(cols, col_ind);
    int64_t *last = NULL; /* one past the last use, 0: none */
    if (spmmi_columns_are_many(cols, nnz))
        status = spmmi_columns_number(&columns, nnz, 1, 1);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the columns of %lld nonzeros",
                 (long long)nnz);
    SPMM_TRY_ALLOC(last = spmmi_alloc_zero((uint64_t)columns.cols, sizeof *last), diag);
    for (int64_t p = 0; p < nnz; p++) {
        int64_t *const l = &last[columns.col_ind[p]];
        if (*l > 0)
            add_time(&inner, p + 1 - *l);
        else
            add_time(&outer, p + 1);
        *l = p + 1;
    }
    for (int64_t c = 0; c < columns.cols; c++) {
        if (last[c] > 0) {
            add_time(&outer, nnz - last[c] + 1);
            m->cols_used += 1;
        }
    }
    measure_locality(&inner, &outer, (double)nnz, m);
cleanup:
    spmmi_free(last);
    spmmi_numbered_columns_free(&columns);
    return status;
}

/* Sums of maxima over 1, 2, 4 .. consecutive items. */
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

/* The items of a row split: consecutive rows until they hold item size nonzeros. */
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
