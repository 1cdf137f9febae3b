/* SPDX-License-Identifier: Apache-2.0 */
/* See hdf5_file.h. */
#include "hdf5_file.h"

#include "format/base/diag.h"

#define USER_BLOCK 512u /* bytes in front of the superblock: the header of MATLAB */
/* Limit of steps for a file of this size: each message, node or name takes 8 bytes or more, and is visited a
 * few times at most. */
#define STEPS(bytes) ((bytes) / 2 + 64)
#define BLOCKS_MAX 64 /* maximum number of blocks per object header */

enum message {
    SPACE = 0x01,
    LINK_INFO = 0x02,
    TYPE = 0x03,
    LAYOUT = 0x08,
    FILTERS = 0x0b,
    ATTRIBUTE = 0x0c,
    CONTINUATION = 0x10,
    SYMBOL_TABLE = 0x11
};

/* Reads version 3 of the layout message, which libraries since 2004 write. */
static bool read_layout(struct spmmi_hdf5_cursor c, struct spmmi_hdf5_object *object)
{
    const uint64_t version = spmmi_hdf5_take(&c, 1), kind = spmmi_hdf5_take(&c, 1);
    object->layout = SPMMI_HDF5_NO_LAYOUT;
    if (version != 3 || kind > SPMMI_HDF5_CHUNKED) {
        object->unsupported = "another layout of data";
        return !c.is_cut;
    }
    object->layout = (enum spmmi_hdf5_layout)kind;
    if (object->layout == SPMMI_HDF5_COMPACT) {
        object->stored = spmmi_hdf5_take(&c, 2);
        object->compact = spmmi_hdf5_skip(&c, object->stored);
    } else if (object->layout == SPMMI_HDF5_CONTIGUOUS) {
        object->data = spmmi_hdf5_take(&c, 8);
        object->stored = spmmi_hdf5_take(&c, 8);
    } else {
        object->chunk_rank = spmmi_hdf5_take(&c, 1) - 1; /* the last dimension is the bytes per element */
        object->data = spmmi_hdf5_take(&c, 8);
        for (uint64_t i = 0; i < object->chunk_rank && i < SPMMI_HDF5_RANK_MAX; i++)
            object->chunk[i] = spmmi_hdf5_take(&c, 4);
    }
    return !c.is_cut;
}

/* Reads the list of filters. In version 1, names are padded to 8 bytes and an odd number of values to an even
 * one. Version 2 has no padding. */
static bool read_filters(struct spmmi_hdf5_cursor c, struct spmmi_hdf5_object *object)
{
    enum { DEFLATE = 1, SHUFFLE = 2 };
    const uint64_t version = spmmi_hdf5_take(&c, 1), count = spmmi_hdf5_take(&c, 1);
    (void)spmmi_hdf5_skip(&c, version == 1 ? 6 : 0);
    for (uint64_t i = 0; i < count && !c.is_cut; i++) {
        const uint64_t id = spmmi_hdf5_take(&c, 2);
        const uint64_t name = version == 1 || id >= 256 ? spmmi_hdf5_take(&c, 2) : 0;
        (void)spmmi_hdf5_take(&c, 2); /* flags */
        const uint64_t values = spmmi_hdf5_take(&c, 2);
        (void)spmmi_hdf5_skip(&c, version == 1 ? (name + 7) / 8 * 8 : name);
        (void)spmmi_hdf5_skip(&c, 4 * (version == 1 ? (values + 1) / 2 * 2 : values));
        /* Shuffling, if any, precedes compression. */
        if (id == SHUFFLE && !object->is_deflated && !object->is_shuffled)
            object->is_shuffled = true;
        else if (id == DEFLATE && !object->is_deflated)
            object->is_deflated = true;
        else
            object->unsupported = "a filter other than shuffle and deflate";
    }
    if (version != 1 && version != 2)
        object->unsupported = "another list of filters";
    return !c.is_cut;
}

static bool read_message(unsigned type, unsigned flags, struct spmmi_hdf5_cursor message,
                         struct spmmi_hdf5_object *object)
{
    const bool is_shared = (flags & 2) != 0; /* the message is stored elsewhere in the file */
    if (is_shared && (type == SPACE || type == TYPE || type == LAYOUT || type == FILTERS))
        object->unsupported = "a shared description of data";
    if (is_shared)
        return true;
    switch (type) {
    case SPACE:
        return spmmi_hdf5_space(message, object);
    case TYPE:
        return spmmi_hdf5_type_of(message, object);
    case LAYOUT:
        return read_layout(message, object);
    case FILTERS:
        return read_filters(message, object);
    case ATTRIBUTE:
        return spmmi_hdf5_attribute(message, object);
    case LINK_INFO:
        object->is_group = true;
        object->unsupported = "a group of the newer kind";
        return true;
    case SYMBOL_TABLE:
        object->is_group = true;
        object->tree = spmmi_hdf5_take(&message, 8);
        object->heap = spmmi_hdf5_take(&message, 8);
        return !message.is_cut;
    default:
        return true;
    }
}

/* The blocks of messages of an object header: the first one, and those that continuation messages refer
 * to. */
