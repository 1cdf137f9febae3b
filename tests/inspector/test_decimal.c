/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the conversion of decimal text to double with strtod, which glibc rounds correctly: for hard
 * cases, random numbers, halfway points and their neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspector/read/decimal.h"
#include "tests/support/scale.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Reads a number that must be the whole text. The text is copied to a block of exactly its size, so that a
 * sanitizer detects reads beyond its end. */
static double read_all(const char *text)
{
    const size_t length = strlen(text);
    char *copy = malloc(length);
    double value = 0;
    memcpy(copy, text, length);
    const char *end = spmmi_decimal_read(copy, copy + length, &value);
    if (end != copy + length)
        fail_msg("\"%.60s\": %zd of %zu characters were read", text, end == NULL ? -1 : end - copy, length);
    free(copy);
    return value;
}

static void check_against_strtod(const char *text)
{
    const double expected = strtod(text, NULL);
    const double found = read_all(text);
    if (bits_of(expected) != bits_of(found))
        fail_msg("\"%.60s\": expected %a, found %a", text, expected, found);
}

static void hard_numbers_are_rounded_correctly(void **state)
{
    static const char *const cases[] = {
        "0",
        "-0",
        "0.0",
        "-0.0e99999",
        "0e400",
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "00001",
        "1e0",
        "1E+05",
        "1e-05",
        "1e22",
        "1e23",
        "1e24",
        "8.5e22",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.00000000000000000000000000000000000001",
        "9007199254740994",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "9223372036854775807",
        "9999999999999999999",
        "10000000000000000000",
        "99999999999999999999",
        "0.1",
        "0.2",
        "0.3",
        "0.1e1",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "2.22507385850720113605740979670913197593481954635164564e-308",
        "4.9e-324",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.4703282292062327208e-324",
        "1e-323",
        "1e-400",
        "-1e-400",
        "1e400",
        "-1e400",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "1.797693134862315807e308",
        "1.797693134862315808e308",
        "6.02214076e23",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "123456789012345678901234567890",
        "1e-1000000000000000000000",
        "1e1000000000000000000000",
        "0e1000000000000000000000",
        "0.000000000000000000000000000001",
        "0.00000000000000000000000000000123456789012345678901234567890",
        "100000000000000000000000000000000",
        "7.2057594037927933e16",
        "3.5035e-46",
        "1090544144181609348671888949248",
        "1090544144181609348835077142190",
        "9214843084008499",
        "30078505129381147446200",
        "0.500000000000000166533453693773481063544750213623046875",
        "358416272e-33",
        "6.631236846766476e-316",
        "3.2378839133029012895883524125015321748630094231e-319",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_against_strtod(cases[i]);
}

static void long_numbers_are_rounded_correctly(void **state)
{
    static const int digit_counts[] = {20, 767, 768, 769, 800, 4000, 100000};
    (void)state;
    for (size_t i = 0; i < COUNT(digit_counts); i++) {
        const size_t count = (size_t)digit_counts[i];
        char *text = malloc(count + 64);
        /* 1 + 2^-53 is a tie. Zeros follow, and then a last digit that decides. */
        const char *tie = "1.00000000000000011102230246251565404236316680908203125";
        memset(text, '0', count + 60);
        memcpy(text, tie, strlen(tie) < count ? strlen(tie) : count);
        text[count] = '\0';
        check_against_strtod(text);
        text[count - 1] = '1';
        check_against_strtod(text);
        memset(text, '7', count);
        check_against_strtod(text);
        (void)snprintf(text + count, 64, "e-%zu", count + 5);
        check_against_strtod(text);
        memset(text, '0', count);
        text[1] = '.';
        (void)snprintf(text + count, 64, "123e%zu", count);
        check_against_strtod(text);
        free(text);
    }
}

static double random_finite(uint64_t *random)
{
    for (;;) {
        const double value = of_bits(next_random(random));
        if (isfinite(value))
            return value;
    }
}

static void a_million_random_doubles_come_back(void **state)
{
    uint64_t random = 88172645463325252u;
    char text[64];
    (void)state;
    for (size_t i = 0; i < scaled(1000000); i++) {
        /* Even i: all exponents. Odd i: numbers between -1 and 1, of which files are full. */
        const double value = i % 2 == 0 ? random_finite(&random)
                                        : (double)(int64_t)next_random(&random) / 9223372036854775808.0;
        (void)snprintf(text, sizeof text, "%.17g", value);
        if (bits_of(read_all(text)) != bits_of(value))
            fail_msg("%s came back as %a", text, read_all(text));
        int digits = 15;
        do
            (void)snprintf(text, sizeof text, "%.*g", digits, value);
        while (strtod(text, NULL) != value && digits++ < 17);
        if (bits_of(read_all(text)) != bits_of(value))
            fail_msg("%s came back as %a", text, read_all(text));
    }
}

static void random_digits_are_rounded_correctly(void **state)
{
    uint64_t random = 1181783497276652981u;
    (void)state;
    for (size_t i = 0; i < scaled(300000); i++) {
        char text[96];
        int length = 0;
        const int digits = 1 + (int)(next_random(&random) % 40);
        const int point = (int)(next_random(&random) % 48);
        for (int d = 0; d < digits; d++) {
            if (d == point)
                text[length++] = '.';
            text[length++] = (char)('0' + next_random(&random) % 10);
        }
        (void)snprintf(text + length, sizeof text - (size_t)length, "e%d",
                       (int)(next_random(&random) % 700) - 360);
        check_against_strtod(text);
    }
}

/* A long double of x86 can hold the halfway points of doubles, and glibc prints all its digits. */
static void halfway_points_and_their_neighbours_are_rounded_correctly(void **state)
{
    uint64_t random = 2463534242u;
    (void)state;
    if (sizeof(long double) == sizeof(double)) {
        print_message("skipped: long double is no wider than double\n");
        skip();
    }
    for (size_t i = 0; i < scaled(20000); i++) {
        char text[900];
        const uint64_t exponent = i % 4 == 0 ? next_random(&random) % 3 : next_random(&random) % 2046;
        const double low = of_bits(exponent << 52 | next_random(&random) >> 12);
        const double high = of_bits(bits_of(low) + 1);
        const long double half = ((long double)low + (long double)high) / 2;
        (void)snprintf(text, sizeof text, "%.780Le", half);
        check_against_strtod(text);
        assert_int_equal(bits_of(read_all(text)) & 1, 0); /* ties are rounded to even */
        char *last = strchr(text, 'e') - 1;
        *last = '1'; /* all halfway points have fewer digits, so this one was 0 */
        assert_int_equal(bits_of(read_all(text)), bits_of(high));
        check_against_strtod(text);
    }
}

static void the_rounding_mode_of_the_caller_does_not_matter(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const cases[] = {"0.1",    "0.3",     "1e23", "2.5e-7", "9007199254740993",
                                        "1e-320", "-123.456"};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double expected = strtod(cases[i], NULL);
        for (size_t m = 0; m < COUNT(modes); m++) {
            (void)fesetround(modes[m]);
            const double found = read_all(cases[i]);
            (void)fesetround(FE_TONEAREST);
            assert_int_equal(bits_of(found), bits_of(expected));
        }
    }
}

