/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of binary files of PETSc's MatView. All numbers are big-endian; integers have 4 or 8 bytes,
 * depending on the configuration of PETSc.
 *
 *   class id 1211216, rows, columns, nonzeros
 *   number of entries of each row
 *   column indices from 0, row by row
 *   values: real, or complex as pairs
 *
 * nonzeros = -1 means a dense matrix: only its values follow, row by row. Data after the matrix (vectors,
 * index sets, each with its class id) is ignored. The file does not say whether values are complex. They are
 * taken as complex if the end of real values is neither the end of the file nor a class id, but the end of
 * complex values is. */
#include <stdio.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "reader.h"

#define CLASS_MATRIX 1211216u
#define CLASS_FIRST 1211210u /* range of the class ids of all objects */
#define CLASS_LAST 1211239u
#define DENSE (-1)
#define DOUBLE 8u

struct petsc {
    struct spmmi_reader *reader;
    const char *bytes;
    uint64_t size;
    unsigned integer; /* bytes per integer */
    int64_t entries;  /* number of entries in the file */
    bool is_dense;
    uint64_t columns, values; /* offsets in the file */
    enum spmmi_value_field field;
};

static uint64_t big_endian(const char *p, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value = value << 8 | (unsigned char)p[i];
    return value;
}

static int64_t integer_at(const struct petsc *f, uint64_t offset)
{
    const uint64_t bits = big_endian(f->bytes + offset, f->integer);
    return f->integer == 8 ? (int64_t)bits : (int64_t)(int32_t)(uint32_t)bits;
}

static double double_at(const struct petsc *f, uint64_t offset)
{
    double value = 0;
    const uint64_t bits = big_endian(f->bytes + offset, DOUBLE);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static unsigned integer_bytes(const char *bytes, uint64_t size)
{
    if (size >= 4 && big_endian(bytes, 4) == CLASS_MATRIX)
        return 4;
    return size >= 8 && big_endian(bytes, 8) == CLASS_MATRIX ? 8 : 0;
}

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    if (integer_bytes(head->bytes, head->size) != 0)
        return SPMMI_PROBE_CONTENT;
    return spmmi_head_named(head, ".petsc") ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    (void)snprintf(sentence, capacity, "expected a PETSc matrix, which starts with the class id %u, found %s",
                   CLASS_MATRIX, spmmi_token(head->bytes, head->bytes + head->size, token));
}

/* Reads one of the sizes in the header. */
static spmm_status_t read_size(const struct petsc *f, unsigned k, const char *what, int64_t low, int64_t high,
                               int64_t *number)
{
    *number = integer_at(f, k * f->integer);
    if (*number >= low && *number <= high)
        return SPMM_OK;
    return spmmi_reader_fail_at(f->reader, *number < low ? SPMM_ERR_MATRIX_SYNTAX : SPMM_ERR_MATRIX_TOO_LARGE,
                                k * f->integer, "expected a number of %s from %lld to %lld, found %lld", what,
                                (long long)low, (long long)high, (long long)*number);
}

static spmm_status_t read_header(struct petsc *f, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    if (f->size < 4 * (uint64_t)f->integer)
        return spmmi_reader_fail_at(f->reader, SPMM_ERR_MATRIX_SYNTAX, 0,
                                    "expected %u bytes of a PETSc header, found %llu", 4 * f->integer,
                                    (unsigned long long)f->size);
    SPMM_TRY(read_size(f, 1, "rows", 0, SPMMI_DIM_MAX, &matrix->rows));
    SPMM_TRY(read_size(f, 2, "columns", 0, SPMMI_DIM_MAX, &matrix->cols));
    SPMM_TRY(read_size(f, 3, "nonzeros", DENSE, SPMMI_NNZ_MAX, &f->entries));
    f->is_dense = f->entries == DENSE;
    if (f->is_dense)
        f->entries = matrix->rows * matrix->cols; /* less than 2^62 */
    f->columns = f->integer * (4 + (f->is_dense ? 0 : (uint64_t)matrix->rows));
    f->values = f->columns + (f->is_dense ? 0 : f->integer * (uint64_t)f->entries);
cleanup:
    return status;
}

