/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a plan equals the information of the loaded plan. Heads of truncated and damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/metadata.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"
#include "tests/support/stream.h"

struct file {
    uint8_t *bytes;
    size_t size;
    size_t read; /* number of bytes that were read */
};

static size_t read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    struct file *file = context;
    const size_t left = offset < file->size ? file->size - (size_t)offset : 0;
    const size_t count = size < left ? size : left;
    memcpy(bytes, file->bytes + (count > 0 ? offset : 0), count);
    file->read += count;
    return count;
}

static spmm_plan_t *make_plan(const char *source)
{
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, source);
    memcpy(plan->writer, "the writer", sizeof "the writer");
    test_matrix_free(a);
    return plan;
}

/* Writes the plan to memory and destroys it. */
static struct file write_plan(spmm_plan_t *plan)
{
    struct file file = {.read = 0};
    void *bytes = NULL;
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &file.size, NULL), SPMM_OK);
    file.bytes = malloc(file.size);
    assert_non_null(file.bytes);
    memcpy(file.bytes, bytes, file.size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return file;
}

static struct file write_file(const char *source)
{
    return write_plan(make_plan(source));
}

static struct file write_with_metadata(const spmm_metadata_t *pairs, int64_t count)
{
    spmm_plan_t *plan = make_plan("the source");
    assert_int_equal(spmmi_metadata_pack(pairs, count, &plan->metadata, &plan->metadata_bytes, NULL),
                     SPMM_OK);
    return write_plan(plan);
}

static spmm_status_t head_of(struct file *file, spmm_plan_info_t *info, spmm_diag_t *diag)
{
    memset(info, 0, sizeof *info);
    info->struct_size = sizeof *info;
    return spmm_plan_head(read_at, file, info, diag);
}

static size_t table_end(const spmm_plan_info_t *info)
{
    return SPMMI_HEADER_BYTES + (size_t)info->section_count * SPMMI_ENTRY_BYTES;
}

/* Returns the offset of the end of the section of this type. */
static size_t end_of(struct file *file, uint32_t type)
{
    spmm_section_info_t s = {.struct_size = sizeof s};
    int i = 0;
    while (spmm_plan_head_section(read_at, file, i, &s, NULL) == SPMM_OK && s.type != type)
        i++;
    assert_int_equal(s.type, type);
    return (size_t)(s.offset + s.stored_bytes);
}

static void the_head_says_what_the_plan_says(void **state)
{
    struct file file = write_file("the source");
    spmm_plan_info_t head, info = {.struct_size = sizeof info};
    spmm_section_info_t s = {.struct_size = sizeof s}, t = {.struct_size = sizeof t};
    spmm_plan_t *plan = NULL;
    (void)state;
    assert_int_equal(spmm_plan_read(file.bytes, file.size, NULL, &plan, NULL), SPMM_OK);
    assert_int_equal(head_of(&file, &head, NULL), SPMM_OK);
    assert_in_range(file.read, 1, 20000);
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_memory_equal(&head, &info, sizeof head);
    assert_string_equal(head.source, "the source");
    assert_string_equal(head.writer, "the writer");
    for (int i = 0; i < info.section_count; i++) {
        assert_int_equal(spmm_plan_section(plan, i, &s), SPMM_OK);
        assert_int_equal(spmm_plan_head_section(read_at, &file, i, &t, NULL), SPMM_OK);
        assert_memory_equal(&s, &t, sizeof s);
    }
    spmm_plan_destroy(plan);
    free(file.bytes);
}

static void a_truncated_file_has_a_head(void **state)
{
    struct file file = write_file("the source");
    spmm_plan_info_t whole, head;
    (void)state;
    assert_int_equal(head_of(&file, &whole, NULL), SPMM_OK);
    const size_t size = file.size, source = end_of(&file, SPMMI_SECTION_META);
    assert_true(end_of(&file, SPMMI_SECTION_WRITER) == size && source < size);
    for (file.size = 0; file.size < size; file.size++) {
        spmm_diag_t diag = {0};
        const spmm_status_t status = head_of(&file, &head, &diag);
        if (file.size < table_end(&whole)) {
            assert_int_equal(status, SPMM_ERR_PLAN_TRUNCATED);
            assert_int_equal(diag.status, status);
            continue;
        }
        assert_int_equal(status, SPMM_OK);
        assert_string_equal(head.source, file.size >= source ? "the source" : "");
        assert_string_equal(head.writer, "");
        memcpy(head.source, whole.source, sizeof head.source);
        memcpy(head.writer, whole.writer, sizeof head.writer);
        assert_memory_equal(&head, &whole, sizeof head);
    }
    free(file.bytes);
}

