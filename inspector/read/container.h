/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed files: which there are, and what those that unpack them share.
 *
 *   container.c       the table
 *   unpack.c          room for unpacked bytes, memory of decoders
 *   read_gzip.c, read_zstd.c, read_xz.c, read_bzip2.c   compressed bytes -> bytes */
#ifndef SPMMI_CONTAINER_H
#define SPMMI_CONTAINER_H

#include "reader.h"

/* A kind of compressed file. */
struct spmmi_container {
    const char *magic;  /* its first bytes */
    const char *ending; /* of its name */
    spmm_status_t (*unpack)(struct spmmi_reader *reader, const char *packed, uint64_t size,
                            struct spmmi_bytes *bytes);
};
/* Of these bytes; NULL: they are not compressed. */
const struct spmmi_container *spmmi_container_of(const char *bytes, uint64_t size);
/* The length of a name without the ending of a compressed file. */
size_t spmmi_container_name_length(const char *name);

spmm_status_t spmmi_gunzip(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes);
spmm_status_t spmmi_unzstd(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes);
spmm_status_t spmmi_unxz(struct spmmi_reader *reader, const char *packed, uint64_t size,
                         struct spmmi_bytes *bytes);
spmm_status_t spmmi_bunzip2(struct spmmi_reader *reader, const char *packed, uint64_t size,
                            struct spmmi_bytes *bytes);

/* Room for more bytes when there is none left: a first block, then twice as much, or wanted if that is more. What the
 * first block holds must be the start of a matrix file. */
spmm_status_t spmmi_unpack_room(struct spmmi_reader *reader, uint64_t wanted, struct spmmi_bytes *bytes);

/* What a decoder allocates, its window above all, counts against the budget as well: a file of 11 bytes can ask for
 * 128 MiB. */
struct spmmi_unpack_memory {
    struct spmmi_reader *reader;
    const char *name; /* "zstd decoder" */
};
void *spmmi_unpack_alloc(const struct spmmi_unpack_memory *decoder, uint64_t bytes);
void spmmi_unpack_free(const struct spmmi_unpack_memory *decoder, void *memory);

#endif
