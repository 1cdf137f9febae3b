/* SPDX-License-Identifier: Apache-2.0 */
/* See fortran_format.h. A format is
 *   ( [kP[,]] [repeat] ( ... )  or  [kP[,]] [repeat] letter width [.digits [Eexponent]] )
 * with at most one level of inner parentheses. Blanks are ignored. */
#include "fortran_format.h"

#include <string.h>

#include "digits.h"

#define REPEAT_MAX 1000
#define DEPTH_MAX 2

struct spmmi_lines spmmi_lines_of(const char *text, const char *end)
{
    return (struct spmmi_lines){NULL, NULL, text, end, 0};
}

bool spmmi_lines_next(struct spmmi_lines *lines)
{
    lines->number += lines->number == 0 || lines->line != NULL;
    if (lines->next == lines->end) {
        lines->line = lines->line_end = NULL;
        return false;
    }
    const char *newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    lines->line = lines->next;
    lines->line_end = newline != NULL ? newline : lines->end;
    lines->next = newline != NULL ? newline + 1 : lines->end;
    if (lines->line_end > lines->line && lines->line_end[-1] == '\r')
        lines->line_end--;
    return true;
}

struct text {
    const char *p, *end;
};

/* Skips blanks and returns the next character in upper case without consuming it; 0 at the end. */
static char peek(struct text *t)
{
    while (t->p < t->end && *t->p == ' ')
        t->p++;
    if (t->p == t->end)
        return '\0';
    return *t->p >= 'a' && *t->p <= 'z' ? (char)(*t->p - 'a' + 'A') : *t->p;
}

static bool take(struct text *t, char c)
{
    const bool is = peek(t) == c;
    t->p += is;
    return is;
}

/* Reads a number of at most `max`, or `absent` if there is no digit. Returns false if it is larger than
 * max. */
static bool take_number(struct text *t, int absent, int max, int *number)
{
    *number = absent;
    if (!spmmi_is_digit(peek(t)))
        return true;
    *number = 0;
    while (spmmi_is_digit(peek(t)) && *number <= max)
        *number = *number * 10 + (*t->p++ - '0');
    return *number <= max;
}

/* Reads everything in front of the letter: parentheses, scale factor, repeat counts. Returns the depth of the
 * parentheses; 0 on failure. */
static int take_prefix(struct text *t, struct spmmi_fortran_format *f)
{
    int depth = 0;
    for (;;) {
        int number = 1;
        if (take(t, '(')) {
            if (++depth > DEPTH_MAX)
                return 0;
            continue;
        }
        const bool negative = take(t, '-');
        if (!take_number(t, 1, REPEAT_MAX, &number))
            return 0;
        if (take(t, 'P')) {
            f->scale = negative ? -number : number;
            (void)take(t, ',');
            continue;
        }
        if (negative || f->per_line * number > REPEAT_MAX)
            return 0;
        f->per_line *= number;
        if (peek(t) != '(')
            return depth;
    }
}

const char *spmmi_fortran_format_read(const char *p, const char *end, struct spmmi_fortran_format *format)
{
    struct text t = {p, end};
    struct spmmi_fortran_format f = {'\0', 1, 0, 0, 0};
    int exponent_digits = 0;
    const int depth = take_prefix(&t, &f);
    if (depth == 0)
        return NULL;
    f.kind = peek(&t);
    if (f.kind == '\0' || strchr("IEDFG", f.kind) == NULL)
        return NULL;
    t.p++;
    if (!take_number(&t, 0, SPMMI_FORTRAN_WIDTH_MAX, &f.width))
        return NULL;
    if (take(&t, '.') && !take_number(&t, 0, f.width, &f.digits))
        return NULL;
    if (take(&t, 'E') && !take_number(&t, 0, f.width, &exponent_digits))
        return NULL;
    for (int i = 0; i < depth; i++)
        if (!take(&t, ')'))
            return NULL;
    *format = f;
    return f.width > 0 && f.per_line > 0 ? t.p : NULL;
}

int64_t spmmi_fortran_lines(const struct spmmi_fortran_format *format, int64_t count)
{
    return (count + format->per_line - 1) / format->per_line;
}

int64_t spmmi_fortran_bytes(const struct spmmi_fortran_format *format, int64_t count)
{
    const int64_t lines = spmmi_fortran_lines(format, count);
    /* The last number of a line may lack the blanks after it, and the last line may lack its line end. */
    return lines == 0 ? 0 : (count - lines) * format->width + lines + (lines - 1);
}