/* The padding in front of the names is not read. */
static void every_flipped_bit_that_is_read_is_found(void **state)
{
    struct file file = write_file("the source");
    spmm_plan_info_t whole, head;
    spmm_section_info_t s = {.struct_size = sizeof s};
    size_t found = 0;
    (void)state;
    assert_int_equal(head_of(&file, &whole, NULL), SPMM_OK);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        const size_t at = bit / 8;
        int is_read = at < table_end(&whole);
        for (int i = 0; !is_read && spmm_plan_head_section(read_at, &file, i, &s, NULL) == SPMM_OK; i++)
            is_read = (s.type == SPMMI_SECTION_META || s.type == SPMMI_SECTION_WRITER) && at >= s.offset &&
                      at < s.offset + s.stored_bytes;
        file.bytes[at] ^= (uint8_t)(1u << bit % 8);
        const spmm_status_t status = head_of(&file, &head, NULL);
        assert_int_equal(status != SPMM_OK, is_read);
        found += status != SPMM_OK;
        file.bytes[at] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(found > 8 * table_end(&whole));
    free(file.bytes);
}

/* Sets the sizes in the table entry of the section of this type, and repairs all hashes. */
static void set_entry(struct file *file, uint32_t type, uint64_t raw_bytes, uint64_t stored_bytes)
{
    spmm_plan_info_t head;
    assert_int_equal(head_of(file, &head, NULL), SPMM_OK);
    for (int i = 0; i < head.section_count; i++) {
        struct spmmi_entry entry = {.type = 0};
        uint8_t *at = file->bytes + SPMMI_HEADER_BYTES + (size_t)i * SPMMI_ENTRY_BYTES;
        spmmi_record_load(&spmmi_entry_record, at, &entry);
        if (entry.type != type)
            continue;
        entry.raw_bytes = raw_bytes;
        entry.stored_bytes = stored_bytes;
        spmmi_record_store(&spmmi_entry_record, &entry, at);
    }
    forge_repair(file->bytes, file->size);
}

/* Returns the status for a file whose section of this type has these sizes, and its message in text. */
static spmm_status_t status_of_entry(uint32_t type, uint64_t raw_bytes, uint64_t stored_bytes, char text[])
{
    struct file file = write_file("the source");
    spmm_plan_info_t head;
    spmm_diag_t diag = {0};
    set_entry(&file, type, raw_bytes, stored_bytes);
    const spmm_status_t status = head_of(&file, &head, &diag);
    memcpy(text, diag.text, sizeof diag.text);
    free(file.bytes);
    return status;
}