struct blocks {
    struct spmmi_hdf5_cursor list[BLOCKS_MAX];
    int count;
};

static spmm_status_t read_block(struct spmmi_hdf5 *file, struct spmmi_hdf5_cursor c, uint64_t *left,
                                struct blocks *blocks, struct spmmi_hdf5_object *object)
{
    while (*left > 0 && c.end - c.p >= 8) {
        const unsigned type = (unsigned)spmmi_hdf5_take(&c, 2);
        const uint64_t size = spmmi_hdf5_take(&c, 2);
        const unsigned flags = (unsigned)spmmi_hdf5_take(&c, 1);
        (void)spmmi_hdf5_skip(&c, 3);
        struct spmmi_hdf5_cursor message = {c.p, c.p, false};
        if (spmmi_hdf5_skip(&c, size) == NULL || !spmmi_hdf5_step(file))
            return spmmi_hdf5_expected(file, object->address, "messages that end within their object header");
        message.end = c.p;
        --*left;
        if (type == CONTINUATION) {
            if (blocks->count == BLOCKS_MAX)
                return spmmi_hdf5_expected(file, object->address, "an object header of fewer blocks");
            const uint64_t address = spmmi_hdf5_take(&message, 8), bytes = spmmi_hdf5_take(&message, 8);
            if (message.is_cut || !spmmi_hdf5_at(file, address, bytes, &blocks->list[blocks->count++]))
                return spmmi_hdf5_expected(file, object->address, "an object header within the file");
        } else if (!read_message(type, flags, message, object)) {
            return spmmi_hdf5_expected(file, object->address, "whole messages of an object header");
        }
    }
    return SPMM_OK;
}

spmm_status_t spmmi_hdf5_object_read(struct spmmi_hdf5 *file, uint64_t address,
                                     struct spmmi_hdf5_object *object)
{
    spmm_status_t status = SPMM_OK;
    struct blocks blocks = {.count = 1};
    struct spmmi_hdf5_cursor c;
    *object = (struct spmmi_hdf5_object){.address = address, .rank = -1, .layout = SPMMI_HDF5_NO_LAYOUT};
    if (!spmmi_hdf5_from(file, address, &c))
        return spmmi_hdf5_expected(file, address, "an object header within the file");
    if (spmmi_hdf5_take(&c, 1) != 1)
        return spmmi_hdf5_expected(
            file, address,
            "an object header of version 1; programs other than MATLAB may write another version");
    (void)spmmi_hdf5_skip(&c, 1);
    uint64_t left = spmmi_hdf5_take(&c, 2);
    (void)spmmi_hdf5_skip(&c, 4); /* reference count */
    const uint64_t bytes = spmmi_hdf5_take(&c, 4);
    (void)spmmi_hdf5_skip(&c, 4);
    if (c.is_cut || (uint64_t)(c.end - c.p) < bytes)
        return spmmi_hdf5_expected(file, address, "an object header within the file");
    blocks.list[0] = (struct spmmi_hdf5_cursor){c.p, c.p + bytes, false};
    for (int i = 0; i < blocks.count; i++)
        SPMM_TRY(read_block(file, blocks.list[i], &left, &blocks, object));
cleanup:
    return status;
}

spmm_status_t spmmi_hdf5_open(struct spmmi_hdf5 *file, struct spmmi_mat *mat, struct spmmi_hdf5_object *root)
{
    struct spmmi_hdf5_cursor c;
    *file = (struct spmmi_hdf5){.mat = mat, .steps = STEPS(mat->size)};
    if (!spmmi_hdf5_from(file, USER_BLOCK, &c) || c.end - c.p < 8 ||
        memcmp(c.p, SPMMI_HDF5_SIGNATURE, 8) != 0)
        return spmmi_hdf5_expected(file, USER_BLOCK, "the signature of HDF5 after the header of MATLAB");
    (void)spmmi_hdf5_skip(&c, 8);
    const uint64_t version = spmmi_hdf5_take(&c, 1);
    if (version > 1)
        return spmmi_hdf5_expected(
            file, USER_BLOCK + 8,
            "a superblock of version 0 or 1; programs other than MATLAB may write another version");
    (void)spmmi_hdf5_skip(&c, 4);
    if (spmmi_hdf5_take(&c, 1) != 8 || spmmi_hdf5_take(&c, 1) != 8)
        return spmmi_hdf5_expected(file, USER_BLOCK + 13, "addresses and sizes of 8 bytes");
    (void)spmmi_hdf5_skip(&c, version == 0 ? 9 : 13);
    const uint64_t base = spmmi_hdf5_take(&c, 8);
    /* Addresses of free space, end of file and driver; name offset of the root. */
    (void)spmmi_hdf5_skip(&c, 3 * 8 + 8);
    const uint64_t address = spmmi_hdf5_take(&c, 8);
    if (c.is_cut || base > mat->size)
        return spmmi_hdf5_expected(file, USER_BLOCK, "a whole superblock; is the file cut off?");
    file->base = base;
    return spmmi_hdf5_object_read(file, address, root);
}
