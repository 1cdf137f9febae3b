/* SPDX-License-Identifier: Apache-2.0 */
/* Checks names of sources: bytes that are not printable UTF-8 are replaced, and long names are cut between
 * characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "inspector/matrix/source_name.h"

struct name_case {
    const char *name, *from, *to;
};

static const struct name_case cases[] = {
    {"plain_text_stays", "bcsstk17.mtx", "bcsstk17.mtx"},
    {"an_empty_name_stays_empty", "", ""},
    {"two_three_and_four_byte_characters_stay", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
     "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"control_characters_are_replaced", "a\x1b[31m\n\x7f", "a?[31m??"},
    {"controls_of_two_bytes_are_replaced", "\xc2\x9b.", "??."},
    {"a_stray_continuation_is_replaced", "\x80x", "?x"},
    {"a_cut_character_is_replaced", "x\xe2\x82", "x??"},
    {"an_overlong_form_is_replaced", "\xc0\xaf", "??"},
    {"a_surrogate_is_replaced", "\xed\xa0\x80", "???"},
    {"beyond_unicode_is_replaced", "\xf4\x90\x80\x80", "????"},
    {"a_long_name_is_cut", "0123456789012345678901234567890123456789", "0123456789012345678901234567890"},
    {"a_long_name_is_cut_at_a_character", "012345678901234567890123456789\xc3\xa9",
     "012345678901234567890123456789"},
};

static void copies_what_a_plan_may_hold(void **state)
{
    const struct name_case *c = *state;
    char text[32];
    memset(text, 'x', sizeof text);
    spmmi_source_name(c->from, text, sizeof text);
    assert_string_equal(text, c->to);
    for (size_t i = strlen(text); i < sizeof text; i++)
        assert_int_equal(text[i], 0);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    struct CMUnitTest tests[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){cases[i].name, copies_what_a_plan_may_hold, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests_name("source_name", tests, NULL, NULL);
}
