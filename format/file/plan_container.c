/* SPDX-License-Identifier: Apache-2.0 */
/* Steps 3 to 5 of a load: check that the sections tile the file, that sizes agree with the dimensions, and
 * that the hash of every stored byte matches (docs/plan-format.md sections 4 and 5). */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/each.h"
#include "file_order.h"
#include "frames.h"
#include "plan_header.h"

uint64_t spmmi_frame_count(uint64_t raw_bytes)
{
    return raw_bytes / SPMMI_FRAME_RAW + (raw_bytes % SPMMI_FRAME_RAW != 0);
}

static uint64_t entry_at(uint32_t index)
{
    return SPMMI_HEADER_BYTES + (uint64_t)index * SPMMI_ENTRY_BYTES;
}

/* Checks one entry, independently of the others. */
static spmm_status_t check_entry(const struct spmmi_entry *e, uint64_t at, uint32_t reserved,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_section_row *row = spmmi_section_find(e->type);
    SPMM_RULE(reserved == SPMMI_ENTRY_BYTES, TABLE, at + reserved,
              "reserved byte %u of a table entry is not zero", reserved);
    SPMM_RULE(e->type != 0, TABLE, at, "section type 0 is not allowed");
    SPMM_RULE((e->flags & ~SPMMI_FLAG_REQUIRED) == 0, TABLE, at + 4,
              "section flags 0x%x have reserved bits set", e->flags);
    SPMM_RULE(row != NULL || e->flags == 0, FEATURE, at,
              "the plan has a section of type %u, which is required and not known", e->type);
    SPMM_RULE(row == NULL || (e->flags & SPMMI_FLAG_REQUIRED) == (row->is_required ? SPMMI_FLAG_REQUIRED : 0),
              TABLE, at + 4, "section %s has the wrong required flag", row->text);
    SPMM_RULE(e->part < SPMMI_PART_MAX || e->part == SPMMI_NO_PART, TABLE, at + 8,
              "section part %u is out of range", e->part);
    SPMM_RULE(row == NULL || (row->is_per_part != 0) == (e->part != SPMMI_NO_PART), TABLE, at + 8,
              "section %s has part %u", row->text, e->part);
    SPMM_RULE(e->codec == SPMMI_CODEC_ZSTD, TABLE, at + 12, "codec %u is not known", e->codec);
    SPMM_RULE(e->align_log2 == SPMMI_ALIGN_LOG2, TABLE, at + 13, "alignment 2^%u, expected 2^%u",
              e->align_log2, SPMMI_ALIGN_LOG2);
    SPMM_RULE(e->stored_bytes != 0, TABLE, at + 24, "a section has no stored bytes");
    SPMM_RULE(e->raw_bytes != 0, TABLE, at + 32, "a section has no raw bytes");
cleanup:
    return status;
}

static uint64_t aligned(uint64_t at)
{
    return (at + SPMMI_ALIGN - 1) / SPMMI_ALIGN * SPMMI_ALIGN;
}

/* Checks that the stored bytes of entry i start at the end of the former section, rounded up to the
 * alignment, and that the bytes between are zero. */
static spmm_status_t check_tile(const struct spmmi_container *c, uint32_t i, uint64_t former_end,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_entry *e = &c->entries[i];
    const uint64_t at = entry_at(i);
    const uint64_t expected = aligned(former_end);
    SPMM_RULE(e->offset == expected, TABLE, at + 16, "a section starts at %llu, expected %llu",
              (unsigned long long)e->offset, (unsigned long long)expected);
    SPMM_RULE(e->offset <= c->header.file_bytes && e->stored_bytes <= c->header.file_bytes - e->offset, TABLE,
              at + 24, "a section of %llu bytes at %llu exceeds the file",
              (unsigned long long)e->stored_bytes, (unsigned long long)e->offset);
    for (uint64_t pad = former_end; pad < expected; pad++)
        SPMM_RULE(c->bytes[pad] == 0, TABLE, pad, "padding byte %llu is not zero", (unsigned long long)pad);
cleanup:
    return status;
}

static int is_after(const struct spmmi_entry *a, const struct spmmi_entry *b)
{
    return a->type != b->type ? a->type > b->type : a->part != SPMMI_NO_PART && a->part > b->part;
}

