/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and entries of a Matrix Market text. Used by the fast passes and by the pass that explains an error, so
 * that both accept exactly the same text.
 *
 * Blanks are spaces and tabs. A line ends with LF, CR LF or the end of the text. Lines that are blank, and
 * lines whose first character behind blanks is %, count for nothing wherever they stand. */
#ifndef SPMMI_READ_LINE_H
#define SPMMI_READ_LINE_H

#include "decimal.h"
#include "digits.h"
#include "reader.h"

#define SPMMI_INLINE static inline __attribute__((always_inline))

SPMMI_INLINE const char *spmmi_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* Behind the line end at p; NULL when there is something else at p. */
SPMMI_INLINE const char *spmmi_line_end(const char *p, const char *end)
{
    if (p < end && *p == '\r')
        p++;
    else if (p < end && *p != '\n')
        return NULL;
    if (p == end)
        return end;
    return *p == '\n' ? p + 1 : NULL;
}

/* Behind the line that p is in. */
SPMMI_INLINE const char *spmmi_skip_line(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline != NULL ? newline + 1 : end;
}

/* p is at the start of a line: the first character of the next entry, or end. *line, unless NULL, is
 * kept at the number of the line that the result is in. */
SPMMI_INLINE const char *spmmi_next_entry(const char *p, const char *end, uint64_t *line)
{
    while (p < end) {
        p = spmmi_skip_blanks(p, end);
        if (p < end && spmmi_is_digit(*p))
            return p;
        const char *next = p < end && *p == '%' ? spmmi_skip_line(p, end) : spmmi_line_end(p, end);
        if (next == NULL)
            return p;
        if (line != NULL && next > p && next[-1] == '\n')
            ++*line;
        p = next;
    }
    return p;
}

/* Split [begin, end) at line ends into at most count pieces of similar size; bound has count + 1 entries.
 * Returns the number of pieces, at least 1. */
int spmmi_split_lines(const char *begin, const char *end, int count, const char **bound);

/* What is wrong with an entry. */
enum spmmi_entry_error {
    SPMMI_ENTRY_OK,
    SPMMI_ENTRY_ROW,      /* no integer from 1 to rows */
    SPMMI_ENTRY_COL,      /* no integer from 1 to cols */
    SPMMI_ENTRY_VALUE,    /* no number of the field */
    SPMMI_ENTRY_LINE_END, /* something behind the entry */
    SPMMI_ENTRY_UPPER,    /* above the diagonal of a symmetric matrix */
    SPMMI_ENTRY_DIAGONAL /* on the diagonal of a skew-symmetric matrix and not zero; of a hermitian one, not real */
};

struct spmmi_entry {
    int64_t row, col; /* from 0 */
    double value;     /* 1 for a pattern */
    double imaginary; /* of a complex number */
    bool inexact;     /* an integer that a double does not hold */
    const char *at;   /* on failure: the offending token */
};

/* Whether a number that ends at p ends there as a word. */
SPMMI_INLINE bool spmmi_is_word_end(const char *p, const char *end)
{
    return p == end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r';
}

/* One index in [1, limit]. NULL when not. */
SPMMI_INLINE const char *spmmi_read_index(const char *p, const char *end, int64_t limit, int64_t *index)
{
    uint64_t value = 0;
    p = spmmi_count_read(p, end, &value);
    if (p == NULL || value - 1 >= (uint64_t)limit || !spmmi_is_word_end(p, end))
        return NULL;
    *index = (int64_t)value - 1;
    return p;
}

/* Two numbers, and what is taken of them. NULL when not. */
SPMMI_INLINE const char *spmmi_read_complex(const char *p, const char *end, enum spmmi_value_field field,
                                            struct spmmi_entry *entry)
{
    double real = 0;
    p = spmmi_decimal_read(p, end, &real);
    if (p == NULL || p == end || (*p != ' ' && *p != '\t'))
        return NULL;
    p = spmmi_decimal_read(spmmi_skip_blanks(p, end), end, &entry->imaginary);
    entry->value = spmmi_complex_take(field, real, entry->imaginary);
    return p != NULL && spmmi_is_word_end(p, end) ? p : NULL;
}

/* One value of the field. NULL when not. */
SPMMI_INLINE const char *spmmi_read_value(const char *p, const char *end, enum spmmi_value_field field,
                                          struct spmmi_entry *entry)
{
    entry->inexact = false;
    if (spmmi_is_complex(field))
        return spmmi_read_complex(p, end, field, entry);
    p = field == SPMMI_FIELD_REAL ? spmmi_decimal_read(p, end, &entry->value)
                                  : spmmi_integer_read(p, end, &entry->value, &entry->inexact);
    return p != NULL && spmmi_is_word_end(p, end) ? p : NULL;
}

/* Read the entry at *p, the first character of its line that is no blank. On success *p is behind its line. field
 * and symmetry repeat mtx so that the compiler can specialise the loops. */
SPMMI_INLINE enum spmmi_entry_error spmmi_read_entry(const struct spmmi_mtx *mtx,
                                                     enum spmmi_value_field field,
                                                     enum spmmi_symmetry symmetry, const char **p,
                                                     struct spmmi_entry *entry)
{
    const char *end = mtx->end;
    entry->at = *p;
    const char *q = spmmi_read_index(*p, end, mtx->rows, &entry->row);
    if (q == NULL)
        return SPMMI_ENTRY_ROW;
    entry->at = spmmi_skip_blanks(q, end);
    q = spmmi_read_index(entry->at, end, mtx->cols, &entry->col);
    if (q == NULL)
        return SPMMI_ENTRY_COL;
    if (symmetry != SPMMI_GENERAL && entry->col > entry->row)
        return SPMMI_ENTRY_UPPER;
    q = spmmi_skip_blanks(q, end);
    if (field != SPMMI_FIELD_PATTERN) {
        entry->at = q;
        q = spmmi_read_value(q, end, field, entry);
        if (q == NULL)
            return SPMMI_ENTRY_VALUE;
        const bool is_zero = entry->value == 0 && entry->imaginary == 0;
        if (entry->row == entry->col &&
            ((symmetry == SPMMI_SKEW && !is_zero) || (symmetry == SPMMI_HERMITIAN && entry->imaginary != 0)))
            return SPMMI_ENTRY_DIAGONAL;
        q = spmmi_skip_blanks(q, end);
    }
    entry->at = q;
    *p = spmmi_line_end(q, end);
    return *p == NULL ? SPMMI_ENTRY_LINE_END : SPMMI_ENTRY_OK;
}

#endif
