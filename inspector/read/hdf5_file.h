/* SPDX-License-Identifier: Apache-2.0 */
/* The part of HDF5 that MATLAB writes (save -v7.3): superblock of version 0 or 1, groups as B-trees of names, object
 * headers of version 1, data in one piece or in chunks that may be shuffled and deflated. Whatever else there is in a
 * file is refused when it is needed. Field names and numbers are those of the HDF5 File Format Specification, version
 * 3.0; all integers are little-endian. Addresses count from the base address of the file.
 *
 *   hdf5_cursor.c    bytes at an address
 *   hdf5_object.c    superblock, object headers and their messages
 *   hdf5_type.c      data types, data spaces and attributes
 *   hdf5_group.c     the members of a group
 *   hdf5_data.c      the bytes of a dataset
 *   read_mat73.c     the reader */
#ifndef SPMMI_HDF5_FILE_H
#define SPMMI_HDF5_FILE_H

#include "mat_variable.h"

#define SPMMI_HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"
#define SPMMI_HDF5_RANK_MAX 4
#define SPMMI_HDF5_NO_ADDRESS UINT64_MAX

struct spmmi_hdf5 {
    struct spmmi_mat *mat; /* bytes, size, reader */
    uint64_t base;
    uint64_t
        steps; /* that may still be taken: messages, nodes and names; addresses may lead to one place often */
};

/* Bytes that are read one after the other. Past the end everything is 0, and is_cut. */
struct spmmi_hdf5_cursor {
    const char *p, *end;
    bool is_cut;
};
uint64_t spmmi_hdf5_take(struct spmmi_hdf5_cursor *c, unsigned bytes); /* an integer of up to 8 bytes */
const char *spmmi_hdf5_skip(struct spmmi_hdf5_cursor *c, uint64_t bytes);
/* [address, address + bytes); false: it is not in the file. */
bool spmmi_hdf5_at(const struct spmmi_hdf5 *file, uint64_t address, uint64_t bytes,
                   struct spmmi_hdf5_cursor *c);
/* The same, as far as the file goes. */
bool spmmi_hdf5_from(const struct spmmi_hdf5 *file, uint64_t address, struct spmmi_hdf5_cursor *c);
/* One step less; false: there is none left. */
static inline bool spmmi_hdf5_step(struct spmmi_hdf5 *file)
{
    return file->steps > 0 && file->steps-- > 0;
}
/* Record "LABEL, byte N: expected WHAT". */
spmm_status_t spmmi_hdf5_expected(const struct spmmi_hdf5 *file, uint64_t address, const char *what);

/* Numbers: their type is that of a MATLAB element (mat_array.c), 0 for other data. */
struct spmmi_hdf5_type {
    unsigned type, bytes; /* bytes of an element, both parts of a complex one */
    bool big_endian, is_complex;
    unsigned real_at, imaginary_at;
};

enum spmmi_hdf5_layout {
    SPMMI_HDF5_COMPACT = 0,
    SPMMI_HDF5_CONTIGUOUS = 1,
    SPMMI_HDF5_CHUNKED = 2,
    SPMMI_HDF5_NO_LAYOUT
};

/* A group, or a dataset. */
struct spmmi_hdf5_object {
    uint64_t address;
    bool is_group;
    uint64_t tree, heap; /* of a group */
    int rank;            /* of a dataset; -1: it has no data space */
    uint64_t dims[SPMMI_HDF5_RANK_MAX];
    struct spmmi_hdf5_type type;
    enum spmmi_hdf5_layout layout;
    const char *compact; /* its bytes */
    uint64_t data;       /* address of the bytes, or of the B-tree of chunks */
    uint64_t stored;     /* bytes, unless there are chunks */
    uint64_t chunk[SPMMI_HDF5_RANK_MAX];
    bool is_shuffled, is_deflated;
    const char *unsupported; /* what the reader does not know of it; NULL: nothing */
    /* Attributes of MATLAB. */
    char class[SPMMI_MAT_NAME_BYTES]; /* "double", "logical", "struct"; "" */
    bool is_sparse, is_empty;
    uint64_t sparse_rows;
};

/* The root group. */
spmm_status_t spmmi_hdf5_open(struct spmmi_hdf5 *file, struct spmmi_mat *mat, struct spmmi_hdf5_object *root);
spmm_status_t spmmi_hdf5_object_read(struct spmmi_hdf5 *file, uint64_t address,
                                     struct spmmi_hdf5_object *object);

/* Messages of an object header. False: they are cut off. What is not known becomes object->unsupported. */
bool spmmi_hdf5_space(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object);
bool spmmi_hdf5_type_of(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object);
bool spmmi_hdf5_attribute(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object);

/* Calls for each member of a group in the order of names. */
typedef spmm_status_t (*spmmi_hdf5_member_fn)(struct spmmi_hdf5 *file, const char *name, uint64_t address,
                                              void *context);
spmm_status_t spmmi_hdf5_members(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *group,
                                 spmmi_hdf5_member_fn call, void *context);

/* The elements of a dataset of numbers, one after the other: in the file, or in unpacked, which the caller frees. */
spmm_status_t spmmi_hdf5_data(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                              struct spmmi_bytes *unpacked, const char **data, uint64_t *count);

#endif
