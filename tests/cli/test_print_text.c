/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and names as the tools print them for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tools/cli/print_text.h"

static void bytes_have_three_digits_and_a_unit(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *expected;
    } cases[] = {{0, "0 bytes"},       {1, "1 byte"},          {999, "999 bytes"}, {1000, "1 kB"},
                 {1234, "1.23 kB"},    {999499, "999 kB"},     {999500, "1 MB"},   {34720000, "34.7 MB"},
                 {5000000000, "5 GB"}, {UINT64_MAX, "18.4 EB"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[PRINT_UNITS_BYTES];
        assert_string_equal(print_bytes(text, cases[i].bytes), cases[i].expected);
    }
}

static void seconds_have_three_digits_and_a_unit(void **state)
{
    static const struct {
        double seconds;
        const char *expected;
    } cases[] = {{0, "0 us"}, {2.5e-6, "2.5 us"}, {0.0123, "12.3 ms"}, {0.9994, "999 ms"},
                 {1, "1 s"},  {59.96, "60 s"},    {86400, "86400 s"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[PRINT_UNITS_BYTES];
        assert_string_equal(print_seconds(text, cases[i].seconds), cases[i].expected);
    }
}

static void counts_are_grouped_by_three(void **state)
{
    static const struct {
        int64_t count;
        const char *expected;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {-1000, "-1,000"},
                 {-100, "-100"},
                 {62451, "62,451"},
                 {INT64_MAX, "9,223,372,036,854,775,807"},
                 {INT64_MIN, "-9,223,372,036,854,775,808"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[PRINT_UNITS_BYTES];
        assert_string_equal(print_count(text, cases[i].count), cases[i].expected);
    }
}

static void only_one_is_singular(void **state)
{
    (void)state;
    char text[PRINT_UNITS_BYTES];
    assert_string_equal(print_plural(text, 0, "item"), "0 items");
    assert_string_equal(print_plural(text, 1, "item"), "1 item");
    assert_string_equal(print_plural(text, 2000, "item"), "2,000 items");
}

static void text_cannot_steer_the_terminal(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {{"a b", "a b"},
                 {"\x1b[31m\n", "\\x1b[31m\\x0a"},
                 {"\xc3\xa9", "\xc3\xa9"},
                 {"\xc2\x9b", "\\xc2\\x9b"}, /* a control character of Latin-1 */
                 /* Right-to-left override: changes the direction of the following text. */
                 {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
                 {"\xff\xc0\xaf", "\\xff\\xc0\\xaf"}, /* an invalid byte, an overlong sequence */
                 {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* half of a surrogate pair */
                 {"\xe2\x82", "\\xe2\\x82"}};         /* truncated */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *written = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&written, &size);
        assert_non_null(out);
        print_escaped(out, cases[i].text);
        fclose(out);
        assert_string_equal(written, cases[i].expected);
        free(written);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_have_three_digits_and_a_unit),
        cmocka_unit_test(seconds_have_three_digits_and_a_unit),
        cmocka_unit_test(counts_are_grouped_by_three),
        cmocka_unit_test(only_one_is_singular),
        cmocka_unit_test(text_cannot_steer_the_terminal),
    };
    return cmocka_run_group_tests_name("print_text", tests, NULL, NULL);
}
