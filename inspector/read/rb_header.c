/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header of Rutherford-Boeing and Harwell-Boeing files, which has fixed columns:
 *
 *   title, key
 *   numbers of lines: total, pointers, indices, values [, right-hand sides]    14 columns each
 *   type, 11 blanks, rows, columns, entries, number of elements                14 columns each
 *   formats of pointers, indices, values [, right-hand sides]
 *   [description of the right-hand sides]
 *
 * The type has three letters: r, i, p or c (real, integer, pattern, complex; q is refused); u, s, z, r or h
 * (unsymmetric, symmetric, skew-symmetric, rectangular, hermitian); a (assembled; e is refused). */
#include <stdio.h>
#include <string.h>

#include "digits.h"
#include "format/base/diag.h"
#include "format/plan.h"
#include "read_rutherford_boeing.h"

#define FIELD 14 /* columns per number in lines 2 and 3 */

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool spmmi_rb_is_type(const char *line, const char *line_end)
{
    if (line_end - line < 2 * FIELD || strchr("rcpiq", small(line[0])) == NULL ||
        strchr("uszhr", small(line[1])) == NULL || strchr("ae", small(line[2])) == NULL)
        return false;
    for (int i = 0; i < 3; i++)
        if (line[i] == '\0')
            return false;
    for (int i = 3; i < FIELD; i++)
        if (line[i] != ' ')
            return false;
    return true;
}

static spmm_status_t next_line(struct spmmi_reader *reader, struct spmmi_lines *lines, const char *what)
{
    if (!spmmi_lines_next(lines))
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                 "expected %s, found the end of the file", what);
    return SPMM_OK;
}

/* Reads number k of the line, counting from 0. If it is optional, blanks mean zero. */
static spmm_status_t read_count(struct spmmi_reader *reader, const struct spmmi_lines *lines, int k,
                                bool optional, int64_t limit, const char *what, int64_t *count)
{
    char token[SPMMI_TOKEN_BYTES];
    uint64_t value = 0;
    const int64_t length = lines->line_end - lines->line;
    const int64_t from = length < FIELD * (int64_t)k ? length : FIELD * (int64_t)k;
    const char *p = lines->line + from;
    const char *end = length - from < FIELD ? lines->line_end : p + FIELD;
    while (p < end && *p == ' ')
        p++;
    if (!(optional && p == end) && !spmmi_fortran_count(p, end, &value))
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                 "expected %s in columns %d to %d, found %s", what, FIELD * k + 1,
                                 FIELD * (k + 1), p == end ? "blanks" : spmmi_token(p, end, token));
    if (value > (uint64_t)limit)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_TOO_LARGE, lines->number,
                                 "expected %s of at most %lld, found %s", what, (long long)limit,
                                 spmmi_token(p, end, token));
    *count = (int64_t)value;
    return SPMM_OK;
}

static spmm_status_t read_line_counts(struct spmmi_reader *reader, struct spmmi_lines *lines,
                                      struct spmmi_rb *rb)
{
    spmm_status_t status = SPMM_OK;
    int64_t total = 0;
    SPMM_TRY(next_line(reader, lines, "the numbers of lines"));
    SPMM_TRY(read_count(reader, lines, 0, false, SPMMI_NNZ_MAX, "a number of lines", &total));
    SPMM_TRY(read_count(reader, lines, 1, false, SPMMI_NNZ_MAX, "a number of lines of column pointers",
                        &rb->pointers.lines));
    SPMM_TRY(read_count(reader, lines, 2, false, SPMMI_NNZ_MAX, "a number of lines of row indices",
                        &rb->indices.lines));
    SPMM_TRY(
        read_count(reader, lines, 3, true, SPMMI_NNZ_MAX, "a number of lines of values", &rb->values.lines));
    SPMM_TRY(read_count(reader, lines, 4, true, SPMMI_NNZ_MAX, "a number of lines of right-hand sides",
                        &rb->right_hand_lines));
    const int64_t sum = rb->pointers.lines + rb->indices.lines + rb->values.lines + rb->right_hand_lines;
    if (total != sum)
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                   "expected %lld lines in all, the sum of the parts, found %lld",
                                   (long long)sum, (long long)total);
cleanup:
    return status;
}

/* Returns why a type is not supported; NULL if it is. */
static const char *why_not(char number, char shape, char storage)
{
    if (number != 'c' && shape == 'h')
        return "hermitian matrices are complex";
    if (storage == 'e')
        return "elemental matrices are not read, only assembled ones";
    if (number == 'q')
        return "values in a file of their own are not read";
    return NULL;
}

static spmm_status_t read_type(struct spmmi_reader *reader, struct spmmi_lines *lines, struct spmmi_rb *rb)
{
    spmm_status_t status = SPMM_OK;
    char token[SPMMI_TOKEN_BYTES];
    SPMM_TRY(next_line(reader, lines, "a type such as rua"));
    const char *p = lines->line;
    if (!spmmi_rb_is_type(p, lines->line_end)) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                   "expected a type such as rua, found %s",
                                   spmmi_token(p, lines->line_end, token));
        goto cleanup;
    }
    const char number = small(p[0]);
    const char shape = small(p[1]);
    const char *refusal = why_not(number, shape, small(p[2]));
    if (refusal != NULL) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_UNSUPPORTED, lines->number, "the type is %.3s; %s",
                                   p, refusal);
        goto cleanup;
    }
    rb->field = number == 'r' ? SPMMI_FIELD_REAL : number == 'i' ? SPMMI_FIELD_INTEGER : SPMMI_FIELD_PATTERN;
    if (number == 'c')
        SPMM_TRY(spmmi_complex_field(reader, lines->number, "the values are", &rb->field));
    rb->symmetry = shape == 's'   ? SPMMI_SYMMETRIC
                   : shape == 'z' ? SPMMI_SKEW
                   : shape == 'h' ? SPMMI_HERMITIAN
                                  : SPMMI_GENERAL;
    if (number == 'p' && shape == 'z')
        status = spmmi_reader_fail(
            reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
            "expected real or integer values, found the type %.3s, a skew-symmetric pattern", p);
