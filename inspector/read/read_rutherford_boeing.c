/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of Rutherford-Boeing files and of their predecessor, Harwell-Boeing files: a header, followed by
 * the matrix in compressed columns. Numbers are in fixed columns as Fortran writes them, and indices count
 * from 1. Right-hand sides after the matrix are skipped. */
#include "read_rutherford_boeing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "decimal.h"
#include "format/base/diag.h"

#define PROGRESS_NUMBERS 65536
#define TITLE_MAX 256 /* the standard allows 80 columns */

static bool is_title(const struct spmmi_lines *lines)
{
    return lines->line_end - lines->line <= TITLE_MAX && spmmi_is_text(lines->line, lines->line_end);
}

static bool has_name(const struct spmmi_head *head)
{
    const char *point = strrchr(head->file, '.');
    if (point == NULL)
        return false;
    if (strcasecmp(point, ".rb") == 0 || strcasecmp(point, ".hb") == 0)
        return true;
    return strlen(point) == 4 && strpbrk(point + 1, "rcpiRCPI") == point + 1 &&
           strpbrk(point + 2, "uszhrUSZHR") == point + 2 && strpbrk(point + 3, "aeAE") == point + 3;
}

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    struct spmmi_lines lines = spmmi_lines_of(head->bytes, head->bytes + head->size);
    if (spmmi_lines_next(&lines) && is_title(&lines) && spmmi_lines_next(&lines) && is_title(&lines) &&
        spmmi_lines_next(&lines) && spmmi_rb_is_type(lines.line, lines.line_end))
        return SPMMI_PROBE_CONTENT;
    return has_name(head) ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    struct spmmi_lines lines = spmmi_lines_of(head->bytes, head->bytes + head->size);
    for (int i = 0; i < 3; i++)
        (void)spmmi_lines_next(&lines);
    (void)snprintf(sentence, capacity,
                   "expected a Rutherford-Boeing file, whose line 3 starts with a type such as rua, found %s",
                   lines.line != NULL ? spmmi_token(lines.line, lines.line_end, token)
                                      : "the end of the file");
}

/* The position in the numbers of one section. */
struct cursor {
    struct spmmi_reader *reader;
    struct spmmi_lines *lines;
    const struct spmmi_rb_section *section;
    int64_t done;
    const char *p, *end; /* the field of the current number */
};

static spmm_status_t bad_number(struct cursor *c, const char *expected)
{
    char token[SPMMI_TOKEN_BYTES];
    while (c->p < c->end && *c->p == ' ')
        c->p++;
    return spmmi_reader_fail(c->reader, SPMM_ERR_MATRIX_SYNTAX, c->lines->number, "expected %s, found %s",
                             expected, c->p == c->end ? "blanks" : spmmi_token(c->p, c->end, token));
}

static spmm_status_t next_line_of(struct cursor *c)
{
    if (c->done % PROGRESS_NUMBERS < c->section->format.per_line)
        spmmi_reader_progress(c->reader, c->section->what, (uint64_t)c->done, (uint64_t)c->section->count);
    if (spmmi_lines_next(c->lines))
        return SPMM_OK;
    return spmmi_reader_fail(c->reader, SPMM_ERR_MATRIX_SYNTAX, c->lines->number,
                             "expected %lld %s, found the end of the file after %lld",
                             (long long)c->section->count, c->section->what, (long long)c->done);
}

/* Sets [p, end) to the columns of the next number. Fails if the file ends within these columns, because
 * digits may be missing. */
static spmm_status_t next_field(struct cursor *c)
{
    const struct spmmi_fortran_format *format = &c->section->format;
    const int64_t position = c->done % format->per_line;
    if (position == 0) {
        const spmm_status_t status = next_line_of(c);
        if (status != SPMM_OK)
            return status;
    }
    const int64_t length = c->lines->line_end - c->lines->line;
    const int64_t from = position * format->width;
    c->p = c->lines->line + (from < length ? from : length);
    c->end = c->lines->line + (from + format->width < length ? from + format->width : length);
    if (c->lines->line_end == c->lines->end && from + format->width > length)
        return bad_number(c, "a number in all of its columns at the end of the file");
    c->done++;
    return SPMM_OK;
}

