/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in fixed columns, as Fortran's formatted input reads them: (16I5), (1P,5E16.8), (4D20.13). */
#ifndef SPMMI_FORTRAN_FORMAT_H
#define SPMMI_FORTRAN_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define SPMMI_FORTRAN_WIDTH_MAX 128

/* One edit descriptor, repeated: what files of matrices use. */
struct spmmi_fortran_format {
    char kind; /* I, E, D, F, G */
    int per_line, width;
    int digits; /* behind the point */
    int scale;  /* of kP */
};

/* A text, line by line. A line ends with LF, CR LF or the end of the text, which are not part of it. */
struct spmmi_lines {
    const char *line, *line_end; /* NULL before the first and behind the last */
    const char *next, *end;
    uint64_t number; /* of the line; behind the last line: its number, plus 1 */
};
struct spmmi_lines spmmi_lines_of(const char *text, const char *end);
bool spmmi_lines_next(struct spmmi_lines *lines);

/* Read a format at p. Returns its end, or NULL when it is none or another one. */
const char *spmmi_fortran_format_read(const char *p, const char *end, struct spmmi_fortran_format *format);
/* The lines that count numbers take, and the fewest bytes of such lines. */
int64_t spmmi_fortran_lines(const struct spmmi_fortran_format *format, int64_t count);
int64_t spmmi_fortran_bytes(const struct spmmi_fortran_format *format, int64_t count);

/* The number of a field, [*p, end) on success without blanks around it. A real number has a point, unless the
 * format has no digits behind it: Fortran would put the point where the format says, other readers at the end. */
bool spmmi_fortran_count(const char *p, const char *end, uint64_t *value);
bool spmmi_fortran_real(const struct spmmi_fortran_format *format, const char *p, const char *end,
                        double *value);

#endif