cleanup:
    return status;
}

static spmm_status_t read_sizes(struct spmmi_reader *reader, const struct spmmi_lines *lines,
                                struct spmmi_rb *rb)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(read_count(reader, lines, 1, false, SPMMI_DIM_MAX, "a number of rows", &rb->rows));
    SPMM_TRY(read_count(reader, lines, 2, false, SPMMI_DIM_MAX, "a number of columns", &rb->cols));
    SPMM_TRY(read_count(reader, lines, 3, false, SPMMI_NNZ_MAX, "a number of entries", &rb->entries));
    if (rb->symmetry != SPMMI_GENERAL && rb->rows != rb->cols)
        status =
            spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                              "expected as many rows as columns for a symmetric matrix, found %lld and %lld",
                              (long long)rb->rows, (long long)rb->cols);
    else if (rb->entries > 0 && (rb->rows == 0 || rb->cols == 0))
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                   "expected no entries in a matrix of %lld x %lld, found a count of %lld",
                                   (long long)rb->rows, (long long)rb->cols, (long long)rb->entries);
cleanup:
    return status;
}

/* Reads the format of a section, and checks that its number of lines matches its number of values. */
static spmm_status_t read_format(struct spmmi_reader *reader, const struct spmmi_lines *lines, bool integers,
                                 const char **p, struct spmmi_rb_section *section)
{
    char token[SPMMI_TOKEN_BYTES];
    while (*p < lines->line_end && **p == ' ')
        ++*p;
    const char *next = spmmi_fortran_format_read(*p, lines->line_end, &section->format);
    if (next == NULL || (section->format.kind != 'I' && integers))
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                 "expected a Fortran format of %s such as %s, found %s", section->what,
                                 integers ? "(16I5)" : "(1P,5E16.8)",
                                 spmmi_token(*p, lines->line_end, token));
    *p = next;
    const int64_t needed = spmmi_fortran_lines(&section->format, section->count);
    if (section->lines != needed)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                 "expected %lld lines for %lld %s, %d a line, found a count of %lld",
                                 (long long)needed, (long long)section->count, section->what,
                                 section->format.per_line, (long long)section->lines);
    return SPMM_OK;
}

static spmm_status_t read_formats(struct spmmi_reader *reader, struct spmmi_lines *lines, struct spmmi_rb *rb)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(next_line(reader, lines, "Fortran formats"));
    const char *p = lines->line;
    SPMM_TRY(read_format(reader, lines, true, &p, &rb->pointers));
    SPMM_TRY(read_format(reader, lines, true, &p, &rb->indices));
    if (rb->field != SPMMI_FIELD_PATTERN)
        SPMM_TRY(read_format(reader, lines, rb->field == SPMMI_FIELD_INTEGER, &p, &rb->values));
    else if (rb->values.lines != 0)
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
                                   "expected no lines of values for a pattern, found a count of %lld",
                                   (long long)rb->values.lines);
cleanup:
    return status;
}

/* Refuses a truncated file before anything is allocated. */
static spmm_status_t check_bytes(struct spmmi_reader *reader, const struct spmmi_lines *lines,
                                 const struct spmmi_rb *rb)
{
    const int64_t pointers = spmmi_fortran_bytes(&rb->pointers.format, rb->pointers.count);
    const int64_t indices = spmmi_fortran_bytes(&rb->indices.format, rb->indices.count);
    const int64_t values = spmmi_fortran_bytes(&rb->values.format, rb->values.count);
    const int64_t found = lines->end - lines->next;
    if (pointers + indices + values > found)
        return spmmi_reader_fail(
            reader, SPMM_ERR_MATRIX_SYNTAX, lines->number,
            "expected at least %lld bytes behind the header for %lld columns and %lld entries, "
            "found %lld; is the file cut off?",
            (long long)(pointers + indices + values), (long long)rb->cols, (long long)rb->entries,
            (long long)found);
    return SPMM_OK;
}

spmm_status_t spmmi_rb_read_header(struct spmmi_reader *reader, struct spmmi_lines *lines,
                                   struct spmmi_rb *rb)
{
    spmm_status_t status = SPMM_OK;
    memset(rb, 0, sizeof *rb);
    rb->pointers.what = "column pointers";
    rb->indices.what = "row indices";
    rb->values.what = "values";
    rb->values.format.per_line = 1;
    SPMM_TRY(next_line(reader, lines, "a title"));
    SPMM_TRY(read_line_counts(reader, lines, rb));
    SPMM_TRY(read_type(reader, lines, rb));
    SPMM_TRY(read_sizes(reader, lines, rb));
    rb->pointers.count = rb->cols + 1;
    rb->indices.count = rb->entries;
    rb->values.count = rb->field == SPMMI_FIELD_PATTERN ? 0
                       : spmmi_is_complex(rb->field)    ? 2 * rb->entries
                                                        : rb->entries;
    SPMM_TRY(read_formats(reader, lines, rb));
    if (rb->right_hand_lines > 0)
        SPMM_TRY(next_line(reader, lines, "a description of the right-hand sides"));
    SPMM_TRY(check_bytes(reader, lines, rb));
cleanup:
    return status;
}
