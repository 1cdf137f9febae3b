/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of MATLAB's MAT-files of version 5 (save -v6 and -v7): one sparse array, or one full one, real or complex,
 * of any numeric type. Files of version 7.3 are HDF5 and are refused by name (unsupported_format.c, decision 0039). */
#include <stdio.h>
#include <strings.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "mat_variable.h"

#define TEXT "MATLAB 5.0 MAT-file"
#define ORDER_AT 126u

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    if (spmmi_head_starts(head, TEXT, strlen(TEXT)))
        return SPMMI_PROBE_CONTENT;
    return spmmi_head_named(head, ".mat") ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    (void)snprintf(sentence, capacity, "expected \"%s\" at the start of the file, found %s; save it with -v7",
                   TEXT, spmmi_token(head->bytes, head->bytes + head->size, token));
}

static spmm_status_t read_order(struct spmmi_mat *mat)
{
    if (mat->size < SPMMI_MAT_HEADER)
        return spmmi_reader_fail_at(mat->reader, SPMM_ERR_MATRIX_SYNTAX, mat->size,
                                    "expected a MATLAB header of %u bytes, found the end of the file",
                                    SPMMI_MAT_HEADER);
    mat->big_endian = memcmp(mat->bytes + ORDER_AT, "MI", 2) == 0;
    if (mat->big_endian || memcmp(mat->bytes + ORDER_AT, "IM", 2) == 0)
        return SPMM_OK;
    return spmmi_reader_fail_at(mat->reader, SPMM_ERR_MATRIX_SYNTAX, ORDER_AT,
                                "expected IM or MI, the order of bytes of a MATLAB file");
}

/* The next element, as at least count numbers. */
static spmm_status_t next_numbers(struct spmmi_mat *mat, struct spmmi_mat_array *array, const char *what,
                                  uint64_t count, struct spmmi_mat_numbers *numbers)
{
    const struct spmmi_mat_element element = spmmi_mat_next(&array->rest);
    if (element.type == 0)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected %s, found the end of the array", what);
    *numbers = spmmi_mat_numbers_of(&element, mat->big_endian);
    if (numbers->count < count)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected %llu %s, found %llu",
                              (unsigned long long)count, what, (unsigned long long)numbers->count);
    return SPMM_OK;
}

/* The same as indices, which are integers of 4 bytes. */
static spmm_status_t next_indices(struct spmmi_mat *mat, struct spmmi_mat_array *array, const char *what,
                                  uint64_t count, struct spmmi_mat_numbers *numbers)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(next_numbers(mat, array, what, count, numbers));
    if (numbers->element.type != 5 && numbers->element.type != 6)
        status = spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected %s of type 5, found type %u", what,
                                numbers->element.type);
cleanup:
    return status;
}

static enum spmmi_value_field field_of(const struct spmmi_mat_array *array)
{
    const bool is_real = array->kind <= SPMMI_MAT_DOUBLE + 1 && (array->flags & SPMMI_MAT_LOGICAL) == 0;
    return is_real ? SPMMI_FIELD_REAL : SPMMI_FIELD_INTEGER;
}

struct values {
    enum spmmi_value_field field;
    struct spmmi_mat_numbers real, imaginary;
};

static spmm_status_t find_values(struct spmmi_mat *mat, struct spmmi_mat_array *array, uint64_t count,
                                 struct values *v)
{
    spmm_status_t status = SPMM_OK;
    v->field = field_of(array);
    if ((array->flags & SPMMI_MAT_COMPLEX) != 0)
        SPMM_TRY(spmmi_complex_field(mat->reader, 0, "the values are", &v->field));
    SPMM_TRY(next_numbers(mat, array, "values", count, &v->real));
    if (spmmi_is_complex(v->field))
        SPMM_TRY(next_numbers(mat, array, "imaginary parts", count, &v->imaginary));
cleanup:
    return status;
}

