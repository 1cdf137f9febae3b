/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata: what a caller may set, what a file may contain, and that metadata stay with the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/product.h>

#include "format/base/alloc.h"
#include "format/check/plan_check.h"
#include "format/metadata.h"
#include "tests/support/plan_seal.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const spmm_metadata_t unsorted[] = {{"url", "https://example.org/a?b=c"},
                                           {"title", "\303\234bung"},
                                           {"a", " x "},
                                           {"title.short", "\360\237\220\261"}};
static const char sorted[] = "a\0 x \0title\0\303\234bung\0title.short\0\360\237\220\261\0"
                             "url\0https://example.org/a?b=c";

static spmm_plan_t *inspect(const spmm_metadata_t *pairs, int64_t count, spmm_status_t expected, char *text)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {0};
    options.metadata = pairs;
    options.metadata_count = count;
    assert_int_equal(spmm_matrix_generate("gen:band:20:2", &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_inspect(matrix, &options, &plan, &diag), expected);
    assert_true((plan != NULL) == (expected == SPMM_OK));
    if (text != NULL)
        memcpy(text, diag.text, sizeof diag.text);
    spmm_matrix_destroy(matrix);
    return plan;
}

static void assert_pairs(const spmm_plan_t *plan)
{
    assert_int_equal(plan->metadata_bytes, sizeof sorted);
    assert_memory_equal(plan->metadata, sorted, sizeof sorted);
}