/* Checks that only blanks follow the last number of a full line. Text after the last number of a section is
 * ignored, as in Fortran: files of the Harwell-Boeing collection have remains of an earlier line there. */
static spmm_status_t check_rest(struct cursor *c)
{
    if (c->done % c->section->format.per_line != 0)
        return SPMM_OK;
    c->p = c->end;
    c->end = c->lines->line_end;
    while (c->p < c->end && *c->p == ' ')
        c->p++;
    return c->p == c->end ? SPMM_OK : bad_number(c, "the end of the line");
}

static spmm_status_t next_count(struct cursor *c, int64_t low, int64_t high, const char *what, int64_t *count)
{
    spmm_status_t status = SPMM_OK;
    char expected[96];
    uint64_t value = 0;
    SPMM_TRY(next_field(c));
    if (!spmmi_fortran_count(c->p, c->end, &value) || value < (uint64_t)low || value > (uint64_t)high) {
        (void)snprintf(expected, sizeof expected, "a %s from %lld to %lld", what, (long long)low,
                       (long long)high);
        status = bad_number(c, expected);
        goto cleanup;
    }
    *count = (int64_t)value;
    SPMM_TRY(check_rest(c));
cleanup:
    return status;
}

/* Reads the column pointers and sets the column of every entry. */
static spmm_status_t read_pointers(struct cursor c, const struct spmmi_rb *rb,
                                   struct spmmi_triplets *triplets)
{
    spmm_status_t status = SPMM_OK;
    int64_t first = 0;
    c.section = &rb->pointers;
    SPMM_TRY(next_count(&c, 1, 1, "first column pointer", &first));
    for (int64_t col = 0; col < rb->cols; col++) {
        int64_t next = 0;
        const int64_t low = col + 1 == rb->cols ? rb->entries + 1 : first;
        SPMM_TRY(next_count(&c, low, rb->entries + 1, "column pointer", &next));
        for (int64_t q = first; q < next; q++)
            triplets->cols[q - 1] = (int32_t)col;
        first = next;
    }
    triplets->count = rb->entries;
cleanup:
    return status;
}

