/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of a matrix: create a copy from CSR arrays, view, describe, destroy. */
#include "matrix.h"

#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/base/stored_value.h"
#include "format/plan.h"

static int64_t index_at(const void *array, spmm_itype_t type, int64_t i)
{
    return type == SPMM_I64 ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

static bool is_itype(spmm_itype_t type)
{
    return type == SPMM_I32 || type == SPMM_I64;
}

static spmm_status_t check_arguments(const spmm_csr_t *csr, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(csr->rows >= 0 && csr->rows <= SPMMI_DIM_MAX && csr->cols >= 0 &&
                     csr->cols <= SPMMI_DIM_MAX && csr->nnz >= 0 && csr->nnz <= SPMMI_NNZ_MAX,
                 SPMM_ERR_CSR, diag,
                 "expected rows and cols up to %lld and nnz up to %lld, found %lld, %lld and %lld",
                 (long long)SPMMI_DIM_MAX, (long long)SPMMI_NNZ_MAX, (long long)csr->rows,
                 (long long)csr->cols, (long long)csr->nnz);
    SPMM_REQUIRE(csr->row_ptr != NULL && (csr->col_ind != NULL || csr->nnz == 0), SPMM_ERR_ARGUMENT, diag,
                 "row_ptr or col_ind is NULL");
    SPMM_REQUIRE(is_itype(csr->row_ptr_type) && is_itype(csr->col_ind_type), SPMM_ERR_ARGUMENT, diag,
                 "expected index types SPMM_I32 or SPMM_I64, found %d and %d", (int)csr->row_ptr_type,
                 (int)csr->col_ind_type);
    SPMM_REQUIRE(csr->values == NULL || spmm_dtype_size(csr->value_type) != 0, SPMM_ERR_ARGUMENT, diag,
                 "value type %d is none that spmm knows", (int)csr->value_type);
cleanup:
    return status;
}

static spmm_status_t copy_row_ptr(const spmm_csr_t *csr, int64_t *row_ptr, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i <= csr->rows; i++) {
        row_ptr[i] = index_at(csr->row_ptr, csr->row_ptr_type, i);
        const struct spmmi_where row = {i > 0 ? (uint64_t)i - 1 : 0, 0, 0};
        if (i == 0 && row_ptr[0] != 0)
            SPMM_FAIL_AT(SPMM_ERR_CSR, diag, row, "expected row_ptr[0] = 0, found %lld",
                         (long long)row_ptr[0]);
        if (i > 0 && (row_ptr[i] < row_ptr[i - 1] || row_ptr[i] > csr->nnz))
            SPMM_FAIL_AT(SPMM_ERR_CSR, diag, row,
                         "expected row_ptr[%lld] from %lld to nnz = %lld, found %lld", (long long)i,
                         (long long)row_ptr[i - 1], (long long)csr->nnz, (long long)row_ptr[i]);
    }
    const struct spmmi_where last = {csr->rows > 0 ? (uint64_t)csr->rows - 1 : 0, 0, 0};
    if (row_ptr[csr->rows] != csr->nnz)
        SPMM_FAIL_AT(SPMM_ERR_CSR, diag, last, "expected row_ptr[rows] = nnz = %lld, found %lld",
                     (long long)csr->nnz, (long long)row_ptr[csr->rows]);
cleanup:
    return status;
}

static spmm_status_t copy_col_ind(const spmm_csr_t *csr, const int64_t *row_ptr, int32_t *col_ind,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t previous = -1;
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            const int64_t col = index_at(csr->col_ind, csr->col_ind_type, p);
            if (col <= previous || col >= csr->cols)
                SPMM_FAIL_AT(SPMM_ERR_CSR, diag, ((struct spmmi_where){(uint64_t)i, 0, 0}),
                             "row %lld, entry %lld: expected a column from %lld to %lld, found %lld",
                             (long long)i, (long long)p, (long long)previous + 1, (long long)csr->cols - 1,
                             (long long)col);
            col_ind[p] = (int32_t)col;
            previous = col;
        }
    }
cleanup:
    return status;
}

static void copy_values(const spmm_csr_t *csr, spmm_matrix_t *matrix)
{
    for (int64_t p = 0; p < csr->nnz; p++) {
        const double value = spmmi_value_load(csr->values, csr->value_type, p);
        matrix->values[p] = value;
        matrix->info.zeros_kept += value == 0;
        matrix->info.not_finite += !(value - value == 0);
    }
}

spmm_status_t spmm_matrix_from_csr(const spmm_csr_t *csr, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_matrix_t *m = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    *matrix = NULL;
    SPMM_REQUIRE(csr != NULL, SPMM_ERR_ARGUMENT, diag, "csr is NULL");
    SPMM_TRY(check_arguments(csr, diag));
    m = spmmi_alloc_zero(1, sizeof *m);
    SPMM_TRY_ALLOC(m, diag);
    m->rows = csr->rows;
    m->cols = csr->cols;
    m->nnz = csr->nnz;
    m->row_ptr = spmmi_alloc((uint64_t)csr->rows + 1, sizeof *m->row_ptr);
    SPMM_TRY_ALLOC(m->row_ptr, diag);
    SPMM_TRY(copy_row_ptr(csr, m->row_ptr, diag));
    m->col_ind = spmmi_alloc((uint64_t)csr->nnz, sizeof *m->col_ind);
    SPMM_TRY_ALLOC(m->col_ind, diag);
    SPMM_TRY(copy_col_ind(csr, m->row_ptr, m->col_ind, diag));
    if (csr->values != NULL) {
        m->values = spmmi_alloc((uint64_t)csr->nnz, sizeof *m->values);
        SPMM_TRY_ALLOC(m->values, diag);
        copy_values(csr, m);
    }
    m->info.entries_stored = m->nnz;
    strcpy(m->info.format, "csr");
    strcpy(m->info.field, csr->values != NULL ? "real" : "pattern");
    strcpy(m->info.symmetry, "general");
    *matrix = m;
    m = NULL;
cleanup:
    spmm_matrix_destroy(m);
    return status;
}

spmm_status_t spmm_matrix_csr(const spmm_matrix_t *matrix, spmm_csr_t *view)
{
    if (matrix == NULL || view == NULL)
        return SPMM_ERR_ARGUMENT;
    *view = (spmm_csr_t){matrix->rows,    matrix->cols,    matrix->nnz, SPMM_I64,      SPMM_I32,
                         matrix->row_ptr, matrix->col_ind, SPMM_F64,    matrix->values};
    return SPMM_OK;
}

spmm_status_t spmm_matrix_info(const spmm_matrix_t *matrix, spmm_matrix_info_t *info)
{
    if (matrix == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_matrix_info_t full = matrix->info;
    full.rows = matrix->rows;
    full.cols = matrix->cols;
    full.nnz = matrix->nnz;
    return spmmi_info_write(info, &full, sizeof full);
}

void spmm_matrix_destroy(spmm_matrix_t *matrix)
{
    if (matrix == NULL)
        return;
    spmmi_free(matrix->values);
    spmmi_free(matrix->col_ind);
    spmmi_free(matrix->row_ptr);
    spmmi_free(matrix);
}
