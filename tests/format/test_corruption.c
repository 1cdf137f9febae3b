/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged and hostile plan files. Accidental damage is always refused. A forged file is refused with a named
 * status, or loads as a plan that passes every check. A load never allocates more memory than allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/file/plan_records.h"
#include "tests/golden/golden_cases.h"
#include "tests/support/forge.h"
#include "tests/support/scale.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define BUDGET (UINT64_C(4) << 20)

static uint64_t accepted, flips, cuts, forged;

/* Loads hostile bytes and checks the guarantees of every load. Returns the status. */
static spmm_status_t load(const uint8_t *bytes, size_t size)
{
    const spmm_load_options_t options = {sizeof options, BUDGET, 1};
    const int64_t live = spmmi_alloc_live();
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    spmmi_alloc_peak_reset();
    const spmm_status_t status = spmm_plan_read(bytes, size, &options, &plan, &diag);
    assert_int_equal(diag.status, status);
    assert_true(spmmi_alloc_peak_bytes() <= BUDGET);
    if (status == SPMM_OK) {
        accepted++;
        assert_int_equal(spmmi_plan_check(plan, &diag), SPMM_OK);
        spmm_plan_destroy(plan);
    } else {
        assert_null(plan);
        assert_true(strlen(diag.text) > 0 && strchr(diag.text, '\n') == NULL);
        assert_true(status >= SPMM_ERR_PLAN_MAGIC && status <= SPMM_ERR_PLAN_METADATA);
    }
    assert_int_equal(spmmi_alloc_live(), live);
    return status;
}

/* Does the same for bytes with right checksums. */
static void load_forged(const uint8_t *bytes, size_t size)
{
    (void)load(bytes, size);
    forged++;
}

static uint8_t *good_plan(const void *state, size_t *size)
{
    const struct golden_good *good = state;
    uint8_t *bytes = golden_read("good", good->name, "plan", size);
    assert_non_null(bytes);
    return bytes;
}

/* Returns a copy in a block of exactly its size, so that a sanitizer finds reads beyond the end. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void every_flipped_bit_is_refused(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (load(bytes, size) == SPMM_OK)
            fail_msg("bit %zu of byte %zu", bit % 8, bit / 8);
        flips++;
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    assert_int_equal(load(bytes, size), SPMM_OK);
    free(bytes);
}

static void every_truncation_is_refused(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    for (size_t length = 0; length < size; length++) {
        uint8_t *copy = exact_copy(bytes, length);
        if (load(copy, length) == SPMM_OK)
            fail_msg("%zu of %zu bytes", length, size);
        cuts++;
        free(copy);
    }
    free(bytes);
}

static void every_changed_byte_is_refused(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    for (size_t at = 0; at < size; at++) {
        const uint8_t old = bytes[at];
        const uint8_t others[] = {0, 0xff, (uint8_t)(old + 1), (uint8_t)(old - 1), old ^ 0x80};
        for (size_t i = 0; i < COUNT(others); i++) {
            if (others[i] == old)
                continue;
            bytes[at] = others[i];
            if (load(bytes, size) == SPMM_OK)
                fail_msg("byte %zu: %u for %u", at, others[i], old);
        }
        bytes[at] = old;
    }
    free(bytes);
}

static void inserted_and_deleted_bytes_are_refused(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    uint8_t *other = malloc(size + 1);
    assert_non_null(other);
    for (size_t at = 0; at < size; at++) {
        memcpy(other, bytes, at);
        memcpy(other + at, bytes + at + 1, size - at - 1);
        if (load(other, size - 1) == SPMM_OK)
            fail_msg("without byte %zu", at);
        other[at] = 0;
        memcpy(other + at + 1, bytes + at, size - at);
        if (load(other, size + 1) == SPMM_OK)
            fail_msg("with a zero before byte %zu", at);
    }
    free(other);
    free(bytes);
}

/* About 60 critical values, written in the width of each field. */
static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  5,
                                  6,
                                  7,
                                  8,
                                  9,
                                  15,
                                  16,
                                  17,
                                  24,
                                  31,
                                  32,
                                  33,
                                  47,
                                  48,
                                  59,
                                  60,
                                  61,
                                  63,
                                  64,
                                  65,
                                  89,
                                  90,
                                  91,
                                  127,
                                  128,
                                  255,
                                  256,
                                  257,
                                  359,
                                  360,
                                  361,
                                  1000,
                                  4095,
                                  4096,
                                  8192,
                                  65535,
                                  65536,
                                  1u << 20,
                                  1u << 21,
                                  0x7ffffffe,
                                  0x7fffffff,
                                  0x80000000,
                                  0xfffffffe,
                                  0xffffffff,
                                  1ull << 32,
                                  1ull << 40,
                                  1ull << 41,
                                  1ull << 53,
                                  1ull << 61,
                                  1ull << 62,
                                  INT64_MAX,
                                  1ull << 63,
                                  ~0ull - 63,
                                  ~0ull - 1,
                                  ~0ull,
                                  0x3ff0000000000000,
                                  0x7ff0000000000000,
                                  0x7ff8000000000001};