static spmm_status_t read_indices(struct cursor c, const struct spmmi_rb *rb, struct spmmi_triplets *triplets)
{
    spmm_status_t status = SPMM_OK;
    c.section = &rb->indices;
    for (int64_t q = 0; q < rb->entries; q++) {
        int64_t row = 0;
        SPMM_TRY(next_count(&c, 1, rb->rows, "row index", &row));
        triplets->rows[q] = (int32_t)(row - 1);
        if (rb->symmetry != SPMMI_GENERAL && row - 1 < triplets->cols[q]) {
            status = spmmi_reader_fail(
                c.reader, SPMM_ERR_MATRIX_SYNTAX, c.lines->number,
                "expected entries of the lower triangle of a symmetric matrix, found row %lld, "
                "column %lld",
                (long long)row, (long long)triplets->cols[q] + 1);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

static bool read_value(const struct cursor *c, double *value, bool *inexact)
{
    if (c->section->format.kind != 'I')
        return spmmi_fortran_real(&c->section->format, c->p, c->end, value);
    const char *p = c->p;
    const char *end = c->end;
    while (p < end && *p == ' ')
        p++;
    while (p < end && end[-1] == ' ')
        end--;
    return p < end && spmmi_integer_read(p, end, value, inexact) == end;
}

static spmm_status_t bad_value(struct cursor *c)
{
    const bool has_digits = c->section->format.digits > 0;
    return bad_number(c, c->section->format.kind == 'I' ? "an integer"
                         : has_digits                   ? "a number with a decimal point"
                                                        : "a number");
}

static spmm_status_t next_value(struct cursor *c, double *value, bool *inexact)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(next_field(c));
    if (!read_value(c, value, inexact))
        status = bad_value(c);
cleanup:
    return status;
}

/* Reads the imaginary part that follows a real part, and replaces *value by the number that the field
 * selects. */
static spmm_status_t next_imaginary(struct cursor *c, enum spmmi_value_field field, double *value,
                                    double *imaginary)
{
    spmm_status_t status = SPMM_OK;
    bool inexact = false;
    SPMM_TRY(check_rest(c));
    SPMM_TRY(next_value(c, imaginary, &inexact));
    *value = spmmi_complex_take(field, *value, *imaginary);
cleanup:
    return status;
}

static const char *wanted_on_diagonal(enum spmmi_symmetry symmetry, double value, double imaginary)
{
    if (symmetry == SPMMI_SKEW && (value != 0 || imaginary != 0))
        return "0 on the diagonal of a skew-symmetric matrix";
    if (symmetry == SPMMI_HERMITIAN && imaginary != 0)
        return "imaginary part 0 on the diagonal of a hermitian matrix";
    return NULL;
}

static spmm_status_t read_values(struct cursor c, const struct spmmi_rb *rb, struct spmmi_triplets *triplets,
                                 spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    c.section = &rb->values;
    for (int64_t q = 0; q < triplets->count && rb->field != SPMMI_FIELD_PATTERN; q++) {
        bool inexact = false;
        double imaginary = 0;
        SPMM_TRY(next_value(&c, &triplets->values[q], &inexact));
        if (spmmi_is_complex(rb->field))
            SPMM_TRY(next_imaginary(&c, rb->field, &triplets->values[q], &imaginary));
        const char *wanted = triplets->rows[q] != triplets->cols[q]
                                 ? NULL
                                 : wanted_on_diagonal(rb->symmetry, triplets->values[q], imaginary);
        if (wanted != NULL) {
            status = bad_number(&c, wanted);
            goto cleanup;
        }
        matrix->info.integers_inexact += inexact;
        SPMM_TRY(check_rest(&c));
    }
cleanup:
    return status;
}

/* Checks that only blank lines follow the matrix. */
static spmm_status_t read_end(struct spmmi_reader *reader, struct spmmi_lines *lines)
{
    char token[SPMMI_TOKEN_BYTES];
    while (spmmi_lines_next(lines)) {
        const char *p = lines->line;
        while (p < lines->line_end && *p == ' ')
            p++;
        if (p < lines->line_end)
            return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                     "expected the end of the file behind the matrix, found %s",
                                     spmmi_token(p, lines->line_end, token));
    }
    return SPMM_OK;
}

static spmm_status_t read_rutherford_boeing(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                            spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_lines lines = spmmi_lines_of(bytes, bytes + size);
    struct cursor cursor = {reader, &lines, NULL, 0, NULL, NULL};
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    struct spmmi_rb rb;
    SPMM_TRY(spmmi_rb_read_header(reader, &lines, &rb));
    matrix->rows = rb.rows;
    matrix->cols = rb.cols;
    spmmi_matrix_describe(matrix, rb.field, rb.symmetry, rb.entries);
    SPMM_TRY(spmmi_triplets_alloc(reader, &triplets, rb.entries, rb.field != SPMMI_FIELD_PATTERN));
    SPMM_TRY(read_pointers(cursor, &rb, &triplets));
    SPMM_TRY(read_indices(cursor, &rb, &triplets));
    SPMM_TRY(read_values(cursor, &rb, &triplets, matrix));
    if (rb.right_hand_lines == 0)
        SPMM_TRY(read_end(reader, &lines));
    /* The absolute values of a skew-symmetric matrix are symmetric. */
    SPMM_TRY(spmmi_triplets_to_rows(reader, &triplets,
                                    spmmi_is_negated(rb.field, rb.symmetry) || rb.symmetry == SPMMI_GENERAL
                                        ? rb.symmetry
                                        : SPMMI_SYMMETRIC,
                                    matrix));
cleanup:
    spmmi_triplets_free(reader, &triplets);
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_rutherford_boeing;
const struct spmmi_reader_ops spmmi_reader_rutherford_boeing = {"Rutherford-Boeing", "rb", probe, refuse,
                                                                read_rutherford_boeing};
