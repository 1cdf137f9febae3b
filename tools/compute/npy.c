/* SPDX-License-Identifier: Apache-2.0 */
/* See npy.h. The header is a Python dictionary of exactly three entries, padded with blanks: {'descr': '<f4',
 * 'fortran_order': False, 'shape': (3, 4), } */
#include "npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "tools/cli/fail.h"
#include "tools/cli/input_file.h"
#include "tools/cli/number.h"
#include "tools/cli/output_file.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define ALIGNMENT 64

/* The text of the dictionary that is not yet read. */
struct reader {
    const char *at, *end;
};

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Reads this text, after optional blanks. Returns 0 if there is another text. */
static int take(struct reader *r, const char *text)
{
    const size_t length = strlen(text);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return 0;
    r->at += length;
    return 1;
}

/* Reads a quoted word without escapes into word. Returns 0 if there is none or if it is too long. */
static int take_word(struct reader *r, char *word, size_t size)
{
    skip_blanks(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
        return 0;
    const char quote = *r->at++;
    const char *start = r->at;
    while (r->at < r->end && *r->at != quote)
        r->at++;
    const size_t length = (size_t)(r->at - start);
    if (r->at == r->end || length >= size || memchr(start, '\\', length) != NULL)
        return 0;
    memcpy(word, start, length);
    word[length] = '\0';
    r->at++;
    return 1;
}

static int take_length(struct reader *r, int64_t *value)
{
    int digits = 0;
    *value = 0;
    skip_blanks(r);
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, digits++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *r->at - '0', value))
            return 0;
    return digits > 0;
}

static spmm_status_t take_shape(struct reader *r, struct npy_header *header, spmm_diag_t *diag)
{
    int64_t lengths[2] = {1, 1};
    int count = 0;
    if (!take(r, "("))
        return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the shape in the .npy header is not a tuple");
    while (!take(r, ")")) {
        if (count == 2)
            return fail(diag, SPMM_ERR_MATRIX_UNSUPPORTED, "the .npy file has more than two dimensions");
        if (!take_length(r, &lengths[count++]))
            return fail(diag, SPMM_ERR_MATRIX_SYNTAX,
                        "the shape in the .npy header is not made of whole numbers");
        if (!take(r, ",") && (r->at == r->end || *r->at != ')'))
            return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the shape in the .npy header has no end");
    }
    if (count == 0)
        return fail(diag, SPMM_ERR_MATRIX_UNSUPPORTED, "the .npy file holds a single number, not a matrix");
    header->rows = lengths[0];
    header->cols = lengths[1];
    return SPMM_OK;
}

static spmm_status_t fail_type(const char *descr, spmm_diag_t *diag)
{
    const struct value_type *type = NULL;
    char expected[120] = "";
    for (int i = 0; (type = value_type_at(i)) != NULL; i++) {
        const size_t used = strlen(expected);
        const char *const before = i == 0 ? "" : value_type_at(i + 1) == NULL ? " or " : ", ";
        snprintf(expected + used, sizeof expected - used, "%s'%s' (%s)", before, type->npy,
                 spmm_dtype_name(type->type));
    }
    return fail(diag, SPMM_ERR_MATRIX_UNSUPPORTED, "the .npy file holds numbers of type '%.20s', expected %s",
                descr, expected);
}

static spmm_status_t set_type(const char *descr, struct npy_header *header, spmm_diag_t *diag)
{
    const struct value_type *type = NULL;
    for (int i = 0; (type = value_type_at(i)) != NULL; i++) {
        if (strcmp(descr, type->npy) == 0 || strcmp(descr, type->npy_other) == 0) {
            header->type = type->type;
            return SPMM_OK;
        }
    }
    return fail_type(descr, diag);
}

static spmm_status_t take_dictionary(struct reader *r, struct npy_header *header, spmm_diag_t *diag)
{
    enum { DESCR = 1, PERMUTATION = 2, SHAPE = 4 };
    int seen = 0;
    spmm_status_t status = SPMM_OK;
    if (!take(r, "{"))
        return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy header is not a dictionary");
    while (!take(r, "}")) {
        char key[24];
        char word[24];
        int entry = 0;
        if (!take_word(r, key, sizeof key) || !take(r, ":"))
            return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy header has no key where one is expected");
        if (strcmp(key, "descr") == 0) {
            entry = DESCR;
            if (!take_word(r, word, sizeof word))
                return fail(diag, SPMM_ERR_MATRIX_UNSUPPORTED, "the .npy file holds no plain numbers");
            TRY(set_type(word, header, diag));
        } else if (strcmp(key, "fortran_order") == 0) {
            entry = PERMUTATION;
            const int is_fortran = take(r, "True");
            if (!is_fortran && !take(r, "False"))
                return fail(diag, SPMM_ERR_MATRIX_SYNTAX,
                            "fortran_order in the .npy header is neither True nor False");
            header->layout = is_fortran ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR;
        } else if (strcmp(key, "shape") == 0) {
            entry = SHAPE;
            TRY(take_shape(r, header, diag));
        }
        if (entry == 0 || (seen & entry) != 0)
            return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy header has an unknown or repeated key");
        seen |= entry;
        if (!take(r, ",") && (r->at == r->end || *r->at != '}'))
            return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy header has no comma where one is expected");
    }
    skip_blanks(r);
    if (seen != (DESCR | PERMUTATION | SHAPE) || r->at != r->end)
        return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy header is not complete");
cleanup:
    return status;
}

