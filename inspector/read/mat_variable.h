/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the variable of a MAT-file that holds the matrix. */
#ifndef SPMMI_MAT_VARIABLE_H
#define SPMMI_MAT_VARIABLE_H

#include "mat_array.h"

/* Bytes of the file header: a text, a version and the byte order. */
#define SPMMI_MAT_HEADER 128u

struct spmmi_mat {
    struct spmmi_reader *reader;
    const char *bytes;
    uint64_t size;
    bool big_endian;
    struct spmmi_bytes unpacked; /* bytes of the chosen variable if it is compressed */
    char shown[4 * SPMMI_MAT_NAME_BYTES];
};

/* Reports a failure as "LABEL: variable NAME: " and the sentence. */
__attribute__((format(printf, 3, 4))) spmm_status_t
spmmi_mat_fail(struct spmmi_mat *mat, spmm_status_t status, const char *format, ...);

/* The state of the search for the variable. */
#define SPMMI_MAT_LIST_BYTES 160u
struct spmmi_mat_search {
    const char *variable; /* name of the variable to read; NULL: the caller named none */
    unsigned sparse, full;
    struct spmmi_mat_element element, full_element; /* the first variable of each kind */
    char names[SPMMI_MAT_LIST_BYTES], full_names[SPMMI_MAT_LIST_BYTES];
};
/* Adds a variable to the search. `element` refers to it. */
void spmmi_mat_note(struct spmmi_mat_search *s, const struct spmmi_mat_element *element,
                    const struct spmmi_mat_array *array);
/* Chooses the variable: the one that the options name, else the only sparse one, else the only full one. A
 * struct named Problem, as in the SuiteSparse collection, counts as sparse. */
spmm_status_t spmmi_mat_choose(struct spmmi_mat *mat, const struct spmmi_mat_search *s,
                               struct spmmi_mat_element *element);
#define SPMMI_MAT_FIELD "A" /* the field of a struct that is read */

#define SPMMI_MAT_RATIO_MAX 1032u /* DEFLATE cannot expand data further */
/* Unpacks `size` bytes of zlib data into at most `room` bytes; *got is their number. whole: the result must
 * have exactly `room` bytes; otherwise unpacks only the beginning. offset: position in the file for
 * messages. */
spmm_status_t spmmi_mat_inflate(struct spmmi_mat *mat, uint64_t offset, const char *packed, uint32_t size,
                                char *to, uint64_t room, bool whole, uint64_t *got);

/* Finds the array of the chosen variable, or of its field A if it is a struct. */
spmm_status_t spmmi_mat_find(struct spmmi_mat *mat, struct spmmi_mat_array *array);
void spmmi_mat_close(struct spmmi_mat *mat);

#endif
