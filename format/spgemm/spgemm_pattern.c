/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_pattern.h. */
#include "spgemm_pattern.h"

#include <omp.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "format/matrix/column_set.h"

#define ROWS_A_TURN 64 /* that a thread takes at a time */

int spmmi_spgemm_threads(int wanted)
{
    const int most = omp_get_max_threads();
    return wanted > 0 ? spmmi_team_clamp(wanted, "a product") : most < SPMMI_TEAM_MAX ? most : SPMMI_TEAM_MAX;
}

/* Memory of one thread. */
struct scratch {
    uint32_t *columns; /* as many as C has; at first all 0 */
    struct spmmi_column_set set;
};

static void scratch_free(struct scratch *scratch, int threads)
{
    for (int t = 0; scratch != NULL && t < threads; t++) {
        spmmi_column_set_free(&scratch[t].set);
        spmmi_free(scratch[t].columns);
    }
    spmmi_free(scratch);
}

/* NULL: out of memory. */
static struct scratch *scratch_new(int64_t cols, int threads, int has_sets)
{
    struct scratch *scratch = spmmi_alloc_zero((uint64_t)threads, sizeof *scratch);
    int is_done = scratch != NULL;
    for (int t = 0; is_done && t < threads; t++) {
        scratch[t].columns = spmmi_alloc_zero((uint64_t)cols, sizeof *scratch[t].columns);
        is_done = scratch[t].columns != NULL &&
                  (!has_sets || spmmi_column_set_new(&scratch[t].set, cols) == SPMM_OK);
    }
    if (is_done)
        return scratch;
    scratch_free(scratch, threads);
    return NULL;
}

/* The bitmaps above the lowest have a sixty-third of its words, rounded up on each level. */
uint64_t spmmi_spgemm_scratch_bytes(int64_t cols, int threads)
{
    const uint64_t words = (uint64_t)cols / 63 + 2 * SPMMI_COLUMN_SET_LEVELS;
    return (uint64_t)threads * (sizeof(struct scratch) + 8 * words + 4 * (uint64_t)cols);
}

/* Entries of row i of C. marks: of each column, 1 + the row that met it last. Without a branch, as columns come at
 * random. */
static int64_t count_row(const struct spmmi_spgemm_task *task, int64_t i, uint32_t *marks)
{
    const struct spmmi_csr_pattern *left = &task->left;
    const uint32_t stamp = (uint32_t)i + 1;
    int64_t count = 0;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        const int64_t k = left->col_ind[p], taken = spmmi_spgemm_taken(task, i, k);
        const int32_t *columns = task->right.col_ind + task->right.row_ptr[k];
        for (int64_t j = 0; j < taken; j++) {
            count += marks[columns[j]] != stamp;
            marks[columns[j]] = stamp;
        }
    }
    return count;
}

/* The columns of row i of C, ascending, into scratch->columns; returns how many. */
static int64_t list_row(const struct spmmi_spgemm_task *task, int64_t i, struct scratch *scratch)
{
    const struct spmmi_csr_pattern *left = &task->left, *right = &task->right;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        const int64_t k = left->col_ind[p];
        spmmi_column_set_add(&scratch->set, right->col_ind + right->row_ptr[k],
                             spmmi_spgemm_taken(task, i, k));
    }
    return spmmi_column_set_drain(&scratch->set, scratch->columns);
}

/* Are the ascending columns of row i those of the product? marks: 2 i + 1 of one that is expected, 2 i + 2 once a
 * product has met it; rows before it left less. */
static int is_row(const struct spmmi_spgemm_task *task, const struct spmmi_csr_pattern *c, int64_t i,
                  uint32_t *marks)
{
    const struct spmmi_csr_pattern *left = &task->left;
    const uint32_t expected = 2 * (uint32_t)i + 1;
    int64_t met = 0;
    uint32_t others = 0;
    for (int64_t q = c->row_ptr[i]; q < c->row_ptr[i + 1]; q++) {
        if (c->col_ind[q] < 0)
            return 0;
        marks[c->col_ind[q]] = expected;
    }
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        const int64_t k = left->col_ind[p], taken = spmmi_spgemm_taken(task, i, k);
        const int32_t *columns = task->right.col_ind + task->right.row_ptr[k];
        for (int64_t j = 0; j < taken; j++) {
            const uint32_t mark = marks[columns[j]];
            others |= mark < expected;
            met += mark == expected;
            marks[columns[j]] = expected + 1;
        }
    }
    return !others && met == c->row_ptr[i + 1] - c->row_ptr[i];
}

spmm_status_t spmmi_spgemm_row_ptr(const struct spmmi_spgemm_task *task, int threads, int64_t *row_ptr,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct scratch *scratch = scratch_new(task->right.cols, threads, 0);
    SPMM_TRY_ALLOC(scratch, diag);
    row_ptr[0] = 0;
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < task->left.rows; i++)
        row_ptr[i + 1] = count_row(task, i, scratch[omp_get_thread_num()].columns);
    for (int64_t i = 0; i < task->left.rows; i++)
        row_ptr[i + 1] += row_ptr[i];
cleanup:
    scratch_free(scratch, threads);
    return status;
}

spmm_status_t spmmi_spgemm_columns(const struct spmmi_spgemm_task *task, int threads, const int64_t *row_ptr,
                                   int32_t *col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct scratch *scratch = scratch_new(task->right.cols, threads, 1);
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < task->left.rows; i++) {
        struct scratch *own = &scratch[omp_get_thread_num()];
        const int64_t count = list_row(task, i, own);
        memcpy(col_ind + row_ptr[i], own->columns, (size_t)count * sizeof *col_ind);
    }
cleanup:
    scratch_free(scratch, threads);
    return status;
}

spmm_status_t spmmi_spgemm_verify(const struct spmmi_spgemm_task *task, const struct spmmi_csr_pattern *c,
                                  int threads, int64_t *wrong_row, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t wrong = task->left.rows;
    struct scratch *scratch = scratch_new(task->right.cols, threads, 0);
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads)) reduction(min \
                                                                                                   : wrong)
    for (int64_t i = 0; i < task->left.rows; i++)
        if (!is_row(task, c, i, scratch[omp_get_thread_num()].columns))
            wrong = i < wrong ? i : wrong;
    *wrong_row = wrong < task->left.rows ? wrong : -1;
cleanup:
    scratch_free(scratch, threads);
    return status;
}
