/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a Rutherford-Boeing file. */
#ifndef SPMMI_READ_RUTHERFORD_BOEING_H
#define SPMMI_READ_RUTHERFORD_BOEING_H

#include "fortran_format.h"
#include "reader.h"

/* A section of the file: numbers in one format, on lines of their own. */
struct spmmi_rb_section {
    const char *what; /* name in messages, plural */
    struct spmmi_fortran_format format;
    int64_t lines; /* number of lines according to the header */
    int64_t count; /* number of values */
};

struct spmmi_rb {
    enum spmmi_value_field field;
    enum spmmi_symmetry symmetry;
    int64_t rows, cols, entries;
    struct spmmi_rb_section pointers, indices, values;
    int64_t right_hand_lines; /* in Harwell-Boeing files, after the values */
};

/* Returns true if the line can be line 3 of a header: it starts with a type of three letters, followed by
 * blanks. */
bool spmmi_rb_is_type(const char *line, const char *line_end);

/* Reads the header. Afterwards, the current line of `lines` is its last line. */
spmm_status_t spmmi_rb_read_header(struct spmmi_reader *reader, struct spmmi_lines *lines,
                                   struct spmmi_rb *rb);

#endif