/* Step 3 of a load. */
static spmm_status_t check_table(struct spmmi_container *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t count = c->header.section_count;
    const uint64_t table_end = entry_at(count);
    uint64_t end = table_end;
    uint32_t order[SPMMI_SECTION_LIMIT], last = 0;
    SPMM_RULE(table_end <= c->header.file_bytes, TABLE, 120, "the table of %u sections exceeds the file",
              count);
    SPMM_RULE(
        spmmi_hash64(c->bytes + SPMMI_HEADER_BYTES, table_end - SPMMI_HEADER_BYTES) == c->header.table_hash,
        CHECKSUM, SPMMI_HEADER_BYTES, "the hash of the section table does not match: the file is damaged");
    for (uint32_t i = 0; i < count; i++)
        spmmi_record_load(&spmmi_entry_record, c->bytes + entry_at(i), &c->entries[i]);
    spmmi_file_order(c->entries, count,
                     (c->header.features_incompat & SPMMI_FEATURE_TEXTS_FIRST) != 0 &&
                         spmmi_texts_first(c->entries, count, aligned(table_end)),
                     order);
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t i = last = order[n];
        const uint8_t *bytes = c->bytes + entry_at(i);
        const struct spmmi_entry *e = &c->entries[i];
        SPMM_TRY(check_entry(e, entry_at(i), spmmi_record_reserved(&spmmi_entry_record, bytes), diag));
        SPMM_RULE(i == 0 || is_after(e, e - 1), TABLE, entry_at(i),
                  "section %u is not after the one before it in order of type and part", i);
        SPMM_TRY(check_tile(c, i, end, diag));
        end = e->offset + e->stored_bytes;
    }
    SPMM_RULE(end == c->header.file_bytes, TABLE, entry_at(last) + 24,
              "the last section ends at %llu, the file at %llu", (unsigned long long)end,
              (unsigned long long)c->header.file_bytes);
cleanup:
    return status;
}

/* Returns the minimum stored bytes for raw_bytes raw bytes. A smaller section is a compression bomb. */
static uint64_t bomb_floor(uint64_t raw_bytes)
{
    const uint64_t excess = raw_bytes > SPMMI_BOMB_SLACK ? raw_bytes - SPMMI_BOMB_SLACK : 0;
    return excess / SPMMI_BOMB_RATIO + (excess % SPMMI_BOMB_RATIO != 0);
}

/* Checks that the columns and the mirrored values of a triangle have the same number of entries. */
static spmm_status_t check_triangle(const struct spmmi_container *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int columns = spmmi_container_find(c, SPMMI_SECTION_COL_IND, SPMMI_NO_PART);
    const int values = spmmi_container_find(c, SPMMI_SECTION_VALUES, SPMMI_NO_PART);
    const uint64_t value_bytes = spmm_dtype_size((spmm_dtype_t)c->header.dtype);
    if ((c->header.flags & SPMMI_FLAG_MIRRORED) == 0 || columns < 0)
        return SPMM_OK;
    const uint64_t count = c->entries[columns].raw_bytes / sizeof(uint32_t);
    SPMM_RULE(c->entries[values].raw_bytes == count * value_bytes, SECTION, entry_at((uint32_t)values) + 32,
              "section values has %llu raw bytes, but the triangle has %llu entries",
              (unsigned long long)c->entries[values].raw_bytes, (unsigned long long)count);
cleanup:
    return status;
}

/* Step 4 of a load:
 * checks that raw sizes agree with the dimensions, and that no section is a compression bomb. */
