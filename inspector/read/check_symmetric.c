/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a matrix whose entries are in any order equals its transpose. Used for formats that require
 * both triangles. */
#include <string.h>

#include "format/base/diag.h"
#include "reader.h"

struct transpose {
    int64_t *row_ptr; /* rows + 1 values */
    int32_t *rows;    /* row indices of A, ascending in each row of the transpose */
    double *values;   /* NULL if A has no values */
    /* Per row of A: 1 + its position in the current row of the transpose; 0: not there. */
    int64_t *place;
};

static spmm_status_t transpose_alloc(struct spmmi_reader *reader, const spmm_matrix_t *a, struct transpose *t)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)a->rows;
    const uint64_t nnz = (uint64_t)a->nnz;
    SPMM_TRY(
        spmmi_reader_alloc(reader, "row pointers of the transpose", rows + 1, sizeof(int64_t), &t->row_ptr));
    SPMM_TRY(spmmi_reader_alloc(reader, "positions in the transpose", rows, sizeof(int64_t), &t->place));
    SPMM_TRY(spmmi_reader_alloc(reader, "rows of the transpose", nnz, sizeof(int32_t), &t->rows));
    if (a->values != NULL)
        SPMM_TRY(spmmi_reader_alloc(reader, "values of the transpose", nnz, sizeof(double), &t->values));
cleanup:
    return status;
}

static void transpose_free(struct spmmi_reader *reader, const spmm_matrix_t *a, struct transpose *t)
{
    const uint64_t rows = (uint64_t)a->rows;
    const uint64_t nnz = (uint64_t)a->nnz;
    spmmi_reader_free(reader, t->row_ptr, rows + 1, sizeof(int64_t));
    spmmi_reader_free(reader, t->place, rows, sizeof(int64_t));
    spmmi_reader_free(reader, t->rows, nnz, sizeof(int32_t));
    spmmi_reader_free(reader, t->values, nnz, sizeof(double));
}

static void transpose_fill(const spmm_matrix_t *a, struct transpose *t)
{
    memset(t->row_ptr, 0, ((size_t)a->rows + 1) * sizeof *t->row_ptr);
    for (int64_t q = 0; q < a->nnz; q++)
        t->row_ptr[a->col_ind[q] + 1]++;
    for (int64_t i = 0; i < a->rows; i++)
        t->row_ptr[i + 1] += t->row_ptr[i];
    memcpy(t->place, t->row_ptr, (size_t)a->rows * sizeof *t->place);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++) {
            const int64_t k = t->place[a->col_ind[q]]++;
            t->rows[k] = (int32_t)i;
            if (t->values != NULL)
                t->values[k] = a->values[q];
        }
    memset(t->place, 0, (size_t)a->rows * sizeof *t->place);
}

/* Matches each entry of row i with an entry of the transpose, at most once. Returns the column of an entry
 * without a match, or -1. */
static int64_t unmatched(const spmm_matrix_t *a, struct transpose *t, int64_t i)
{
    for (int64_t k = t->row_ptr[i]; k < t->row_ptr[i + 1]; k++)
        t->place[t->rows[k]] = k + 1;
    for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++) {
        const int64_t k = t->place[a->col_ind[q]] - 1;
        if (k < t->row_ptr[i] || (t->values != NULL && t->values[k] != a->values[q]))
            return a->col_ind[q];
        t->place[a->col_ind[q]] = 0;
    }
    return -1;
}

spmm_status_t spmmi_check_symmetric(struct spmmi_reader *reader, const spmm_matrix_t *a)
{
    spmm_status_t status = SPMM_OK;
    struct transpose t = {NULL, NULL, NULL, NULL};
    SPMM_TRY(transpose_alloc(reader, a, &t));
    transpose_fill(a, &t);
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t col = unmatched(a, &t, i);
        if (col < 0)
            continue;
        status = spmmi_reader_fail(
            reader, SPMM_ERR_MATRIX_SYNTAX, 0,
            "expected each edge once at both of its vertices, found the edge %lld to %lld without its "
            "counterpart, or with another weight or count there",
            (long long)i + 1, (long long)col + 1);
        goto cleanup;
    }
cleanup:
    transpose_free(reader, a, &t);
    return status;
}
