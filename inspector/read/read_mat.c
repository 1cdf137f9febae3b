/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of MATLAB MAT-files of version 5 (save -v6 and -v7): one sparse or full array, real or complex,
 * of any numeric type. Files of version 7.3 are HDF5 files: see read_mat73.c. */
#include <stdio.h>
#include <strings.h>

#include "format/base/diag.h"
#include "mat_matrix.h"

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
    (void)snprintf(sentence, capacity,
                   "expected \"%s\" or \"MATLAB 7.3 MAT-file\" at the start of the file, found %s", TEXT,
                   spmmi_token(head->bytes, head->bytes + head->size, token));
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

/* Reads the next element, which must have at least `count` numbers. */
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

/* Reads the next element as indices, which are 4-byte integers. */
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

static spmm_status_t find_values(struct spmmi_mat *mat, struct spmmi_mat_array *array, uint64_t count,
                                 struct spmmi_mat_values *v)
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

static spmm_status_t read_sparse(struct spmmi_mat *mat, struct spmmi_mat_array *array, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_numbers rows;
    struct spmmi_mat_numbers pointers;
    struct spmmi_mat_values values;
    int64_t entries = 0;
    SPMM_TRY(next_indices(mat, array, "row indices", 0, &rows));
    SPMM_TRY(next_indices(mat, array, "column pointers", (uint64_t)array->cols + 1, &pointers));
    SPMM_TRY(spmmi_mat_entries(mat, &rows, &pointers, array->cols, &entries));
    SPMM_TRY(find_values(mat, array, (uint64_t)entries, &values));
    SPMM_TRY(spmmi_mat_read_sparse(mat, &rows, &pointers, &values, entries, matrix));
cleanup:
    return status;
}

static spmm_status_t read_full(struct spmmi_mat *mat, struct spmmi_mat_array *array, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_values values;
    /* less than 2^62 */
    SPMM_TRY(find_values(mat, array, (uint64_t)array->rows * (uint64_t)array->cols, &values));
    SPMM_TRY(spmmi_mat_read_full(mat, &values, matrix));
cleanup:
    return status;
}

static spmm_status_t read_mat(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                              spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat mat = {.reader = reader, .bytes = bytes, .size = size};
    struct spmmi_mat_array array;
    SPMM_TRY(read_order(&mat));
    SPMM_TRY(spmmi_mat_find(&mat, &array));
    SPMM_TRY(spmmi_mat_check(&mat, &array));
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
