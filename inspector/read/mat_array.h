/* SPDX-License-Identifier: Apache-2.0 */
/* Elements and arrays of MATLAB MAT-files of version 5. Every element has a type, a size and its bytes,
 * padded to a multiple of 8. An array is an element that consists of elements.
 *
 *   mat_array.c      elements, numbers, headers of arrays
 *   mat_variable.c   chooses the variable of a file, and gets its bytes
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

/* A position in consecutive elements. */
struct spmmi_mat_cursor {
    const char *p, *end;
    bool big_endian;
};
/* Returns the next element and advances the cursor. Type 0 and size 0: no complete element follows. */
struct spmmi_mat_element spmmi_mat_next(struct spmmi_mat_cursor *c);
uint32_t spmmi_mat_word(const char *p, bool big_endian);

struct spmmi_mat_array {
    unsigned kind, flags; /* kind is a spmmi_mat_class */
    int dims;
    int64_t rows, cols; /* the first two dimensions */
    char name[SPMMI_MAT_NAME_BYTES];
    struct spmmi_mat_cursor rest; /* the elements after the header */
};
/* Reads the header of the array in [data, data + size). Returns false if it is damaged. Arrays of unknown
 * kinds get no name and no dimensions. */
bool spmmi_mat_array_read(const char *data, uint64_t size, bool big_endian, struct spmmi_mat_array *array);

/* The numbers of an element, of any numeric type. count 0: the element contains text or other elements. */
struct spmmi_mat_numbers {
    struct spmmi_mat_element element;
    bool big_endian;
    uint64_t count;
    uint64_t stride; /* bytes from one number to the next */
};
struct spmmi_mat_numbers spmmi_mat_numbers_of(const struct spmmi_mat_element *element, bool big_endian);
/* Returns number k. Sets *inexact to whether it is an integer that a double cannot hold exactly. */
double spmmi_mat_number(const struct spmmi_mat_numbers *numbers, uint64_t k, bool *inexact);

#endif
