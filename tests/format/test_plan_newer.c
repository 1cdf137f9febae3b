/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of newer libraries are refused with what is not known, who wrote them, and what to do; and the length of a plan
 * is told from its header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/base/digest.h"
#include "tests/support/io_faults.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define WRITER "spmm-inspector 0.9.0"

/* A plan whose writer is a later one, taken apart. */
static struct forge *newer(const char *writer)
{
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "a");
    void *bytes = NULL;
    size_t size = 0;
    (void)snprintf(plan->writer, sizeof plan->writer, "%s", writer);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    struct forge *forge = forge_open(bytes, size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
    return forge;
}

static void set_writer(struct forge *forge, const char *text, size_t length)
{
    struct forge_section *section = forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART);
    forge_set_content(section, text, length, (struct forge_zstd){0, 0, 0});
    section->entry.raw_bytes = length;
}

static void assert_says(const uint8_t *bytes, size_t size, spmm_status_t status, const char *sentence)
{
    char path[] = "/tmp/spmm_newer_XXXXXX";
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {.text = ""};
    const int file = mkstemp(path);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    close(file);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, &diag), status);
    assert_string_equal(diag.text, sentence);
    assert_int_equal(spmm_plan_load(path, NULL, &plan, &diag), status);
    assert_string_equal(diag.text, sentence);
    assert_int_equal(spmm_plan_load(path, NULL, &plan, NULL), status);
    unlink(path);
}

static void build_and_assert(struct forge *forge, const char *what, const char *writer)
{
    char sentence[240];
    size_t size = 0;
    uint8_t *bytes = forge_build(forge, &size);
    (void)snprintf(sentence, sizeof sentence, "%s; %sthis is spmm %s: update spmm", what, writer,
                   spmm_version_string());
    assert_says(bytes, size, SPMM_ERR_PLAN_FEATURE, sentence);
    free(bytes);
    forge_free(forge);
}

static void unknown_features_are_told_with_the_writer(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    forge->header.format_minor = 9;
    forge->header.features_incompat |= UINT64_C(1) << 6 | UINT64_C(1) << 40;
    build_and_assert(forge, "the plan is of format 1.9 and needs what is not known here: feature bits 6, 40",
                     WRITER " wrote it, ");
}

static void unknown_sections_are_told_with_the_writer(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    forge_append(forge, 20, "text", 4)->entry.flags = SPMMI_FLAG_REQUIRED;
    build_and_assert(forge, "the plan has a section of type 20, which is required and not known",
                     WRITER " wrote it, ");
}

static void a_writer_that_cannot_be_read_is_left_out(void **state)
{
    static const char *const wrong[] = {"a\nb", "spmm-\xff"};
    (void)state;
    struct forge *forge = newer("");
    forge->header.features_incompat |= UINT64_C(1) << 63;
    build_and_assert(forge, "the plan is of format 1.5 and needs what is not known here: feature bits 63",
                     "");
    for (size_t i = 0; i < 2; i++) {
        forge = newer(WRITER);
        forge->header.features_incompat |= UINT64_C(1) << 63;
        set_writer(forge, wrong[i], strlen(wrong[i]));
        build_and_assert(forge, "the plan is of format 1.5 and needs what is not known here: feature bits 63",
                         "");
    }
}

/* Whatever is damaged or missing behind the header, the answer stays FEATURE. */
static void damage_of_a_newer_plan_changes_nothing_but_the_writer(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    spmm_plan_t *plan = NULL;
    forge->header.features_incompat |= UINT64_C(1) << 6;
    uint8_t *bytes = forge_build(forge, &size);
    for (size_t at = SPMMI_HEADER_BYTES; at < size; at += 3) {
        uint8_t *cut = malloc(at);
        bytes[at] ^= 0x10;
        assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, NULL), SPMM_ERR_PLAN_FEATURE);
        spmm_diag_t diag;
        assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, &diag), SPMM_ERR_PLAN_FEATURE);
        assert_non_null(strstr(diag.text, "update spmm"));
        bytes[at] ^= 0x10;
        memcpy(cut, bytes, at); /* a block of its own, whose end a sanitizer knows */
        assert_int_equal(spmm_plan_read(cut, at, NULL, &plan, &diag), SPMM_ERR_PLAN_FEATURE);
        free(cut);
    }
    free(bytes);
    forge_free(forge);
}

/* Its hashes fit, and still its sections may be something else. */
static void the_writer_of_another_format_is_not_read(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    char sentence[160];
    forge->header.format_major = 2;
    uint8_t *bytes = forge_build(forge, &size);
    (void)snprintf(sentence, sizeof sentence,
                   "the plan has format 2.5, this library reads 1.x; this is spmm %s: update spmm",
                   spmm_version_string());
    assert_says(bytes, size, SPMM_ERR_PLAN_VERSION, sentence);
    free(bytes);
    forge_free(forge);
}

/* As it is, behind it a page that nobody may read. */
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