static void names_of_impossible_sizes_are_refused(void **state)
{
    static const struct {
        uint32_t type;
        uint64_t raw_bytes, stored_bytes;
        const char *text;
    } table[] = {
        {SPMMI_SECTION_META, 0, 40, "section meta has 0 raw and 40 stored bytes"},
        {SPMMI_SECTION_META, 128, 40, "section meta has 128 raw and 40 stored bytes"},
        {SPMMI_SECTION_WRITER, 32, 40, "section writer has 32 raw and 40 stored bytes"},
        {SPMMI_SECTION_META, 10, 15, "section meta has 10 raw and 15 stored bytes"},
        {SPMMI_SECTION_META, 10, 1025, "section meta has 10 raw and 1025 stored bytes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[sizeof((spmm_diag_t *)0)->text];
        assert_int_equal(status_of_entry(table[i].type, table[i].raw_bytes, table[i].stored_bytes, text),
                         SPMM_ERR_PLAN_SECTION);
        assert_string_equal(text, table[i].text);
    }
}

/* A head is read without its sections, so it may claim more records than a file can have. */
static void counts_of_impossible_sizes_are_the_largest(void **state)
{
    static const struct {
        uint64_t parts;
        int count;
    } cases[] = {
        {3, 3}, {INT32_MAX - 1, INT32_MAX - 1}, {INT32_MAX, INT32_MAX}, {(uint64_t)1 << 32, INT32_MAX}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file = write_file("the source");
        spmm_plan_info_t head;
        set_entry(&file, SPMMI_SECTION_PARTS, cases[i].parts * spmmi_part_record.bytes, 100);
        assert_int_equal(head_of(&file, &head, NULL), SPMM_OK);
        assert_int_equal(head.part_count, cases[i].count);
        free(file.bytes);
    }
}

/* Names of these sizes reach the checks after the check of sizes. */
static void names_of_the_least_and_largest_sizes_are_looked_at(void **state)
{
    char longest[128] = "";
    char text[sizeof((spmm_diag_t *)0)->text];
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    for (int i = 0; i < 2; i++) {
        struct file file = write_file(i == 0 ? "x" : longest);
        spmm_plan_info_t head;
        assert_int_equal(head_of(&file, &head, NULL), SPMM_OK);
        assert_string_equal(head.source, i == 0 ? "x" : longest);
        free(file.bytes);
    }
    assert_int_not_equal(status_of_entry(SPMMI_SECTION_META, 10, 16, text), SPMM_ERR_PLAN_SECTION);
    assert_int_not_equal(status_of_entry(SPMMI_SECTION_META, 10, 1024, text), SPMM_ERR_PLAN_SECTION);
}

static void a_name_that_is_no_text_is_refused(void **state)
{
    struct file file = write_file("a\x1b[31m");
    spmm_plan_info_t head;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(head_of(&file, &head, &diag), SPMM_ERR_PLAN_META);
    assert_string_equal(diag.text, "the text of section meta is not printable UTF-8");
    assert_true(diag.offset > SPMMI_HEADER_BYTES && diag.offset < file.size);
    free(file.bytes);
}

static const spmm_metadata_t two_pairs[] = {{"title", "A"}, {"license", "CC0-1.0"}};

/* Appends the pair as "key=value;". */
static void append(void *context, const char *key, const char *value)
{
    char *const text = context;
    (void)snprintf(text + strlen(text), 100 - strlen(text), "%s=%s;", key, value);
}

static void the_head_has_the_metadata_if_they_are_there(void **state)
{
    struct file file = write_with_metadata(two_pairs, 2);
    const size_t size = file.size, begin = end_of(&file, SPMMI_SECTION_WRITER);
    spmm_plan_info_t whole;
    (void)state;
    assert_true(end_of(&file, SPMMI_SECTION_METADATA) == size && begin < size);
    assert_int_equal(head_of(&file, &whole, NULL), SPMM_OK);
    for (; file.size >= table_end(&whole); file.size--) {
        char text[100] = "";
        assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, text, NULL), SPMM_OK);
        assert_string_equal(text, file.size == size ? "license=CC0-1.0;title=A;" : "");
    }
    assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, NULL, NULL), SPMM_ERR_PLAN_TRUNCATED);
    free(file.bytes);
    file = write_file("no metadata");
    assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, NULL, NULL), SPMM_OK);
    free(file.bytes);
}

/* The largest possible metadata, of bytes that zstd cannot compress. */
static void large_metadata_are_read(void **state)
{
    static char value[SPMMI_METADATA_BYTES], text[100];
    struct test_stream stream = test_stream_of_seed(1);
    (void)state;
    for (size_t i = 0; i < sizeof value - sizeof "title" - 1; i++)
        value[i] = (char)(' ' + test_stream_below(&stream, 95));
    struct file file = write_with_metadata(&(spmm_metadata_t){"title", value}, 1);
    assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, text, NULL), SPMM_OK);
    assert_memory_equal(text, "title=", 6);
    assert_memory_equal(text + 6, value, 90);
    assert_in_range(file.read, 50000, 90000);
    free(file.bytes);
}

