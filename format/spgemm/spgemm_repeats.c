/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_repeats.h. */
#include "spgemm_repeats.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

/* Returns true if row i has the columns of row i - 1, each increased by one; i must be at least 1. */
static int is_moved(const struct spmmi_csr_pattern *a, int64_t i)
{
    const int64_t begin = a->row_ptr[i], count = a->row_ptr[i + 1] - begin;
    const int32_t *columns = a->col_ind + begin;
    int64_t j = begin - a->row_ptr[i - 1] == count ? 0 : count + 1;
    while (j < count && columns[j] == columns[j - count] + 1)
        j++;
    return j == count;
}

/* Sets moves[i] to 0 if the columns of row i do not follow from row i - 1, to 1 if they are equal, and to 2
 * if each is increased by one. */
static void compare_rows(const struct spmmi_csr_pattern *a, int threads, uint8_t *moves)
{
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < a->rows; i++)
        moves[i] = i == 0 ? 0 : spmmi_csr_row_repeats(a, i) ? 1 : is_moved(a, i) ? 2 : 0;
}

/* Returns true if row i of the left factor meets only rows of the right factor that are moved by one. Only
 * then a moved row of the left factor gives a moved row of C. */
static int meets_moved(const struct spmmi_spgemm_task *task, int64_t i, const uint8_t *right)
{
    const struct spmmi_csr_pattern *left = &task->left;
    int64_t p = left->row_ptr[i];
    while (p < left->row_ptr[i + 1] && right[left->col_ind[p]] == 2)
        p++;
    return p == left->row_ptr[i + 1];
}

spmm_status_t spmmi_spgemm_repeats_make(const struct spmmi_spgemm_task *task, int threads,
                                        struct spmmi_spgemm_repeats *repeats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_csr_pattern *left = &task->left, *right = &task->right;
    const int is_square = left->row_ptr == right->row_ptr && left->col_ind == right->col_ind;
    *repeats = (struct spmmi_spgemm_repeats){NULL, NULL};
    SPMM_TRY_ALLOC(repeats->rows = spmmi_alloc((uint64_t)left->rows, 1), diag);
    SPMM_TRY_ALLOC(repeats->right = spmmi_alloc((uint64_t)right->rows, 1), diag);
    uint8_t *const rows = repeats->rows;
    compare_rows(right, threads, repeats->right);
    if (is_square)
        memcpy(rows, repeats->right, (size_t)left->rows);
    else
        compare_rows(left, threads, rows);
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < left->rows; i++)
        /* In a lower triangle, row i may have one column more than row i - 1, so equal rows do not repeat. */
        if (rows[i] == 1 ? task->is_lower : rows[i] == 2 && !meets_moved(task, i, repeats->right))
            rows[i] = 0;
cleanup:
    return status;
}

void spmmi_spgemm_repeats_free(struct spmmi_spgemm_repeats *repeats)
{
    spmmi_free(repeats->right);
    spmmi_free(repeats->rows);
    *repeats = (struct spmmi_spgemm_repeats){NULL, NULL};
}

uint64_t spmmi_spgemm_repeats_bytes(const struct spmmi_spgemm_task *task)
{
    return (uint64_t)task->left.rows + (uint64_t)task->right.rows;
}