static void attack(uint8_t *bytes, size_t size, uint8_t *at, uint32_t width)
{
    uint8_t *before = exact_copy(bytes, size);
    for (size_t v = 0; v < COUNT(values); v++) {
        memcpy(at, &values[v], width);
        forge_repair(bytes, size);
        load_forged(bytes, size);
        memcpy(bytes, before, size);
    }
    free(before);
}

static void header_fields_are_attacked(void **state)
{
    static const uint8_t fields[][2] = {
#define FIELD(record, name, at) {at, sizeof((record *)0)->name},
        SPMMI_HEADER_FIELDS(FIELD, struct spmmi_header)
#undef FIELD
    };
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    for (size_t i = 0; i < COUNT(fields); i++)
        attack(bytes, size, bytes + fields[i][0], fields[i][1] < 8 ? fields[i][1] : 8);
    free(bytes);
}

static void table_fields_are_attacked(void **state)
{
    static const uint8_t fields[][2] = {
#define FIELD(record, name, at) {at, sizeof((record *)0)->name},
        SPMMI_ENTRY_FIELDS(FIELD, struct spmmi_entry)
#undef FIELD
    };
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    const uint32_t count = spmmi_get_u32(bytes + SPMMI_AT_section_count);
    for (uint32_t e = 0; e < count; e++) {
        uint8_t *entry = bytes + SPMMI_HEADER_BYTES + e * SPMMI_ENTRY_BYTES;
        for (size_t i = 0; i < COUNT(fields); i++)
            attack(bytes, size, entry + fields[i][0], fields[i][1]);
        uint8_t *frame = bytes + spmmi_get_u64(entry + 16);
        attack(bytes, size, frame, 4);
        attack(bytes, size, frame + 4, 1);
        attack(bytes, size, frame + 5, 1);
    }
    free(bytes);
}

/* Two header fields at a time: dimensions, sizes and counts that agree with each other but not with the
 * file. */
static void pairs_of_header_fields_are_attacked(void **state)
{
    static const uint8_t fields[] = {SPMMI_AT_file_bytes, SPMMI_AT_rows,  SPMMI_AT_cols,         SPMMI_AT_nnz,
                                     SPMMI_AT_dtype,      SPMMI_AT_flags, SPMMI_AT_section_count};
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size), *before = exact_copy(bytes, size);
    for (size_t i = 0; i < COUNT(fields); i++) {
        for (size_t k = 0; k < i; k++) {
            for (size_t pair = 0; pair < COUNT(values) * COUNT(values); pair++) {
                memcpy(bytes + fields[i], &values[pair / COUNT(values)], fields[i] >= SPMMI_AT_dtype ? 4 : 8);
                memcpy(bytes + fields[k], &values[pair % COUNT(values)], fields[k] >= SPMMI_AT_dtype ? 4 : 8);
                forge_repair(bytes, size);
                load_forged(bytes, size);
                memcpy(bytes, before, size);
            }
        }
    }
    free(before);
    free(bytes);
}

