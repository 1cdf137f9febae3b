/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of newer libraries are refused with a message that says what is unknown, who wrote them, and what to
 * do. The length of a plan is read from its header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "newer_plan.h"

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
    struct forge *forge = newer_plan(NEWER_WRITER);
    forge->header.format_minor = 9;
    forge->header.features_incompat |= UINT64_C(1) << 30 | UINT64_C(1) << 40;
    build_and_assert(
        forge, "the plan is of format 1.9 and needs features that this library does not have: bits 30, 40",
        NEWER_WRITER " wrote it, ");
}

static void unknown_sections_are_told_with_the_writer(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    forge_append(forge, 20, "text", 4)->entry.flags = SPMMI_FLAG_REQUIRED;
    build_and_assert(forge, "the plan has a section of type 20, which is required and not known",
                     NEWER_WRITER " wrote it, ");
}

static void a_writer_that_cannot_be_read_is_left_out(void **state)
{
    static const char *const wrong[] = {"a\nb", "spmm-\xff"};
    (void)state;
    struct forge *forge = newer_plan("");
    forge->header.features_incompat |= UINT64_C(1) << 63;
    build_and_assert(
        forge, "the plan is of format 1.7 and needs features that this library does not have: bits 63", "");
    for (size_t i = 0; i < 2; i++) {
        forge = newer_plan(NEWER_WRITER);
        forge->header.features_incompat |= UINT64_C(1) << 63;
        newer_plan_writer(forge, wrong[i], strlen(wrong[i]));
        build_and_assert(
            forge, "the plan is of format 1.7 and needs features that this library does not have: bits 63",
            "");
    }
}

/* Whatever is damaged or missing after the header, the status stays FEATURE. */
static void damage_of_a_newer_plan_changes_nothing_but_the_writer(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    spmm_plan_t *plan = NULL;
    forge->header.features_incompat |= UINT64_C(1) << 30;
    uint8_t *bytes = forge_build(forge, &size);
    for (size_t at = SPMMI_HEADER_BYTES; at < size; at += 3) {
        uint8_t *cut = malloc(at);
        bytes[at] ^= 0x10;
        assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, NULL), SPMM_ERR_PLAN_FEATURE);
        spmm_diag_t diag;
        assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, &diag), SPMM_ERR_PLAN_FEATURE);
        assert_non_null(strstr(diag.text, "update spmm"));
        bytes[at] ^= 0x10;
        memcpy(cut, bytes, at); /* an exact block, for sanitizers */
        assert_int_equal(spmm_plan_read(cut, at, NULL, &plan, &diag), SPMM_ERR_PLAN_FEATURE);
        free(cut);
    }
    free(bytes);
    forge_free(forge);
}

/* Its hashes fit, but its sections may have another meaning. */
static void the_writer_of_another_format_is_not_read(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    char sentence[160];
    forge->header.format_major = 2;
    uint8_t *bytes = forge_build(forge, &size);
    (void)snprintf(sentence, sizeof sentence,
                   "the plan has format 2.7, this library reads 1.x; this is spmm %s: update spmm",
                   spmm_version_string());
    assert_says(bytes, size, SPMM_ERR_PLAN_VERSION, sentence);
    free(bytes);
    forge_free(forge);
}

static void the_length_of_a_plan_is_in_its_header(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
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
    forge->header.features_incompat |= UINT64_C(1) << 30;
    bytes = forge_build(forge, &size);
    assert_int_equal(spmm_plan_length(bytes, SPMMI_HEADER_BYTES, &length, NULL), SPMM_ERR_PLAN_FEATURE);
    assert_int_equal(length, size);
    free(bytes);
    forge_free(forge);
}

/* A program that reads from a pipe allocates as many bytes as the header claims. */
static void a_newer_header_tells_no_impossible_length(void **state)
{
    (void)state;
    struct forge *forge = newer_plan(NEWER_WRITER);
    size_t size = 0;
    uint64_t length = 1;
    forge->header.features_incompat |= UINT64_C(1) << 63;
    uint8_t *bytes = forge_build(forge, &size);
    for (uint64_t told = 0; told <= SPMMI_HEADER_BYTES; told++) {
        memcpy(bytes + SPMMI_AT_file_bytes, &told, sizeof told);
        assert_int_equal(spmm_plan_length(bytes, size, &length, NULL), SPMM_ERR_PLAN_FEATURE);
        assert_int_equal(length, 0); /* the hash does not fit */
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
        cmocka_unit_test(the_length_of_a_plan_is_in_its_header),
        cmocka_unit_test(a_newer_header_tells_no_impossible_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