static void the_locale_does_not_matter(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    (void)state;
    for (size_t i = 0; i < COUNT(locales); i++) {
        if (setlocale(LC_NUMERIC, locales[i]) == NULL)
            continue;
        const double found = read_all("1234.5e-1");
        double value = 0;
        const char *comma = "1,5";
        const char *end = spmmi_decimal_read(comma, comma + 3, &value);
        (void)setlocale(LC_NUMERIC, "C");
        assert_true(found == 123.45);
        assert_ptr_equal(end, comma + 1);
        return;
    }
    print_message("skipped: no locale with a decimal comma is installed\n");
    skip();
}

static void words_for_numbers_that_are_not_finite_are_read(void **state)
{
    (void)state;
    assert_true(read_all("inf") == INFINITY);
    assert_true(read_all("-Inf") == -INFINITY);
    assert_true(read_all("+INFINITY") == INFINITY);
    assert_true(isnan(read_all("nan")));
    assert_true(isnan(read_all("NaN")));
    assert_int_equal(signbit(read_all("-nan")) != 0, 1);
}

static void reading_stops_where_the_number_ends(void **state)
{
    static const struct {
        const char *text;
        int length; /* number of characters read; -1: not a number */
    } cases[] = {
        {"", -1},           {"-", -1},     {"+", -1},        {".", -1},      {"-.", -1},   {"e5", -1},
        {"1e", -1},         {"1e+", -1},   {"1.5E-", -1},    {"x", -1},      {"in", -1},   {"na", -1},
        {"--1", -1},        {"+-1", -1},   {"0x10", 1},      {"1.5D+03", 3}, {"1,5", 1},   {"1.5.5", 3},
        {"infinit", 3},     {"nan(1)", 3}, {"1 2", 1},       {"1e5e5", 3},   {"1_000", 1}, {"12345678x", 8},
        {"123456789\n", 9}, {"1.5f", 3},   {"\xd9\xa1", -1}, {"1e5.5", 3},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = 0;
        const char *text = cases[i].text;
        const char *end = spmmi_decimal_read(text, text + strlen(text), &value);
        const int length = end == NULL ? -1 : (int)(end - text);
        if (length != cases[i].length)
            fail_msg("\"%s\": expected %d, found %d", text, cases[i].length, length);
    }
}

