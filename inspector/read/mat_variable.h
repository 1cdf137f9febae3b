/* SPDX-License-Identifier: Apache-2.0 */
/* The variable of a MAT-file that holds the matrix. */
#ifndef SPMMI_MAT_VARIABLE_H
#define SPMMI_MAT_VARIABLE_H

#include "mat_array.h"

/* Bytes of the file's own header: a text, a version, the order of bytes. */
#define SPMMI_MAT_HEADER 128u

struct spmmi_mat {
    struct spmmi_reader *reader;
    const char *bytes;
    uint64_t size;
    bool big_endian;
    struct spmmi_bytes unpacked; /* of the variable that is meant, if it is compressed */
    char shown[4 * SPMMI_MAT_NAME_BYTES];
};

/* Record "LABEL: variable NAME: " and the sentence. */
__attribute__((format(printf, 3, 4))) spmm_status_t
spmmi_mat_fail(struct spmmi_mat *mat, spmm_status_t status, const char *format, ...);

/* The array that is meant: the variable that options name, else the only sparse one (a struct Problem, as of the
 * SuiteSparse collection, counts as one), else the only full one. Of a struct it is the field A. */
spmm_status_t spmmi_mat_find(struct spmmi_mat *mat, struct spmmi_mat_array *array);
void spmmi_mat_close(struct spmmi_mat *mat);

#endif
