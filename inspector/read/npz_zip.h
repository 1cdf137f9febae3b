/* SPDX-License-Identifier: Apache-2.0 */
/* A zip archive in memory, one member at a time, as a stream: nothing is unpacked but what is asked for. */
#ifndef SPMMI_NPZ_ZIP_H
#define SPMMI_NPZ_ZIP_H

#include "reader.h"

#define SPMMI_ZIP_BLOCK 65536u

struct spmmi_zip {
    struct spmmi_reader *reader;
    const char *bytes; /* of the archive, as the stream that minizip asks for */
    uint64_t size, position;
    bool is_short;      /* a read asked for bytes behind the end: to minizip they would be zeros */
    void *archive;      /* of minizip */
    const char *member; /* the open one, with its ending; in messages */
    uint64_t left;      /* bytes of the member that were not read yet */
    /* What of them is unpacked. */
    unsigned char *block;
    unsigned block_at, block_size;
};

/* bytes and zip stay where they are until the archive is closed. zip is zeroed before. */
spmm_status_t spmmi_zip_open(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                             struct spmmi_zip *zip);
void spmmi_zip_close(struct spmmi_zip *zip);

/* Open a member: stored or deflated, of a size that its packed bytes can hold. */
spmm_status_t spmmi_zip_enter(struct spmmi_zip *zip, const char *member);
bool spmmi_zip_has(struct spmmi_zip *zip, const char *member);
/* The next bytes, at most SPMMI_ZIP_BLOCK of them, valid until the next call. */
spmm_status_t spmmi_zip_next(struct spmmi_zip *zip, unsigned size, const unsigned char **bytes);
/* Close the member, all of which was read: checks its sum. */
spmm_status_t spmmi_zip_leave(struct spmmi_zip *zip);

/* "LABEL: member MEMBER: SENTENCE" */
__attribute__((format(printf, 3, 4))) spmm_status_t
spmmi_zip_fail(struct spmmi_zip *zip, spmm_status_t status, const char *format, ...);

#endif
