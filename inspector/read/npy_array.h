/* SPDX-License-Identifier: Apache-2.0 */
/* Members of an .npz file: NumPy arrays, read front to back as numbers. No pickles. */
#ifndef SPMMI_NPY_ARRAY_H
#define SPMMI_NPY_ARRAY_H

#include "npz_zip.h"

#define SPMMI_NPY_DIMS 3

struct spmmi_npy {
    struct spmmi_zip *zip;
    char kind; /* b, i, u, f: numbers; S, U: text */
    int bytes; /* of an element */
    bool big_endian;
    int dims;
    int64_t shape[SPMMI_NPY_DIMS];
    int64_t count; /* elements */
};

/* Open a member and read its header: kind, shape, and whether the member has just as many bytes. */
spmm_status_t spmmi_npy_open(struct spmmi_zip *zip, const char *member, struct spmmi_npy *npy);
/* All elements were read. */
spmm_status_t spmmi_npy_close(struct spmmi_npy *npy);

/* "expected WHAT of DIMS dimensions" else: the shape must be so; numbers that are whole. */
spmm_status_t spmmi_npy_expect(struct spmmi_npy *npy, bool whole, int dims);

/* The next count elements. Integers beyond 63 bits are refused. *inexact counts integers that a double
 * does not hold. */
spmm_status_t spmmi_npy_integers(struct spmmi_npy *npy, int64_t *to, int64_t count);
spmm_status_t spmmi_npy_reals(struct spmmi_npy *npy, double *to, int64_t count, int64_t *inexact);
/* The next count elements as indices in [0, limit). */
spmm_status_t spmmi_npy_indices(struct spmmi_npy *npy, int32_t *to, int64_t count, int64_t limit);
/* One text of ASCII characters, cut at a zero. */
spmm_status_t spmmi_npy_text(struct spmmi_npy *npy, char *text, size_t capacity);

#endif
