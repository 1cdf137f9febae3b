/* SPDX-License-Identifier: Apache-2.0 */
/* Bad golden plans. Each breaks one rule of docs/plan-format.md. All hashes are right unless the rule is
 * about a hash. */
#include "golden_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden_long_rows.h"
#include "golden_metadata.h"
#include "golden_product.h"
#include "golden_decimal.h"
#include "golden_triangle.h"
#include "tests/support/forge.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define NONE SPMMI_NO_PART

enum kind {
    HEADER,   /* value at offset of the header; hashes repaired */
    ENTRY,    /* value at offset of the table entry of (type, part); hashes repaired */
    FRAME,    /* value at offset of the section of (type, part): its frame table or frames; hashes repaired */
    DAMAGE,   /* as FRAME, but hashes stay wrong; type 0: offset from the start of the file */
    CONTENT,  /* value at offset of the content of (type, part), which is compressed again */
    REMOVE,   /* removes the section */
    METADATA, /* replaces the metadata by `width` bytes of text */
    PLAN,     /* plan() changes a loaded plan, which is written without a check */
    MAKE      /* make() makes the file */
};

static void put(uint8_t *at, uint32_t width, uint64_t value)
{
    memcpy(at, &value, width);
}

static uint64_t section_offset(const uint8_t *bytes, uint32_t type, uint32_t part, uint8_t **entry)
{
    const uint32_t count = spmmi_get_u32(bytes + 120);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *e = bytes + SPMMI_HEADER_BYTES + i * SPMMI_ENTRY_BYTES;
        if (spmmi_get_u32(e) != type || spmmi_get_u32(e + 8) != part)
            continue;
        *entry = (uint8_t *)(uintptr_t)e;
        return spmmi_get_u64(e + 16);
    }
    abort();
}

static uint8_t *change_in_place(const struct golden_bad *b, size_t *size)
{
    uint8_t *bytes = golden_good_make(b->base, size), *entry = NULL;
    uint8_t *at = bytes;
    if (b->kind == ENTRY || (b->kind != HEADER && b->type != 0)) {
        const uint64_t offset = section_offset(bytes, b->type, b->part, &entry);
        at = b->kind == ENTRY ? entry : bytes + offset;
    }
    put(at + b->offset, b->width, b->value);
    if (b->kind != DAMAGE)
        forge_repair(bytes, *size);
    return bytes;
}

/* Opens the base for forging, applies change() and builds the file again. */
static uint8_t *rebuilt(const char *base, void (*change)(struct forge *f), size_t *size)
{
    uint8_t *bytes = golden_good_make(base, size);
    struct forge *f = forge_open(bytes, *size);
    free(bytes);
    change(f);
    bytes = forge_build(f, size);
    forge_free(f);
    return bytes;
}

static const struct golden_bad *now; /* the case of the two functions below */

static void change_content(struct forge *f)
{
    struct forge_section *s = forge_find(f, now->type, now->part);
    size_t size = 0;
    uint8_t *content = forge_content(s, &size);
    put(content + now->offset, now->width, now->value);
    forge_set_content(s, content, size, (struct forge_zstd){0, 0, 0});
    free(content);
}

static void remove_section(struct forge *f)
{
    forge_remove(f, forge_find(f, now->type, now->part));
}

static uint8_t *change_plan(const struct golden_bad *b, size_t *size)
{
    spmm_plan_t *plan = NULL;
    void *written = NULL;
    uint8_t *bytes = golden_good_make(b->base, size);
    if (spmm_plan_read(bytes, *size, NULL, &plan, NULL) != SPMM_OK)
        abort();
    free(bytes);
    b->plan(plan);
    if (spmm_plan_write(plan, NULL, &written, size, NULL) != SPMM_OK)
        abort();
    bytes = malloc(*size);
    if (bytes == NULL)
        abort();
    memcpy(bytes, written, *size);
    spmm_plan_bytes_free(written);
    spmm_plan_destroy(plan);
    return bytes;
}

uint8_t *golden_bad_make(const struct golden_bad *b, size_t *size)
{
    now = b;
    switch ((enum kind)b->kind) {
    case HEADER:
    case ENTRY:
    case FRAME:
    case DAMAGE:
        return change_in_place(b, size);
    case CONTENT:
        return rebuilt(b->base, change_content, size);
    case METADATA:
        return golden_metadata(b->text, b->width, size);
    case REMOVE:
        return rebuilt(b->base, remove_section, size);
    case PLAN:
        return change_plan(b, size);
    case MAKE:
        return b->make(size);
    }
    abort();
}

