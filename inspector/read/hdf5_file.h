/* SPDX-License-Identifier: Apache-2.0 */
/* The part of HDF5 that MATLAB uses (save -v7.3): superblocks of version 0 or 1, groups as B-trees of names,
 * object headers of version 1, and data that is contiguous or in chunks, which may be shuffled and deflated.
 * Other features are refused only if the matrix needs them. Field names and numbers are those of the HDF5
 * File Format Specification, version 3.0; all integers are little-endian. Addresses are relative to the base
 * address of the file.
 *
 *   hdf5_cursor.c    bytes at an address
 *   hdf5_object.c    superblock, object headers and their messages
 *   hdf5_type.c      data types, data spaces and attributes
 *   hdf5_group.c     members of a group
 *   hdf5_data.c      bytes of a dataset
 *   read_mat73.c     the reader */
#ifndef SPMMI_HDF5_FILE_H
#define SPMMI_HDF5_FILE_H

#include "mat_variable.h"

#define SPMMI_HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"
#define SPMMI_HDF5_RANK_MAX 4
#define SPMMI_HDF5_NO_ADDRESS UINT64_MAX

struct spmmi_hdf5 {
    struct spmmi_mat *mat; /* has the bytes, the size and the reader */
    uint64_t base;
    /* Remaining number of messages, nodes and names that may be visited. This bounds the work if many
     * addresses lead to the same place. */
    uint64_t steps;
};

/* A position in consecutive bytes. Bytes after the end read as 0 and set is_cut. */
struct spmmi_hdf5_cursor {
    const char *p, *end;
    bool is_cut;
};
uint64_t spmmi_hdf5_take(struct spmmi_hdf5_cursor *c, unsigned bytes); /* reads an integer of up to 8 bytes */
const char *spmmi_hdf5_skip(struct spmmi_hdf5_cursor *c, uint64_t bytes);
/* Sets *c to [address, address + bytes). Returns false if the file does not contain these bytes. */
bool spmmi_hdf5_at(const struct spmmi_hdf5 *file, uint64_t address, uint64_t bytes,
                   struct spmmi_hdf5_cursor *c);
/* Sets *c to the bytes from `address` to the end of the file. Returns false if the file does not contain the
 * address. */
bool spmmi_hdf5_from(const struct spmmi_hdf5 *file, uint64_t address, struct spmmi_hdf5_cursor *c);
/* Consumes one step. Returns false if none is left. */
static inline bool spmmi_hdf5_step(struct spmmi_hdf5 *file)
{
    if (file->steps == 0)
        return false;
    file->steps--;
    return true;
}
/* Reports "LABEL, byte N: expected WHAT". */
spmm_status_t spmmi_hdf5_expected(const struct spmmi_hdf5 *file, uint64_t address, const char *what);

/* The type of numbers. type is the type of a MATLAB element (mat_array.c); 0 for other data. */
struct spmmi_hdf5_type {
    unsigned type, bytes; /* bytes per element, including both parts of a complex one */
    bool big_endian, is_complex;
    unsigned real_at, imaginary_at;
};

enum spmmi_hdf5_layout {
    SPMMI_HDF5_COMPACT = 0,
    SPMMI_HDF5_CONTIGUOUS = 1,
    SPMMI_HDF5_CHUNKED = 2,
    SPMMI_HDF5_NO_LAYOUT
};

/* A group or a dataset. */
struct spmmi_hdf5_object {
    uint64_t address;
    bool is_group;
    uint64_t tree, heap; /* group only */
    int rank;            /* dataset only; -1: it has no data space */
    uint64_t dims[SPMMI_HDF5_RANK_MAX];
    struct spmmi_hdf5_type type;
    enum spmmi_hdf5_layout layout;
    const char *compact; /* bytes of compact data */
    uint64_t data;       /* address of the data, or of the B-tree of its chunks */
    uint64_t stored;     /* bytes of the data if it has no chunks */
    uint64_t chunk_rank, chunk[SPMMI_HDF5_RANK_MAX];
    bool is_shuffled, is_deflated;
    const char *unsupported; /* description of an unsupported feature; NULL: none */
    /* MATLAB attributes. */
    char class[SPMMI_MAT_NAME_BYTES]; /* such as "double", "logical" or "struct"; "" if absent */
    bool is_sparse, is_empty;
    uint64_t sparse_rows;
};

/* Opens the file and reads the root group. */
spmm_status_t spmmi_hdf5_open(struct spmmi_hdf5 *file, struct spmmi_mat *mat, struct spmmi_hdf5_object *root);
spmm_status_t spmmi_hdf5_object_read(struct spmmi_hdf5 *file, uint64_t address,
                                     struct spmmi_hdf5_object *object);

/* Read messages of an object header. Return false if a message is truncated. Unsupported features are
 * recorded in object->unsupported. */
bool spmmi_hdf5_space(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object);
bool spmmi_hdf5_type_of(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object);
bool spmmi_hdf5_attribute(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object);

/* Calls `call` for each member of a group in the order of their names. */
typedef spmm_status_t (*spmmi_hdf5_member_fn)(struct spmmi_hdf5 *file, const char *name, uint64_t address,
                                              void *context);
spmm_status_t spmmi_hdf5_members(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *group,
                                 spmmi_hdf5_member_fn call, void *context);

/* Sets *data to the consecutive elements of a dataset of numbers, and *count to their number. The elements
 * are in the file or in `unpacked`, which the caller frees. */
spmm_status_t spmmi_hdf5_data(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *object,
                              struct spmmi_bytes *unpacked, const char **data, uint64_t *count);

#endif
