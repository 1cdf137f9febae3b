/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of bytes to a file or to standard output. Several threads make and compress chunks at the same
 * time. The chunks are written in order, so the file does not depend on the number of threads.
 *
 * With deflate all chunks form one compressed stream, which packed_stream_finish ends. With zstd each chunk
 * is a frame. */
#ifndef SPMM_TOOLS_PACKED_STREAM_H
#define SPMM_TOOLS_PACKED_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "packer.h"
#include "tools/cli/output_file.h"

struct packed_stream {
    struct output_file *file; /* NULL: standard output */
    enum packing packing;
    int threads; /* 0: all of the machine */
    spmm_diag_t *diag;
    uint64_t written; /* all bytes so far */
    /* Counts since packed_stream_begin: bytes before and after compression, and the CRC-32 of the
     * uncompressed bytes. */
    uint64_t raw, packed;
    uint32_t crc;
};

/* Chunks 0, 1, .. of at most bytes_max bytes each. make writes a chunk and returns its size. Several threads
 * call it at the same time. */
struct chunks {
    uint64_t count;
    size_t bytes_max;
    size_t (*make)(const void *context, uint64_t chunk, char *bytes);
    const void *context;
};

void packed_stream_begin(struct packed_stream *s);
spmm_status_t packed_stream_add(struct packed_stream *s, const struct chunks *chunks);
spmm_status_t packed_stream_finish(struct packed_stream *s);

/* Writes bytes without compression: the heads and tails of containers. */
spmm_status_t packed_stream_plain(struct packed_stream *s, const void *bytes, size_t size);

#endif
