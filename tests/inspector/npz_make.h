/* SPDX-License-Identifier: Apache-2.0 */
/* Writes archives of NumPy arrays as scipy.sparse.save_npz does, and broken archives. */
#ifndef NPZ_MAKE_H
#define NPZ_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#define NPZ_MEMBERS 8
#define NPZ_BYTES (1 << 19)

struct npz {
    unsigned char bytes[NPZ_BYTES];
    size_t size;
    bool deflated; /* whether the next members are compressed */
    unsigned char directory[1024];
    size_t directory_size;
    int members;
};

void npz_start(struct npz *npz);
/* Adds a member with arbitrary bytes. */
void npz_add(struct npz *npz, const char *name, const void *bytes, size_t size);
/* Adds an array of format version 1.0 with this dictionary, such as "{'descr': '<i4', 'fortran_order': False,
 * 'shape': (3,), }". */
void npz_add_array(struct npz *npz, const char *name, const char *dictionary, const void *data, size_t size);
/* Appends the directory, which completes the archive. */
void npz_end(struct npz *npz);

#endif
