/* SPDX-License-Identifier: Apache-2.0 */
/* See content_sections.h. */
#include "content_sections.h"

#include <stdlib.h>
#include <string.h>

#include "content_words.h"
#include "format/file/transform.h"
#include "forge.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct editor {
    struct test_stream *stream;
    const spmm_plan_t *plan;
    struct forge *forge;
    struct forge_section *section; /* a random section of the file */
};

static void content_set(struct forge_section *section, const void *content, size_t size)
{
    section->entry.raw_bytes = size;
    forge_set_content(section, content, size, (struct forge_zstd){0, 0, 0});
}

/* Changes row lengths of the file, which may be those of a triangle, to any sum. The transform of this
 * section stores the bytes of the numbers in separate planes. */
static void lengths_change(struct editor *e)
{
    const size_t rows = (size_t)e->plan->rows;
    if (rows == 0)
        return;
    size_t size = 0;
    struct forge_section *section = forge_find(e->forge, SPMMI_SECTION_ROW_LENGTHS, SPMMI_NO_PART);
    uint8_t *planes = forge_content(section, &size);
    const size_t count = size / sizeof(uint32_t); /* numbers in the first frame */
    uint32_t *lengths = calloc(count + 1, sizeof *lengths);
    if (lengths == NULL)
        abort();
    for (size_t i = 0; i < size; i++)
        lengths[i % count] |= (uint32_t)planes[i] << (8 * (i / count));
    test_list_change(e->stream, e->plan, lengths, count);
    for (size_t i = 0; i < size; i++)
        planes[i] = (uint8_t)(lengths[i % count] >> (8 * (i / count)));
    forge_set_content(section, planes, size, (struct forge_zstd){0, 0, 0});
    free(planes);
    free(lengths);
}

static void header_change(struct editor *e)
{
    struct spmmi_header *h = &e->forge->header;
    uint64_t *const longs[] = {&h->rows,          &h->cols,           &h->nnz, &h->features_incompat,
                               &h->features_exec, &h->features_compat};
    uint32_t *const words[] = {&h->dtype, &h->flags};
    const uint64_t which = test_stream_below(e->stream, COUNT(longs) + COUNT(words));
    if (which < COUNT(longs))
        test_word_change(e->stream, e->plan, longs[which], sizeof *longs[0]);
    else
        test_word_change(e->stream, e->plan, words[which - COUNT(longs)], sizeof *words[0]);
}

/* Toggles one of the lowest 14 feature bits, so that variants, parts or trace use features that the header
 * does not list. */
static void feature_change(struct editor *e)
{
    e->forge->header.features_incompat ^= UINT64_C(1) << test_stream_below(e->stream, 14);
}

/* Changes the flags of the header, or adds or subtracts a nonzero. Both affect how a triangle is expanded. */
static void flags_change(struct editor *e)
{
    struct spmmi_header *h = &e->forge->header;
    if (test_stream_chance(e->stream, h->flags > SPMMI_FLAG_VALUES ? 20 : 80))
        h->flags = (uint32_t)test_stream_below(e->stream, 2 * SPMMI_FLAG_SKEW);
    else
        h->nnz += test_stream_chance(e->stream, 20) ? UINT64_MAX : 1;
}

static void bytes_change(struct editor *e)
{
    size_t size = 0;
    uint8_t *content = forge_content(e->section, &size);
    for (uint64_t times = test_stream_below(e->stream, 3) + 1; times > 0 && size > 0; times--) {
        const uint64_t at = test_stream_below(e->stream, size);
        content[at] ^= (uint8_t)(1 + test_stream_below(e->stream, 255));
    }
    forge_set_content(e->section, content, size, (struct forge_zstd){0, 0, 0});
    free(content);
}

/* Changes columns of the file, which may be those of a triangle. */
static void columns_change(struct editor *e)
{
    if (e->plan->nnz == 0)
        return;
    e->section = forge_find(e->forge, SPMMI_SECTION_COL_IND, SPMMI_NO_PART);
    bytes_change(e);
}

/* Changes one of the last bytes to 0 or 1: reserved bytes that are not zero, or a zero in a text. */
static void byte_clear(struct editor *e)
{
    size_t size = 0;
    uint8_t *content = forge_content(e->section, &size);
    const uint64_t from_end = test_stream_below(e->stream, size < 8 ? size : 8);
    if (size > 0)
        content[size - 1 - from_end] = (uint8_t)test_stream_below(e->stream, 2);
    forge_set_content(e->section, content, size, (struct forge_zstd){0, 0, 0});
    free(content);
}

/* Cuts the content to a number of words, or repeats it up to 70 times, which makes more records than are
 * allowed. */
static void size_change(struct editor *e)
{
    size_t size = 0;
    uint8_t *content = forge_content(e->section, &size);
    const size_t words = size / sizeof(uint32_t);
    const size_t cut = words > 0 ? sizeof(uint32_t) * (size_t)test_stream_below(e->stream, words) : 0;
    const size_t times = test_stream_chance(e->stream, 50) ? 1 : (size_t)test_stream_below(e->stream, 69) + 2;
    const size_t after = times == 1 ? cut : size * times;
    uint8_t *longer = calloc(times, size + 1);
    if (longer == NULL)
        abort();
    for (size_t k = 0; k < times; k++)
        memcpy(longer + k * size, content, size);
    if (after > 0)
        content_set(e->section, longer, after);
    free(longer);
    free(content);
}

static void entry_change(struct editor *e)
{
    struct spmmi_entry *entry = &e->section->entry;
    uint32_t *const words[] = {&entry->type, &entry->flags, &entry->part};
    if (test_stream_chance(e->stream, 30))
        test_word_change(e->stream, e->plan, &entry->raw_bytes, sizeof entry->raw_bytes);
    else
        test_word_change(e->stream, e->plan, words[test_stream_below(e->stream, COUNT(words))],
                         sizeof *words[0]);
}

static void transform_change(struct editor *e)
{
    e->section->frames[0].transform = (uint8_t)test_stream_below(e->stream, SPMMI_TRANSFORM_COUNT + 1);
}

static void section_drop(struct editor *e)
{
    forge_remove(e->forge, e->section);
}

static void section_add(struct editor *e)
{
    static const char content[400] = {1};
    const uint32_t type = (uint32_t)test_stream_below(e->stream, 20);
    if (e->forge->header.section_count < SPMMI_SECTION_LIMIT)
        (void)forge_append(e->forge, type, content,
                           (size_t)test_stream_below(e->stream, sizeof content - 1) + 1);
}

uint8_t *test_content_sections(struct test_stream *stream, spmm_plan_t *plan, int is_changed, size_t *size)
{
    static void (*const changes[])(struct editor * e) = {
        lengths_change, lengths_change, header_change, header_change, feature_change, flags_change,
        flags_change,   bytes_change,   bytes_change,  byte_clear,    byte_clear,     byte_clear,
        size_change,    size_change,    entry_change,  entry_change,  section_drop,   transform_change,
        section_add,    feature_change, columns_change};
    void *bytes = NULL;
    if (spmm_plan_write(plan, NULL, &bytes, size, NULL) != SPMM_OK)
        abort();
    struct forge *forge = forge_open(bytes, *size);
    const uint32_t sections = forge->header.section_count;
    struct editor e = {stream, plan, forge, &forge->sections[test_stream_below(stream, sections)]};
    if (is_changed)
        changes[test_stream_below(stream, COUNT(changes))](&e);
    uint8_t *file = forge_build(forge, size);
    forge_free(forge);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return file;
}
