/* SPDX-License-Identifier: Apache-2.0 */
/* See new_values.h. */
#include "new_values.h"

#include <math.h>
#include <spmm/product.h>
#include <stdlib.h>
#include <string.h>

#include "original_matrix.h"
#include "tools/cli/fail.h"
#include "tools/cli/matrix_input.h"
#include "tools/cli/number.h"
#include "tools/compute/npy.h"

/* Fails with MISMATCH if row r differs between the plan's matrix a and the new matrix b, and reports the
 * first different entry. */
static spmm_status_t compare_row(const spmm_csr_t *a, const spmm_csr_t *b, int64_t r, spmm_diag_t *diag)
{
    const int64_t *a_ptr = (const int64_t *)a->row_ptr + r, *b_ptr = (const int64_t *)b->row_ptr + r;
    const int32_t *a_col = (const int32_t *)a->col_ind + a_ptr[0],
                  *b_col = (const int32_t *)b->col_ind + b_ptr[0];
    const int64_t a_count = a_ptr[1] - a_ptr[0], b_count = b_ptr[1] - b_ptr[0];
    int64_t i = 0;
    while (i < a_count && i < b_count && a_col[i] == b_col[i])
        i++;
    if (i == a_count && i == b_count)
        return SPMM_OK;
    const int is_missing = i == b_count || (i < a_count && a_col[i] < b_col[i]);
    return fail(diag, SPMM_ERR_MISMATCH,
                is_missing
                    ? "the plan has an entry in row %lld, column %lld (counted from 1), the matrix has none"
                    : "the matrix has an entry in row %lld, column %lld (counted from 1), the plan has none",
                (long long)r + 1, (long long)(is_missing ? a_col[i] : b_col[i]) + 1);
}

/* Compares in the order of the inspected matrix, so that a message has the rows and columns of the file. */
static spmm_status_t compare_patterns(const spmm_csr_t *a, const spmm_csr_t *b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (a->rows != b->rows || a->cols != b->cols)
        return fail(diag, SPMM_ERR_MISMATCH,
                    "the plan is of a matrix of %lld x %lld, this one has %lld x %lld", (long long)a->rows,
                    (long long)a->cols, (long long)b->rows, (long long)b->cols);
    for (int64_t r = 0; r < a->rows && status == SPMM_OK; r++)
        status = compare_row(a, b, r, diag);
    return status;
}

/* Copies values from the order of the inspected matrix to the order of the plan. */
static void put_in_order(const struct original_matrix *original, spmm_dtype_t type, const void *values,
                         void *ordered)
{
    const size_t bytes = spmm_dtype_size(type);
    for (int64_t q = 0; q < original->csr.nnz; q++)
        memcpy((char *)ordered + (size_t)original->position[q] * bytes,
               (const char *)values + (size_t)q * bytes, bytes);
}

/* Returns true if value q is finite, but infinite after rounding to the type of the plan. */
static int is_too_large(const spmm_csr_t *a, spmm_dtype_t type, const void *values, int64_t q)
{
    const double value = value_get(type, values, q);
    return isfinite(value) && isinf(value_round(a->value_type, value));
}

/* Checks that all values fit the type. The library checks this too, but would report row and column in the
 * plan's order. */
static spmm_status_t check_range(const spmm_csr_t *a, spmm_dtype_t type, const void *values,
                                 spmm_diag_t *diag)
{
    const int64_t *row_ptr = a->row_ptr;
    int64_t q = 0, row = 0;
    while (q < a->nnz && !is_too_large(a, type, values, q))
        q++;
    if (q == a->nnz)
        return SPMM_OK;
    while (row_ptr[row + 1] <= q)
        row++;
    return fail(diag, SPMM_ERR_ARGUMENT,
                "the value %.17g in row %lld, column %lld (counted from 1) is too large for %s, the type of "
                "the plan",
                value_get(type, values, q), (long long)row + 1,
                (long long)((const int32_t *)a->col_ind)[q] + 1, spmm_dtype_name(a->value_type));
}

static spmm_status_t set_values(const spmm_plan_t *plan, const struct original_matrix *original,
                                spmm_dtype_t type, const void *values, spmm_plan_t **updated,
                                spmm_diag_t *diag)
{
    const spmm_status_t range = check_range(&original->csr, type, values, diag);
    if (range != SPMM_OK)
        return range;
    if (original->position == NULL)
        return spmm_plan_with_values(plan, values, type, updated, diag);
    const size_t bytes = (size_t)original->csr.nnz * spmm_dtype_size(type);
    void *ordered = malloc(bytes + 1);
    if (ordered == NULL)
        return fail_memory(diag, bytes, "the values in the order of the plan");
    put_in_order(original, type, values, ordered);
    const spmm_status_t status = spmm_plan_with_values(plan, ordered, type, updated, diag);
    free(ordered);
    return status;
}

static spmm_status_t from_array(const spmm_plan_t *plan, const struct original_matrix *original,
                                const char *path, spmm_plan_t **updated, spmm_diag_t *diag)
{
    spmm_dense_t array = {.data = NULL};
    spmm_status_t status = npy_load(path, &array, diag);
    if (status == SPMM_OK && (array.cols != 1 || array.rows != original->csr.nnz))
        status = fail(diag, SPMM_ERR_MISMATCH, "expected %lld values in one dimension, found %lld x %lld",
                      (long long)original->csr.nnz, (long long)array.rows, (long long)array.cols);
    if (status == SPMM_OK)
        status = set_values(plan, original, array.type, array.data, updated, diag);
    free(array.data);
    return status;
}

static spmm_status_t from_matrix(const spmm_plan_t *plan, const struct original_matrix *original,
                                 const char *path, const spmm_read_options_t *read, spmm_plan_t **updated,
                                 spmm_diag_t *diag)
{
    spmm_matrix_t *matrix = NULL;
    spmm_csr_t a;
    spmm_status_t status = matrix_input_open(path, read, &matrix, diag);
    if (status == SPMM_OK)
        status = spmm_matrix_csr(matrix, &a);
    if (status == SPMM_OK)
        status = compare_patterns(&original->csr, &a, diag);
    if (status == SPMM_OK && a.values == NULL && a.nnz > 0)
        status = fail(diag, SPMM_ERR_MISMATCH, "the matrix is a pattern, it has no values");
    if (status == SPMM_OK)
        status = set_values(plan, original, a.value_type, a.values, updated, diag);
    spmm_matrix_destroy(matrix);
    return status;
}

spmm_status_t new_values_take(const spmm_plan_t *plan, const char *path, const spmm_read_options_t *read,
                              spmm_plan_t **updated, spmm_diag_t *diag)
{
    static const char ending[] = ".npy";
    const size_t length = strlen(path), tail = sizeof ending - 1;
    const int is_array = length > tail && strcmp(path + length - tail, ending) == 0;
    struct original_matrix original;
    spmm_product_plan_info_t product = {.struct_size = sizeof product};
    if (spmm_plan_product(plan, &product) == SPMM_OK && product.factor_count > 0)
        return fail(diag, SPMM_ERR_UNSUPPORTED,
                    "the plan is of a product of sparse matrices: its values come from those of the factors");
    spmm_status_t status = original_matrix_of(plan, &original, diag);
    if (status == SPMM_OK)
        status = is_array ? from_array(plan, &original, path, updated, diag)
                          : from_matrix(plan, &original, path, read, updated, diag);
    original_matrix_free(&original);
    return status;
}
