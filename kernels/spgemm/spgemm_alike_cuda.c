/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_alike.h. */
#include "spgemm_alike.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "spgemm_launch.h"
#include "spgemm_longs.h"

/* Minimum mean number of products per position that is read: from here on groups are faster. On an H200 in
 * f64, with 9 products they reached 1.8 to 2.2 times the speed of single rows; with 3.9 they were slower. */
#define PAYING_PRODUCTS 6.0

static void compare_rows(const struct spmmi_csr_pattern *a, int threads, uint8_t *is_alike)
{
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int64_t i = 0; i < a->rows; i++) /* empty rows have no work to share */
        is_alike[i] = i > 0 && a->row_ptr[i + 1] > a->row_ptr[i] && spmmi_csr_row_repeats(a, i);
}

/* Takes rows that may have lists out of all groups. */
static void separate_long(const struct spmmi_spgemm_stage *stage, uint8_t *is_alike)
{
    const int64_t *left = stage->task.left.row_ptr;
    for (int64_t i = 0; i < stage->task.left.rows; i++)
        is_alike[i] = is_alike[i] && !spmmi_spgemm_may_have_lists(stage, left[i + 1] - left[i]);
}

spmm_status_t spmmi_spgemm_alike_make(const struct spmmi_spgemm_stage *stage, int threads,
                                      struct spmmi_spgemm_alike *alike, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_task *task = &stage->task;
    SPMM_TRY_ALLOC(alike->left = spmmi_alloc((uint64_t)task->left.rows, 1), diag);
    SPMM_TRY_ALLOC(alike->right = spmmi_alloc((uint64_t)task->right.rows, 1), diag);
    compare_rows(&task->left, threads, alike->left);
    compare_rows(&task->right, threads, alike->right);
    separate_long(stage, alike->left);
cleanup:
    return status;
}

void spmmi_spgemm_alike_free(struct spmmi_spgemm_alike *alike)
{
    spmmi_free(alike->left);
    spmmi_free(alike->right);
}

int64_t spmmi_spgemm_alike_rows(const struct spmmi_spgemm_alike *alike, int64_t row, int64_t end)
{
    int64_t rows = 1;
    while (rows < SPMMI_SPGEMM_GROUP && row + rows < end && alike->left[row + rows])
        rows++;
    return rows;
}

int64_t spmmi_spgemm_alike_columns(const struct spmmi_spgemm_alike *alike,
                                   const struct spmmi_spgemm_task *task, int64_t p, int64_t end)
{
    const int32_t *columns = task->left.col_ind;
    int64_t count = 1;
    while (count < SPMMI_SPGEMM_GROUP && p + count < end && columns[p + count] == columns[p] + count &&
           alike->right[columns[p + count]])
        count++;
    return count;
}

int spmmi_spgemm_alike_pays(const struct spmmi_spgemm_alike *alike, const struct spmmi_spgemm_task *task)
{
    const int64_t *left = task->left.row_ptr, rows = task->left.rows;
    double groups = 0, entries = 0, runs = 0;
    for (int64_t i = 0; i < rows; i += spmmi_spgemm_alike_rows(alike, i, rows)) {
        groups++;
        entries += (double)(left[i + 1] - left[i]);
        for (int64_t p = left[i]; p < left[i + 1]; runs++)
            p += spmmi_spgemm_alike_columns(alike, task, p, left[i + 1]);
    }
    return runs > 0 && (double)rows / groups * (entries / runs) >= PAYING_PRODUCTS;
}
