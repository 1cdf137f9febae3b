/* SPDX-License-Identifier: Apache-2.0 */
/* See forge.h. This file does not use the library's reader, so a bug in the reader cannot hide a bug here. */
#include "forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "format/base/digest.h"

#define NEED(condition)                                 \
    do {                                                \
        if (!(condition)) {                             \
            fprintf(stderr, "forge: %s\n", #condition); \
            abort();                                    \
        }                                               \
    } while (0)

static void *take(size_t size)
{
    void *block = calloc(size + 1, 1);
    NEED(block != NULL);
    return block;
}

struct forge *forge_open(const uint8_t *bytes, size_t size)
{
    struct forge *f = take(sizeof *f);
    NEED(size > SPMMI_HEADER_BYTES);
    spmmi_record_load(&spmmi_header_record, bytes, &f->header);
    for (uint32_t i = 0; i < f->header.section_count; i++) {
        struct forge_section *s = &f->sections[i];
        spmmi_record_load(&spmmi_entry_record, bytes + SPMMI_HEADER_BYTES + i * SPMMI_ENTRY_BYTES, &s->entry);
        s->frame_count = (uint32_t)((s->entry.raw_bytes + SPMMI_FRAME_RAW - 1) / SPMMI_FRAME_RAW);
        NEED(s->frame_count <= FORGE_FRAMES && s->entry.offset + s->entry.stored_bytes <= size);
        const uint8_t *entry = bytes + s->entry.offset;
        const uint8_t *data = entry + s->frame_count * SPMMI_FRAME_ENTRY_BYTES;
        for (uint32_t k = 0; k < s->frame_count; k++, entry += SPMMI_FRAME_ENTRY_BYTES) {
            struct forge_frame *frame = &s->frames[k];
            frame->stored_bytes = spmmi_get_u32(entry);
            frame->transform = entry[4];
            frame->stored = take(frame->stored_bytes);
            memcpy(frame->stored, data, frame->stored_bytes);
            data += frame->stored_bytes;
        }
    }
    return f;
}

static void drop_frames(struct forge_section *s)
{
    for (uint32_t k = 0; k < s->frame_count; k++)
        free(s->frames[k].stored);
    memset(s->frames, 0, sizeof s->frames);
}

void forge_free(struct forge *f)
{
    for (uint32_t i = 0; i < f->header.section_count; i++)
        drop_frames(&f->sections[i]);
    free(f);
}

struct forge_section *forge_find(struct forge *f, uint32_t type, uint32_t part)
{
    uint32_t i = 0;
    while (i < f->header.section_count &&
           (f->sections[i].entry.type != type || f->sections[i].entry.part != part))
        i++;
    NEED(i < f->header.section_count);
    return &f->sections[i];
}

void forge_remove(struct forge *f, struct forge_section *s)
{
    const uint32_t index = (uint32_t)(s - f->sections);
    drop_frames(s);
    f->header.section_count--;
    memmove(s, s + 1, (f->header.section_count - index) * sizeof *s);
    memset(&f->sections[f->header.section_count], 0, sizeof *s);
}

struct forge_section *forge_append(struct forge *f, uint32_t type, const void *content, size_t size)
{
    struct forge_section *s = &f->sections[f->header.section_count++];
    s->entry =
        (struct spmmi_entry){type, 0, SPMMI_NO_PART, SPMMI_CODEC_ZSTD, SPMMI_ALIGN_LOG2, 0, 0, size, 0};
    s->frame_count = 1;
    forge_set_content(s, content, size, (struct forge_zstd){0, 0, 0});
    return s;
}

uint8_t *forge_content(const struct forge_section *s, size_t *size)
{
    const struct forge_frame *frame = &s->frames[0];
    *size = (size_t)ZSTD_getFrameContentSize(frame->stored, frame->stored_bytes);
    uint8_t *content = take(*size);
    NEED(ZSTD_decompress(content, *size, frame->stored, frame->stored_bytes) == *size);
    return content;
}

void forge_set_content(struct forge_section *s, const void *content, size_t size, struct forge_zstd how)
{
    const size_t room = ZSTD_compressBound(size);
    uint8_t *stored = take(room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    NEED(context != NULL);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, !how.no_checksum);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, !how.no_content_size);
    if (how.window_log != 0)
        (void)ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, how.window_log);
    ZSTD_outBuffer out = {stored, room, 0};
    ZSTD_inBuffer in = {content, size, 0};
    if (!how.no_content_size && how.window_log == 0)
        (void)ZSTD_CCtx_setPledgedSrcSize(context, size);
    /* If the stream is flushed before its end, zstd cannot write the frame as a single segment. */
    if (how.window_log != 0)
        NEED(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush) == 0);
    NEED(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0);
    (void)ZSTD_freeCCtx(context);
    forge_set_stored(s, stored, out.pos);
    free(stored);
}

