/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in fixed columns, as Fortran's formatted input reads them: (16I5), (1P,5E16.8), (4D20.13). */
#ifndef SPMMI_FORTRAN_FORMAT_H
#define SPMMI_FORTRAN_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define SPMMI_FORTRAN_WIDTH_MAX 128

/* One repeated edit descriptor, the only form that matrix files use. */
struct spmmi_fortran_format {
    char kind; /* I, E, D, F or G */
    int per_line, width;
    int digits; /* digits after the point */
    int scale;  /* k of kP */
};

/* A text that is read line by line. A line ends with LF, CR LF or the end of the text; the line does not
 * include them. */
struct spmmi_lines {
    const char *line, *line_end; /* NULL before the first line and after the last */
    const char *next, *end;
    uint64_t number; /* number of the current line; after the last line: its number plus 1 */
};
struct spmmi_lines spmmi_lines_of(const char *text, const char *end);
bool spmmi_lines_next(struct spmmi_lines *lines);

/* Reads a format at p. Returns its end; NULL if there is no format or it is not supported. */
const char *spmmi_fortran_format_read(const char *p, const char *end, struct spmmi_fortran_format *format);
/* Return the number of lines that `count` numbers take, and the minimum number of bytes of these lines. */
int64_t spmmi_fortran_lines(const struct spmmi_fortran_format *format, int64_t count);
int64_t spmmi_fortran_bytes(const struct spmmi_fortran_format *format, int64_t count);

/* Read the number in the field [p, end); blanks around it are ignored. Return false if it is malformed. A
 * real number must have a point unless the format has no digits after the point: Fortran would insert the
 * point as the format says, other readers at the end. */
bool spmmi_fortran_count(const char *p, const char *end, uint64_t *value);
bool spmmi_fortran_real(const struct spmmi_fortran_format *format, const char *p, const char *end,
                        double *value);

#endif