/* Every byte, 4-byte word and 8-byte word of the decompressed content of every section. */
static void contents_are_attacked(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    struct forge *f = forge_open(bytes, size);
    for (uint32_t i = 0; i < f->header.section_count; i++) {
        size_t content_size = 0;
        uint8_t *content = forge_content(&f->sections[i], &content_size),
                *before = exact_copy(content, content_size);
        /* Small sections are changed field by field, long ones at positions in every part. A release run
         * changes every byte. */
        const size_t coarse = content_size <= 400 ? 4 : content_size / 64;
        const size_t step = coarse > scaled(1) ? coarse / scaled(1) : 1;
        for (size_t at = 0; at < content_size; at += step) {
            for (size_t v = 0; v < COUNT(values); v++) {
                const size_t left = content_size - at, width = left >= 8 && v % 2 != 0 ? 8
                                                               : left >= 4             ? 4
                                                                                       : 1;
                size_t built_size = 0;
                memcpy(content + at, &values[v], width);
                forge_set_content(&f->sections[i], content, content_size, (struct forge_zstd){0, 0, 0});
                uint8_t *built = forge_build(f, &built_size);
                load_forged(built, built_size);
                free(built);
                memcpy(content, before, content_size);
            }
        }
        forge_set_content(&f->sections[i], before, content_size, (struct forge_zstd){0, 0, 0});
        free(before);
        free(content);
    }
    forge_free(f);
    free(bytes);
}

/* Contents that are too long or too short, with a raw size that agrees or not. */
static void content_sizes_are_attacked(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    static const uint8_t zeros[8192];
    for (uint32_t length = 1; length < 600; length++) {
        for (int agrees = 0; agrees < 2; agrees++) {
            struct forge *f = forge_open(bytes, size);
            struct forge_section *s = &f->sections[length % f->header.section_count];
            size_t built_size = 0;
            forge_set_content(s, zeros, length, (struct forge_zstd){0, 0, 0});
            if (agrees)
                s->entry.raw_bytes = length;
            uint8_t *built = forge_build(f, &built_size);
            load_forged(built, built_size);
            free(built);
            forge_free(f);
        }
    }
    free(bytes);
}

/* A missing section is reported at the table, even if another part has such a section. */
static void missing_items_are_reported_at_the_table(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    for (uint32_t part = 0; part < SPMMI_PART_MAX; part++) {
        struct forge *f = forge_open(bytes, size);
        struct forge_section *items = NULL;
        for (uint32_t i = 0; i < f->header.section_count; i++)
            if (f->sections[i].entry.type == SPMMI_SECTION_ITEMS && f->sections[i].entry.part == part)
                items = &f->sections[i];
        if (items != NULL) {
            spmm_plan_t *plan = NULL;
            spmm_diag_t diag;
            size_t built_size = 0;
            forge_remove(f, items);
            uint8_t *built = forge_build(f, &built_size);
            assert_int_equal(spmm_plan_read(built, built_size, NULL, &plan, &diag), SPMM_ERR_PLAN_ITEMS);
            assert_int_equal(diag.offset, SPMMI_HEADER_BYTES);
            free(built);
        }
        forge_free(f);
    }
    free(bytes);
}

static void nothing_is_refused_as_truncated(void **state)
{
    (void)state;
    assert_int_equal(load(NULL, 0), SPMM_ERR_PLAN_TRUNCATED);
    assert_int_equal(load((const uint8_t *)"", 0), SPMM_ERR_PLAN_TRUNCATED);
}

