/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of an array file: a dense matrix in column-major order, one value per line. The result has
 * every entry, including zeros. Symmetric and hermitian files store the lower triangle with the diagonal.
 * Skew-symmetric files store it without the diagonal, which is zero.
 *
 * Pass 1 counts the values of each segment of the text, so that pass 2 knows the position of the first value
 * of each segment. */
#include <omp.h>
#include <stdatomic.h>

#include "format/base/diag.h"
#include "format/base/team.h"
#include "read_line.h"

#define SEGMENT_BYTES 65536

struct job {
    const struct spmmi_mtx *mtx;
    const char *bound[SPMMI_SEGMENT_MAX + 1];
    int64_t first[SPMMI_SEGMENT_MAX + 1]; /* index of the first value of each segment */
    int64_t inexact[SPMMI_SEGMENT_MAX];
    double *values; /* rows x cols values, row-major: the CSR values of a full matrix */
};

static int64_t count_segment(const struct job *job, int segment)
{
    const char *end = job->bound[segment + 1];
    int64_t count = 0;
    for (const char *p = spmmi_next_entry(job->bound[segment], end, NULL); p < end;
         p = spmmi_next_entry(p, end, NULL)) {
        p = spmmi_skip_line(p, end);
        count++;
    }
    return count;
}

/* Computes the row and column of value t of the file. */
static void locate(const struct spmmi_mtx *mtx, int64_t t, int64_t *row, int64_t *col)
{
    if (mtx->symmetry == SPMMI_GENERAL) {
        *col = mtx->rows == 0 ? 0 : t / mtx->rows;
        *row = mtx->rows == 0 ? 0 : t % mtx->rows;
        return;
    }
    const int64_t skip = mtx->symmetry == SPMMI_SKEW; /* skew: columns start below the diagonal */
    int64_t length = mtx->rows - skip;
    for (*col = 0; t >= length && length > 0; ++*col)
        t -= length--;
    *row = *col + skip + t;
}

/* Pass 2: reads the values of a segment. Returns false if a value is malformed. */
static bool fill_segment(struct job *job, int segment)
{
    const struct spmmi_mtx *mtx = job->mtx;
    const char *end = job->bound[segment + 1];
    int64_t row = 0;
    int64_t col = 0;
    locate(mtx, job->first[segment], &row, &col);
    for (const char *p = spmmi_next_entry(job->bound[segment], end, NULL); p < end;
         p = spmmi_next_entry(p, end, NULL)) {
        struct spmmi_entry entry = {0, 0, 0, 0, false, NULL};
        p = spmmi_read_value(p, end, mtx->field, &entry);
        if (p != NULL)
            p = spmmi_line_end(spmmi_skip_blanks(p, end), end);
        if (p == NULL)
            return false;
        job->values[row * mtx->cols + col] = entry.value;
        if (mtx->symmetry != SPMMI_GENERAL)
            job->values[col * mtx->cols + row] =
                spmmi_is_negated(mtx->field, mtx->symmetry) ? -entry.value : entry.value;
        job->inexact[segment] += entry.inexact;
        if (++row == mtx->rows) {
            col++;
            row = mtx->symmetry == SPMMI_GENERAL ? 0 : col + (mtx->symmetry == SPMMI_SKEW);
        }
    }
    return true;
}

static void set_pattern(spmm_matrix_t *matrix, int threads)
{
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < matrix->rows; i++) {
        matrix->row_ptr[i + 1] = (i + 1) * matrix->cols;
        for (int64_t j = 0; j < matrix->cols; j++)
            matrix->col_ind[i * matrix->cols + j] = (int32_t)j;
    }
}

spmm_status_t spmmi_read_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                               spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct job job = {.mtx = mtx};
    _Atomic bool failed = false;
    const int64_t pieces = (mtx->end - mtx->data) / SEGMENT_BYTES + 1;
    const int segments = spmmi_split_lines(
        mtx->data, mtx->end, pieces < reader->threads ? (int)pieces : reader->threads, job.bound);
#pragma omp parallel for schedule(static, 1) num_threads(spmmi_team(segments))
    for (int segment = 0; segment < segments; segment++)
        job.first[segment + 1] = count_segment(&job, segment);
    for (int segment = 0; segment < segments; segment++)
        job.first[segment + 1] += job.first[segment];
    if (job.first[segments] != mtx->entries) {
        status = spmmi_explain_array(reader, mtx);
        goto cleanup;
    }
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    matrix->nnz = mtx->rows * mtx->cols;
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, true));
    job.values = matrix->values;
    set_pattern(matrix, reader->threads);
    for (int64_t i = 0; mtx->symmetry == SPMMI_SKEW && i < mtx->rows; i++)
        job.values[i * mtx->cols + i] = 0;
#pragma omp parallel for schedule(static, 1) num_threads(spmmi_team(segments))
    for (int segment = 0; segment < segments; segment++)
        if (!fill_segment(&job, segment))
            atomic_store(&failed, true);
    if (atomic_load(&failed)) {
        status = spmmi_explain_array(reader, mtx);
        goto cleanup;
    }
    for (int segment = 0; segment < segments; segment++)
        matrix->info.integers_inexact += job.inexact[segment];
    spmmi_reader_progress(reader, "fill", (uint64_t)(mtx->end - mtx->data), (uint64_t)(mtx->end - mtx->data));
cleanup:
    return status;
}
