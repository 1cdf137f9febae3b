/* SPDX-License-Identifier: Apache-2.0 */
/* See mat_matrix.h. */
#include "mat_matrix.h"

#include "format/base/diag.h"
#include "format/plan.h"

static double value_at(const struct spmmi_mat_values *v, uint64_t k, spmm_matrix_t *matrix)
{
    bool inexact = false;
    const double real = spmmi_mat_number(&v->real, k, &inexact);
    matrix->info.integers_inexact += inexact;
    return spmmi_is_complex(v->field)
               ? spmmi_complex_take(v->field, real, spmmi_mat_number(&v->imaginary, k, &inexact))
               : real;
}

/* Reads number k, which must be in [low, high]; a fraction is truncated. */
static spmm_status_t read_integer(struct spmmi_mat *mat, const struct spmmi_mat_numbers *numbers, uint64_t k,
                                  const char *what, int64_t low, int64_t high, int64_t *number)
{
    bool inexact = false;
    const double value = spmmi_mat_number(numbers, k, &inexact);
    if (value < (double)low || value > (double)high)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected %s from %lld to %lld, found %.0f", what,
                              (long long)low, (long long)high, value);
    *number = (int64_t)value;
    return SPMM_OK;
}

/* Sets the column of each entry. */
static spmm_status_t read_columns(struct spmmi_mat *mat, const struct spmmi_mat_numbers *pointers,
                                  int64_t cols, struct spmmi_triplets *triplets)
{
    spmm_status_t status = SPMM_OK;
    int64_t first = 0;
    SPMM_TRY(read_integer(mat, pointers, 0, "a first column pointer", 0, 0, &first));
    for (int64_t col = 0; col < cols; col++) {
        int64_t next = 0;
        SPMM_TRY(read_integer(mat, pointers, (uint64_t)col + 1, "a column pointer", first, triplets->capacity,
                              &next));
        for (int64_t q = first; q < next; q++)
            triplets->cols[q] = (int32_t)col;
        first = next;
    }
cleanup:
    return status;
}

spmm_status_t spmmi_mat_entries(struct spmmi_mat *mat, const struct spmmi_mat_numbers *rows,
                                const struct spmmi_mat_numbers *pointers, int64_t cols, int64_t *entries)
{
    return read_integer(mat, pointers, (uint64_t)cols, "a last column pointer", 0, (int64_t)rows->count,
                        entries);
}

spmm_status_t spmmi_mat_read_sparse(struct spmmi_mat *mat, const struct spmmi_mat_numbers *rows,
                                    const struct spmmi_mat_numbers *pointers,
                                    const struct spmmi_mat_values *values, int64_t entries,
                                    spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    SPMM_TRY(spmmi_triplets_alloc(mat->reader, &triplets, entries, true));
    SPMM_TRY(read_columns(mat, pointers, matrix->cols, &triplets));
    for (int64_t q = 0; q < entries; q++) {
        int64_t row = 0;
        SPMM_TRY(read_integer(mat, rows, (uint64_t)q, "a row index", 0, matrix->rows - 1, &row));
        triplets.rows[q] = (int32_t)row;
        triplets.values[q] = value_at(values, (uint64_t)q, matrix);
    }
    triplets.count = entries;
    spmmi_matrix_describe(matrix, values->field, SPMMI_GENERAL, entries);
    SPMM_TRY(spmmi_triplets_to_rows(mat->reader, &triplets, SPMMI_GENERAL, matrix));
cleanup:
    spmmi_triplets_free(mat->reader, &triplets);
    return status;
}

/* Converts from column-major in the file to row-major in the matrix. Zeros become entries too. */
spmm_status_t spmmi_mat_read_full(struct spmmi_mat *mat, const struct spmmi_mat_values *values,
                                  spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    const int64_t rows = matrix->rows;
    const int64_t cols = matrix->cols;
    matrix->nnz = rows * cols;
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(mat->reader, matrix));
    SPMM_TRY(spmmi_matrix_alloc_entries(mat->reader, matrix, true));
    for (int64_t i = 0; i < rows; i++) {
        matrix->row_ptr[i + 1] = (i + 1) * cols;
        for (int64_t j = 0; j < cols; j++) {
            matrix->col_ind[i * cols + j] = (int32_t)j;
            matrix->values[i * cols + j] = value_at(values, (uint64_t)(j * rows + i), matrix);
        }
    }
    spmmi_matrix_describe(matrix, values->field, SPMMI_GENERAL, matrix->nnz);
cleanup:
    return status;
}

spmm_status_t spmmi_mat_check(struct spmmi_mat *mat, const struct spmmi_mat_array *array)
{
    if (array->kind < SPMMI_MAT_SPARSE)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "expected a sparse or full array of numbers, found a "
                              "cell, struct, text or object");
    if (array->dims != 2)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "expected a matrix, found an array of %d dimensions", array->dims);
    if (array->rows > SPMMI_DIM_MAX || array->cols > SPMMI_DIM_MAX)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_TOO_LARGE,
                              "expected at most %lld rows and columns, "
                              "found %lld x %lld",
                              (long long)SPMMI_DIM_MAX, (long long)array->rows, (long long)array->cols);
    return SPMM_OK;
}