spmm_status_t npy_header_parse(const void *bytes, size_t size, struct npy_header *header, spmm_diag_t *diag)
{
    const uint8_t *b = bytes;
    size_t text_offset = MAGIC_BYTES + 4;
    uint64_t count = 0;
    *header = (struct npy_header){0};
    if (size < text_offset || memcmp(b, MAGIC, MAGIC_BYTES) != 0)
        return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "expected a .npy file of NumPy, found other bytes");
    if ((b[6] != 1 && b[6] != 2) || b[7] != 0)
        return fail(diag, SPMM_ERR_MATRIX_UNSUPPORTED, "the .npy file has format %d.%d, expected 1.0 or 2.0",
                    b[6], b[7]);
    size_t length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] == 2) {
        text_offset += 2;
        if (size < text_offset)
            return fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy file ends within its header");
        length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    }
    if (length > size - text_offset)
        return fail(diag, SPMM_ERR_MATRIX_SYNTAX,
                    "the .npy header of %zu bytes is longer than the file or than %d bytes", length,
                    NPY_HEADER_BYTES_MAX);
    struct reader reader = {(const char *)b + text_offset, (const char *)b + text_offset + length};
    const spmm_status_t status = take_dictionary(&reader, header, diag);
    if (status != SPMM_OK)
        return status;
    if (__builtin_mul_overflow((uint64_t)header->rows, (uint64_t)header->cols, &count) ||
        __builtin_mul_overflow(count, spmm_dtype_size(header->type), &header->data_bytes) ||
        header->data_bytes > INT64_MAX)
        return fail(diag, SPMM_ERR_MATRIX_TOO_LARGE, "the shape %lld x %lld in the .npy header is too large",
                    (long long)header->rows, (long long)header->cols);
    header->data_offset = text_offset + length;
    return SPMM_OK;
}

static spmm_status_t fail_file(spmm_diag_t *diag, const char *what)
{
    const int code = errno;
    fail(diag, SPMM_ERR_IO, "%s: %s", what, strerror(code));
    diag->native_error = code;
    return SPMM_ERR_IO;
}

spmm_status_t npy_load(const char *path, spmm_dense_t *dense, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct npy_header header;
    void *data = NULL;
    char *start = malloc(NPY_HEADER_BYTES_MAX);
    FILE *file = input_file_open(path);
    *dense = (spmm_dense_t){0};
    if (file == NULL || start == NULL) {
        status = fail_file(diag, "the file cannot be opened");
        goto cleanup;
    }
    const size_t start_size = input_file_read(start, NPY_HEADER_BYTES_MAX, file);
    TRY(npy_header_parse(start, start_size, &header, diag));
    if (fseek(file, 0, SEEK_END) != 0) {
        status = fail_file(diag, "the size of the file is unknown");
        goto cleanup;
    }
    const long size = ftell(file);
    if (size < 0 || (uint64_t)size - header.data_offset != header.data_bytes) {
        status = fail(diag, SPMM_ERR_MATRIX_SYNTAX, "the .npy file has %lld bytes, but its header says %llu",
                      (long long)size, (unsigned long long)header.data_bytes + header.data_offset);
        goto cleanup;
    }
    data = malloc(header.data_bytes + 1);
    if (data == NULL) {
        status = fail_memory(diag, header.data_bytes, "the .npy file");
        goto cleanup;
    }
    if (fseek(file, (long)header.data_offset, SEEK_SET) != 0 ||
        input_file_read(data, header.data_bytes, file) != header.data_bytes) {
        status = fail_file(diag, "the file cannot be read");
        goto cleanup;
    }
    *dense = (spmm_dense_t){data,          header.rows,
                            header.cols,   dense_ld(header.layout, header.rows, header.cols),
                            header.layout, header.type};
    data = NULL;
cleanup:
    if (file != NULL)
        fclose(file);
    free(data);
    free(start);
    return status;
}

/* Writes magic, version and header. The header is padded so that it ends with a newline at a multiple of 64
 * bytes. */
static void write_header(FILE *file, const spmm_dense_t *dense)
{
    char text[2 * ALIGNMENT + 1];
    const int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%lld, %lld), }",
                 value_type(dense->type)->npy, dense->layout == SPMM_ROW_MAJOR ? "False" : "True",
                 (long long)dense->rows, (long long)dense->cols);
    const int start = MAGIC_BYTES + 4;
    const int padded = (start + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - start;
    memset(text + length, ' ', (size_t)(padded - length));
    text[padded - 1] = '\n';
    const uint8_t head[4] = {1, 0, (uint8_t)(padded & 0xff), (uint8_t)(padded >> 8)};
    (void)fwrite(MAGIC, 1, MAGIC_BYTES, file);
    (void)fwrite(head, 1, sizeof head, file);
    (void)fwrite(text, 1, (size_t)padded, file);
}

static void write_lines(FILE *file, const spmm_dense_t *dense)
{
    const int is_row_major = dense->layout == SPMM_ROW_MAJOR;
    const int64_t lines = is_row_major ? dense->rows : dense->cols;
    const size_t size = spmm_dtype_size(dense->type);
    const size_t line_bytes = (size_t)(is_row_major ? dense->cols : dense->rows) * size;
    for (int64_t line = 0; line < lines && line_bytes > 0 && !ferror(file); line++)
        (void)fwrite((const char *)dense->data + (size_t)(line * dense->ld) * size, 1, line_bytes, file);
}

static void write_array(FILE *file, const void *context)
{
    const spmm_dense_t *dense = context;
    write_header(file, dense);
    write_lines(file, dense);
}

spmm_status_t npy_save(const char *path, const spmm_dense_t *dense, spmm_diag_t *diag)
{
    return output_file_print(path, write_array, dense, diag);
}
