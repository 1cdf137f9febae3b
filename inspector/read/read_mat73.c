/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of MATLAB MAT-files of version 7.3 (save -v7.3), which are HDF5 files after a MATLAB header. A
 * full array is a dataset with reversed dimensions. A sparse array is a group with the values, row indices
 * and column pointers (data, ir, jc); its number of rows is an attribute. A struct is a group of its fields.
 * See decision 0039. */
#include <stdio.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "hdf5_file.h"
#include "mat_matrix.h"

#define TEXT "MATLAB 7.3 MAT-file"

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    return spmmi_head_starts(head, TEXT, strlen(TEXT)) ? SPMMI_PROBE_CONTENT : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    (void)snprintf(sentence, capacity, "expected \"%s\" at the start of the file, found %s", TEXT,
                   spmmi_token(head->bytes, head->bytes + head->size, token));
}

/* Sets the kind and the flags that an array of version 5 would have. */
static void classify(const struct spmmi_hdf5_object *object, struct spmmi_mat_array *array)
{
    static const char *const classes[] = {"double", "single", "int8",   "uint8", "int16",
                                          "uint16", "int32",  "uint32", "int64", "uint64"};
    const bool is_float = object->type.type == 7 || object->type.type == 9;
    array->kind = 1; /* a cell, or anything else that is not a matrix of numbers */
    array->flags = object->type.is_complex ? SPMMI_MAT_COMPLEX : 0;
    if (strcmp(object->class, "logical") == 0)
        array->flags |= SPMMI_MAT_LOGICAL;
    if (object->is_sparse) {
        array->kind = SPMMI_MAT_SPARSE;
    } else if (object->is_group) {
        array->kind = SPMMI_MAT_STRUCT;
    } else if (object->class[0] == '\0' && object->type.type != 0) {
        array->kind = is_float ? SPMMI_MAT_DOUBLE : SPMMI_MAT_DOUBLE + 2;
    } else if ((array->flags & SPMMI_MAT_LOGICAL) != 0) {
        array->kind = SPMMI_MAT_DOUBLE + 3;
    }
    for (unsigned i = 0; i < sizeof classes / sizeof *classes && !object->is_group; i++)
        if (strcmp(object->class, classes[i]) == 0)
            array->kind = SPMMI_MAT_DOUBLE + i;
}

static spmm_status_t note_variable(struct spmmi_hdf5 *file, const char *name, uint64_t address, void *context)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_hdf5_object object;
    struct spmmi_mat_array array = {.kind = 0};
    const struct spmmi_mat_element element = {1, NULL, address};
    if (name[0] == '#') /* internal data of MATLAB for cells and objects */
        return SPMM_OK;
    SPMM_TRY(spmmi_hdf5_object_read(file, address, &object));
    classify(&object, &array);
    (void)snprintf(array.name, sizeof array.name, "%.*s", SPMMI_MAT_NAME_BYTES - 1, name);
    spmmi_mat_note(context, &element, &array);
cleanup:
    return status;
}

/* The members of a group that have one of these names. */
struct members {
    const char *names[3];
    uint64_t address[3];
    bool is_there[3];
};

static spmm_status_t note_member(struct spmmi_hdf5 *file, const char *name, uint64_t address, void *context)
{
    struct members *m = context;
    (void)file;
    for (int i = 0; i < 3; i++) {
        if (m->names[i] != NULL && strcmp(name, m->names[i]) == 0) {
            m->address[i] = address;
            m->is_there[i] = true;
        }
    }
    return SPMM_OK;
}

/* Replaces a struct by its field A. */
static spmm_status_t enter_struct(struct spmmi_hdf5 *file, struct spmmi_hdf5_object *object)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat *mat = file->mat;
    struct members fields = {.names = {SPMMI_MAT_FIELD}};
    SPMM_TRY(spmmi_hdf5_members(file, object, note_member, &fields));
    if (!fields.is_there[0])
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "expected a field %s, found a struct without it", SPMMI_MAT_FIELD);
    (void)snprintf(mat->shown + strlen(mat->shown), sizeof mat->shown - strlen(mat->shown), ".%s",
                   SPMMI_MAT_FIELD);
    SPMM_TRY(spmmi_hdf5_object_read(file, fields.address[0], object));
cleanup:
    return status;
}

