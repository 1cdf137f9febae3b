/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of a plan from a newer library is reported only if all data that lead to its name are intact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/base/digest.h"
#include "newer_plan.h"
#include "tests/support/io_faults.h"

/* Returns 1 if the message names the writer. The bytes are followed by a page that must not be read. */
static int is_writer_told(const uint8_t *bytes, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    uint8_t *block = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(block, MAP_FAILED);
    assert_int_equal(mprotect(block + room, page, PROT_NONE), 0);
    uint8_t *copy = block + room - size;
    memcpy(copy, bytes, size);
    assert_int_equal(spmm_plan_read(copy, size, NULL, &plan, &diag), SPMM_ERR_PLAN_FEATURE);
    (void)munmap(block, room + page);
    return strstr(diag.text, "wrote it") != NULL;
}

static void make_hashes_right(uint8_t *bytes, size_t size, uint32_t entries)
{
    const uint64_t table_bytes = (uint64_t)entries * SPMMI_ENTRY_BYTES;
    if (SPMMI_HEADER_BYTES + table_bytes <= size)
        spmmi_put_u64(bytes + SPMMI_AT_table_hash, spmmi_hash64(bytes + SPMMI_HEADER_BYTES, table_bytes));
    spmmi_put_u64(bytes + SPMMI_AT_header_hash, spmmi_hash64(bytes, SPMMI_AT_header_hash));
}

static int is_told_of_entries(uint8_t *bytes, size_t size, uint32_t entries)
{
    spmmi_put_u32(bytes + SPMMI_AT_section_count, entries);
    make_hashes_right(bytes, size, entries);
    return is_writer_told(bytes, size);
}

/* A newer table may have more entries than ours, but must end within the file. */
static void a_newer_table_ends_within_the_file(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 30;
    uint8_t *built = forge_build(forge, &size);
    const uint32_t most = (uint32_t)((size - SPMMI_HEADER_BYTES) / SPMMI_ENTRY_BYTES) + 1;
    const size_t whole = SPMMI_HEADER_BYTES + (size_t)most * SPMMI_ENTRY_BYTES;
    uint8_t *bytes = calloc(1, whole);
    memcpy(bytes, built, size);
    assert_true(is_told_of_entries(bytes, whole, forge->header.section_count));
    assert_false(is_told_of_entries(bytes, whole, 0));
    assert_true(is_told_of_entries(bytes, whole, most));
    assert_false(is_told_of_entries(bytes, whole, most + 1));
    assert_false(is_told_of_entries(bytes, whole, UINT32_MAX));
    free(bytes);
    free(built);
    forge_free(forge);
}

/* The header and the table are used only if their hashes fit. */
static void hashes_of_a_newer_plan_must_fit(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 30;
    uint8_t *bytes = forge_build(forge, &size);
    assert_true(is_writer_told(bytes, size));
    bytes[SPMMI_AT_rows] ^= 1;
    assert_false(is_writer_told(bytes, size));
    bytes[SPMMI_AT_table_hash] ^= 1;
    spmmi_put_u64(bytes + SPMMI_AT_header_hash, spmmi_hash64(bytes, SPMMI_AT_header_hash));
    assert_false(is_writer_told(bytes, size));
    free(bytes);
    forge_free(forge);
}

static void a_newer_writer_has_1_to_31_bytes(void **state)
{
    static const char text[] = "a writer with a name that is too long";
    (void)state;
    for (size_t length = 0; length < sizeof text; length++)
        for (uint8_t codec = 0; codec < 3; codec++) {
            struct forge *forge = newer_plan(NEWER_WRITER);
            size_t size = 0;
            forge->header.features_incompat |= UINT64_C(1) << 30;
            newer_plan_writer(forge, text, length);
            forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART)->entry.codec = codec;
            uint8_t *bytes = forge_build(forge, &size);
            assert_int_equal(is_writer_told(bytes, size),
                             length > 0 && length < SPMMI_WRITER_BYTES && codec == SPMMI_CODEC_ZSTD);
            free(bytes);
            forge_free(forge);
        }
}

static uint8_t *place_of_writer(uint8_t *bytes, struct forge *forge)
{
    const struct forge_section *section = forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART);
    return bytes + SPMMI_HEADER_BYTES + (size_t)(section - forge->sections) * SPMMI_ENTRY_BYTES;
}

/* No text, and texts with a zero byte, which are not reported. All hashes fit. */
static void a_newer_writer_is_a_text_without_zero_bytes(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        int is_told;
    } cases[] = {{"abcd", 4, 1}, {"\0abc", 4, 0}, {"ab\0c", 4, 0}, {"abc\0", 4, 0}, {"", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct forge *forge = newer_plan(NEWER_WRITER);
        struct spmmi_entry entry = {0};
        size_t size = 0;
        forge->header.features_incompat |= UINT64_C(1) << 30;
        newer_plan_writer(forge, cases[i].text, cases[i].length);
        // The section then has a frame.
        forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART)->entry.raw_bytes = 4;
        uint8_t *bytes = forge_build(forge, &size), *place = place_of_writer(bytes, forge);
        spmmi_record_load(&spmmi_entry_record, place, &entry);
        entry.raw_bytes = cases[i].length;
        spmmi_record_store(&spmmi_entry_record, &entry, place);
        make_hashes_right(bytes, size, forge->header.section_count);
        assert_int_equal(is_writer_told(bytes, size), cases[i].is_told);
        free(bytes);
        forge_free(forge);
    }
}