/* Returns true if the file ends here or another object starts here. */
static bool is_end(const struct petsc *f, uint64_t offset)
{
    if (offset > f->size || f->size - offset < f->integer)
        return offset == f->size;
    const int64_t class_id = integer_at(f, offset);
    return class_id >= CLASS_FIRST && class_id <= CLASS_LAST;
}

/* Finds out whether the values are complex. Refuses a truncated file before anything is allocated. */
static spmm_status_t find_field(struct petsc *f)
{
    /* Upper bound of the number of entries and of rows. */
    const uint64_t most = (f->size - 4 * (uint64_t)f->integer) / 4;
    const bool fits = (uint64_t)f->entries <= most;
    const uint64_t bytes = fits ? DOUBLE * (uint64_t)f->entries : 0;
    f->field = SPMMI_FIELD_REAL;
    if (fits && is_end(f, f->values + bytes))
        return SPMM_OK;
    if (fits && is_end(f, f->values + 2 * bytes))
        return spmmi_complex_field(f->reader, 0, "the values are", &f->field);
    return spmmi_reader_fail_at(f->reader, SPMM_ERR_MATRIX_SYNTAX, f->size,
                                "expected the end of %lld real or complex values of 8 bytes, or of 16, found "
                                "a PETSc file of %llu bytes; is it cut off?",
                                (long long)f->entries, (unsigned long long)f->size);
}

static spmm_status_t read_rows(const struct petsc *f, spmm_matrix_t *matrix)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const uint64_t offset = f->integer * (4 + (uint64_t)i);
        const int64_t count = f->is_dense ? matrix->cols : integer_at(f, offset);
        if (count < 0 || count > f->entries - sum)
            return spmmi_reader_fail_at(f->reader, SPMM_ERR_MATRIX_SYNTAX, offset,
                                        "expected a number of entries of row %lld from 0 to %lld, found %lld",
                                        (long long)i, (long long)(f->entries - sum), (long long)count);
        sum += count;
        matrix->row_ptr[i + 1] = sum;
    }
    if (sum != f->entries)
        return spmmi_reader_fail_at(f->reader, SPMM_ERR_MATRIX_SYNTAX, 3 * f->integer,
                                    "expected as many nonzeros as the rows have, %lld, found %lld",
                                    (long long)sum, (long long)f->entries);
    return SPMM_OK;
}

static spmm_status_t read_columns(const struct petsc *f, spmm_matrix_t *matrix)
{
    for (int64_t q = 0; q < f->entries; q++) {
        const uint64_t offset = f->columns + f->integer * (uint64_t)q;
        const int64_t col = f->is_dense ? q % matrix->cols : integer_at(f, offset);
        if (col < 0 || col >= matrix->cols)
            return spmmi_reader_fail_at(f->reader, SPMM_ERR_MATRIX_SYNTAX, offset,
                                        "expected a column index from 0 to %lld, found %lld",
                                        (long long)matrix->cols - 1, (long long)col);
        matrix->col_ind[q] = (int32_t)col;
    }
    return SPMM_OK;
}

static void read_values(const struct petsc *f, spmm_matrix_t *matrix)
{
    const bool is_complex = spmmi_is_complex(f->field);
    for (int64_t q = 0; q < f->entries; q++) {
        const uint64_t offset = f->values + (is_complex ? 2 : 1) * DOUBLE * (uint64_t)q;
        const double real = double_at(f, offset);
        matrix->values[q] =
            is_complex ? spmmi_complex_take(f->field, real, double_at(f, offset + DOUBLE)) : real;
    }
}

static spmm_status_t read_petsc(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct petsc file = {
        .reader = reader, .bytes = bytes, .size = size, .integer = integer_bytes(bytes, size)};
    SPMM_TRY(read_header(&file, matrix));
    SPMM_TRY(find_field(&file));
    matrix->nnz = file.entries;
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    SPMM_TRY(read_rows(&file, matrix));
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, true));
    SPMM_TRY(read_columns(&file, matrix));
    read_values(&file, matrix);
    spmmi_matrix_describe(matrix, file.field, SPMMI_GENERAL, file.entries);
    spmmi_reader_progress(reader, "fill", size, size);
cleanup:
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_petsc;
const struct spmmi_reader_ops spmmi_reader_petsc = {"PETSc", "petsc", probe, refuse, read_petsc};
