/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_pattern.h. */
#include "spgemm_pattern.h"

#include <omp.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#define TARGET
#define RANKED_LANES 4
#include "spgemm_row_list.h"

/* Rows that a thread takes from the schedule at a time. */
#define ROWS_A_TURN 64

int spmmi_spgemm_threads(int wanted)
{
    const int most = omp_get_max_threads();
    return wanted > 0 ? spmmi_team_clamp(wanted, "a product") : most < SPMMI_TEAM_MAX ? most : SPMMI_TEAM_MAX;
}

/* Returns the number of entries of row i of C; *products is its number of multiplications. marks has, for
 * each column, 1 + the last row that met it. The inner loop has no branch, because columns come in random
 * order and a branch would often be mispredicted. */
static int64_t count_row(const struct spmmi_spgemm_task *task, const uint8_t *right, int64_t i,
                         uint32_t *marks, int64_t *products)
{
    const struct spmmi_csr_pattern *left = &task->left;
    const uint32_t stamp = (uint32_t)i + 1;
    int64_t count = 0, sum = 0;
    for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++) {
        const int64_t k = left->col_ind[p], taken = spmmi_spgemm_taken(task, i, k);
        const int32_t *const columns = task->right.col_ind + task->right.row_ptr[k];
        sum += taken;
        if (spmmi_spgemm_brings_nothing(task, right, i, p))
            continue;
        for (int64_t j = 0; j < taken; j++) {
            count += marks[columns[j]] != stamp;
            marks[columns[j]] = stamp;
        }
    }
    *products = sum;
    return count;
}

/* Returns true if the ascending columns of row i of c are those of the product. marks of a column is 2 i + 1
 * if it is expected in row i, and 2 i + 2 once a product has met it. Earlier rows left smaller marks. */
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

spmm_status_t spmmi_spgemm_row_ptr(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_repeats *repeats, int threads, int64_t *row_ptr,
                                   int64_t *products, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_scratch *scratch =
        spmmi_spgemm_scratch_new(task->right.cols, threads, SPMMI_NO_LISTS);
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < task->left.rows; i++) {
        if (repeats->rows[i] > 0)
            continue;
        int64_t sum = 0;
        row_ptr[i + 1] = count_row(task, repeats->right, i, scratch[omp_get_thread_num()].marks, &sum);
        if (products != NULL)
            products[i] = sum;
    }
    row_ptr[0] = 0;
    /* A row with repeats > 0 has the counts of the preceding row. */
    for (int64_t i = 0, count = 0; i < task->left.rows; i++) {
        count = repeats->rows[i] == 0 ? row_ptr[i + 1] : count;
        row_ptr[i + 1] = row_ptr[i] + count;
        if (products != NULL && repeats->rows[i] > 0)
            products[i] = products[i - 1];
    }
cleanup:
    spmmi_spgemm_scratch_free(scratch, threads);
    return status;
}

spmm_status_t spmmi_spgemm_columns(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_repeats *repeats, int threads,
                                   const int64_t *row_ptr, int32_t *col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t turns = task->left.rows / ROWS_A_TURN + 1;
    struct spmmi_spgemm_scratch *scratch = spmmi_spgemm_scratch_new(
        task->right.cols, threads, spmmi_spgemm_longest_row(task->left.rows, row_ptr));
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, 1) num_threads(spmmi_team(threads))
    for (int64_t turn = 0; turn < turns; turn++) {
        const int64_t first = turn * ROWS_A_TURN, end = first + ROWS_A_TURN;
        for (int64_t i = first; i < end && i < task->left.rows; i++)
            spmmi_spgemm_row_columns(task, repeats, i, row_ptr[i + 1] - row_ptr[i], i > first,
                                     &scratch[omp_get_thread_num()], col_ind + row_ptr[i]);
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
    struct spmmi_spgemm_scratch *scratch =
        spmmi_spgemm_scratch_new(task->right.cols, threads, SPMMI_NO_LISTS);
    SPMM_TRY_ALLOC(scratch, diag);
#pragma omp parallel for schedule(dynamic, ROWS_A_TURN) num_threads(spmmi_team(threads)) reduction(min \
                                                                                                   : wrong)
    for (int64_t i = 0; i < task->left.rows; i++)
        if (!is_row(task, c, i, scratch[omp_get_thread_num()].marks))
            wrong = i < wrong ? i : wrong;
    *wrong_row = wrong < task->left.rows ? wrong : -1;
cleanup:
    spmmi_spgemm_scratch_free(scratch, threads);
    return status;
}
