/* SPDX-License-Identifier: Apache-2.0 */
/* See golden_decimal.h. */
#include "golden_decimal.h"

#include <stdlib.h>

#include "format/file/transform.h"
#include "golden_cases.h"
#include "tests/support/forge.h"

/* Returns the plan with one byte of the last value changed. The byte is in the plane that is
 * planes_before_end planes in front of the last one. */
static uint8_t *changed(size_t planes_before_end, uint8_t byte, size_t *size)
{
    size_t content_bytes = 0;
    uint8_t *file = golden_good_make("decimal", size);
    struct forge *f = forge_open(file, *size);
    struct forge_section *s = forge_find(f, SPMMI_SECTION_VALUES, SPMMI_NO_PART);
    uint8_t *content = forge_content(s, &content_bytes);
    content[content_bytes - 1 - planes_before_end * (content_bytes / sizeof(double))] = byte;
    forge_set_content(s, content, content_bytes, (struct forge_zstd){0, 0, 0});
    free(content);
    free(file);
    file = forge_build(f, size);
    forge_free(f);
    return file;
}

uint8_t *golden_decimal_digits(size_t *size)
{
    return changed(0, 23, size);
}

uint8_t *golden_decimal_reserved(size_t *size)
{
    return changed(1, 0x20, size);
}

uint8_t *golden_decimal_f32(size_t *size)
{
    uint8_t *file = golden_good_make("f32_row_split", size);
    struct forge *f = forge_open(file, *size);
    forge_find(f, SPMMI_SECTION_VALUES, SPMMI_NO_PART)->frames[0].transform = SPMMI_TRANSFORM_DECIMAL;
    f->header.features_incompat |= SPMMI_FEATURE_DECIMAL;
    free(file);
    file = forge_build(f, size);
    forge_free(f);
    return file;
}
