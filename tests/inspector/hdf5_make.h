/* SPDX-License-Identifier: Apache-2.0 */
/* Writes MATLAB files of version 7.3 from descriptions of their bytes, also wrong ones.
 *
 * A description is a list of fields with spaces between them: bN, hN, wN and qN are an integer of 1, 2, 4 and 8
 * bytes, dX is a double, zN are N zero bytes, tTEXT is text, sTEXT is text and a zero byte, and @ is the address
 * `at`. */
#ifndef HDF5_MAKE_H
#define HDF5_MAKE_H

#include <stddef.h>
#include <stdint.h>

#define HDF5_BYTES (5 << 20)

struct hdf5 {
    unsigned char *bytes; /* HDF5_BYTES bytes */
    size_t size;
    uint64_t at;
};

/* Starts a file: the header of MATLAB and a superblock with base address 0. hdf5_free frees it. */
void hdf5_start(struct hdf5 *f);
void hdf5_free(struct hdf5 *f);
/* Appends bytes and returns their address. */
uint64_t hdf5_add(struct hdf5 *f, const char *fields);
/* Appends messages, which have | between them; each is its type, a space and its fields. Returns their address. */
uint64_t hdf5_add_messages(struct hdf5 *f, const char *messages);
/* Appends an object header with these messages. */
uint64_t hdf5_add_object(struct hdf5 *f, const char *messages);
/* Appends an object header of which [messages, end of the file) are the messages already. */
void hdf5_add_header(struct hdf5 *f, uint64_t bytes);

/* A member of a group. kind: 0, or 2 for a symbolic link. */
struct hdf5_member {
    const char *name;
    uint64_t address;
    unsigned kind;
};
/* Append the names, and the table of symbols of members. */
uint64_t hdf5_add_names(struct hdf5 *f, const struct hdf5_member *members, int count);
uint64_t hdf5_add_symbols(struct hdf5 *f, const struct hdf5_member *members, int count);
/* Appends a node of the tree of a group (kind 0) or of chunks (1). All children have the same address. */
uint64_t hdf5_add_node(struct hdf5 *f, int kind, int level, int count, uint64_t child);
/* Appends a group of which this tree leads to the symbols. messages: further messages, or "". */
uint64_t hdf5_add_group(struct hdf5 *f, uint64_t tree, uint64_t names, const char *messages);
/* Appends a whole group with these members. */
uint64_t hdf5_add_members(struct hdf5 *f, const struct hdf5_member *members, int count, const char *messages);
/* Completes the file with its root group. */
void hdf5_end(struct hdf5 *f, uint64_t root);

#endif
