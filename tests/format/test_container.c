/* SPDX-License-Identifier: Apache-2.0 */
/* The container of a plan file at its limits: headers, the section table, unknown sections, frames that zstd
 * alone would accept, and the exact budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/base/alloc.h"
#include "format/file/plan_header.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define NONE SPMMI_NO_PART
#define ENTRY_AT(index) (SPMMI_HEADER_BYTES + (uint64_t)(index)*SPMMI_ENTRY_BYTES)

/* Returns a valid file. Free it with free(). */
static uint8_t *good_file(size_t *size)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, options, "source");
    void *written = NULL;
    assert_int_equal(spmm_plan_write(plan, NULL, &written, size, NULL), SPMM_OK);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, written, *size);
    spmm_plan_bytes_free(written);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
    return bytes;
}

static spmm_status_t status_of(const uint8_t *bytes, size_t size, uint64_t budget, spmm_diag_t *diag)
{
    spmm_load_options_t options = SPMM_LOAD_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    options.budget_bytes = budget;
    options.threads = 1;
    const spmm_status_t status = spmm_plan_read(bytes, size, &options, &plan, diag);
    assert_int_equal(plan != NULL, status == SPMM_OK);
    spmm_plan_destroy(plan);
    return status;
}

/* Truncates the file to `size` bytes, repairs the hashes and the size in the header, and expects a refusal at
 * `at`. */
static void expect_cut(uint8_t *bytes, size_t size, uint64_t at)
{
    spmm_diag_t diag;
    spmmi_put_u64(bytes + 24, size);
    forge_repair(bytes, size);
    assert_int_equal(status_of(bytes, size, 0, &diag), SPMM_ERR_PLAN_TABLE);
    assert_int_equal(diag.offset, at);
}

static void sections_behind_the_end(void **state)
{
    (void)state;
    size_t size = 0, cuts = 0;
    uint8_t *bytes = good_file(&size);
    const uint32_t count = spmmi_get_u32(bytes + 120);
    /* The loop runs from the end, so that later sections are not needed. At least two sections are missing
     * each time. */
    for (uint32_t i = count - 2; i-- > 0;) {
        const uint8_t *entry = bytes + ENTRY_AT(i);
        const size_t end = spmmi_get_u64(entry + 16) + spmmi_get_u64(entry + 24);
        if (end % SPMMI_ALIGN == 0)
            continue;
        expect_cut(bytes, end, ENTRY_AT(i + 1) + 24);
        cuts++;
    }
    assert_in_range(cuts, 1, count);
    expect_cut(bytes, ENTRY_AT(count), ENTRY_AT(0) + 24); /* only the table */
    expect_cut(bytes, ENTRY_AT(count) - 1, 120);
    free(bytes);
}

static void headers_at_their_limits(void **state)
{
    (void)state;
    static const struct {
        uint32_t at, width;
        uint64_t value;
        spmm_status_t expected;
    } cases[] = {
        {72, 8, SPMMI_NNZ_MAX, SPMM_OK},        {72, 8, SPMMI_NNZ_MAX + 1, SPMM_ERR_PLAN_DIMS},
        {120, 4, 0, SPMM_ERR_PLAN_HEADER},      {120, 4, 1, SPMM_OK},
        {120, 4, SPMMI_SECTION_LIMIT, SPMM_OK}, {120, 4, SPMMI_SECTION_LIMIT + 1, SPMM_ERR_PLAN_HEADER}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spmmi_header header;
        size_t size = 0;
        uint8_t *bytes = good_file(&size);
        spmmi_put_u64(bytes + 24, SPMMI_HEADER_BYTES); /* only a header */
        spmmi_put_u64(bytes + 56, (uint64_t)SPMMI_DIM_MAX);
        spmmi_put_u64(bytes + 64, (uint64_t)SPMMI_DIM_MAX);
        memcpy(bytes + cases[i].at, &cases[i].value, cases[i].width);
        spmmi_put_u64(bytes + 248, spmmi_hash64(bytes, 248));
        assert_int_equal(spmmi_header_read(bytes, SPMMI_HEADER_BYTES, &header, NULL), cases[i].expected);
        free(bytes);
    }
}

/* Optional sections of one unknown type. second: part of a second section after the first, or 0xffff for
 * none. */
static void unknown_sections(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, second;
        spmm_status_t expected;
    } cases[] = {{NONE, 0xffff, SPMM_OK},           {63, 0xffff, SPMM_OK},
                 {64, 0xffff, SPMM_ERR_PLAN_TABLE}, {0, 1, SPMM_OK},
                 {1, 0, SPMM_ERR_PLAN_TABLE},       {1, 1, SPMM_ERR_PLAN_TABLE},
                 {0, NONE, SPMM_ERR_PLAN_TABLE},    {NONE, 0, SPMM_ERR_PLAN_TABLE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size = 0;
        uint8_t *bytes = good_file(&size);
        struct forge *f = forge_open(bytes, size);
        free(bytes);
        forge_append(f, 1000, "first", 5)->entry.part = cases[i].first;
        if (cases[i].second != 0xffff)
            forge_append(f, 1000, "second", 6)->entry.part = cases[i].second;
        bytes = forge_build(f, &size);
        assert_int_equal(status_of(bytes, size, 0, NULL), cases[i].expected);
        free(bytes);
        forge_free(f);
    }
}