static double value_at(const struct values *v, uint64_t k, spmm_matrix_t *matrix)
{
    bool inexact = false;
    const double real = spmmi_mat_number(&v->real, k, &inexact);
    matrix->info.integers_inexact += inexact;
    return spmmi_is_complex(v->field)
               ? spmmi_complex_take(v->field, real, spmmi_mat_number(&v->imaginary, k, &inexact))
               : real;
}

/* An integer from low to high. */
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

/* The column of each entry. */
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

static spmm_status_t read_sparse(struct spmmi_mat *mat, struct spmmi_mat_array *array, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    struct spmmi_mat_numbers rows;
    struct spmmi_mat_numbers pointers;
    struct values values;
    int64_t entries = 0;
    SPMM_TRY(next_indices(mat, array, "row indices", 0, &rows));
    SPMM_TRY(next_indices(mat, array, "column pointers", (uint64_t)array->cols + 1, &pointers));
    SPMM_TRY(read_integer(mat, &pointers, (uint64_t)array->cols, "a last column pointer", 0,
                          (int64_t)rows.count, &entries));
    SPMM_TRY(find_values(mat, array, (uint64_t)entries, &values));
    SPMM_TRY(spmmi_triplets_alloc(mat->reader, &triplets, entries, true));
    SPMM_TRY(read_columns(mat, &pointers, array->cols, &triplets));
    for (int64_t q = 0; q < entries; q++) {
        int64_t row = 0;
        SPMM_TRY(read_integer(mat, &rows, (uint64_t)q, "a row index", 0, array->rows - 1, &row));
        triplets.rows[q] = (int32_t)row;
        triplets.values[q] = value_at(&values, (uint64_t)q, matrix);
    }
    triplets.count = entries;
    spmmi_matrix_describe(matrix, values.field, SPMMI_GENERAL, entries);
    SPMM_TRY(spmmi_triplets_to_rows(mat->reader, &triplets, SPMMI_GENERAL, matrix));
cleanup:
    spmmi_triplets_free(mat->reader, &triplets);
    return status;
}

/* Column by column in the file, row by row in the matrix, zeros too. */
static spmm_status_t read_full(struct spmmi_mat *mat, struct spmmi_mat_array *array, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct values values;
    const int64_t rows = array->rows;
    const int64_t cols = array->cols;
    SPMM_TRY(find_values(mat, array, (uint64_t)rows * (uint64_t)cols, &values)); /* below 2^62 */
    matrix->nnz = rows * cols;
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(mat->reader, matrix));
    SPMM_TRY(spmmi_matrix_alloc_entries(mat->reader, matrix, true));
    for (int64_t i = 0; i < rows; i++) {
        matrix->row_ptr[i + 1] = (i + 1) * cols;
        for (int64_t j = 0; j < cols; j++) {
            matrix->col_ind[i * cols + j] = (int32_t)j;
            matrix->values[i * cols + j] = value_at(&values, (uint64_t)(j * rows + i), matrix);
        }
    }
    spmmi_matrix_describe(matrix, values.field, SPMMI_GENERAL, matrix->nnz);
cleanup:
    return status;
}

static spmm_status_t check_array(struct spmmi_mat *mat, const struct spmmi_mat_array *array)
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

static spmm_status_t read_mat(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                              spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat mat = {.reader = reader, .bytes = bytes, .size = size};
    struct spmmi_mat_array array;
    SPMM_TRY(read_order(&mat));
    SPMM_TRY(spmmi_mat_find(&mat, &array));
    SPMM_TRY(check_array(&mat, &array));
    matrix->rows = array.rows;
    matrix->cols = array.cols;
    SPMM_TRY(array.kind == SPMMI_MAT_SPARSE ? read_sparse(&mat, &array, matrix)
                                            : read_full(&mat, &array, matrix));
cleanup:
    spmmi_mat_close(&mat);
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_mat;
const struct spmmi_reader_ops spmmi_reader_mat = {"MATLAB", "mat", probe, refuse, read_mat};
