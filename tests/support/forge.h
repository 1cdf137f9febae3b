/* SPDX-License-Identifier: Apache-2.0 */
/* Forged plan files: valid files that are taken apart, changed in one place, and put together again with
 * matching hashes. */
#ifndef TEST_FORGE_H
#define TEST_FORGE_H

#include "format/file/plan_records.h"

#define FORGE_FRAMES 4 /* small plans have one frame per section */

struct forge_frame {
    uint8_t transform;
    uint8_t *stored; /* owned by the forge */
    uint32_t stored_bytes;
};

struct forge_section {
    struct spmmi_entry entry; /* offset, stored_bytes and frames_hash are set by forge_build */
    struct forge_frame frames[FORGE_FRAMES];
    uint32_t frame_count;
};

struct forge {
    struct spmmi_header header;
    struct forge_section sections[SPMMI_SECTION_LIMIT];
};

/* Takes a valid file apart. Aborts the test if the file is not valid. Free it with forge_free. */
struct forge *forge_open(const uint8_t *bytes, size_t size);
void forge_free(struct forge *forge);

/* Returns the section of a type and part. Aborts if there is none. */
struct forge_section *forge_find(struct forge *forge, uint32_t type, uint32_t part);
void forge_remove(struct forge *forge, struct forge_section *section);
/* Appends a section of one frame. */
struct forge_section *forge_append(struct forge *forge, uint32_t type, const void *content, size_t size);

/* Returns the content of the first frame. Free it with free(). */
uint8_t *forge_content(const struct forge_section *section, size_t *size);

/* How a frame is compressed; all zero: as the writer of the library does. */
struct forge_zstd {
    int no_checksum, no_content_size, window_log;
};
void forge_set_content(struct forge_section *section, const void *content, size_t size,
                       struct forge_zstd how);
void forge_set_stored(struct forge_section *section, const void *stored, size_t size);

/* Makes the file, with correct positions, sizes and hashes. Free it with free(). */
uint8_t *forge_build(const struct forge *forge, size_t *size);

/* Recomputes every hash after bytes of a file were changed in place. Skips sections whose position is
 * invalid. */
void forge_repair(uint8_t *bytes, size_t size);

#endif