/* Files that need more than one change. */
static uint8_t *truncated(size_t *size)
{
    uint8_t *bytes = golden_good_make("one_by_one", size);
    *size -= 1;
    return bytes;
}

static uint8_t *truncated_header(size_t *size)
{
    uint8_t *bytes = golden_good_make("one_by_one", size);
    *size = 255;
    return bytes;
}

static uint8_t *longer(size_t *size, int says_so)
{
    uint8_t *bytes = golden_good_make("one_by_one", size);
    bytes = realloc(bytes, *size + 64);
    if (bytes == NULL)
        abort();
    memset(bytes + *size, 0, 64);
    *size += 64;
    if (says_so)
        put(bytes + 24, 8, *size);
    forge_repair(bytes, *size);
    return bytes;
}

static uint8_t *trailing_bytes(size_t *size)
{
    return longer(size, 0);
}

static uint8_t *last_section_short(size_t *size)
{
    return longer(size, 1);
}

static uint8_t *nnz_above_limit(size_t *size)
{
    uint8_t *bytes = golden_good_make("one_by_one", size);
    put(bytes + 56, 8, (uint64_t)SPMMI_DIM_MAX);
    put(bytes + 64, 8, (uint64_t)SPMMI_DIM_MAX);
    put(bytes + 72, 8, (uint64_t)SPMMI_NNZ_MAX + 1);
    forge_repair(bytes, *size);
    return bytes;
}

/* Changes the table without repairing the hash in the header. */
static uint8_t *table_hash_wrong(size_t *size)
{
    uint8_t *bytes = golden_good_make("one_by_one", size);
    bytes[SPMMI_HEADER_BYTES + 4] ^= 2;
    return bytes;
}

static uint8_t *padding_not_zero(size_t *size)
{
    uint8_t *bytes = golden_good_make("one_by_one", size), *entry = NULL;
    bytes[section_offset(bytes, SPMMI_SECTION_META, NONE, &entry) - 1] = 1;
    forge_repair(bytes, *size);
    return bytes;
}

/* Ends the last section inside its frame table. */
static uint8_t *below_frame_table(size_t *size)
{
    uint8_t *bytes = golden_good_make("one_by_one", size), *entry = NULL;
    *size = section_offset(bytes, SPMMI_SECTION_META, NONE, &entry) + 8;
    put(entry + 24, 8, 8);
    put(bytes + 24, 8, *size);
    forge_repair(bytes, *size);
    return bytes;
}

/* Claims so many rows that zstd could not pack the row lengths into their stored bytes. */
static void make_bomb(struct forge *f)
{
    f->header.rows = 2000000000;
    forge_find(f, SPMMI_SECTION_ROW_LENGTHS, NONE)->entry.raw_bytes = UINT64_C(4) * 2000000000;
}

static void repeated_section(struct forge *f)
{
    struct forge_section *s = forge_append(f, SPMMI_SECTION_META, "again", 5);
    s->entry.part = NONE;
}

static void unknown_required(struct forge *f)
{
    forge_append(f, 1000, "needed", 6)->entry.flags = SPMMI_FLAG_REQUIRED;
}

static void recompress(struct forge *f, uint32_t type, struct forge_zstd how)
{
    struct forge_section *s = forge_find(f, type, NONE);
    size_t size = 0;
    uint8_t *content = forge_content(s, &size);
    forge_set_content(s, content, size, how);
    free(content);
}

static void without_checksum(struct forge *f)
{
    recompress(f, SPMMI_SECTION_STATS, (struct forge_zstd){1, 0, 0});
}

static void without_content_size(struct forge *f)
{
    recompress(f, SPMMI_SECTION_STATS, (struct forge_zstd){0, 1, 0});
}

/* Sets the bytes of a frame: magic, descriptor, fields. A refusal needs no valid blocks. */
static void set_frame(struct forge *f, const void *frame, size_t size)
{
    forge_set_stored(forge_find(f, SPMMI_SECTION_STATS, NONE), frame, size);
}

static void with_large_window(struct forge *f)
{
    /* 2-byte content size (360 - 256), checksum, no single segment, window 2^24. */
    set_frame(f, "\x28\xb5\x2f\xfd\x44\x70\x68\x00\x01\x00\x00\x00\x00\x00\x00", 15);
}

