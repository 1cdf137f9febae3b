/* SPDX-License-Identifier: Apache-2.0 */
/* Builds CSR from a row source: lengths, prefix sums, columns. Rows are generated in parallel. */
#include <assert.h>
#include <omp.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "generate.h"

#define ROWS_PARALLEL 4096 /* below this many rows one thread is faster */

/* Writes the lengths of all rows to row_ptr[1 .. rows]. scratch has row_bound columns per thread. Both loops
 * have num_threads: without it, libomp may run a region with the number of threads of an earlier region whose
 * if clause was false. */
static void count_rows(const struct spmmi_row_source *s, int threads, int32_t *scratch, int64_t *row_ptr)
{
#pragma omp parallel for schedule(dynamic, 256) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < s->rows; i++) {
        int32_t *mine = scratch + (int64_t)omp_get_thread_num() * s->row_bound;
        row_ptr[i + 1] = s->length != NULL ? s->length(s->context, i) : s->fill(s->context, i, mine);
    }
}

static void fill_rows(const struct spmmi_row_source *s, int threads, int32_t *scratch, const int64_t *row_ptr,
                      int32_t *col_ind)
{
#pragma omp parallel for schedule(dynamic, 256) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < s->rows; i++) {
        int32_t *mine = scratch + (int64_t)omp_get_thread_num() * s->row_bound;
        const int64_t count = s->fill(s->context, i, mine);
        assert(count == row_ptr[i + 1] - row_ptr[i]);
        memcpy(col_ind + row_ptr[i], mine, (size_t)count * sizeof *mine);
    }
}

spmm_status_t spmmi_generate_rows(const struct spmmi_row_source *source, spmm_matrix_t *matrix,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int32_t *scratch = NULL;

    SPMM_TRY(spmmi_generate_check_size(source->rows, source->cols, source->nnz_bound, diag));
    matrix->rows = source->rows;
    matrix->cols = source->cols;
    matrix->row_ptr = spmmi_alloc((uint64_t)source->rows + 1, sizeof *matrix->row_ptr);
    SPMM_TRY_ALLOC(matrix->row_ptr, diag);
    const int threads = source->rows > ROWS_PARALLEL ? omp_get_max_threads() : 1;
    scratch = spmmi_alloc((uint64_t)source->row_bound * (uint64_t)threads, sizeof *scratch);
    SPMM_TRY_ALLOC(scratch, diag);

    matrix->row_ptr[0] = 0;
    count_rows(source, threads, scratch, matrix->row_ptr);
    for (int64_t i = 0; i < source->rows; i++)
        matrix->row_ptr[i + 1] += matrix->row_ptr[i];
    matrix->nnz = matrix->row_ptr[source->rows];
    assert(matrix->nnz <= source->nnz_bound);

    matrix->col_ind = spmmi_alloc((uint64_t)matrix->nnz, sizeof *matrix->col_ind);
    SPMM_TRY_ALLOC(matrix->col_ind, diag);
    fill_rows(source, threads, scratch, matrix->row_ptr, matrix->col_ind);
cleanup:
    spmmi_free(scratch);
    return status;
}
