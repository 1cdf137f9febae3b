/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive that is written from beginning to end, so that it can go to a pipe. Members may have any size
 * (zip64), are deflated and have no times. */
#ifndef SPMM_TOOLS_ZIP_WRITER_H
#define SPMM_TOOLS_ZIP_WRITER_H

#include "packed_stream.h"

#define ZIP_MEMBERS_MAX 8

struct zip_writer {
    struct packed_stream *stream; /* PACKING_DEFLATE */
    uint64_t start;               /* position of the archive in the stream, in bytes */
    int count;
    struct zip_member {
        const char *name; /* borrowed */
        uint64_t offset, raw, packed;
        uint32_t crc;
    } members[ZIP_MEMBERS_MAX];
};

struct zip_writer zip_start(struct packed_stream *stream);
/* Adds a member. At most ZIP_MEMBERS_MAX members. */
spmm_status_t zip_add(struct zip_writer *zip, const char *name, const struct chunks *chunks);
spmm_status_t zip_finish(struct zip_writer *zip);

#endif