static spmm_status_t check_sizes(struct spmmi_container *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int parts = spmmi_container_find(c, SPMMI_SECTION_PARTS, SPMMI_NO_PART);
    const uint64_t part_count = parts < 0 ? 0 : c->entries[parts].raw_bytes / spmmi_part_record.bytes;
    c->frame_first[0] = 0;
    for (uint32_t i = 0; i < c->header.section_count; i++) {
        const struct spmmi_entry *e = &c->entries[i];
        const struct spmmi_section_row *row = spmmi_section_find(e->type);
        const struct spmmi_raw_range range = spmmi_section_raw_range(e->type, &c->header);
        const uint64_t frames = spmmi_frame_count(e->raw_bytes);
        SPMM_RULE(row == NULL || (e->raw_bytes >= range.min && e->raw_bytes <= range.max &&
                                  e->raw_bytes % range.unit == 0),
                  SECTION, entry_at(i) + 32, "section %s has %llu raw bytes, expected %llu to %llu",
                  row->text, (unsigned long long)e->raw_bytes, (unsigned long long)range.min,
                  (unsigned long long)range.max);
        const uint64_t owners = row != NULL && row->is_per_part == 2 ? SPMMI_SPGEMM_MATRICES : part_count;
        SPMM_RULE(e->part == SPMMI_NO_PART || row == NULL || e->part < owners, SECTION, entry_at(i) + 8,
                  "section %s belongs to part %u of %llu", row->text, e->part, (unsigned long long)owners);
        SPMM_RULE(bomb_floor(e->raw_bytes) <= e->stored_bytes, BUDGET, entry_at(i) + 32,
                  "a section of %llu bytes claims to hold %llu", (unsigned long long)e->stored_bytes,
                  (unsigned long long)e->raw_bytes);
        SPMM_RULE(frames <= e->stored_bytes / SPMMI_FRAME_ENTRY_BYTES, FRAME, e->offset,
                  "a section of %llu bytes cannot hold %llu frames", (unsigned long long)e->stored_bytes,
                  (unsigned long long)frames);
        c->frame_first[i + 1] = c->frame_first[i] + frames;
    }
    for (int i = 0; i < SPMMI_SECTION_ROWS; i++) {
        const struct spmmi_section_row *row = &spmmi_section_rows[i];
        SPMM_RULE(spmmi_section_raw_range(row->type, &c->header).min == 0 ||
                      spmmi_container_find(c, row->type, SPMMI_NO_PART) >= 0,
                  SECTION, SPMMI_HEADER_BYTES, "section %s is missing", row->text);
    }
    SPMM_TRY(check_triangle(c, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_container_open(const uint8_t *bytes, uint64_t size, struct spmmi_container *c,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    c->bytes = bytes;
    c->left = NULL;
    c->frames = NULL;
    SPMM_TRY(spmmi_header_read(bytes, size, &c->header, diag));
    SPMM_TRY(check_table(c, diag));
    SPMM_TRY(check_sizes(c, diag));
cleanup:
    return status;
}

/* Reads the frame table of entry i and checks that its frames fill the section exactly. */
static spmm_status_t read_frame_table(struct spmmi_container *c, uint32_t i, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_entry *e = &c->entries[i];
    const uint64_t frames = c->frame_first[i + 1] - c->frame_first[i];
    const uint64_t end = e->offset + e->stored_bytes;
    uint64_t at = e->offset, data = e->offset + frames * SPMMI_FRAME_ENTRY_BYTES;
    SPMM_RULE(spmmi_hash64(c->bytes + e->offset, data - e->offset) == e->frames_hash, CHECKSUM, e->offset,
              "the hash of the frame table of section %u does not match: the file is damaged", i);
    for (uint64_t f = c->frame_first[i]; f < c->frame_first[i + 1]; f++, at += SPMMI_FRAME_ENTRY_BYTES) {
        const uint8_t *bytes = c->bytes + at;
        struct spmmi_frame *frame = &c->frames[f];
        *frame = (struct spmmi_frame){data, spmmi_get_u64(bytes + 8), spmmi_get_u32(bytes), bytes[4],
                                      c->left != NULL && c->left->entries[i]};
        SPMM_RULE(bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0, FRAME, at + 5,
                  "reserved bytes of a frame entry are not zero");
        data += frame->stored_bytes;
    }
    SPMM_RULE(data == end, FRAME, e->offset, "the frames of section %u end at %llu, the section at %llu", i,
              (unsigned long long)data, (unsigned long long)end);
cleanup:
    return status;
}

static int has_wrong_hash(const void *container, uint64_t f, int thread)
{
    const struct spmmi_container *c = container;
    const struct spmmi_frame *frame = &c->frames[f];
    (void)thread;
    return !frame->is_left && spmmi_hash64(c->bytes + frame->offset, frame->stored_bytes) != frame->hash;
}

spmm_status_t spmmi_container_frames(struct spmmi_container *c, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t count = c->frame_first[c->header.section_count];
    c->frames = spmmi_alloc(count, sizeof *c->frames);
    SPMM_TRY_ALLOC(c->frames, diag);
    for (uint32_t i = 0; i < c->header.section_count; i++)
        SPMM_TRY(read_frame_table(c, i, diag));
    const uint64_t wrong = spmmi_first_wrong(count, threads, has_wrong_hash, c);
    SPMM_RULE(wrong == count, CHECKSUM, c->frames[wrong].offset,
              "the hash of frame %llu at byte %llu does not match: the file is damaged",
              (unsigned long long)wrong, (unsigned long long)c->frames[wrong].offset);
cleanup:
    return status;
}

int spmmi_container_find(const struct spmmi_container *c, uint32_t type, uint32_t part)
{
    for (uint32_t i = 0; i < c->header.section_count; i++) {
        if (c->entries[i].type == type && c->entries[i].part == part)
            return (int)i;
    }
    return -1;
}
