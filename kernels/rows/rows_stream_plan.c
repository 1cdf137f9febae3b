/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_stream_plan.h. The rules are the same as in rows_stream_cuda.c and rows_slices_cuda.c. */
#include "rows_stream_plan.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "rows_slices_shape.h"

/* Computes the slices of the transpose. `bytes` includes row pointers that spmmi_transpose allocates. */
static spmm_status_t slices_of_transpose(const spmm_plan_t *plan, uint64_t budget,
                                         struct spmmi_row_slices *slices, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)plan->cols + 1, nnz = (uint64_t)plan->nnz;
    const uint64_t bytes = 2 * rows * sizeof(int64_t) + nnz * sizeof(int32_t);
    int64_t *row_ptr = NULL;
    int32_t *col_ind = NULL;
    SPMM_REQUIRE(budget == 0 || bytes <= budget, SPMM_ERR_PLAN_BUDGET, diag,
                 "a transpose takes %llu bytes, at most %llu are allowed", (unsigned long long)bytes,
                 (unsigned long long)budget);
    SPMM_TRY_ALLOC(row_ptr = spmmi_alloc(rows, sizeof *row_ptr), diag);
    SPMM_TRY_ALLOC(col_ind = spmmi_alloc(nnz, sizeof *col_ind), diag);
    status = spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, row_ptr, col_ind, NULL);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for a transpose of %lld rows",
                 (long long)plan->cols);
    *slices = spmmi_row_slices_of(plan->cols, row_ptr, col_ind);
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

static void fill_slices(const spmm_plan_t *plan, const struct spmmi_row_slices *slices, spmm_dtype_t dtype,
                        spmm_stream_info_t *info)
{
    const enum spmmi_slice_index index = spmmi_slices_index(slices, (uint32_t)spmm_dtype_size(dtype));
    if (!spmmi_slices_fit(plan->nnz, slices->entries, slices->padding_max, 0))
        return;
    info->slice_bits = index == SPMMI_INDEX_32 ? 32 : spmmi_slice_has_high(index) ? 20 : 16;
    info->slice_run = (int)spmmi_slice_run(index);
}

spmm_status_t spmmi_rows_stream_of(const spmm_plan_t *plan, const struct spmmi_part *part, spmm_dtype_t dtype,
                                   int has_one_column, uint64_t budget_bytes, spmm_stream_info_t *info,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_row_slices slices;
    const int64_t cols = part->op == SPMM_OP_N ? plan->cols : plan->rows;
    info->column_bits = cols <= SPMMI_NARROW_COLUMNS ? 16 : 32;
    if (!has_one_column || part->schedule != SPMM_SCHEDULE_ROW_SPLIT)
        return SPMM_OK;
    if (part->op == SPMM_OP_T)
        SPMM_TRY(slices_of_transpose(plan, budget_bytes, &slices, diag));
    else
        slices = spmmi_row_slices_of(plan->rows, plan->row_ptr, plan->col_ind);
    fill_slices(plan, &slices, dtype, info);
cleanup:
    return status;
}
