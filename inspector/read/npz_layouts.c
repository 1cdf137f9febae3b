/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts csr, csc, coo and dia; bsr is in npz_bsr.c. See npz_layouts.h. */
#include "npz_layouts.h"

#include <string.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "npz_arrays.h"

static spmm_status_t read_csr(struct spmmi_zip *zip, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_npz_length(zip, "indices.npy", &matrix->nnz));
    SPMM_TRY(spmmi_npz_starts(zip, "indptr.npy", matrix->rows, matrix->nnz, &matrix->row_ptr));
    SPMM_TRY(spmmi_matrix_alloc_entries(zip->reader, matrix, true));
    SPMM_TRY(spmmi_npz_indices(zip, "indices.npy", matrix->nnz, matrix->cols, matrix->col_ind));
    SPMM_TRY(spmmi_npz_values(zip, matrix->nnz, matrix, matrix->values));
cleanup:
    return status;
}

/* Sets the column of every entry from the starts of the columns. */
static void expand_columns(const int64_t *starts, int64_t cols, int32_t *to)
{
    for (int64_t col = 0; col < cols; col++)
        for (int64_t q = starts[col]; q < starts[col + 1]; q++)
            to[q] = (int32_t)col;
}

static spmm_status_t read_csc(struct spmmi_zip *zip, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader *reader = zip->reader;
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    int64_t *starts = NULL;
    int64_t count = 0;
    SPMM_TRY(spmmi_npz_length(zip, "indices.npy", &count));
    SPMM_TRY(spmmi_npz_starts(zip, "indptr.npy", matrix->cols, count, &starts));
    SPMM_TRY(spmmi_triplets_alloc(reader, &triplets, count, true));
    triplets.count = count;
    expand_columns(starts, matrix->cols, triplets.cols);
    SPMM_TRY(spmmi_npz_indices(zip, "indices.npy", count, matrix->rows, triplets.rows));
    SPMM_TRY(spmmi_npz_values(zip, count, matrix, triplets.values));
    SPMM_TRY(spmmi_triplets_to_rows(reader, &triplets, SPMMI_GENERAL, matrix));
cleanup:
    spmmi_reader_free(reader, starts, (uint64_t)matrix->cols + 1, sizeof *starts);
    spmmi_triplets_free(reader, &triplets);
    return status;
}

static spmm_status_t read_coo(struct spmmi_zip *zip, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader *reader = zip->reader;
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    int64_t count = 0;
    SPMM_TRY(spmmi_npz_length(zip, "row.npy", &count));
    SPMM_TRY(spmmi_triplets_alloc(reader, &triplets, count, true));
    triplets.count = count;
    SPMM_TRY(spmmi_npz_indices(zip, "row.npy", count, matrix->rows, triplets.rows));
    SPMM_TRY(spmmi_npz_indices(zip, "col.npy", count, matrix->cols, triplets.cols));
    SPMM_TRY(spmmi_npz_values(zip, count, matrix, triplets.values));
    SPMM_TRY(spmmi_triplets_to_rows(reader, &triplets, SPMMI_GENERAL, matrix));
cleanup:
    spmmi_triplets_free(reader, &triplets);
    return status;
}

/* Reads one diagonal: element j is in column j and row j - offset. Elements outside the matrix and zeros are
 * not entries. */
static spmm_status_t read_diagonal(struct spmmi_npy *data, int64_t offset, spmm_matrix_t *matrix,
                                   struct spmmi_triplets *triplets)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t j = 0; j < data->shape[1]; j++) {
        double value = 0;
        SPMM_TRY(spmmi_npy_reals(data, &value, 1, &matrix->info.integers_inexact));
        if (value == 0 || j >= matrix->cols || j < offset || j - offset >= matrix->rows)
            continue;
        const int64_t q = triplets->count++;
        triplets->rows[q] = (int32_t)(j - offset);
        triplets->cols[q] = (int32_t)j;
        triplets->values[q] = value;
    }
cleanup:
    return status;
}

static spmm_status_t read_offsets(struct spmmi_zip *zip, int64_t count, int64_t *offsets)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy npy;
    SPMM_TRY(spmmi_npy_open(zip, "offsets.npy", &npy));
    SPMM_TRY(spmmi_npy_expect(&npy, true, 1));
    SPMM_TRY(spmmi_npy_integers(&npy, offsets, count));
    SPMM_TRY(spmmi_npy_close(&npy));
    for (int64_t k = 0; k < count; k++) {
        if (offsets[k] < -SPMMI_DIM_MAX || offsets[k] > SPMMI_DIM_MAX) {
            status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX, "expected offsets of diagonals, found %lld",
                                    (long long)offsets[k]);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

static spmm_status_t read_diagonals(struct spmmi_zip *zip, int64_t count, const int64_t *offsets,
                                    struct spmmi_triplets *triplets, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy data;
    SPMM_TRY(spmmi_npz_open_data(zip, 2, matrix, &data));
    if (data.shape[0] != count) {
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX, "expected %lld diagonals, found %lld",
                                (long long)count, (long long)data.shape[0]);
        goto cleanup;
    }
    SPMM_TRY(spmmi_triplets_alloc(zip->reader, triplets, data.count, true));
    for (int64_t k = 0; k < count; k++)
        SPMM_TRY(read_diagonal(&data, offsets[k], matrix, triplets));
    SPMM_TRY(spmmi_npy_close(&data));
    matrix->info.entries_stored = triplets->count;
cleanup:
    return status;
}

static spmm_status_t read_dia(struct spmmi_zip *zip, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader *reader = zip->reader;
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    int64_t *offsets = NULL;
    int64_t count = 0;
    SPMM_TRY(spmmi_npz_length(zip, "offsets.npy", &count));
    SPMM_TRY(spmmi_reader_alloc(reader, "offsets", (uint64_t)count, sizeof *offsets, &offsets));
    SPMM_TRY(read_offsets(zip, count, offsets));
    SPMM_TRY(read_diagonals(zip, count, offsets, &triplets, matrix));
    SPMM_TRY(spmmi_triplets_to_rows(reader, &triplets, SPMMI_GENERAL, matrix));
cleanup:
    spmmi_reader_free(reader, offsets, (uint64_t)count, sizeof *offsets);
    spmmi_triplets_free(reader, &triplets);
    return status;
}

const struct spmmi_npz_layout *spmmi_npz_layout_of(const char *name)
{
    static const struct spmmi_npz_layout layouts[] = {{"csr", read_csr},
                                                      {"csc", read_csc},
                                                      {"coo", read_coo},
                                                      {"bsr", spmmi_npz_read_bsr},
                                                      {"dia", read_dia}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(name, layouts[i].name) == 0)
            return &layouts[i];
    return NULL;
}
