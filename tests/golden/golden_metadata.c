/* SPDX-License-Identifier: Apache-2.0 */
/* See golden_metadata.h. */
#include "golden_metadata.h"

#include <stdlib.h>
#include <string.h>

#include "golden_cases.h"
#include "tests/support/forge.h"

uint8_t *golden_metadata(const char *text, size_t bytes, size_t *size)
{
    uint8_t *file = golden_good_make("metadata", size);
    struct forge *f = forge_open(file, *size);
    struct forge_section *s = forge_find(f, SPMMI_SECTION_METADATA, SPMMI_NO_PART);
    free(file);
    s->entry.raw_bytes = bytes;
    forge_set_content(s, (const uint8_t *)text, bytes, (struct forge_zstd){0, 0, 0});
    file = forge_build(f, size);
    forge_free(f);
    return file;
}

uint8_t *golden_metadata_many(size_t *size)
{
    enum { PAIRS = SPMMI_METADATA_PAIRS + 1, BYTES = 5 };
    char text[PAIRS * BYTES];
    for (int i = 0; i < PAIRS; i++)
        memcpy(text + (size_t)i * BYTES, (char[]){(char)('a' + i / 26), (char)('a' + i % 26), 0, 'v', 0},
               BYTES);
    return golden_metadata(text, sizeof text, size);
}