static void with_dictionary_id(struct forge *f)
{
    /* 2-byte content size, single segment, checksum, 1-byte dictionary id 7. */
    set_frame(f, "\x28\xb5\x2f\xfd\x65\x07\x68\x00\x01\x00\x00\x00\x00\x00\x00", 15);
}

static void skippable_frame(struct forge *f)
{
    set_frame(f, "\x50\x2a\x4d\x18\x08\x00\x00\x00skipped!", 16);
}

static void legacy_frame(struct forge *f)
{
    set_frame(f, "\x27\xb5\x2f\xfd\x00\x00\x00\x00\x00\x00\x00\x00", 12);
}

static void wrong_content_size(struct forge *f)
{
    const uint8_t zero[352] = {0};
    forge_set_content(forge_find(f, SPMMI_SECTION_STATS, NONE), zero, sizeof zero,
                      (struct forge_zstd){0, 0, 0});
}

static void frame_with_tail(struct forge *f)
{
    struct forge_section *s = forge_find(f, SPMMI_SECTION_STATS, NONE);
    uint8_t bytes[1024];
    const size_t size = s->frames[0].stored_bytes;
    memcpy(bytes, s->frames[0].stored, size);
    memcpy(bytes + size, "\x50\x2a\x4d\x18\x00\x00\x00\x00", 8);
    forge_set_stored(s, bytes, size + 8);
}

static void frame_does_not_decode(struct forge *f)
{
    struct forge_section *s = forge_find(f, SPMMI_SECTION_STATS, NONE);
    s->frames[0].stored[s->frames[0].stored_bytes - 1] ^= 1; /* its own checksum */
}

static void dictionary_code_out_of_range(struct forge *f)
{
    struct forge_section *s = forge_find(f, SPMMI_SECTION_VALUES, NONE);
    size_t size = 0;
    uint8_t *content = forge_content(s, &size);
    content[size - 1] = 200;
    forge_set_content(s, content, size, (struct forge_zstd){0, 0, 0});
    free(content);
}

/* Removes a byte of the dictionary, so that it is no whole number of distinct values. */
static void dictionary_cut(struct forge *f)
{
    struct forge_section *s = forge_find(f, SPMMI_SECTION_VALUES, NONE);
    size_t size = 0;
    uint8_t *content = forge_content(s, &size);
    forge_set_content(s, content + 1, size - 1, (struct forge_zstd){0, 0, 0});
    free(content);
}

static void fewer_items(struct forge *f)
{
    struct forge_section *s = forge_find(f, SPMMI_SECTION_ITEMS, 0);
    size_t size = 0;
    uint8_t *content = forge_content(s, &size);
    s->entry.raw_bytes = 4;
    forge_set_content(s, content, 4, (struct forge_zstd){0, 0, 0});
    free(content);
}

#define REBUILT(change)                             \
    static uint8_t *make_##change(size_t *size)     \
    {                                               \
        return rebuilt("one_by_one", change, size); \
    }
REBUILT(make_bomb)
REBUILT(repeated_section)
REBUILT(unknown_required)
REBUILT(without_checksum)
REBUILT(without_content_size)
REBUILT(with_large_window)
REBUILT(with_dictionary_id)
REBUILT(skippable_frame)
REBUILT(legacy_frame)
REBUILT(wrong_content_size)
REBUILT(frame_with_tail)
REBUILT(frame_does_not_decode)

static uint8_t *make_code(size_t *size)
{
    return rebuilt("f64_dictionary", dictionary_code_out_of_range, size);
}

static uint8_t *make_cut(size_t *size)
{
    return rebuilt("f64_dictionary", dictionary_cut, size);
}

static uint8_t *make_fewer_items(size_t *size)
{
    return rebuilt("f64_nonzero_split", fewer_items, size);
}

/* Adds a permutation of the rows, which is only allowed for a square matrix. */
static void permutation_of_seven(struct forge *f)
{
    const uint8_t zero[28] = {0};
    forge_append(f, SPMMI_SECTION_SYMMETRIC_PERMUTATION, zero, sizeof zero)->entry.part = NONE;
}

static uint8_t *make_permutation_of_seven(size_t *size)
{
    return rebuilt("no_nonzeros", permutation_of_seven, size); /* 7 x 5 */
}

