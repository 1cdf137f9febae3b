/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: structure, escapes, and numbers that JSON cannot represent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/json.h"

struct text_case {
    const char *name, *text, *expected;
};

static const struct text_case text_cases[] = {
    {"plain_text_is_quoted", "a.mtx", "\"a.mtx\""},
    {"a_missing_text_is_null", NULL, "null"},
    {"quotes_and_backslashes_are_escaped", "\"\\/", "\"\\\"\\\\/\""},
    {"control_characters_are_numbers", "\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\""},
    {"utf_8_stays", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
    {"other_bytes_become_the_replacement_character", "a\xff\xc3", "\"a\\ufffd\\ufffd\""},
};

struct number_case {
    const char *name;
    double value;
    const char *expected;
};

static const struct number_case number_cases[] = {
    {"nan_is_null", (double)NAN, "null"},
    {"infinity_is_null", (double)-INFINITY, "null"},
    {"zero_is_0", 0, "0"},
    {"a_tenth_has_all_digits", 0.1, "0.10000000000000001"},
    {"large_numbers_have_an_exponent", 1e300, "1.0000000000000001e+300"},
};

static char *written;
static size_t written_size;

static FILE *open_memory(struct json *j)
{
    FILE *out = open_memstream(&written, &written_size);
    assert_non_null(out);
    json_start(j, out);
    return out;
}

static void assert_written(struct json *j, FILE *out, const char *expected)
{
    assert_true(json_finish(j));
    fclose(out);
    assert_int_equal(written[written_size - 1], '\n');
    written[written_size - 1] = '\0';
    assert_string_equal(written, expected);
    free(written);
}

static void writes_text(void **state)
{
    const struct text_case *c = *state;
    struct json j;
    FILE *out = open_memory(&j);
    json_text(&j, NULL, c->text);
    assert_written(&j, out, c->expected);
}

static void writes_numbers(void **state)
{
    const struct number_case *c = *state;
    struct json j;
    FILE *out = open_memory(&j);
    json_double(&j, NULL, c->value);
    assert_written(&j, out, c->expected);
}

static void floats_and_doubles_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const double value = sqrt((double)i) * pow(10, i % 60 - 30);
        struct json j;
        FILE *out = open_memory(&j);
        json_double(&j, NULL, value);
        fclose(out);
        assert_true(strtod(written, NULL) == value);
        free(written);
        out = open_memory(&j);
        json_float(&j, NULL, (double)(float)value);
        fclose(out);
        assert_true(strtof(written, NULL) == (float)value);
        free(written);
    }
}

static void groups_nest_with_commas_and_indentation(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x00, 0xab};
    struct json j;
    FILE *out = open_memory(&j);
    json_object(&j, NULL);
    json_int(&j, "low", INT64_MIN);
    json_uint(&j, "high", UINT64_MAX);
    json_array(&j, "list");
    json_bool(&j, NULL, true);
    json_null(&j, NULL);
    json_object(&j, NULL);
    json_end(&j);
    json_end(&j);
    json_hex(&j, "bytes", bytes, sizeof bytes);
    json_array(&j, "none");
    json_end(&j);
    json_end(&j);
    assert_written(&j, out,
                   "{\n  \"low\": -9223372036854775808,\n  \"high\": 18446744073709551615,\n  \"list\": [\n"
                   "    true,\n    null,\n    {}\n  ],\n  \"bytes\": \"00ab\",\n  \"none\": []\n}");
}

static void says_when_the_disk_is_full(void **state)
{
    (void)state;
    struct json j;
    FILE *out = fopen("/dev/full", "w");
    if (out == NULL)
        skip();
    json_start(&j, out);
    json_text(&j, NULL, "x");
    assert_false(json_finish(&j));
    fclose(out);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(floats_and_doubles_come_back),
        cmocka_unit_test(groups_nest_with_commas_and_indentation),
        cmocka_unit_test(says_when_the_disk_is_full),
    };
    struct CMUnitTest tests[COUNT(text_cases) + COUNT(number_cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(text_cases); i++)
        tests[count++] = (struct CMUnitTest){text_cases[i].name, writes_text, NULL, NULL,
                                             (void *)(uintptr_t)&text_cases[i]};
    for (size_t i = 0; i < COUNT(number_cases); i++)
        tests[count++] = (struct CMUnitTest){number_cases[i].name, writes_numbers, NULL, NULL,
                                             (void *)(uintptr_t)&number_cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
