/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the message for a malformed entry in one serial pass over the entries. It uses the same functions as
 * the fast passes and counts lines. It runs only after a fast pass has failed. */
#include <stdio.h>

#include "read_line.h"

static spmm_status_t found(struct spmmi_reader *reader, uint64_t line, const char *expected, const char *at,
                           const char *end, const char *hint)
{
    char text[SPMMI_TOKEN_BYTES];
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, line, "expected %s, found %s%s", expected,
                             spmmi_token(at, end, text), hint);
}

static spmm_status_t bad_index(struct spmmi_reader *reader, uint64_t line, const char *what, int64_t limit,
                               const char *at, const char *end)
{
    char expected[64];
    uint64_t value = 0;
    const char *after = spmmi_count_read(at, end, &value);
    const bool is_zero = after != NULL && value == 0 && spmmi_is_word_end(after, end);
    const bool is_comment = at < end && *at == '%';
    (void)snprintf(expected, sizeof expected, "a %s index from 1 to %lld", what, (long long)limit);
    return found(reader, line, expected, at, end,
                 is_zero      ? "; indices of Matrix Market count from 1"
                 : is_comment ? "; a comment needs a line of its own"
                              : "");
}

/* Returns a hint about the likely intention of a malformed value. */
static const char *value_hint(enum spmmi_value_field field, const char *at, const char *end)
{
    bool hex = false;
    for (const char *p = at; p < end && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r'; p++) {
        if (*p == ',')
            return "; the decimal sign is a point";
        if (*p == 'x' || *p == 'X')
            hex = true;
        if (!hex && p > at && spmmi_is_digit(p[-1]) && (*p == 'd' || *p == 'D'))
            return "; write the exponent with E";
        if (field == SPMMI_FIELD_INTEGER && (*p == '.' || *p == 'e' || *p == 'E'))
            return "; the banner says integer";
    }
    return hex ? "; hexadecimal numbers are not read" : "";
}

static spmm_status_t bad_value(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                               const char *at)
{
    const char *expected = spmmi_is_complex(mtx->field)     ? "a real and an imaginary part"
                           : mtx->field == SPMMI_FIELD_REAL ? "a number"
                                                            : "an integer";
    return found(reader, line, expected, at, mtx->end, value_hint(mtx->field, at, mtx->end));
}

static const char *entries_word(const struct spmmi_mtx *mtx)
{
    return mtx->entries == 1 ? "entry" : "entries";
}

static spmm_status_t too_few(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                             int64_t entries)
{
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, line,
                             "expected %lld %s, found the end of the file after %lld",
                             (long long)mtx->entries, entries_word(mtx), (long long)entries);
}

static spmm_status_t too_many(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                              const char *at)
{
    char expected[64];
    (void)snprintf(expected, sizeof expected, "the end of the file after %lld %s", (long long)mtx->entries,
                   entries_word(mtx));
    return found(reader, line, expected, at, mtx->end, "");
}

static spmm_status_t explain_entry(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                                   enum spmmi_entry_error error, const struct spmmi_entry *entry)
{
    switch (error) {
    case SPMMI_ENTRY_ROW:
        return bad_index(reader, line, "row", mtx->rows, entry->at, mtx->end);
    case SPMMI_ENTRY_COL:
        return bad_index(reader, line, "column", mtx->cols, entry->at, mtx->end);
    case SPMMI_ENTRY_VALUE:
        return bad_value(reader, mtx, line, entry->at);
    case SPMMI_ENTRY_UPPER:
        return spmmi_reader_fail(
            reader, SPMM_ERR_MATRIX_SYNTAX, line,
            "expected entries of the lower triangle of a symmetric matrix, found row %lld, "
            "column %lld",
            (long long)entry->row + 1, (long long)entry->col + 1);
    case SPMMI_ENTRY_DIAGONAL:
        return found(reader, line,
                     mtx->symmetry == SPMMI_SKEW ? "0 on the diagonal of a skew-symmetric matrix"
                                                 : "imaginary part 0 on the diagonal of a hermitian matrix",
                     entry->at, mtx->end, "");
    default: /* there is more text on the line */
        break;
    }
    return found(reader, line, "the end of the line", entry->at, mtx->end,
                 *entry->at == '%' ? "; a comment needs a line of its own" : "");
}

static spmm_status_t nothing_wrong(struct spmmi_reader *reader)
{
    return spmmi_reader_fail(reader, SPMM_ERR_INTERNAL, 0,
                             "the reader refused a file in which it finds no error");
}

/* Reads one entry at *p and advances *p past it, or reports what is wrong with it. */
typedef spmm_status_t (*entry_fn)(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                                  const char **p);

static spmm_status_t coordinate_entry(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                                      const char **p)
{
    struct spmmi_entry entry = {0, 0, 1, 0, false, NULL};
    const enum spmmi_entry_error error = spmmi_read_entry(mtx, mtx->field, mtx->symmetry, p, &entry);
    return error == SPMMI_ENTRY_OK ? SPMM_OK : explain_entry(reader, mtx, line, error, &entry);
}

static spmm_status_t array_entry(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line,
                                 const char **p)
{
    struct spmmi_entry entry = {0, 0, 1, 0, false, *p};
    const char *q = spmmi_read_value(*p, mtx->end, mtx->field, &entry);
    if (q == NULL)
        return bad_value(reader, mtx, line, *p);
    q = spmmi_skip_blanks(q, mtx->end);
    *p = spmmi_line_end(q, mtx->end);
    return *p != NULL ? SPMM_OK : found(reader, line, "one value a line", q, mtx->end, "");
}

static spmm_status_t explain(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, entry_fn read_entry)
{
    uint64_t line = mtx->data_line;
    int64_t entries = 0;
    for (const char *p = mtx->data;; entries++) {
        p = spmmi_next_entry(p, mtx->end, &line);
        if (p == mtx->end)
            break;
        if (entries == mtx->entries)
            return too_many(reader, mtx, line, p);
        const spmm_status_t status = read_entry(reader, mtx, line, &p);
        if (status != SPMM_OK)
            return status;
        line += p[-1] == '\n';
    }
    return entries < mtx->entries ? too_few(reader, mtx, line, entries) : nothing_wrong(reader);
}

spmm_status_t spmmi_explain_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx)
{
    return explain(reader, mtx, coordinate_entry);
}

spmm_status_t spmmi_explain_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx)
{
    return explain(reader, mtx, array_entry);
}