static void integers_say_whether_a_double_holds_them(void **state)
{
    static const struct {
        const char *text;
        double value;
        bool inexact;
    } cases[] = {
        {"0", 0, false},
        {"-7", -7, false},
        {"+7", 7, false},
        {"9007199254740992", 9007199254740992.0, false},
        {"9007199254740993", 9007199254740992.0, true},
        {"-9007199254740993", -9007199254740992.0, true},
        {"9007199254740994", 9007199254740994.0, false},
        {"9223372036854775807", 9223372036854775808.0, true},
        {"9223372036854775808", 9223372036854775808.0, false},
        {"18446744073709551615", 18446744073709551616.0, true},
        {"18446744073709551616", 18446744073709551616.0, false},
        {"1180591620717411303424", 1180591620717411303424.0, false},
        {"1180591620717411303425", 1180591620717411303424.0, true},
        {"10000000000000000000000", 1e22, false},
        {"100000000000000000000000", 1e23, true},
        {"00000000000000000000000000000000000000001", 1, false},
        {"00000000000000000000000000000000000000000", 0, false},
        {"inf", INFINITY, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = 0;
        bool inexact = false;
        const char *text = cases[i].text;
        const char *end = spmmi_integer_read(text, text + strlen(text), &value, &inexact);
        assert_ptr_equal(end, text + strlen(text));
        if (value != cases[i].value || inexact != cases[i].inexact)
            fail_msg("%s: found %.17g, %s", text, value, inexact ? "inexact" : "exact");
    }
    char huge[400];
    memset(huge, '9', sizeof huge);
    double value = 0;
    bool inexact = false;
    assert_non_null(spmmi_integer_read(huge, huge + sizeof huge, &value, &inexact));
    assert_true(value == INFINITY && inexact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_numbers_are_rounded_correctly),
        cmocka_unit_test(long_numbers_are_rounded_correctly),
        cmocka_unit_test(a_million_random_doubles_come_back),
        cmocka_unit_test(random_digits_are_rounded_correctly),
        cmocka_unit_test(halfway_points_and_their_neighbours_are_rounded_correctly),
        cmocka_unit_test(the_rounding_mode_of_the_caller_does_not_matter),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(words_for_numbers_that_are_not_finite_are_read),
        cmocka_unit_test(reading_stops_where_the_number_ends),
        cmocka_unit_test(integers_say_whether_a_double_holds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