/* The hash of the section's frame table, the hash of its frame, or the checksum in the frame is wrong. */
static void a_newer_writer_is_whole(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 4; wrong++) {
        struct forge *forge = newer_plan(NEWER_WRITER);
        struct forge_section *section = forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART);
        struct spmmi_entry entry = {0};
        size_t size = 0;
        forge->header.features_incompat |= UINT64_C(1) << 30;
        if (wrong == 3)
            section->frames[0].stored[section->frames[0].stored_bytes - 1] ^= 1;
        uint8_t *bytes = forge_build(forge, &size);
        uint8_t *place = place_of_writer(bytes, forge);
        spmmi_record_load(&spmmi_entry_record, place, &entry);
        if (wrong == 2)
            bytes[entry.offset + entry.stored_bytes - 1] ^= 1;
        entry.frames_hash ^= wrong == 1;
        spmmi_record_store(&spmmi_entry_record, &entry, place);
        make_hashes_right(bytes, size, forge->header.section_count);
        assert_int_equal(is_writer_told(bytes, size), wrong == 0);
        free(bytes);
        forge_free(forge);
    }
}

/* The writer's section ends with the file, one byte after it, or far outside. */
static void a_newer_writer_lies_within_the_file(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 30;
    uint8_t *bytes = forge_build(forge, &size);
    const uint32_t count = forge->header.section_count;
    uint8_t *place = place_of_writer(bytes, forge);
    struct spmmi_entry entry;
    spmmi_record_load(&spmmi_entry_record, place, &entry);
    const uint64_t end = entry.offset + entry.stored_bytes;
    assert_true(is_writer_told(bytes, end));
    assert_false(is_writer_told(bytes, end - 1));
    const uint64_t wrong[][2] = {
        {size - 8, 8}, {(uint64_t)-1 << 40, (UINT64_C(1) << 40) + 16}, {size, 1 << 20}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        entry.offset = wrong[i][0];
        entry.stored_bytes = wrong[i][1];
        spmmi_record_store(&spmmi_entry_record, &entry, place);
        make_hashes_right(bytes, size, count);
        assert_false(is_writer_told(bytes, size));
    }
    free(bytes);
    forge_free(forge);
}

/* The message of a load of a newer file if an allocation or a call fails, or the budget is small. */
static void only_the_writer_is_lost_where_a_newer_file_cannot_be_read(void **state)
{
    static const struct {
        int64_t no_memory, no_call;
        uint64_t budget;
        int is_told;
    } cases[] = {{-1, -1, 0, 1},   {-1, -1, 1 << 20, 1}, {-1, -1, UINT64_MAX, 1},
                 {-1, -1, 300, 0}, {-1, 3, 0, 0}, /* after open, fstat and the read of the header */
                 {0, -1, 0, 0},    {1, -1, 0, 0},        {2, -1, 0, 0}};
    char path[] = "/tmp/spmm_newer_XXXXXX";
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 30;
    uint8_t *bytes = forge_build(forge, &size);
    const int file = mkstemp(path);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_load_options_t options = SPMM_LOAD_OPTIONS_INIT;
        const char *failed;
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        options.budget_bytes = cases[i].budget;
        io_faults_start(cases[i].no_call, IO_FAULT_EIO);
        spmmi_alloc_fail_at(cases[i].no_memory, 0);
        assert_int_equal(spmm_plan_load(path, &options, &plan, &diag), SPMM_ERR_PLAN_FEATURE);
        spmmi_alloc_fail_at(-1, 0);
        (void)io_faults_stop(&failed);
        assert_int_equal(strstr(diag.text, NEWER_WRITER) != NULL, cases[i].is_told);
        assert_non_null(strstr(diag.text, "update spmm"));
    }
    assert_int_equal(ftruncate(file, 40), 0);
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_plan_load(path, NULL, &plan, NULL), SPMM_ERR_PLAN_TRUNCATED);
    (void)close(file);
    (void)unlink(path);
    free(bytes);
    forge_free(forge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newer_table_ends_within_the_file),
        cmocka_unit_test(hashes_of_a_newer_plan_must_fit),
        cmocka_unit_test(a_newer_writer_has_1_to_31_bytes),
        cmocka_unit_test(a_newer_writer_is_a_text_without_zero_bytes),
        cmocka_unit_test(a_newer_writer_is_whole),
        cmocka_unit_test(a_newer_writer_lies_within_the_file),
        cmocka_unit_test(only_the_writer_is_lost_where_a_newer_file_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
