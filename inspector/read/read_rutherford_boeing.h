/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a Rutherford-Boeing file. */
#ifndef SPMMI_READ_RUTHERFORD_BOEING_H
#define SPMMI_READ_RUTHERFORD_BOEING_H

#include "fortran_format.h"
#include "reader.h"

/* A section of the file: numbers in one format, on lines of their own. */
struct spmmi_rb_section {
    const char *what; /* plural, in messages */
    struct spmmi_fortran_format format;
    int64_t lines; /* as the header says */
    int64_t count; /* numbers */
};

struct spmmi_rb {
    enum spmmi_value_field field;
    enum spmmi_symmetry symmetry;
    int64_t rows, cols, entries;
    struct spmmi_rb_section pointers, indices, values;
    int64_t right_hand_lines; /* of Harwell-Boeing files, behind the values */
};

/* The third line starts with a type: three letters, then blanks. */
bool spmmi_rb_is_type(const char *line, const char *line_end);

/* Read the header; lines then stands on its last line. */
spmm_status_t spmmi_rb_read_header(struct spmmi_reader *reader, struct spmmi_lines *lines,
                                   struct spmmi_rb *rb);

#endif