/* Changes of a plan in memory. */
static void column_repeated(spmm_plan_t *p)
{
    p->col_ind[p->row_ptr[1] - 1] = p->col_ind[p->row_ptr[1] - 2];
}

static void column_too_large(spmm_plan_t *p)
{
    p->col_ind[p->nnz - 1] = (int32_t)p->cols;
}

static void column_negative(spmm_plan_t *p)
{
    p->col_ind[0] = -1;
}

static void pattern_digest_wrong(spmm_plan_t *p)
{
    p->pattern_digest[15] ^= 1;
}

static void values_digest_wrong(spmm_plan_t *p)
{
    p->values_digest[0] ^= 1;
}

static void value_changed(spmm_plan_t *p)
{
    ((float *)p->values)[0] += 1.0f;
}

static void stats_wrong(spmm_plan_t *p)
{
    p->stats.col_max += 1;
}

static void stats_mean_wrong(spmm_plan_t *p)
{
    p->stats.row_mean = nextafter(p->stats.row_mean, 1e9);
}

static void zeros_negative(spmm_plan_t *p)
{
    p->stats.zeros = -1;
}

static void item_of_another_row(spmm_plan_t *p)
{
    p->parts[0].items[p->parts[0].item_count - 1] -= 1;
}

static void item_beyond_rows(spmm_plan_t *p)
{
    p->parts[0].items[p->parts[0].item_count - 1] = (uint32_t)p->rows;
}

static void first_item_not_zero(spmm_plan_t *p)
{
    p->parts[0].items[0] = 1;
}

static void items_not_ascending(spmm_plan_t *p)
{
    p->parts[0].items[2] = p->parts[0].items[1];
}

static void item_closes_late(spmm_plan_t *p)
{
    p->parts[0].items[1] += 1;
}

static void item_closes_early(spmm_plan_t *p)
{
    p->parts[0].items[1] -= 1;
}

static void items_of_transpose_wrong(spmm_plan_t *p)
{
    p->parts[1].items[1] += 1;
}

static void tiled_items_swapped(spmm_plan_t *p)
{
    p->parts[0].items[3] = 4;
    p->parts[0].items[4] = 3;
}

static void tiled_items_fewer(spmm_plan_t *p)
{
    p->parts[0].item_count--;
}

static void tiled_segments_fewer(spmm_plan_t *p)
{
    p->parts[0].item_size++;
}

static void tiled_unit_twice(spmm_plan_t *p)
{
    p->parts[0].items[0] = p->parts[0].items[p->parts[0].item_count - 1];
}

static void tiled_unit_beyond(spmm_plan_t *p)
{
    p->parts[0].items[1] = (uint32_t)p->parts[0].item_count;
}

static void symmetric_twice(spmm_plan_t *p)
{
    p->symmetric_permutation[3] = p->symmetric_permutation[60];
}

static void symmetric_beyond(spmm_plan_t *p)
{
    p->symmetric_permutation[64] = 65;
}

static void tiled_transpose_twice(spmm_plan_t *p)
{
    p->parts[1].items[7] = p->parts[1].items[8];
}

#define H(name_, status_, offset_, width_, value_)                                                 \
    {                                                                                              \
        .name = name_, .status = status_, .kind = HEADER, .base = "one_by_one", .offset = offset_, \
        .width = width_, .value = value_                                                           \
    }
/* A field of a table entry of any plan. */
#define Y(name_, status_, base_, type_, part_, offset_, width_, value_)                               \
    {                                                                                                 \
        .name = name_, .status = status_, .kind = ENTRY, .base = base_, .type = type_, .part = part_, \
        .offset = offset_, .width = width_, .value = value_                                           \
    }
#define E(name_, status_, type_, offset_, width_, value_) \
    Y(name_, status_, "one_by_one", type_, NONE, offset_, width_, value_)
#define C(name_, status_, type_, offset_, width_, value_)                                          \
    {                                                                                              \
        .name = name_, .status = status_, .kind = CONTENT, .base = "f32_row_split", .type = type_, \
        .part = NONE, .offset = offset_, .width = width_, .value = value_                          \
    }
/* Like C, for any plan. */
#define B(name_, status_, type_, base_, offset_, value_)                                               \
    {                                                                                                  \
        .name = name_, .status = status_, .kind = CONTENT, .base = base_, .type = type_, .part = NONE, \
        .offset = offset_, .width = 4, .value = value_                                                 \
    }
