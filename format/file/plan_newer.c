/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_newer.h. A newer file may hold anything, so every step is checked as for any plan. If a check
 * fails, the message does not name the writer. */
#include "plan_newer.h"

#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/checked.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/text.h"
#include "frames.h"

/* Returns true if the file has the major version of this
 * library and the hashes of header and section table match. */
static int table_is_whole(const uint8_t *bytes, uint64_t size, const struct spmmi_header *h)
{
    const uint64_t table_bytes = (uint64_t)h->section_count * SPMMI_ENTRY_BYTES;
    return h->format_major == SPMMI_FORMAT_MAJOR && SPMMI_HEADER_BYTES + table_bytes <= size &&
           spmmi_hash64(bytes, SPMMI_AT_header_hash) == h->header_hash &&
           spmmi_hash64(bytes + SPMMI_HEADER_BYTES, table_bytes) == h->table_hash;
}

static int writer_entry(const struct spmmi_container *c, uint64_t size, struct spmmi_entry *entry)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < c->header.section_count; i++) {
        spmmi_record_load(&spmmi_entry_record,
                          c->bytes + SPMMI_HEADER_BYTES + (uint64_t)i * SPMMI_ENTRY_BYTES, entry);
        if (entry->type == SPMMI_SECTION_WRITER)
            return entry->codec == SPMMI_CODEC_ZSTD && entry->stored_bytes >= SPMMI_FRAME_ENTRY_BYTES &&
                   spmmi_add_u64(entry->offset, entry->stored_bytes, &end) && end <= size &&
                   entry->raw_bytes > 0 && entry->raw_bytes < SPMMI_WRITER_BYTES;
    }
    return 0;
}

/* Decodes the text of the only section of the container. Returns false on failure. */
static int text_read(struct spmmi_container *c, char text[SPMMI_WRITER_BYTES])
{
    const struct spmmi_span span = {.type = SPMMI_SECTION_WRITER,
                                    .element_bytes = 1,
                                    .raw_bytes = c->entries[0].raw_bytes,
                                    .elements = text};
    struct spmmi_decoder *decoder = spmmi_decoder_new(1);
    int is_read = decoder != NULL && spmmi_container_frames(c, 1, &spmmi_diag_unheard) == SPMM_OK &&
                  spmmi_frames_decode(decoder, c, &span, 1, &spmmi_diag_unheard) == SPMM_OK;
    text[is_read ? span.raw_bytes : 0] = '\0';
    spmmi_decoder_free(decoder);
    spmmi_free(c->frames);
    return spmmi_text_wrong(text, span.raw_bytes) == span.raw_bytes; /* false after a failure */
}

static int writer_find(const uint8_t *bytes, uint64_t size, char text[SPMMI_WRITER_BYTES])
{
    struct spmmi_container c = {.bytes = bytes};
    spmmi_record_load(&spmmi_header_record, bytes, &c.header);
    if (!table_is_whole(bytes, size, &c.header) || !writer_entry(&c, size, &c.entries[0]))
        return 0;
    c.header.section_count = 1;
    c.frame_first[1] = 1;
    return text_read(&c, text);
}

void spmmi_newer_explain(const uint8_t *bytes, uint64_t size, spmm_diag_t *diag)
{
    char writer[SPMMI_WRITER_BYTES];
    if (diag == NULL)
        return;
    const size_t used = strlen(diag->text);
    if (writer_find(bytes, size, writer))
        (void)snprintf(diag->text + used, sizeof diag->text - used,
                       "; %s wrote it, this is spmm %s: update spmm", writer, spmm_version_string());
    else
        (void)snprintf(diag->text + used, sizeof diag->text - used, "; this is spmm %s: update spmm",
                       spmm_version_string());
}
