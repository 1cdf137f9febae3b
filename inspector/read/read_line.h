/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and entries of a Matrix Market text. The fast passes and the pass that explains errors both use these
 * functions, so that they accept exactly the same text.
 *
 * Blanks are spaces and tabs. A line ends with LF, CR LF or the end of the text. Blank lines, and lines whose
 * first nonblank character is %, are ignored everywhere. */
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

/* Returns the position after the line end at p; NULL if there is no line end at p. */
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

/* Returns the position after the line that contains p. */
SPMMI_INLINE const char *spmmi_skip_line(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline != NULL ? newline + 1 : end;
}

/* Returns the first character of the next entry, or end. p must be at the start of a line. Advances *line,
 * unless it is NULL, to the number of the line that contains the result. */
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

/* Splits [begin, end) at line ends into at most `count` pieces of similar size. bound has count + 1 elements.
 * Returns the number of pieces, at least 1. */
int spmmi_split_lines(const char *begin, const char *end, int count, const char **bound);

/* What is wrong with an entry. */
enum spmmi_entry_error {
    SPMMI_ENTRY_OK,
    SPMMI_ENTRY_ROW,      /* not an integer from 1 to rows */
    SPMMI_ENTRY_COL,      /* not an integer from 1 to cols */
    SPMMI_ENTRY_VALUE,    /* not a value of the field */
    SPMMI_ENTRY_LINE_END, /* text after the entry */
    SPMMI_ENTRY_UPPER,    /* above the diagonal of a symmetric matrix */
    /* Nonzero diagonal entry of a skew-symmetric matrix, or complex one of a hermitian matrix. */
    SPMMI_ENTRY_DIAGONAL
};

struct spmmi_entry {
    int64_t row, col; /* count from 0 */
    double value;     /* 1 for a pattern */
    double imaginary; /* imaginary part of a complex number */
    bool inexact;     /* the integer is not exact in a double */
    const char *at;   /* on failure: start of the offending token */
};

/* Returns true if a blank, a line end or the end of the text is at p. */
SPMMI_INLINE bool spmmi_is_word_end(const char *p, const char *end)
{
    return p == end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r';
}

/* Reads an index in [1, limit]. Returns its end; NULL if there is none. */
SPMMI_INLINE const char *spmmi_read_index(const char *p, const char *end, int64_t limit, int64_t *index)
{
    uint64_t value = 0;
    p = spmmi_count_read(p, end, &value);
    if (p == NULL || value - 1 >= (uint64_t)limit || !spmmi_is_word_end(p, end))
        return NULL;
    *index = (int64_t)value - 1;
    return p;
}

/* Reads a real and an imaginary part, and sets the value that the field selects. Returns their end; NULL if
 * they are malformed. */
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

/* Reads one value of the field. Returns its end; NULL if it is malformed. */
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

/* Reads the entry at *p, which is the first nonblank character of its line. On success, *p is after the line.
 * field and symmetry are those of mtx, passed separately so that the compiler can specialise the loops. */
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
