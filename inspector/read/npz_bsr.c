/* SPDX-License-Identifier: Apache-2.0 */
/* The layout bsr: rows of dense blocks, which are stored row-major. Every number of a block is an entry,
 * including zeros. */
#include "format/base/diag.h"
#include "format/plan.h"
#include "npz_arrays.h"
#include "npz_layouts.h"

/* Blocks of high x wide values: block row i has the blocks at columns cols[starts[i] .. starts[i + 1]). */
struct blocks {
    int64_t count, block_rows, block_cols;
    int64_t high, wide;
    int64_t *starts;
    int32_t *cols;
};

/* Reads the shape of the blocks from the shape of the values, and checks that it divides the matrix. */
static spmm_status_t read_shape(struct spmmi_zip *zip, spmm_matrix_t *matrix, struct blocks *b)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy data;
    SPMM_TRY(spmmi_npz_open_data(zip, 3, matrix, &data));
    b->count = data.shape[0];
    b->high = data.shape[1];
    b->wide = data.shape[2];
    if (b->high == 0 || b->wide == 0 || matrix->rows % b->high != 0 || matrix->cols % b->wide != 0) {
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX,
                                "expected blocks that divide a matrix of %lld x %lld, found %lld x %lld",
                                (long long)matrix->rows, (long long)matrix->cols, (long long)b->high,
                                (long long)b->wide);
        goto cleanup;
    }
    b->block_rows = matrix->rows / b->high;
    b->block_cols = matrix->cols / b->wide;
    matrix->nnz = data.count;
cleanup:
    return status;
}

/* Sets the row pointers and the columns of every row, in the order of the blocks. */
static void set_pattern(const struct blocks *b, spmm_matrix_t *matrix)
{
    for (int64_t i = 0; i < b->block_rows; i++) {
        const int64_t first = b->starts[i];
        const int64_t length = (b->starts[i + 1] - first) * b->wide;
        for (int64_t r = 0; r < b->high; r++) {
            const int64_t row_start = first * b->high * b->wide + r * length;
            matrix->row_ptr[i * b->high + r + 1] = row_start + length;
            for (int64_t q = 0; q < length; q++)
                matrix->col_ind[row_start + q] =
                    (int32_t)(b->cols[first + q / b->wide] * b->wide + q % b->wide);
        }
    }
}

static spmm_status_t read_values(struct spmmi_zip *zip, const struct blocks *b, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_npy data;
    SPMM_TRY(spmmi_npz_open_data(zip, 3, matrix, &data));
    for (int64_t i = 0; i < b->block_rows; i++) {
        for (int64_t k = b->starts[i]; k < b->starts[i + 1]; k++) {
            for (int64_t r = 0; r < b->high; r++) {
                const int64_t row_start = matrix->row_ptr[i * b->high + r];
                double *to = matrix->values + row_start + (k - b->starts[i]) * b->wide;
                SPMM_TRY(spmmi_npy_reals(&data, to, b->wide, &matrix->info.integers_inexact));
            }
        }
    }
    SPMM_TRY(spmmi_npy_close(&data));
cleanup:
    return status;
}

spmm_status_t spmmi_npz_read_bsr(struct spmmi_zip *zip, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader *reader = zip->reader;
    struct blocks b = {0, 0, 0, 0, 0, NULL, NULL};
    SPMM_TRY(read_shape(zip, matrix, &b));
    SPMM_TRY(spmmi_npz_starts(zip, "indptr.npy", b.block_rows, b.count, &b.starts));
    SPMM_TRY(spmmi_reader_alloc(reader, "columns of the blocks", (uint64_t)b.count, sizeof *b.cols, &b.cols));
    SPMM_TRY(spmmi_npz_indices(zip, "indices.npy", b.count, b.block_cols, b.cols));
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, true));
    set_pattern(&b, matrix);
    SPMM_TRY(read_values(zip, &b, matrix));
cleanup:
    spmmi_reader_free(reader, b.starts, (uint64_t)b.block_rows + 1, sizeof *b.starts);
    spmmi_reader_free(reader, b.cols, (uint64_t)b.count, sizeof *b.cols);
    return status;
}
