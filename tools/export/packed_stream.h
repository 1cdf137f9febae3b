/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way to a file or to standard output: chunks that several threads make and compress at once are written
 * in their order, so the file is the same at any number of threads.
 *
 * Deflated chunks are one stream, which packed_stream_finish ends. Each chunk is a frame of zstd. */
#ifndef SPMM_TOOLS_PACKED_STREAM_H
#define SPMM_TOOLS_PACKED_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "packer.h"
#include "tools/cli/output_file.h"

struct packed_stream {
    struct output_file *file; /* NULL: standard output */
    enum packing packing;
    int threads; /* 0: as many as the machine has */
    spmm_diag_t *diag;
    uint64_t written; /* all bytes */
    /* Since packed_stream_begin: bytes before and after compression, and the CRC-32 of those before. */
    uint64_t raw, packed;
    uint32_t crc;
};

/* Chunk 0, 1, .. of at most bytes_max bytes; make writes one and returns its size. Threads call it side by side. */
struct chunks {
    uint64_t count;
    size_t bytes_max;
    size_t (*make)(const void *context, uint64_t chunk, char *bytes);
    const void *context;
};

void packed_stream_begin(struct packed_stream *s);
spmm_status_t packed_stream_add(struct packed_stream *s, const struct chunks *chunks);
spmm_status_t packed_stream_finish(struct packed_stream *s);

/* Bytes that are not compressed: the heads and tails of containers. */
spmm_status_t packed_stream_plain(struct packed_stream *s, const void *bytes, size_t size);

#endif
