/* SPDX-License-Identifier: Apache-2.0 */
/* Files of large plans begin with names and metadata. Only files with the feature bit may have this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/metadata.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define TEXT_BYTES 4096 /* bytes within which the texts of these files end */

TEST_PATTERN(checkered, (i + j) % 2 == 0)

struct file {
    uint8_t *bytes;
    size_t size;
};

/* Makes a file of a plan with this number of rows and columns, values, a source, a writer and a pair of
 * metadata. */
static struct file write_plan(int64_t rows)
{
    static const char pairs[] = "license\0CC-BY-4.0";
    const struct test_pattern pattern = {"checkered", rows, rows, checkered};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(
        a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, "the source");
    struct file file = {NULL, 0};
    void *bytes = NULL;
    memcpy(plan->writer, "the writer", sizeof "the writer");
    plan->metadata = spmmi_alloc(sizeof pairs, 1);
    assert_non_null(plan->metadata);
    memcpy(plan->metadata, pairs, sizeof pairs);
    plan->metadata_bytes = sizeof pairs;
    test_matrix_free(a);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &file.size, NULL), SPMM_OK);
    file.bytes = malloc(file.size);
    assert_non_null(file.bytes);
    memcpy(file.bytes, bytes, file.size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return file;
}

static uint64_t features_of(const struct file *file)
{
    return spmmi_get_u64(file->bytes + SPMMI_AT_features_incompat);
}

/* Sets the features of the file and returns the status of a load. */
static spmm_status_t load_with(const struct file *file, uint64_t features)
{
    spmm_plan_t *plan = NULL;
    spmmi_put_u64(file->bytes + SPMMI_AT_features_incompat, features);
    forge_repair(file->bytes, file->size);
    const spmm_status_t status = spmm_plan_read(file->bytes, file->size, NULL, &plan, NULL);
    spmm_plan_destroy(plan);
    return status;
}

static size_t read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct file *file = context;
    const size_t left = offset < file->size ? file->size - (size_t)offset : 0,
                 count = size < left ? size : left;
    memcpy(bytes, file->bytes + (count > 0 ? offset : 0), count);
    return count;
}

static void found(void *context, const char *key, const char *value)
{
    assert_string_equal(key, "license");
    assert_string_equal(value, "CC-BY-4.0");
    ++*(int *)context;
}

static void the_first_bytes_of_a_large_plan_have_its_texts(void **state)
{
    (void)state;
    struct file file = write_plan(300);
    assert_true((features_of(&file) & SPMMI_FEATURE_TEXTS_FIRST) != 0);
    assert_true(file.size > 2 * TEXT_BYTES);
    struct file part = {file.bytes, TEXT_BYTES};
    spmm_plan_info_t info = {.struct_size = sizeof info};
    int pairs = 0;
    assert_int_equal(spmm_plan_head(read_at, &part, &info, NULL), SPMM_OK);
    assert_string_equal(info.source, "the source");
    assert_string_equal(info.writer, "the writer");
    assert_int_equal(spmm_plan_head_metadata(read_at, &part, found, &pairs, NULL), SPMM_OK);
    assert_int_equal(pairs, 1);
    spmm_plan_t *plan = NULL;
    spmm_metadata_t pair;
    assert_int_equal(spmm_plan_read(file.bytes, file.size, NULL, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_metadata(plan, 0, &pair), SPMM_OK);
    assert_string_equal(pair.value, "CC-BY-4.0");
    spmm_plan_destroy(plan);
    free(file.bytes);
}

static void the_order_needs_the_feature(void **state)
{
    (void)state;
    struct file large = write_plan(300), small = write_plan(20);
    const uint64_t features = features_of(&large);
    assert_int_equal(load_with(&large, features), SPMM_OK);
    assert_int_equal(load_with(&large, features & ~(uint64_t)SPMMI_FEATURE_TEXTS_FIRST), SPMM_ERR_PLAN_TABLE);
    /* A small plan has its sections in the order of the table, and may have the feature. */
    assert_true((features_of(&small) & SPMMI_FEATURE_TEXTS_FIRST) == 0);
    assert_int_equal(load_with(&small, features_of(&small) | SPMMI_FEATURE_TEXTS_FIRST), SPMM_OK);
    free(large.bytes);
    free(small.bytes);
}

/* Offsets are moved by one alignment step. All hashes fit. */
static void moved_sections_are_refused(void **state)
{
    (void)state;
    const struct file file = write_plan(300);
    const uint32_t sections = spmmi_get_u32(file.bytes + SPMMI_AT_section_count);
    for (uint32_t i = 0; i < 2 * sections; i++) {
        uint8_t *copy = malloc(file.size);
        spmm_plan_t *plan = NULL;
        assert_non_null(copy);
        memcpy(copy, file.bytes, file.size);
        uint8_t *const at = copy + SPMMI_HEADER_BYTES + (size_t)(i / 2) * SPMMI_ENTRY_BYTES + 16;
        spmmi_put_u64(at, i % 2 == 0 ? spmmi_get_u64(at) - 64 : spmmi_get_u64(at) + 64);
        forge_repair(copy, file.size);
        assert_int_equal(spmm_plan_read(copy, file.size, NULL, &plan, NULL), SPMM_ERR_PLAN_TABLE);
        free(copy);
    }
    free(file.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bytes_of_a_large_plan_have_its_texts),
        cmocka_unit_test(the_order_needs_the_feature),
        cmocka_unit_test(moved_sections_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
