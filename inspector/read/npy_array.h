/* SPDX-License-Identifier: Apache-2.0 */
/* Reads members of an .npz file: NumPy arrays, sequentially as numbers. Pickles are not supported. */
#ifndef SPMMI_NPY_ARRAY_H
#define SPMMI_NPY_ARRAY_H

#include "npz_zip.h"

#define SPMMI_NPY_DIMS 3

struct spmmi_npy {
    struct spmmi_zip *zip;
    char kind; /* b, i, u, f: numbers; S, U: text */
    int bytes; /* bytes per element */
    bool big_endian;
    int dims;
    int64_t shape[SPMMI_NPY_DIMS];
    int64_t count; /* number of elements */
};

/* Opens a member and reads its header: type and shape. Checks that the member has exactly the bytes of this
 * shape. */
spmm_status_t spmmi_npy_open(struct spmmi_zip *zip, const char *member, struct spmmi_npy *npy);
/* Closes the member. All elements must have been read. */
spmm_status_t spmmi_npy_close(struct spmmi_npy *npy);

/* Checks that the array has numbers and `dims` dimensions. whole: the numbers must be integers. */
spmm_status_t spmmi_npy_expect(struct spmmi_npy *npy, bool whole, int dims);

/* Read the next `count` elements. spmmi_npy_integers refuses numbers from 2^63 on. spmmi_npy_reals increases
 * *inexact by the number of integers that a double cannot hold exactly. */
spmm_status_t spmmi_npy_integers(struct spmmi_npy *npy, int64_t *to, int64_t count);
spmm_status_t spmmi_npy_reals(struct spmmi_npy *npy, double *to, int64_t count, int64_t *inexact);
/* Reads the next `count` elements as indices in [0, limit). */
spmm_status_t spmmi_npy_indices(struct spmmi_npy *npy, int32_t *to, int64_t count, int64_t limit);
/* Reads one text of ASCII characters, truncated at a zero byte. */
spmm_status_t spmmi_npy_text(struct spmmi_npy *npy, char *text, size_t capacity);

#endif
