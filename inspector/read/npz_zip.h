/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a zip archive in memory, one member at a time, as a stream. Only requested members are unpacked. */
#ifndef SPMMI_NPZ_ZIP_H
#define SPMMI_NPZ_ZIP_H

#include "reader.h"

#define SPMMI_ZIP_BLOCK 65536u

struct spmmi_zip {
    struct spmmi_reader *reader;
    const char *bytes; /* the archive, as the stream that minizip reads */
    uint64_t size, position;
    bool is_short;      /* a read went past the end, which minizip would treat as zeros */
    void *archive;      /* handle of minizip */
    const char *member; /* name of the open member with its ending, for messages */
    uint64_t left;      /* bytes of the member that have not been returned */
    /* The unpacked part of these bytes. */
    unsigned char *block;
    unsigned block_at, block_size;
};

/* Opens an archive. *zip must be zeroed. bytes and zip must not move until the archive is closed. */
spmm_status_t spmmi_zip_open(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                             struct spmmi_zip *zip);
void spmmi_zip_close(struct spmmi_zip *zip);

/* Opens a member. It must be stored or deflated, and its size must be possible for its packed bytes. */
spmm_status_t spmmi_zip_enter(struct spmmi_zip *zip, const char *member);
bool spmmi_zip_has(struct spmmi_zip *zip, const char *member);
/* Returns the next `size` bytes, at most SPMMI_ZIP_BLOCK. They are valid until the next call. */
spmm_status_t spmmi_zip_next(struct spmmi_zip *zip, unsigned size, const unsigned char **bytes);
/* Closes the member and checks its checksum. All of its bytes must have been read. */
spmm_status_t spmmi_zip_leave(struct spmmi_zip *zip);

/* Reports "LABEL: member MEMBER: SENTENCE". */
__attribute__((format(printf, 3, 4))) spmm_status_t
spmmi_zip_fail(struct spmmi_zip *zip, spmm_status_t status, const char *format, ...);

#endif
