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

/* What a search for the variable that is meant has seen so far. */
#define SPMMI_MAT_LIST_BYTES 160u
struct spmmi_mat_search {
    const char *variable; /* NULL: none is named */
    unsigned sparse, full;
    struct spmmi_mat_element element, full_element; /* the first of each */
    char names[SPMMI_MAT_LIST_BYTES], full_names[SPMMI_MAT_LIST_BYTES];
};
/* One more variable, which the element leads to. */
void spmmi_mat_note(struct spmmi_mat_search *s, const struct spmmi_mat_element *element,
                    const struct spmmi_mat_array *array);
/* The variable that is meant: that which options name, else the only sparse one (a struct Problem, as of the
 * SuiteSparse collection, counts as one), else the only full one. */
spmm_status_t spmmi_mat_choose(struct spmmi_mat *mat, const struct spmmi_mat_search *s,
                               struct spmmi_mat_element *element);
#define SPMMI_MAT_FIELD "A" /* of a struct */

#define SPMMI_MAT_RATIO_MAX 1032u /* DEFLATE cannot expand further */
/* Unpack size bytes of zlib to room bytes; *got is how many there are. whole: just so many, else the beginning. offset:
 * in the file, for messages. */
spmm_status_t spmmi_mat_inflate(struct spmmi_mat *mat, uint64_t offset, const char *packed, uint32_t size,
                                char *to, uint64_t room, bool whole, uint64_t *got);

/* The array of the variable that is meant; of a struct the field A. */
spmm_status_t spmmi_mat_find(struct spmmi_mat *mat, struct spmmi_mat_array *array);
void spmmi_mat_close(struct spmmi_mat *mat);

#endif