/* Like B, for a part. */
#define T(name_, base_, offset_, value_) \
    B(name_, SPMM_ERR_PLAN_PART, SPMMI_SECTION_PARTS, base_, offset_, value_)
/* A value of the row-block metrics. */
#define S(name_, offset_, value_)                                                                         \
    {                                                                                                     \
        .name = name_, .status = SPMM_ERR_PLAN_ROW_BLOCK_METRICS, .kind = CONTENT, .base = "panel_stats", \
        .type = SPMMI_SECTION_ROW_BLOCK_METRICS, .part = NONE, .offset = offset_, .width = 8,             \
        .value = value_                                                                                   \
    }
/* A value of the metrics of a row permutation. */
#define O(name_, offset_, width_, value_)                                                                   \
    {                                                                                                       \
        .name = name_, .status = SPMM_ERR_PLAN_PERMUTATION_METRICS, .kind = CONTENT, .base = "order_stats", \
        .type = SPMMI_SECTION_PERMUTATION_METRICS, .part = NONE, .offset = offset_, .width = width_,        \
        .value = value_                                                                                     \
    }
/* A byte of the writer's text. */
#define W(name_, value_)                                                                      \
    {                                                                                         \
        .name = name_, .status = SPMM_ERR_PLAN_WRITER, .kind = CONTENT, .base = "writer",     \
        .type = SPMMI_SECTION_WRITER, .part = NONE, .offset = 14, .width = 1, .value = value_ \
    }
/* The metadata, as one string literal with its zero bytes. */
#define D(name_, text_)                                                                        \
    {                                                                                          \
        .name = name_, .status = SPMM_ERR_PLAN_METADATA, .kind = METADATA, .base = "metadata", \
        .text = text_, .width = sizeof(text_) - 1                                              \
    }
/* Like H, for any plan. */
#define G(name_, status_, base_, offset_, width_, value_)                                                    \
    {                                                                                                        \
        .name = name_, .status = status_, .kind = HEADER, .base = base_, .offset = offset_, .width = width_, \
        .value = value_                                                                                      \
    }
/* A byte of a section of the plan "triangle". */
#define A(name_, status_, type_, offset_, value_)                                                           \
    {                                                                                                       \
        .name = name_, .status = status_, .kind = CONTENT, .base = "triangle", .type = type_, .part = NONE, \
        .offset = offset_, .width = 1, .value = value_                                                      \
    }
/* Replaces the features of a plan that needs some. */
#define N(name_, status_, base_, value_) G(name_, status_, base_, 32, 8, value_)
#define F(name_, status_, offset_, width_, value_)                                                          \
    {                                                                                                       \
        .name = name_, .status = status_, .kind = FRAME, .base = "one_by_one", .type = SPMMI_SECTION_STATS, \
        .part = NONE, .offset = offset_, .width = width_, .value = value_                                   \
    }
#define R(name_, type_)                                                                                      \
    {                                                                                                        \
        .name = name_, .status = SPMM_ERR_PLAN_SECTION, .kind = REMOVE, .base = "one_by_one", .type = type_, \
        .part = NONE                                                                                         \
    }
#define P(name_, status_, base_)                                                      \
    {                                                                                 \
        .name = #name_, .status = status_, .kind = PLAN, .base = base_, .plan = name_ \
    }
/* Like P, if two cases change a plan in the same way. */
#define Q(name_, status_, base_, plan_)                                              \
    {                                                                                \
        .name = name_, .status = status_, .kind = PLAN, .base = base_, .plan = plan_ \
    }
/* A number in the record of a product. The base defines its factors. */
#define K(name_, base_, offset_, width_, value_)                                                         \
    {                                                                                                    \
        .name = name_, .status = SPMM_ERR_PLAN_PRODUCT, .kind = CONTENT, .base = base_,                  \
        .type = SPMMI_SECTION_PRODUCT, .part = NONE, .offset = offset_, .width = width_, .value = value_ \
    }
#define M(name_, status_, make_)                                      \
    {                                                                 \
        .name = name_, .status = status_, .kind = MAKE, .make = make_ \
    }

#define NO_PERMUTATION 255 /* no permutation and no value type will ever have this number */
#define NO_DTYPE 255

const struct golden_bad golden_bad_cases[] = {
#include "golden_bad_list.def"
};
const size_t golden_bad_count = COUNT(golden_bad_cases);