/* A section of an unknown type may claim at most SPMMI_BOMB_RATIO raw bytes per stored byte, plus
 * SPMMI_BOMB_SLACK. */
static void claims_at_the_limit(void **state)
{
    (void)state;
    size_t size = 0;
    uint8_t *bytes = good_file(&size);
    struct forge *f = forge_open(bytes, size);
    free(bytes);
    forge_append(f, 1000, "claims", 6)->entry.part = NONE;
    bytes = forge_build(f, &size);
    forge_free(f);
    uint8_t *entry = bytes + ENTRY_AT(spmmi_get_u32(bytes + 120) - 1);
    const uint64_t most = spmmi_get_u64(entry + 24) * SPMMI_BOMB_RATIO + SPMMI_BOMB_SLACK;
    spmmi_put_u64(entry + 32, most);
    forge_repair(bytes, size);
    assert_int_not_equal(status_of(bytes, size, UINT64_MAX, NULL), SPMM_ERR_PLAN_BUDGET);
    spmmi_put_u64(entry + 32, most + 1);
    forge_repair(bytes, size);
    assert_int_equal(status_of(bytes, size, UINT64_MAX, NULL), SPMM_ERR_PLAN_BUDGET);
    free(bytes);
}

static void expect_frame(struct forge *f, const char *sentence)
{
    spmm_diag_t diag;
    size_t size = 0;
    uint8_t *bytes = forge_build(f, &size);
    assert_int_equal(status_of(bytes, size, 0, &diag), sentence == NULL ? SPMM_OK : SPMM_ERR_PLAN_FRAME);
    if (sentence != NULL && strstr(diag.text, sentence) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diag.text, sentence);
    free(bytes);
    forge_free(f);
}

/* The frame of the statistics has these bytes. Each is refused for its own reason. */
static void frames_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t count;
        const char *sentence;
    } cases[] = {{"", 0, "header of a compressed frame"},
                 {"\0\0\0\0\0\0\0\0\0\0\0\0", 12, "header of a compressed frame"},
                 {"\x50\x2a\x4d\x18\x08\0\0\0skipped!", 16, "skippable"},
                 {"\x28\xb5\x2f\xfd\x65\x07\x68\0\x01\0\0\0\0\0\0", 15, "dictionary 7"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size = 0;
        uint8_t *bytes = good_file(&size);
        struct forge *f = forge_open(bytes, size);
        free(bytes);
        forge_set_stored(forge_find(f, SPMMI_SECTION_STATS, NONE), cases[i].bytes, cases[i].count);
        expect_frame(f, cases[i].sentence);
    }
}

/* A valid frame with the largest allowed window, and with twice that window. */
static void windows(void **state)
{
    (void)state;
    for (int log = 23; log < 25; log++) {
        size_t size = 0;
        uint8_t *bytes = good_file(&size);
        struct forge *f = forge_open(bytes, size);
        free(bytes);
        struct forge_section *stats = forge_find(f, SPMMI_SECTION_STATS, NONE);
        uint8_t *content = forge_content(stats, &size);
        assert_int_equal(size, 360);
        /* 2-byte content size (360 - 256), checksum, window 2^log, one raw block of 360 bytes, which is the
         * last. */
        uint8_t frame[11 + 360 + 4] = {0x28, 0xb5, 0x2f, 0xfd, 0x44, (uint8_t)((log - 10) << 3),
                                       104,  0,    0x41, 0x0b, 0};
        memcpy(frame + 11, content, size);
        spmmi_put_u32(frame + 11 + 360, (uint32_t)XXH64(content, size, 0));
        forge_set_stored(stats, frame, 11 + 360 + 4);
        free(content);
        expect_frame(f, log == 23 ? NULL : "a window of 16777216 bytes");
    }
}

static void the_budget_to_the_byte(void **state)
{
    (void)state;
    spmm_diag_t diag;
    unsigned long long needed = 0;
    size_t size = 0;
    uint8_t *bytes = good_file(&size);
    /* The load checks the budget twice: from the table, and when the needs of the parts are known. */
    for (int round = 0; round < 3 && status_of(bytes, size, needed + 1, &diag) != SPMM_OK; round++)
        assert_int_equal(sscanf(diag.text, "%*[^0-9]%llu", &needed), 1);
    assert_int_equal(status_of(bytes, size, needed, &diag), SPMM_OK);
    assert_int_equal(status_of(bytes, size, needed - 1, &diag), SPMM_ERR_PLAN_BUDGET);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_behind_the_end), cmocka_unit_test(headers_at_their_limits),
        cmocka_unit_test(unknown_sections),        cmocka_unit_test(claims_at_the_limit),
        cmocka_unit_test(frames_that_are_none),    cmocka_unit_test(windows),
        cmocka_unit_test(the_budget_to_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
