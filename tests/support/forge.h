/* SPDX-License-Identifier: Apache-2.0 */
/* Forged plan files: good ones taken apart, changed in one place, and put together again with hashes that match. */
#ifndef TEST_FORGE_H
#define TEST_FORGE_H

#include "format/file/plan_records.h"

#define FORGE_FRAMES 4 /* small plans have one frame a section */

struct forge_frame {
    uint8_t transform;
    uint8_t *stored; /* owned by the forge */
    uint32_t stored_bytes;
};

struct forge_section {
    struct spmmi_entry entry; /* offset, stored_bytes and frames_hash are filled by forge_build */
    struct forge_frame frames[FORGE_FRAMES];
    uint32_t frame_count;
};

struct forge {
    struct spmmi_header header;
    struct forge_section sections[SPMMI_SECTION_LIMIT];
};

/* Take a good file apart. Aborts the test when it is not good. Free with forge_free. */
struct forge *forge_open(const uint8_t *bytes, size_t size);
void forge_free(struct forge *forge);

/* The section of a type and part; aborts when there is none. */
struct forge_section *forge_find(struct forge *forge, uint32_t type, uint32_t part);
void forge_remove(struct forge *forge, struct forge_section *section);
/* A section of one frame behind all others. */
struct forge_section *forge_append(struct forge *forge, uint32_t type, const void *content, size_t size);

/* Content of the first frame, to be freed with free(). */
uint8_t *forge_content(const struct forge_section *section, size_t *size);

/* How a frame is compressed; zero means as the writer does. */
struct forge_zstd {
    int no_checksum, no_content_size, window_log;
};
void forge_set_content(struct forge_section *section, const void *content, size_t size,
                       struct forge_zstd how);
void forge_set_stored(struct forge_section *section, const void *stored, size_t size);

/* The file with tiling, sizes and every hash right. Free with free(). */
uint8_t *forge_build(const struct forge *forge, size_t *size);

/* Make every hash right again after bytes of a file were changed in place; parts whose place makes no sense are
 * left alone. */
void forge_repair(uint8_t *bytes, size_t size);

#endif