static void pairs_are_kept_sorted_wherever_the_plan_goes(void **state)
{
    spmm_plan_t *plan = inspect(unsorted, COUNT(unsorted), SPMM_OK, NULL), *loaded = NULL, *updated = NULL;
    const double values[20 * 5] = {1};
    void *bytes = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    spmm_metadata_t pair;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    (void)state;
    assert_pairs(plan);
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_int_equal(info.format_minor, 7);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &loaded, NULL), SPMM_OK);
    assert_pairs(loaded);
    assert_int_equal(spmm_plan_write(loaded, NULL, &again, &again_size, NULL), SPMM_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    assert_true(plan->nnz <= (int64_t)COUNT(values));
    assert_int_equal(spmm_plan_with_values(loaded, values, SPMM_F64, &updated, NULL), SPMM_OK);
    assert_pairs(updated);
    assert_int_equal(spmm_plan_metadata(updated, 1, &pair), SPMM_OK);
    assert_string_equal(pair.key, "title");
    assert_string_equal(pair.value, "\303\234bung");
    assert_int_equal(spmm_plan_metadata(updated, 3, &pair), SPMM_OK);
    assert_string_equal(pair.key, "url");
    assert_int_equal(spmm_plan_metadata(updated, 4, &pair), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_metadata(updated, -1, &pair), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_metadata(updated, 0, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_metadata(NULL, 0, &pair), SPMM_ERR_ARGUMENT);
    spmm_plan_bytes_free(bytes);
    spmm_plan_bytes_free(again);
    spmm_plan_destroy(plan);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(updated);
}

static void a_plan_without_pairs_is_as_it_was(void **state)
{
    spmm_plan_t *plan = inspect(NULL, 0, SPMM_OK, NULL);
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_metadata_t pair;
    (void)state;
    assert_null(plan->metadata);
    assert_int_equal(spmm_plan_metadata(plan, 0, &pair), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_true(info.format_minor < 7);
    spmm_plan_destroy(plan);
}

static char long_key[SPMMI_METADATA_KEY_BYTES + 2], long_value[SPMMI_METADATA_BYTES];

static void pairs_that_break_a_rule_are_refused(void **state)
{
    static const struct {
        spmm_metadata_t pair;
        const char *text;
    } table[] = {
        {{NULL, "x"}, "key or value of metadata pair 1 is NULL"},
        {{"x", NULL}, "key or value of metadata pair 1 is NULL"},
        {{"", "x"}, "'' is not a key of metadata"},
        {{"License", "x"},
         "'License' is not a key of metadata: expected 1 to 64 of a to z, 0 to 9, '.', '_', '-'"},
        {{"9a", "x"}, "'9a' is not a key"},
        {{"a b", "x"}, "'a b' is not a key"},
        {{long_key, "x"}, "is not a key"},
        {{"key", ""}, "the metadata key key has no value"},
        {{"key", "a\nb"}, "the value of the metadata key key is not printable UTF-8 from byte 1 on"},
        {{"key", "\xc0\x80"}, "the value of the metadata key key is not printable UTF-8 from byte 0 on"},
        {{"title", "twice"}, "the metadata key title is there twice"},
        {{"key", long_value}, "the metadata take 65552 bytes, at most 65536 are allowed"},
    };
    char text[sizeof((spmm_diag_t *)0)->text];
    (void)state;
    memset(long_key, 'k', sizeof long_key - 1);
    memset(long_value, 'v', sizeof long_value - 1);
    for (size_t i = 0; i < COUNT(table); i++) {
        const spmm_metadata_t pairs[] = {{"title", "first"}, table[i].pair};
        (void)inspect(pairs, 2, SPMM_ERR_ARGUMENT, text);
        if (strstr(text, table[i].text) == NULL)
            fail_msg("%s: expected %s", text, table[i].text);
    }
    (void)inspect(NULL, 1, SPMM_ERR_ARGUMENT, text);
    assert_string_equal(text, "1 pairs of metadata at NULL, expected 0 to 256");
    (void)inspect(unsorted, -1, SPMM_ERR_ARGUMENT, text);
    assert_string_equal(text, "-1 pairs of metadata, expected 0 to 256");
}

static char keys[SPMMI_METADATA_PAIRS + 1][4];

static void as_many_pairs_and_bytes_as_are_allowed_are_taken(void **state)
{
    spmm_metadata_t pairs[SPMMI_METADATA_PAIRS + 1];
    char text[sizeof((spmm_diag_t *)0)->text];
    spmm_metadata_t pair;
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        (void)snprintf(keys[i], sizeof keys[i], "k%02x", (unsigned)(i % 256));
        pairs[i] = (spmm_metadata_t){keys[i], "v"};
    }
    spmm_plan_t *plan = inspect(pairs, SPMMI_METADATA_PAIRS, SPMM_OK, NULL);
    assert_int_equal(spmm_plan_metadata(plan, 255, &pair), SPMM_OK);
    assert_int_equal(spmm_plan_metadata(plan, 256, &pair), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_check_metadata(plan->metadata, plan->metadata_bytes, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    (void)inspect(pairs, SPMMI_METADATA_PAIRS + 1, SPMM_ERR_ARGUMENT, text);
    assert_string_equal(text, "257 pairs of metadata, expected 0 to 256");
    memset(long_key, 0, sizeof long_key);
    memset(long_key, 'k', SPMMI_METADATA_KEY_BYTES);
    memset(long_value, 0, sizeof long_value);
    memset(long_value, 'v', SPMMI_METADATA_BYTES - SPMMI_METADATA_KEY_BYTES - 2);
    plan = inspect(&(spmm_metadata_t){long_key, long_value}, 1, SPMM_OK, NULL);
    assert_int_equal(plan->metadata_bytes, SPMMI_METADATA_BYTES);
    assert_int_equal(spmmi_check_metadata(plan->metadata, plan->metadata_bytes, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
}

/* Each rule for files has a golden plan. This test checks the messages. */
static void what_a_file_may_not_hold_has_a_sentence(void **state)
{
#define TEXT(literal) literal, sizeof(literal) - 1
    static const struct {
        const char *text;
        size_t bytes;
        const char *sentence;
    } table[] = {
        {TEXT("a\0b"), "the metadata do not end with a zero byte"},
        {TEXT("a\0b\0c\0"), "the metadata key c has no value"},
        {TEXT("a\0\0b\0c\0"), "the value of the metadata key a is empty"},
        {TEXT("a\0\x1b[1m\0"), "the value of the metadata key a is not printable UTF-8"},
        {TEXT("a\0b\0\x1b\0c\0"), "the metadata have an invalid key at byte 4"},
        {TEXT("a\0b\0a\0b\0"), "the metadata key a does not follow a"},
        {TEXT("b\0b\0a\0b\0"), "the metadata key a does not follow b"},
    };
#undef TEXT
    spmm_diag_t diag;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        memset(&diag, 0, sizeof diag);
        assert_int_equal(spmmi_check_metadata(table[i].text, table[i].bytes, &diag), SPMM_ERR_PLAN_METADATA);
        assert_string_equal(diag.text, table[i].sentence);
    }
    memset(long_value, 0, sizeof long_value);
    memset(&diag, 0, sizeof diag);
    assert_int_equal(spmmi_check_metadata(long_value, SPMMI_METADATA_BYTES + 1, &diag),
                     SPMM_ERR_PLAN_METADATA);
    assert_string_equal(diag.text, "the metadata take 65537 bytes");
}

static void memory_may_run_out_at_any_time(void **state)
{
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    char *text = NULL;
    uint64_t bytes = 0;
    (void)state;
    for (int64_t failed = 0; status != SPMM_OK; failed++) {
        spmmi_alloc_fail_at(failed, 0);
        status = spmmi_metadata_pack(unsorted, COUNT(unsorted), &text, &bytes, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(failed == 0 ? status == SPMM_ERR_MEMORY : status == SPMM_OK);
    }
    spmmi_free(text);
    assert_int_equal(spmmi_alloc_live(), live);
}

static void assert_same_file(const spmm_plan_t *a, const spmm_plan_t *b)
{
    void *of_a = NULL, *of_b = NULL;
    size_t a_size = 0, b_size = 0;
    assert_int_equal(spmm_plan_write(a, NULL, &of_a, &a_size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(b, NULL, &of_b, &b_size, NULL), SPMM_OK);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(of_a, of_b, a_size);
    spmm_plan_bytes_free(of_a);
    spmm_plan_bytes_free(of_b);
}

/* The result equals an inspection with these pairs, whatever pairs the plan had before. */
static void other_pairs_make_another_plan(void **state)
{
    spmm_plan_t *without = inspect(NULL, 0, SPMM_OK, NULL), *updated = NULL;
    spmm_plan_t *with = inspect(unsorted, COUNT(unsorted), SPMM_OK, NULL);
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(spmm_plan_with_metadata(without, unsorted, COUNT(unsorted), &updated, &diag), SPMM_OK);
    assert_same_file(updated, with);
    spmm_plan_destroy(updated);
    assert_int_equal(spmm_plan_with_metadata(with, NULL, 0, &updated, &diag), SPMM_OK);
    assert_pairs(with);
    spmm_plan_destroy(with);
    assert_same_file(updated, without);
    spmm_plan_destroy(updated);
    assert_int_equal(spmm_plan_with_metadata(without, NULL, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_with_metadata(NULL, NULL, 0, &updated, &diag), SPMM_ERR_ARGUMENT);
    assert_null(updated);
    assert_int_equal(spmm_plan_with_metadata(without, NULL, 1, &updated, &diag), SPMM_ERR_ARGUMENT);
    assert_null(updated);
    assert_string_equal(diag.text, "1 pairs of metadata at NULL, expected 0 to 256");
    spmm_plan_destroy(without);
}

static void a_pattern_and_the_plan_of_a_product_get_pairs(void **state)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *product = NULL, *pattern = NULL, *updated = NULL;
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    (void)state;
    options.pattern_only = 1;
    assert_int_equal(spmm_matrix_generate("gen:band:20:2", &matrix, NULL), SPMM_OK);
    const spmm_product_factor_t factors[] = {{matrix, SPMM_OP_N}, {matrix, SPMM_OP_T}};
    assert_int_equal(spmm_product_inspect(factors, 2, NULL, &product, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_with_metadata(product, unsorted, COUNT(unsorted), &updated, NULL), SPMM_OK);
    assert_pairs(updated);
    assert_int_equal(spmm_plan_product_verify(updated, NULL, NULL), SPMM_OK);
    spmm_plan_destroy(updated);
    assert_int_equal(spmm_inspect(matrix, &options, &pattern, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_with_metadata(pattern, unsorted, COUNT(unsorted), &updated, NULL), SPMM_OK);
    assert_pairs(updated);
    assert_null(updated->values);
    spmm_plan_destroy(updated);
    spmm_plan_destroy(pattern);
    spmm_plan_destroy(product);
    spmm_matrix_destroy(matrix);
}

static void memory_of_another_plan_may_run_out(void **state)
{
    spmm_plan_t *plan = inspect(unsorted, COUNT(unsorted), SPMM_OK, NULL), *updated = NULL;
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t failed = 0;
    (void)state;
    while (status != SPMM_OK) {
        spmmi_alloc_fail_at(failed++, 0);
        status = spmm_plan_with_metadata(plan, unsorted, 1, &updated, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || (status == SPMM_ERR_MEMORY && updated == NULL));
    }
    assert_true(failed > 5);
    spmm_plan_destroy(updated);
    assert_int_equal(spmmi_alloc_live(), live);
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_kept_sorted_wherever_the_plan_goes),
        cmocka_unit_test(a_plan_without_pairs_is_as_it_was),
        cmocka_unit_test(pairs_that_break_a_rule_are_refused),
        cmocka_unit_test(as_many_pairs_and_bytes_as_are_allowed_are_taken),
        cmocka_unit_test(what_a_file_may_not_hold_has_a_sentence),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(other_pairs_make_another_plan),
        cmocka_unit_test(a_pattern_and_the_plan_of_a_product_get_pairs),
        cmocka_unit_test(memory_of_another_plan_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