/* Finds the variable to read. */
static spmm_status_t find(struct spmmi_mat *mat, struct spmmi_hdf5 *file, struct spmmi_hdf5_object *object,
                          struct spmmi_mat_array *array)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_search search = {.variable = mat->reader->variable};
    struct spmmi_mat_element element;
    struct spmmi_hdf5_object root;
    SPMM_TRY(spmmi_hdf5_open(file, mat, &root));
    SPMM_TRY(spmmi_hdf5_members(file, &root, note_variable, &search));
    SPMM_TRY(spmmi_mat_choose(mat, &search, &element));
    const char *name = search.sparse > 0 ? search.names : search.full_names;
    (void)snprintf(mat->shown, sizeof mat->shown - sizeof SPMMI_MAT_FIELD, "%.*s", (int)strcspn(name, ","),
                   name);
    SPMM_TRY(spmmi_hdf5_object_read(file, element.size, object));
    if (object->is_group && !object->is_sparse)
        SPMM_TRY(enter_struct(file, object));
    classify(object, array);
cleanup:
    return status;
}

/* Reads a dataset as numbers. If imaginary is not NULL, sets it to the imaginary parts; its count is 0 if the
 * numbers are not complex. */
static spmm_status_t numbers_of(struct spmmi_hdf5 *file, uint64_t address, struct spmmi_bytes *unpacked,
                                struct spmmi_mat_numbers *real, struct spmmi_mat_numbers *imaginary)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_hdf5_object object;
    const char *data = NULL;
    uint64_t count = 0;
    SPMM_TRY(spmmi_hdf5_object_read(file, address, &object));
    SPMM_TRY(spmmi_hdf5_data(file, &object, unpacked, &data, &count));
    const struct spmmi_hdf5_type *type = &object.type;
    const uint64_t bytes = count * type->bytes;
    *real = (struct spmmi_mat_numbers){
        {type->type, data + type->real_at, bytes}, type->big_endian, count, type->bytes};
    if (imaginary == NULL)
        return SPMM_OK;
    *imaginary = *real;
    imaginary->element.data = data + type->imaginary_at;
    imaginary->count = type->is_complex ? count : 0;
cleanup:
    return status;
}

/* Reads a dataset as indices, which must be integers. */
static spmm_status_t indices_of(struct spmmi_hdf5 *file, uint64_t address, const char *what,
                                struct spmmi_bytes *unpacked, struct spmmi_mat_numbers *numbers)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(numbers_of(file, address, unpacked, numbers, NULL));
    if (numbers->element.type == 7 || numbers->element.type == 9)
        status = spmmi_mat_fail(file->mat, SPMM_ERR_MATRIX_SYNTAX, "expected %s that are integers", what);
cleanup:
    return status;
}

static spmm_status_t find_values(struct spmmi_hdf5 *file, const struct spmmi_mat_array *array,
                                 uint64_t address, uint64_t count, struct spmmi_bytes *unpacked,
                                 struct spmmi_mat_values *values)
{
    spmm_status_t status = SPMM_OK;
    const bool is_real = array->kind <= SPMMI_MAT_DOUBLE + 1 && (array->flags & SPMMI_MAT_LOGICAL) == 0;
    SPMM_TRY(numbers_of(file, address, unpacked, &values->real, &values->imaginary));
    values->field = is_real ? SPMMI_FIELD_REAL : SPMMI_FIELD_INTEGER;
    if (values->imaginary.count > 0)
        SPMM_TRY(spmmi_complex_field(file->mat->reader, 0, "the values are", &values->field));
    if (values->real.count < count)
        status = spmmi_mat_fail(file->mat, SPMM_ERR_MATRIX_SYNTAX, "expected %llu values, found %llu",
                                (unsigned long long)count, (unsigned long long)values->real.count);
cleanup:
    return status;
}

static int64_t bounded(uint64_t size)
{
    return size > INT64_MAX ? INT64_MAX : (int64_t)size;
}

