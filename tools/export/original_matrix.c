/* SPDX-License-Identifier: Apache-2.0 */
/* See original_matrix.h. */
#include "original_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"

struct entry {
    int64_t position;
    int32_t column;
};

static int by_column(const void *a, const void *b)
{
    const int32_t left = ((const struct entry *)a)->column, right = ((const struct entry *)b)->column;
    return (left > right) - (left < right);
}

/* Lists the entries of one row of PAP^T with their column numbers in A, in ascending order. */
static void sort_row(const spmm_csr_t *permuted, const uint32_t *permutation, int64_t row,
                     struct entry *entries)
{
    const int64_t *row_ptr = permuted->row_ptr;
    const int32_t *col_ind = permuted->col_ind;
    const int64_t begin = row_ptr[row], count = row_ptr[row + 1] - begin;
    for (int64_t i = 0; i < count; i++)
        entries[i] = (struct entry){begin + i, (int32_t)permutation[col_ind[begin + i]]};
    qsort(entries, (size_t)count, sizeof *entries, by_column);
}

static void copy_values(const spmm_csr_t *permuted, struct original_matrix *original)
{
    const size_t bytes = spmm_dtype_size(permuted->value_type);
    for (int64_t q = 0; q < permuted->nnz; q++)
        memcpy((char *)original->values + (size_t)q * bytes,
               (const char *)permuted->values + (size_t)original->position[q] * bytes, bytes);
}

/* Fills the arrays of A. Row r of A is row inverse[r] of PAP^T. */
static void fill(const spmm_csr_t *permuted, const uint32_t *permutation, const uint32_t *inverse,
                 struct entry *entries, struct original_matrix *original)
{
    int64_t end = 0;
    original->row_ptr[0] = 0;
    for (int64_t r = 0; r < permuted->rows; r++) {
        const int64_t *row = (const int64_t *)permuted->row_ptr + inverse[r];
        sort_row(permuted, permutation, inverse[r], entries);
        for (int64_t i = 0; i < row[1] - row[0]; i++, end++) {
            original->position[end] = entries[i].position;
            original->col_ind[end] = entries[i].column;
        }
        original->row_ptr[r + 1] = end;
    }
    if (permuted->values != NULL)
        copy_values(permuted, original);
    original->csr.row_ptr = original->row_ptr;
    original->csr.col_ind = original->col_ind;
    original->csr.values = original->values;
}

static spmm_status_t undo(const spmm_csr_t *permuted, const uint32_t *permutation, int64_t row_max,
                          struct original_matrix *original, spmm_diag_t *diag)
{
    const size_t rows = (size_t)permuted->rows, nnz = (size_t)permuted->nnz;
    const size_t value_bytes = permuted->values != NULL ? spmm_dtype_size(permuted->value_type) : 0;
    uint32_t *inverse = malloc((rows + 1) * sizeof *inverse);
    struct entry *entries = malloc(((size_t)row_max + 1) * sizeof *entries);
    original->row_ptr = malloc((rows + 1) * sizeof *original->row_ptr);
    original->col_ind = malloc((nnz + 1) * sizeof *original->col_ind);
    original->position = malloc((nnz + 1) * sizeof *original->position);
    original->values = malloc(nnz * value_bytes + 1);
    const int is_room = inverse != NULL && entries != NULL && original->row_ptr != NULL &&
                        original->col_ind != NULL && original->position != NULL && original->values != NULL;
    if (is_room) {
        for (size_t i = 0; i < rows; i++)
            inverse[permutation[i]] = (uint32_t)i;
        if (value_bytes == 0) {
            free(original->values);
            original->values = NULL;
        }
        fill(permuted, permutation, inverse, entries, original);
    }
    free(entries);
    free(inverse);
    return is_room ? SPMM_OK : fail_memory(diag, nnz * (12 + value_bytes), "the matrix in its own order");
}

spmm_status_t original_matrix_of(const spmm_plan_t *plan, struct original_matrix *original, spmm_diag_t *diag)
{
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    spmm_csr_t permuted;
    spmm_matrix_stats_t stats = {.struct_size = sizeof stats};
    *original = (struct original_matrix){.position = NULL};
    if (spmm_plan_csr(plan, &permuted) != SPMM_OK || spmm_plan_matrix_stats(plan, &stats) != SPMM_OK ||
        spmm_plan_symmetric_permutation(plan, &permutation, &count) != SPMM_OK)
        return fail(diag, SPMM_ERR_INTERNAL, "the plan does not give its matrix");
    original->csr = permuted;
    return permutation == NULL ? SPMM_OK : undo(&permuted, permutation, stats.row_max, original, diag);
}

void original_matrix_free(struct original_matrix *original)
{
    free(original->row_ptr);
    free(original->col_ind);
    free(original->position);
    free(original->values);
}
