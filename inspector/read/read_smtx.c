/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of DLMC .smtx files: a CSR pattern as text in three lines, with indices from 0.
 *
 *   rows, cols, nnz
 *   rows + 1 row offsets
 *   nnz column indices, in any order within a row
 *
 * Numbers are separated by blanks. Blank lines are ignored, and numbers may be spread over more lines. A
 * column that occurs twice in a row is one entry. */
#include <stdio.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "read_line.h"

struct cursor {
    const char *p, *end;
    uint64_t line;
};

static void skip_space(struct cursor *c)
{
    for (; c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'); c->p++)
        c->line += *c->p == '\n';
}

/* Reads a number in [low, high] that is followed by a blank, a line end or, if `comma` is set, a comma. */
static spmm_status_t read_number(struct spmmi_reader *reader, struct cursor *c, const char *what, int64_t low,
                                 int64_t high, bool comma, int64_t *number)
{
    uint64_t value = 0;
    skip_space(c);
    const char *q = spmmi_count_read(c->p, c->end, &value);
    const bool closed = q != NULL && (spmmi_is_word_end(q, c->end) || (comma && *q == ','));
    if (!closed || value < (uint64_t)low || value > (uint64_t)high) {
        char text[SPMMI_TOKEN_BYTES];
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, c->line,
                                 "expected %s from %lld to %lld, found %s", what, (long long)low,
                                 (long long)high, spmmi_token(c->p, c->end, text));
    }
    c->p = q;
    *number = (int64_t)value;
    return SPMM_OK;
}

static spmm_status_t read_comma(struct spmmi_reader *reader, struct cursor *c)
{
    char text[SPMMI_TOKEN_BYTES];
    c->p = spmmi_skip_blanks(c->p, c->end);
    if (c->p == c->end || *c->p != ',')
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, c->line,
                                 "expected a comma between rows, columns and nonzeros, found %s",
                                 spmmi_token(c->p, c->end, text));
    c->p++;
    return SPMM_OK;
}

static spmm_status_t read_sizes(struct spmmi_reader *reader, struct cursor *c, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(read_number(reader, c, "a number of rows", 0, SPMMI_DIM_MAX, true, &matrix->rows));
    SPMM_TRY(read_comma(reader, c));
    SPMM_TRY(read_number(reader, c, "a number of columns", 0, SPMMI_DIM_MAX, true, &matrix->cols));
    SPMM_TRY(read_comma(reader, c));
    /* An offset or a column needs a digit and a separator; the last one may lack its separator. */
    const int64_t room = (c->end - c->p + 1) / 2;
    SPMM_TRY(
        read_number(reader, c, "a number of nonzeros that fits in the file,", 0, room, false, &matrix->nnz));
    if (matrix->rows > room) {
        status = spmmi_reader_fail(
            reader, SPMM_ERR_MATRIX_SYNTAX, c->line,
            "expected %lld row offsets, but only %lld numbers fit in the file; is it cut off?",
            (long long)matrix->rows + 1, (long long)room);
        goto cleanup;
    }
cleanup:
    return status;
}

/* Returns true if the first line is "rows, cols, nnz". */
static bool has_first_line(const char *p, const char *end)
{
    for (int i = 0; i < 3; i++) {
        uint64_t value = 0;
        p = spmmi_count_read(spmmi_skip_blanks(p, end), end, &value);
        if (p == NULL)
            return false;
        p = spmmi_skip_blanks(p, end);
        if (i < 2 && (p == end || *p++ != ','))
            return false;
    }
    return spmmi_line_end(p, end) != NULL;
}

/* With its name, a file is accepted if it starts with a digit and its first line has an end. */
static enum spmmi_probe probe(const struct spmmi_head *head)
{
    const char *end = head->bytes + head->size;
    const bool named = spmmi_head_named(head, ".smtx");
    const bool ends = head->is_all || memchr(head->bytes, '\n', head->size) != NULL;
    if (spmmi_is_digit(*head->bytes) && ends && (named || has_first_line(head->bytes, end)))
        return SPMMI_PROBE_CONTENT;
    return named ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    (void)snprintf(sentence, capacity, "expected \"rows, columns, nonzeros\", found %s",
                   spmmi_token(head->bytes, head->bytes + head->size, token));
}

static spmm_status_t read_offsets(struct spmmi_reader *reader, struct cursor *c, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    int64_t offset = 0;
    for (int64_t i = 0; i <= matrix->rows; i++) {
        /* The first offset is 0, the last one is nnz, and the offsets do not decrease. */
        const int64_t low = i == matrix->rows ? matrix->nnz : offset;
        const int64_t high = i == 0 ? 0 : matrix->nnz;
        SPMM_TRY(read_number(reader, c, "a row offset", low, high, false, &offset));
        matrix->row_ptr[i] = offset;
    }
cleanup:
    return status;
}

static spmm_status_t read_columns(struct spmmi_reader *reader, struct cursor *c, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    if (matrix->nnz > 0 && matrix->cols == 0)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "expected no nonzeros without columns");
    for (int64_t q = 0; q < matrix->nnz; q++) {
        int64_t col = 0;
        SPMM_TRY(read_number(reader, c, "a column index", 0, matrix->cols - 1, false, &col));
        matrix->col_ind[q] = (int32_t)col;
    }
cleanup:
    return status;
}

static spmm_status_t read_smtx(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                               spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct cursor c = {bytes, bytes + size, 1};
    char token[SPMMI_TOKEN_BYTES];
    SPMM_TRY(read_sizes(reader, &c, matrix));
    if (matrix->rows == 0 && matrix->nnz > 0) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "expected no nonzeros without rows");
        goto cleanup;
    }
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    SPMM_TRY(read_offsets(reader, &c, matrix));
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, false));
    SPMM_TRY(read_columns(reader, &c, matrix));
    spmmi_matrix_describe(matrix, SPMMI_FIELD_PATTERN, SPMMI_GENERAL, matrix->nnz);
    skip_space(&c);
    if (c.p != c.end)
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, c.line,
                                   "expected the end of the file after %lld column indices, found %s",
                                   (long long)matrix->nnz, spmmi_token(c.p, c.end, token));
cleanup:
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_smtx;
const struct spmmi_reader_ops spmmi_reader_smtx = {".smtx", "smtx", probe, refuse, read_smtx};
