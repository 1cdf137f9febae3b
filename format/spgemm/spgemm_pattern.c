/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_pattern.h. Each row of C is a set of columns that the rows of the right factor are added to. */
#include "spgemm_pattern.h"

#include <omp.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

#define ROWS_A_TURN 64 /* that a thread takes at a time */

int spmmi_spgemm_threads(int wanted)
{
    const int most = omp_get_max_threads();
    return wanted > 0 ? spmmi_team_clamp(wanted, "a product") : most < SPMMI_TEAM_MAX ? most : SPMMI_TEAM_MAX;
}

void spmmi_spgemm_scratch_free(struct spmmi_spgemm_scratch *scratch, int threads)
{
    for (int t = 0; scratch != NULL && t < threads; t++) {
        spmmi_column_set_free(&scratch[t].set);
        spmmi_free(scratch[t].columns);
    }
    spmmi_free(scratch);
}

struct spmmi_spgemm_scratch *spmmi_spgemm_scratch_new(int64_t cols, int threads)
{
    struct spmmi_spgemm_scratch *scratch = spmmi_alloc_zero((uint64_t)threads, sizeof *scratch);
    int is_done = scratch != NULL;
    for (int t = 0; is_done && t < threads; t++) {
        scratch[t].columns = spmmi_alloc((uint64_t)cols, sizeof *scratch[t].columns);
        is_done = scratch[t].columns != NULL && spmmi_column_set_new(&scratch[t].set, cols) == SPMM_OK;
    }
    if (is_done)
        return scratch;
    spmmi_spgemm_scratch_free(scratch, threads);
    return NULL;
}

/* The bitmaps above the lowest have a sixty-third of its words, rounded up on each level. */
uint64_t spmmi_spgemm_scratch_bytes(int64_t cols, int threads)
{
    const uint64_t words = (uint64_t)cols / 63 + 2 * SPMMI_COLUMN_SET_LEVELS;
    return (uint64_t)threads * (sizeof(struct spmmi_spgemm_scratch) + 8 * words + 4 * (uint64_t)cols);
}

int64_t spmmi_spgemm_row(const struct spmmi_spgemm_task *task, int64_t i,
                         struct spmmi_spgemm_scratch *scratch)
{
    const struct spmmi_csr_pattern *left = &task->left, *right = &task->right;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        const int64_t k = left->col_ind[p];
        spmmi_column_set_add(&scratch->set, right->col_ind + right->row_ptr[k],
                             spmmi_spgemm_taken(task, i, k));
    }
    return spmmi_column_set_drain(&scratch->set, scratch->columns);
}

spmm_status_t spmmi_spgemm_row_ptr(const struct spmmi_spgemm_task *task, int threads, int64_t *row_ptr,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_scratch *scratch = spmmi_spgemm_scratch_new(task->right.cols, threads);
    SPMM_TRY_ALLOC(scratch, diag);
    row_ptr[0] = 0;
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < task->left.rows; i++)
        row_ptr[i + 1] = spmmi_spgemm_row(task, i, &scratch[omp_get_thread_num()]);
    for (int64_t i = 0; i < task->left.rows; i++)
        row_ptr[i + 1] += row_ptr[i];
cleanup:
    spmmi_spgemm_scratch_free(scratch, threads);
    return status;
}

spmm_status_t spmmi_spgemm_columns(const struct spmmi_spgemm_task *task, int threads, const int64_t *row_ptr,
                                   int32_t *col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_scratch *scratch = spmmi_spgemm_scratch_new(task->right.cols, threads);
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < task->left.rows; i++) {
        struct spmmi_spgemm_scratch *own = &scratch[omp_get_thread_num()];
        const int64_t count = spmmi_spgemm_row(task, i, own);
        memcpy(col_ind + row_ptr[i], own->columns, (size_t)count * sizeof *col_ind);
    }
cleanup:
    spmmi_spgemm_scratch_free(scratch, threads);
    return status;
}

spmm_status_t spmmi_spgemm_verify(const struct spmmi_spgemm_task *task, const struct spmmi_csr_pattern *c,
                                  int threads, int64_t *wrong_row, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t wrong = task->left.rows;
    struct spmmi_spgemm_scratch *scratch = spmmi_spgemm_scratch_new(task->right.cols, threads);
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads)) reduction(min \
                                                                                                   : wrong)
    for (int64_t i = 0; i < task->left.rows; i++) {
        struct spmmi_spgemm_scratch *own = &scratch[omp_get_thread_num()];
        const int64_t count = spmmi_spgemm_row(task, i, own);
        if (count != c->row_ptr[i + 1] - c->row_ptr[i] ||
            memcmp(own->columns, c->col_ind + c->row_ptr[i], (size_t)count * sizeof *own->columns) != 0)
            wrong = i < wrong ? i : wrong;
    }
    *wrong_row = wrong < task->left.rows ? wrong : -1;
cleanup:
    spmmi_spgemm_scratch_free(scratch, threads);
    return status;
}