void forge_set_stored(struct forge_section *s, const void *stored, size_t size)
{
    struct forge_frame *frame = &s->frames[0];
    uint8_t *copy = take(size);
    memcpy(copy, stored, size);
    free(frame->stored);
    frame->stored = copy;
    frame->stored_bytes = (uint32_t)size;
}

static size_t aligned(size_t at)
{
    return (at + SPMMI_ALIGN - 1) / SPMMI_ALIGN * SPMMI_ALIGN;
}

static size_t stored_size(const struct forge_section *s)
{
    size_t size = s->frame_count * SPMMI_FRAME_ENTRY_BYTES;
    for (uint32_t k = 0; k < s->frame_count; k++)
        size += s->frames[k].stored_bytes;
    return size;
}

uint8_t *forge_build(const struct forge *f, size_t *size)
{
    const uint32_t count = f->header.section_count;
    size_t end = SPMMI_HEADER_BYTES + count * SPMMI_ENTRY_BYTES;
    for (uint32_t i = 0; i < count; i++)
        end = aligned(end) + stored_size(&f->sections[i]);
    uint8_t *bytes = take(end);
    *size = end;
    end = SPMMI_HEADER_BYTES + count * SPMMI_ENTRY_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        const struct forge_section *s = &f->sections[i];
        struct spmmi_entry entry = s->entry;
        entry.offset = aligned(end);
        entry.stored_bytes = stored_size(s);
        uint8_t *at = bytes + entry.offset, *data = at + s->frame_count * SPMMI_FRAME_ENTRY_BYTES;
        for (uint32_t k = 0; k < s->frame_count; k++, at += SPMMI_FRAME_ENTRY_BYTES) {
            spmmi_put_u32(at, s->frames[k].stored_bytes);
            at[4] = s->frames[k].transform;
            memcpy(data, s->frames[k].stored, s->frames[k].stored_bytes);
            data += s->frames[k].stored_bytes;
        }
        spmmi_record_store(&spmmi_entry_record, &entry, bytes + SPMMI_HEADER_BYTES + i * SPMMI_ENTRY_BYTES);
        end = entry.offset + entry.stored_bytes;
    }
    struct spmmi_header header = f->header;
    header.file_bytes = *size;
    spmmi_record_store(&spmmi_header_record, &header, bytes);
    forge_repair(bytes, *size);
    return bytes;
}

static void repair_section(uint8_t *bytes, size_t size, uint8_t *entry_bytes)
{
    struct spmmi_entry e = {0};
    spmmi_record_load(&spmmi_entry_record, entry_bytes, &e);
    const uint64_t frames = e.raw_bytes / SPMMI_FRAME_RAW + (e.raw_bytes % SPMMI_FRAME_RAW != 0);
    if (e.offset > size || e.stored_bytes > size - e.offset ||
        frames > e.stored_bytes / SPMMI_FRAME_ENTRY_BYTES)
        return;
    uint64_t data = e.offset + frames * SPMMI_FRAME_ENTRY_BYTES;
    for (uint64_t k = 0; k < frames; k++) {
        uint8_t *frame = bytes + e.offset + k * SPMMI_FRAME_ENTRY_BYTES;
        const uint32_t stored = spmmi_get_u32(frame);
        if (stored > size - data)
            break;
        spmmi_put_u64(frame + 8, spmmi_hash64(bytes + data, stored));
        data += stored;
    }
    spmmi_put_u64(entry_bytes + 40, spmmi_hash64(bytes + e.offset, frames * SPMMI_FRAME_ENTRY_BYTES));
}

void forge_repair(uint8_t *bytes, size_t size)
{
    struct spmmi_header header = {.flags = 0};
    if (size < SPMMI_HEADER_BYTES)
        return;
    spmmi_record_load(&spmmi_header_record, bytes, &header);
    const uint64_t table_bytes = (uint64_t)header.section_count * SPMMI_ENTRY_BYTES;
    if (table_bytes <= size - SPMMI_HEADER_BYTES) {
        for (uint32_t i = 0; i < header.section_count; i++)
            repair_section(bytes, size, bytes + SPMMI_HEADER_BYTES + (uint64_t)i * SPMMI_ENTRY_BYTES);
        spmmi_put_u64(bytes + 240, spmmi_hash64(bytes + SPMMI_HEADER_BYTES, table_bytes));
    }
    spmmi_put_u64(bytes + 248, spmmi_hash64(bytes, 248));
}
