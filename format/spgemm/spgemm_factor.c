/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_factor.h. */
#include "spgemm_factor.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/plan.h"

static spmm_status_t transpose(const struct spmmi_csr_pattern *a, struct spmmi_spgemm_factor *f,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t nnz = (uint64_t)a->row_ptr[a->rows];
    SPMM_TRY_ALLOC(f->row_ptr = spmmi_alloc((uint64_t)a->cols + 1, sizeof *f->row_ptr), diag);
    SPMM_TRY_ALLOC(f->col_ind = spmmi_alloc(nnz, sizeof *f->col_ind), diag);
    SPMM_TRY_ALLOC(f->map = spmmi_alloc(nnz, sizeof *f->map), diag);
    status = spmmi_transpose(a->rows, a->cols, a->row_ptr, a->col_ind, f->row_ptr, f->col_ind, f->map);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for a transpose of %lld rows",
                 (long long)a->cols);
    f->pattern = (struct spmmi_csr_pattern){a->cols, a->rows, f->row_ptr, f->col_ind};
cleanup:
    return status;
}

/* Returns true if the columns of the factor are numbered anew: a right factor has many columns for its
 * entries. */
static int is_numbered(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right, int keeps_columns)
{
    const int64_t cols = op == SPMM_OP_T ? operand->rows : operand->cols;
    return is_right && !keeps_columns && spmmi_columns_are_many(cols, operand->row_ptr[operand->rows]);
}

spmm_status_t spmmi_spgemm_factor_make(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right,
                                       int keeps_columns, int threads, struct spmmi_spgemm_factor *f,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *f = (struct spmmi_spgemm_factor){.pattern = *operand};
    if (op == SPMM_OP_T)
        SPMM_TRY(transpose(operand, f, diag));
    if (is_numbered(operand, op, is_right, keeps_columns)) {
        f->numbers = spmmi_columns_own(f->pattern.cols, f->pattern.col_ind);
        status = spmmi_columns_number(&f->numbers, f->pattern.row_ptr[f->pattern.rows], 1, threads);
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the numbers of %lld columns",
                     (long long)f->pattern.cols);
        f->pattern.cols = f->numbers.cols;
        f->pattern.col_ind = f->numbers.col_ind;
    }
cleanup:
    return status;
}

void spmmi_spgemm_factor_free(struct spmmi_spgemm_factor *f)
{
    spmmi_numbered_columns_free(&f->numbers);
    spmmi_free(f->map);
    spmmi_free(f->col_ind);
    spmmi_free(f->row_ptr);
    *f = (struct spmmi_spgemm_factor){.row_ptr = NULL};
}

uint64_t spmmi_spgemm_factor_bytes(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right,
                                   int keeps_columns)
{
    const uint64_t nnz = (uint64_t)operand->row_ptr[operand->rows];
    uint64_t bytes = 0;
    if (op == SPMM_OP_T) /* includes the counters of the transposition */
        bytes +=
            2 * ((uint64_t)operand->cols + 1) * sizeof(int64_t) + nnz * (sizeof(int32_t) + sizeof(int64_t));
    if (is_numbered(operand, op, is_right, keeps_columns))
        bytes += 2 * nnz * sizeof(int32_t);
    return bytes;
}