/* A newer table may hold more entries than ours, but none behind the end of the file. */
static void a_newer_table_ends_within_the_file(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 6;
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

/* Header and table are as they were hashed, or nothing in them is believed. */
static void hashes_of_a_newer_plan_must_fit(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 6;
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
            struct forge *forge = newer(WRITER);
            size_t size = 0;
            forge->header.features_incompat |= UINT64_C(1) << 6;
            set_writer(forge, text, length);
            forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART)->entry.codec = codec;
            uint8_t *bytes = forge_build(forge, &size);
            assert_int_equal(is_writer_told(bytes, size),
                             length > 0 && length < SPMMI_WRITER_BYTES && codec == SPMMI_CODEC_ZSTD);
            free(bytes);
            forge_free(forge);
        }
}

/* The writer's section ends with the file, one byte behind it, or nowhere near. */
static void a_newer_writer_lies_within_the_file(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 6;
    uint8_t *bytes = forge_build(forge, &size);
    const uint32_t count = forge->header.section_count;
    const uint32_t index =
        (uint32_t)(forge_find(forge, SPMMI_SECTION_WRITER, SPMMI_NO_PART) - forge->sections);
    uint8_t *place = bytes + SPMMI_HEADER_BYTES + index * SPMMI_ENTRY_BYTES;
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

/* What the load of a newer file says where an allocation fails, or a call, or where the budget is small. */
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
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    forge->header.features_incompat |= UINT64_C(1) << 6;
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
        assert_int_equal(strstr(diag.text, WRITER) != NULL, cases[i].is_told);
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

static void the_length_of_a_plan_is_in_its_header(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    uint64_t length = 0;
    uint8_t *bytes = forge_build(forge, &size);
    for (size_t some = SPMMI_HEADER_BYTES; some <= size; some += 97) {
        assert_int_equal(spmm_plan_length(bytes, some, &length, NULL), SPMM_OK);
        assert_int_equal(length, size);
    }
    assert_int_equal(spmm_plan_length(bytes, SPMMI_HEADER_BYTES - 1, &length, NULL), SPMM_ERR_PLAN_TRUNCATED);
    assert_int_equal(length, 0);
    assert_int_equal(spmm_plan_length(NULL, 0, &length, NULL), SPMM_ERR_PLAN_TRUNCATED);
    assert_int_equal(spmm_plan_length(NULL, 1, &length, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_length(bytes, size, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_length("%%MatrixMarket", 14, &length, NULL), SPMM_ERR_PLAN_MAGIC);
    bytes[SPMMI_AT_rows] ^= 1;
    assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_CHECKSUM);
    assert_int_equal(length, 0);
    memset(bytes, 0, SPMMI_HEADER_BYTES);
    assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_MAGIC);
    free(bytes);
    forge->header.features_incompat |= UINT64_C(1) << 6;
    bytes = forge_build(forge, &size);
    assert_int_equal(spmm_plan_length(bytes, SPMMI_HEADER_BYTES, &length, NULL), SPMM_ERR_PLAN_FEATURE);
    assert_int_equal(length, size);
    free(bytes);
    forge_free(forge);
}

/* Whoever reads from a pipe makes room for as many bytes as the header says. */
static void a_newer_header_tells_no_impossible_length(void **state)
{
    (void)state;
    struct forge *forge = newer(WRITER);
    size_t size = 0;
    uint64_t length = 1;
    forge->header.features_incompat |= UINT64_C(1) << 63;
    uint8_t *bytes = forge_build(forge, &size);
    for (uint64_t told = 0; told <= SPMMI_HEADER_BYTES; told++) {
        memcpy(bytes + SPMMI_AT_file_bytes, &told, sizeof told);
        assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_FEATURE);
        assert_int_equal(length, 0); /* its hash does not fit */
        forge_repair(bytes, size);
        assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_FEATURE);
        assert_int_equal(length, told < SPMMI_HEADER_BYTES ? 0 : told);
    }
    memset(bytes + SPMMI_AT_file_bytes, 0xff, sizeof length);
    assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_FEATURE);
    assert_int_equal(length, 0);
    forge_repair(bytes, size);
    assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_FEATURE);
    assert_int_equal(length, UINT64_MAX);
    free(bytes);
    forge_free(forge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_features_are_told_with_the_writer),
        cmocka_unit_test(unknown_sections_are_told_with_the_writer),
        cmocka_unit_test(a_writer_that_cannot_be_read_is_left_out),
        cmocka_unit_test(damage_of_a_newer_plan_changes_nothing_but_the_writer),
        cmocka_unit_test(the_writer_of_another_format_is_not_read),
        cmocka_unit_test(a_newer_table_ends_within_the_file),
        cmocka_unit_test(hashes_of_a_newer_plan_must_fit),
        cmocka_unit_test(a_newer_writer_has_1_to_31_bytes),
        cmocka_unit_test(a_newer_writer_lies_within_the_file),
        cmocka_unit_test(only_the_writer_is_lost_where_a_newer_file_cannot_be_read),
        cmocka_unit_test(the_length_of_a_plan_is_in_its_header),
        cmocka_unit_test(a_newer_header_tells_no_impossible_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
