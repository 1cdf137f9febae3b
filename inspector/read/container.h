/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed files: the supported kinds, and functions that their decoders share.
 *
 *   container.c       the table of the kinds
 *   unpack.c          growing the buffer of unpacked bytes, memory of decoders
 *   read_gzip.c, read_zstd.c, read_xz.c, read_bzip2.c   compressed bytes -> bytes */
#ifndef SPMMI_CONTAINER_H
#define SPMMI_CONTAINER_H

#include "reader.h"

/* A kind of compressed file. */
struct spmmi_container {
    const char *magic;  /* the first bytes of such files */
    const char *ending; /* ending of their names */
    spmm_status_t (*unpack)(struct spmmi_reader *reader, const char *packed, uint64_t size,
                            struct spmmi_bytes *bytes);
};
/* Returns the kind of these bytes; NULL if they are not compressed. */
const struct spmmi_container *spmmi_container_of(const char *bytes, uint64_t size);
/* Returns the length of a file name without the ending of a compressed file. */
size_t spmmi_container_name_length(const char *name);

spmm_status_t spmmi_gunzip(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes);
spmm_status_t spmmi_unzstd(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes);
spmm_status_t spmmi_unxz(struct spmmi_reader *reader, const char *packed, uint64_t size,
                         struct spmmi_bytes *bytes);
spmm_status_t spmmi_bunzip2(struct spmmi_reader *reader, const char *packed, uint64_t size,
                            struct spmmi_bytes *bytes);

/* Makes the buffer larger if it is full: first one block, then the larger of `wanted` and twice the size.
 * When the first block is full, its bytes must be the start of a matrix file. */
spmm_status_t spmmi_unpack_room(struct spmmi_reader *reader, uint64_t wanted, struct spmmi_bytes *bytes);

/* Memory that a decoder allocates, mainly its window, counts against the budget as well: a file of 11 bytes
 * can request 128 MiB. */
struct spmmi_unpack_memory {
    struct spmmi_reader *reader;
    const char *name; /* such as "zstd decoder" */
};
void *spmmi_unpack_alloc(const struct spmmi_unpack_memory *decoder, uint64_t bytes);
void spmmi_unpack_free(const struct spmmi_unpack_memory *decoder, void *memory);

#endif
