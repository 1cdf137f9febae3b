/* SPDX-License-Identifier: Apache-2.0 */
/* The container of a plan file: header, section table, frame tables and hashes (docs/plan-format.md 3 to 5). */
#ifndef SPMMI_PLAN_HEADER_H
#define SPMMI_PLAN_HEADER_H

#include "plan_records.h"

/* Step 1 and 2 of a load, and the ranges of the header's fields. bytes holds at least min(size, 256) bytes of a
 * file of file_bytes bytes. */
spmm_status_t spmmi_header_read(const uint8_t *bytes, uint64_t file_bytes, struct spmmi_header *header,
                                spmm_diag_t *diag);

struct spmmi_frame {
    uint64_t offset, hash; /* of the stored bytes in the file */
    uint32_t stored_bytes;
    uint8_t transform, is_left; /* see spmmi_left */
};

/* Sections whose frames are not in memory: whoever decodes one reads its bytes of the file and compares their hash. */
struct spmmi_left {
    int file;
    uint8_t entries[SPMMI_SECTION_LIMIT]; /* 1: the frames of this entry, but not its frame table */
};

/* A file whose steps 1 to 5 have passed: every stored byte that is not left is hashed, padding is zero, sizes fit. */
struct spmmi_container {
    const uint8_t *bytes;
    const struct spmmi_left *left; /* NULL: nothing */
    struct spmmi_header header;
    struct spmmi_entry entries[SPMMI_SECTION_LIMIT];
    uint64_t
        frame_first[SPMMI_SECTION_LIMIT + 1]; /* frames of entry i: [frame_first[i], frame_first[i + 1]) */
    struct spmmi_frame *frames;               /* owned, NULL until spmmi_container_frames */
};

/* Steps 1 to 4: header, table, sizes. Allocates nothing, leaves nothing. */
spmm_status_t spmmi_container_open(const uint8_t *bytes, uint64_t size, struct spmmi_container *container,
                                   spmm_diag_t *diag);

/* Step 5: read the frame tables and compare every hash, on up to so many threads. */
spmm_status_t spmmi_container_frames(struct spmmi_container *container, int threads, spmm_diag_t *diag);

/* Index of the entry, or -1. */
int spmmi_container_find(const struct spmmi_container *container, uint32_t type, uint32_t part);

/* Bytes before the frames of a section: its frame table. */
uint64_t spmmi_frame_count(uint64_t raw_bytes);

#endif
