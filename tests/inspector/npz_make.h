/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of NumPy arrays as scipy.sparse.save_npz writes them, and broken ones. */
#ifndef NPZ_MAKE_H
#define NPZ_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#define NPZ_MEMBERS 8
#define NPZ_BYTES (1 << 19)

struct npz {
    unsigned char bytes[NPZ_BYTES];
    size_t size;
    bool deflated; /* members from now on */
    unsigned char directory[1024];
    size_t directory_size;
    int members;
};

void npz_start(struct npz *npz);
/* A member of any bytes. */
void npz_add(struct npz *npz, const char *name, const void *bytes, size_t size);
/* An array of version 1.0 with this dictionary, such as "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }". */
void npz_add_array(struct npz *npz, const char *name, const char *dictionary, const void *data, size_t size);
/* The directory: the archive is complete. */
void npz_end(struct npz *npz);

#endif