static void budgets_below_the_need_are_refused(void **state)
{
    size_t size = 0;
    uint8_t *bytes = good_plan(*state, &size);
    for (uint64_t budget = 1; budget < BUDGET; budget = budget * 5 / 4 + 1) {
        const spmm_load_options_t options = {sizeof options, budget, 1};
        spmm_plan_t *plan = NULL;
        spmmi_alloc_peak_reset();
        const spmm_status_t status = spmm_plan_read(bytes, size, &options, &plan, NULL);
        assert_true(status == SPMM_OK || status == SPMM_ERR_PLAN_BUDGET);
        assert_true(spmmi_alloc_peak_bytes() <= budget);
        spmm_plan_destroy(plan);
    }
    free(bytes);
}

static const CMUnitTestFunction laws[] = {
    every_flipped_bit_is_refused,
    every_truncation_is_refused,
    every_changed_byte_is_refused,
    inserted_and_deleted_bytes_are_refused,
    header_fields_are_attacked,
    table_fields_are_attacked,
    contents_are_attacked,
    content_sizes_are_attacked,
    missing_items_are_reported_at_the_table,
    budgets_below_the_need_are_refused,
};
static const char *const law_names[] = {
    "every_flipped_bit_is_refused",
    "every_truncation_is_refused",
    "every_changed_byte_is_refused",
    "inserted_and_deleted_bytes_are_refused",
    "header_fields_are_attacked",
    "table_fields_are_attacked",
    "contents_are_attacked",
    "content_sizes_are_attacked",
    "missing_items_are_reported_at_the_table",
    "budgets_below_the_need_are_refused",
};

/* The golden tests cover files with optional parts that this version does not write. */
static const char *const names[] = {
    "empty_0x0",          "one_by_one",        "f64_dictionary",  "pattern_only",
    "both_ops_row_split", "f64_nonzero_split", "special_values",  "later_minor",
    "tiled_segmented",    "tiled_permuted",    "bf16_dictionary", "panel_stats",
    "panel_permuted",     "fragments_traced",  "symmetric_order", "writer",
    "metadata",           "triangle",          "triangle_skew"};

/* A sanitizer makes loads ten times slower, so only every third plan is used. Fuzz targets use all. */
#ifdef __SANITIZE_ADDRESS__
#define PLAN_STEP 3
#else
#define PLAN_STEP 1
#endif
#define PLANS ((COUNT(names) + PLAN_STEP - 1) / PLAN_STEP)

static const struct golden_good *good_case(const char *name)
{
    for (size_t i = 0; i < golden_good_count; i++) {
        if (strcmp(golden_good_cases[i].name, name) == 0)
            return &golden_good_cases[i];
    }
    return NULL;
}

int main(void)
{
    struct CMUnitTest tests[COUNT(names) * COUNT(laws) + 2];
    size_t used = 0;
    for (size_t n = 0; n < COUNT(names); n += PLAN_STEP) {
        for (size_t l = 0; l < COUNT(laws); l++)
            tests[used++] = (struct CMUnitTest){law_names[l], laws[l], NULL, NULL,
                                                (void *)(uintptr_t)good_case(names[n])};
    }
    tests[used++] =
        (struct CMUnitTest){"pairs_of_header_fields_are_attacked", pairs_of_header_fields_are_attacked, NULL,
                            NULL, (void *)(uintptr_t)good_case("both_ops_row_split")};
    tests[used++] = (struct CMUnitTest)cmocka_unit_test(nothing_is_refused_as_truncated);
    const int failed = _cmocka_run_group_tests("corruption", tests, used, NULL, NULL);
    if (failed != 0)
        return failed;
    printf("scorecard: E3 %llu single-bit flips of %zu plans, 0 accepted\n", (unsigned long long)flips,
           PLANS);
    printf("scorecard: E4 %llu truncations of %zu plans, 0 accepted\n", (unsigned long long)cuts, PLANS);
    printf("scorecard: fields %llu forged fields of %zu plans, %llu valid plans among them\n",
           (unsigned long long)forged, PLANS, (unsigned long long)accepted);
    return 0;
}
