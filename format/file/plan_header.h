/* SPDX-License-Identifier: Apache-2.0 */
/* The container of a plan file:
 * header, section table, frame tables and hashes (docs/plan-format.md sections 3 to 5). */
#ifndef SPMMI_PLAN_HEADER_H
#define SPMMI_PLAN_HEADER_H

#include "plan_records.h"

/* Steps 1 and 2 of a load: reads the header and checks it, including the ranges of its fields. bytes holds at
 * least min(file_bytes, 256) bytes of a file of file_bytes bytes. */
spmm_status_t spmmi_header_read(const uint8_t *bytes, uint64_t file_bytes, struct spmmi_header *header,
                                spmm_diag_t *diag);

struct spmmi_frame {
    uint64_t offset, hash; /* of the stored bytes in the file */
    uint32_t stored_bytes;
    uint8_t transform, is_left; /* is_left: see struct spmmi_left */
};

/* Sections that are left in the file: their frames are not in memory. The decoder reads the stored bytes of
 * each frame from the file and compares their hash. */
struct spmmi_left {
    int file;
    uint8_t entries[SPMMI_SECTION_LIMIT]; /* 1: the frames of this entry are left, not its frame table */
};

/* A file that has passed steps 1 to 5: the hash of every stored byte that is not left in the file matches,
 * padding is zero, and sizes are valid. */
struct spmmi_container {
    const uint8_t *bytes;
    const struct spmmi_left *left; /* NULL: no section is left in the file */
    struct spmmi_header header;
    struct spmmi_entry entries[SPMMI_SECTION_LIMIT];
    uint64_t
        frame_first[SPMMI_SECTION_LIMIT + 1]; /* frames of entry i: [frame_first[i], frame_first[i + 1]) */
    struct spmmi_frame *frames;               /* owned, NULL until spmmi_container_frames */
};

/* Steps 1 to 4 of a load: header, table, sizes. Allocates no memory. */
spmm_status_t spmmi_container_open(const uint8_t *bytes, uint64_t size, struct spmmi_container *container,
                                   spmm_diag_t *diag);

/* Step 5 of a load: reads the frame tables and compares every hash, on up to `threads` threads. */
spmm_status_t spmmi_container_frames(struct spmmi_container *container, int threads, spmm_diag_t *diag);

/* Returns the index of the entry, or -1 if there is none. */
int spmmi_container_find(const struct spmmi_container *container, uint32_t type, uint32_t part);

/* Returns the number of frames of a section. */
uint64_t spmmi_frame_count(uint64_t raw_bytes);

#endif
