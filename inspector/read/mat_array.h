/* SPDX-License-Identifier: Apache-2.0 */
/* Elements and arrays of MATLAB's MAT-files of version 5: every element has a type, a size and its bytes, padded to 8;
 * an array is an element of elements.
 *
 *   mat_array.c      elements, numbers, headers of arrays
 *   mat_variable.c   which variable of a file is meant, and its bytes
 *   mat_matrix.c     numbers of sparse and full arrays -> CSR
 *   read_mat.c       the reader
 *   read_mat73.c     the reader of version 7.3, with hdf5_file.h */
#ifndef SPMMI_MAT_ARRAY_H
#define SPMMI_MAT_ARRAY_H

#include "reader.h"

#define SPMMI_MAT_MATRIX 14u
#define SPMMI_MAT_COMPRESSED 15u
#define SPMMI_MAT_NAME_BYTES 64

enum spmmi_mat_class {
    SPMMI_MAT_STRUCT = 2,
    SPMMI_MAT_SPARSE = 5,
    SPMMI_MAT_DOUBLE = 6,
    SPMMI_MAT_LAST_NUMBER = 15
};
#define SPMMI_MAT_LOGICAL 0x02u
#define SPMMI_MAT_COMPLEX 0x08u

struct spmmi_mat_element {
    unsigned type;
    const char *data;
    uint64_t size;
};

/* Elements from p on. */
struct spmmi_mat_cursor {
    const char *p, *end;
    bool big_endian;
};
/* Of type 0 and without bytes: what follows is no element that ends before end. */
struct spmmi_mat_element spmmi_mat_next(struct spmmi_mat_cursor *c);
uint32_t spmmi_mat_word(const char *p, bool big_endian);

struct spmmi_mat_array {
    unsigned kind, flags; /* kind: spmmi_mat_class */
    int dims;
    int64_t rows, cols; /* of two dimensions */
    char name[SPMMI_MAT_NAME_BYTES];
    struct spmmi_mat_cursor rest; /* the elements behind the header */
};
/* The header of the array in [data, data + size). False: it is damaged. An array of a kind that is not known has no
 * name and no dimensions. */
bool spmmi_mat_array_read(const char *data, uint64_t size, bool big_endian, struct spmmi_mat_array *array);

/* Numbers of an element, whatever their type. count 0: it is of text or of elements. */
struct spmmi_mat_numbers {
    struct spmmi_mat_element element;
    bool big_endian;
    uint64_t count;
    uint64_t stride; /* bytes from one to the next */
};
struct spmmi_mat_numbers spmmi_mat_numbers_of(const struct spmmi_mat_element *element, bool big_endian);
/* Number k; *inexact when it is an integer that a double does not hold. */
double spmmi_mat_number(const struct spmmi_mat_numbers *numbers, uint64_t k, bool *inexact);

#endif