static void metadata_of_the_head_are_checked(void **state)
{
    static const struct {
        uint64_t raw_bytes, stored_bytes;
        const char *text;
    } table[] = {
        {0, 40, "section metadata has 0 raw and 40 stored bytes"},
        {65537, 40, "section metadata has 65537 raw and 40 stored bytes"},
        {24, 15, "section metadata has 24 raw and 15 stored bytes"},
        {24, 70001, "section metadata has 24 raw and 70001 stored bytes"},
    };
    char text[100] = "";
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct file file = write_with_metadata(two_pairs, 2);
        spmm_diag_t diag = {0};
        set_entry(&file, SPMMI_SECTION_METADATA, table[i].raw_bytes, table[i].stored_bytes);
        assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, text, &diag), SPMM_ERR_PLAN_SECTION);
        assert_string_equal(diag.text, table[i].text);
        free(file.bytes);
    }
    spmm_plan_t *plan = make_plan("the source");
    plan->metadata_bytes = 4;
    plan->metadata = spmmi_alloc(plan->metadata_bytes, 1);
    memcpy(plan->metadata, "A\0b", 4);
    struct file file = write_plan(plan);
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, text, &diag), SPMM_ERR_PLAN_METADATA);
    assert_string_equal(diag.text, "the metadata have an invalid key at byte 0");
    assert_true(diag.offset > SPMMI_HEADER_BYTES && diag.offset < file.size);
    file.bytes[diag.offset + SPMMI_FRAME_ENTRY_BYTES] ^= 1;
    assert_int_equal(spmm_plan_head_metadata(read_at, &file, append, text, NULL), SPMM_ERR_PLAN_CHECKSUM);
    assert_int_equal(spmm_plan_head_metadata(NULL, &file, append, text, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_head_metadata(read_at, &file, NULL, text, NULL), SPMM_ERR_ARGUMENT);
    assert_string_equal(text, "");
    free(file.bytes);
}

static size_t read_too_much(void *context, uint64_t offset, void *bytes, size_t size)
{
    return read_at(context, offset, bytes, size) + 1;
}

static void arguments_are_checked(void **state)
{
    struct file file = write_file("the source");
    spmm_plan_info_t head = {.struct_size = sizeof head}, unset = {.struct_size = 0};
    spmm_section_info_t s = {.struct_size = sizeof s};
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(spmm_plan_head(NULL, NULL, &head, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_head(read_at, &file, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "info is NULL or its struct_size is not set");
    assert_int_equal(spmm_plan_head(read_at, &file, &unset, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_head(read_too_much, &file, &head, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_head_section(read_at, &file, -1, &s, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_head(read_at, &file, &head, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_head_section(read_at, &file, head.section_count, &s, &diag),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_head_section(read_at, &file, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_string_equal(diag.text, "info is NULL or its struct_size is not set");
    assert_int_equal(spmm_plan_head_section(NULL, &file, 0, &s, NULL), SPMM_ERR_ARGUMENT);
    free(file.bytes);
}

static void memory_may_run_out_at_any_time(void **state)
{
    struct file file = write_with_metadata(two_pairs, 2);
    spmm_plan_info_t head;
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t failed = 0;
    (void)state;
    for (; status != SPMM_OK; failed++) {
        spmmi_alloc_fail_at(failed, 0);
        status = head_of(&file, &head, NULL);
        if (status == SPMM_OK)
            status = spmm_plan_head_metadata(read_at, &file, append, (char[100]){""}, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_in_range(failed, 4, 40);
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_says_what_the_plan_says),
        cmocka_unit_test(a_truncated_file_has_a_head),
        cmocka_unit_test(every_flipped_bit_that_is_read_is_found),
        cmocka_unit_test(names_of_impossible_sizes_are_refused),
        cmocka_unit_test(counts_of_impossible_sizes_are_the_largest),
        cmocka_unit_test(names_of_the_least_and_largest_sizes_are_looked_at),
        cmocka_unit_test(a_name_that_is_no_text_is_refused),
        cmocka_unit_test(the_head_has_the_metadata_if_they_are_there),
        cmocka_unit_test(large_metadata_are_read),
        cmocka_unit_test(metadata_of_the_head_are_checked),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(memory_may_run_out_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