static spmm_status_t read_sparse(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                                 struct spmmi_mat_array *array, struct spmmi_bytes unpacked[3],
                                 spmm_matrix_t *matrix)
{
    enum { JC, IR, DATA };
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat *mat = file->mat;
    struct members parts = {.names = {"jc", "ir", "data"}};
    struct spmmi_mat_numbers rows = {.count = 0}, pointers;
    struct spmmi_mat_values values = {.field = SPMMI_FIELD_REAL};
    int64_t entries = 0;
    SPMM_TRY(spmmi_hdf5_members(file, object, note_member, &parts));
    if (!parts.is_there[JC] || parts.is_there[IR] != parts.is_there[DATA])
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected jc, ir and data of a sparse array");
    SPMM_TRY(indices_of(file, parts.address[JC], "column pointers", &unpacked[JC], &pointers));
    if (pointers.count == 0)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected column pointers, found none");
    array->dims = 2;
    array->rows = bounded(object->sparse_rows);
    array->cols = bounded(pointers.count - 1);
    SPMM_TRY(spmmi_mat_check(mat, array));
    matrix->rows = array->rows;
    matrix->cols = array->cols;
    if (parts.is_there[IR]) /* an array without entries has no ir and data */
        SPMM_TRY(indices_of(file, parts.address[IR], "row indices", &unpacked[IR], &rows));
    SPMM_TRY(spmmi_mat_entries(mat, &rows, &pointers, array->cols, &entries));
    if (parts.is_there[DATA])
        SPMM_TRY(find_values(file, array, parts.address[DATA], (uint64_t)entries, &unpacked[DATA], &values));
    SPMM_TRY(spmmi_mat_read_sparse(mat, &rows, &pointers, &values, entries, matrix));
cleanup:
    return status;
}

/* Sets the dimensions, which are stored in reverse. An array without elements stores its dimensions as its
 * data. */
static spmm_status_t read_dims(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                               struct spmmi_bytes *unpacked, struct spmmi_mat_array *array)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_numbers dims;
    bool inexact = false;
    array->dims = object->rank;
    if (object->rank == 2) {
        array->rows = bounded(object->dims[1]);
        array->cols = bounded(object->dims[0]);
    }
    if (!object->is_empty)
        return SPMM_OK;
    SPMM_TRY(indices_of(file, object->address, "dimensions", unpacked, &dims));
    array->dims = dims.count < 100 ? (int)dims.count : 100;
    for (int i = 0; i < array->dims && i < 2; i++) {
        const double size = spmmi_mat_number(&dims, (uint64_t)i, &inexact);
        if (size < 0)
            return spmmi_mat_fail(file->mat, SPMM_ERR_MATRIX_SYNTAX, "expected dimensions of 0 or more");
        *(i == 0 ? &array->rows : &array->cols) = size > SPMMI_DIM_MAX ? INT64_MAX : (int64_t)size;
    }
    if (array->dims == 2 && array->rows != 0 && array->cols != 0)
        status = spmmi_mat_fail(file->mat, SPMM_ERR_MATRIX_SYNTAX, "expected no elements in an empty array");
cleanup:
    return status;
}

static spmm_status_t read_full(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                               struct spmmi_mat_array *array, struct spmmi_bytes unpacked[3],
                               spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_values values = {.field = SPMMI_FIELD_REAL};
    SPMM_TRY(read_dims(file, object, &unpacked[0], array));
    SPMM_TRY(spmmi_mat_check(file->mat, array));
    matrix->rows = array->rows;
    matrix->cols = array->cols;
    if (!object->is_empty)
        SPMM_TRY(find_values(file, array, object->address, (uint64_t)array->rows * (uint64_t)array->cols,
                             &unpacked[1], &values));
    SPMM_TRY(spmmi_mat_read_full(file->mat, &values, matrix));
cleanup:
    return status;
}

static spmm_status_t read_mat73(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat mat = {.reader = reader, .bytes = bytes, .size = size};
    struct spmmi_bytes unpacked[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    struct spmmi_mat_array array = {.kind = 0};
    struct spmmi_hdf5_object object;
    struct spmmi_hdf5 file;
    SPMM_TRY(find(&mat, &file, &object, &array));
    if (array.kind < SPMMI_MAT_SPARSE)
        status = spmmi_mat_check(&mat, &array);
    else if (array.kind == SPMMI_MAT_SPARSE)
        status = read_sparse(&file, &object, &array, unpacked, matrix);
    else
        status = read_full(&file, &object, &array, unpacked, matrix);
cleanup:
    for (int i = 0; i < 3; i++)
        spmmi_bytes_free(reader, &unpacked[i]);
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_mat73;
const struct spmmi_reader_ops spmmi_reader_mat73 = {"MATLAB 7.3", "mat", probe, refuse, read_mat73};
