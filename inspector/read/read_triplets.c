/* SPDX-License-Identifier: Apache-2.0 */
/* Converts entries in any order to the rows of a CSR matrix: counts the entries per row, then copies them one
 * by one. For formats that store columns or triplets. */
#include <string.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "reader.h"

spmm_status_t spmmi_triplets_alloc(struct spmmi_reader *reader, struct spmmi_triplets *triplets,
                                   int64_t capacity, bool has_values)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = (uint64_t)capacity;
    triplets->capacity = capacity;
    SPMM_TRY(spmmi_reader_alloc(reader, "rows of the entries", count, sizeof(int32_t), &triplets->rows));
    SPMM_TRY(spmmi_reader_alloc(reader, "columns of the entries", count, sizeof(int32_t), &triplets->cols));
    if (has_values)
        SPMM_TRY(
            spmmi_reader_alloc(reader, "values of the entries", count, sizeof(double), &triplets->values));
cleanup:
    return status;
}

void spmmi_triplets_free(struct spmmi_reader *reader, struct spmmi_triplets *triplets)
{
    const uint64_t count = (uint64_t)triplets->capacity;
    spmmi_reader_free(reader, triplets->rows, count, sizeof(int32_t));
    spmmi_reader_free(reader, triplets->cols, count, sizeof(int32_t));
    spmmi_reader_free(reader, triplets->values, count, sizeof(double));
    *triplets = (struct spmmi_triplets){0, 0, NULL, NULL, NULL};
}

/* Counts the entries of each row and computes the row pointers. */
static void count_rows(const struct spmmi_triplets *triplets, bool mirrored, spmm_matrix_t *matrix)
{
    int64_t *row_ptr = matrix->row_ptr;
    for (int64_t q = 0; q < triplets->count; q++) {
        const int32_t row = triplets->rows[q];
        const int32_t col = triplets->cols[q];
        row_ptr[row + 1]++;
        if (mirrored && row != col)
            row_ptr[col + 1]++;
    }
    for (int64_t i = 0; i < matrix->rows; i++)
        row_ptr[i + 1] += row_ptr[i];
    matrix->nnz = row_ptr[matrix->rows];
}

/* Appends an entry to its row and advances the row pointer. */
static void position(spmm_matrix_t *matrix, int32_t row, int32_t col, double value)
{
    const int64_t q = matrix->row_ptr[row]++;
    matrix->col_ind[q] = col;
    if (matrix->values != NULL)
        matrix->values[q] = value;
}

static void fill_rows(const struct spmmi_triplets *triplets, enum spmmi_symmetry symmetry,
                      spmm_matrix_t *matrix)
{
    for (int64_t q = 0; q < triplets->count; q++) {
        const int32_t row = triplets->rows[q];
        const int32_t col = triplets->cols[q];
        const double value = triplets->values != NULL ? triplets->values[q] : 1;
        position(matrix, row, col, value);
        if (symmetry != SPMMI_GENERAL && row != col)
            position(matrix, col, row, symmetry == SPMMI_SKEW ? -value : value);
    }
    /* Each row pointer is now at the start of the next row. */
    memmove(matrix->row_ptr + 1, matrix->row_ptr, (size_t)matrix->rows * sizeof *matrix->row_ptr);
    matrix->row_ptr[0] = 0;
}

spmm_status_t spmmi_triplets_to_rows(struct spmmi_reader *reader, const struct spmmi_triplets *triplets,
                                     enum spmmi_symmetry symmetry, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    count_rows(triplets, symmetry != SPMMI_GENERAL, matrix);
    SPMM_REQUIRE(matrix->nnz <= SPMMI_NNZ_MAX, SPMM_ERR_MATRIX_TOO_LARGE, reader->diag,
                 "%s: expected at most %lld nonzeros, found %lld", reader->label, (long long)SPMMI_NNZ_MAX,
                 (long long)matrix->nnz);
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, triplets->values != NULL));
    fill_rows(triplets, symmetry, matrix);
    spmmi_reader_progress(reader, "fill", (uint64_t)triplets->count, (uint64_t)triplets->count);
cleanup:
    return status;
}
