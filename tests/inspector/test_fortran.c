/* SPDX-License-Identifier: Apache-2.0 */
/* Checks Fortran formats and numbers, and the lines with the type of a Rutherford-Boeing file. Each case
 * breaks one rule. Text after a | is beyond the end and would make the case valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <spmm/inspector.h>

#include "inspector/read/fortran_format.h"
#include "inspector/read/read_rutherford_boeing.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns the position of the first |, or the end of the text. */
static const char *end_of(const char *text)
{
    return text + strcspn(text, "|");
}

static void formats(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct spmmi_fortran_format expected; /* kind 0: refused */
    } cases[] = {
        {"(16I5)", {'I', 16, 5, 0, 0}},
        {"( 1P , 5E16.8 )", {'E', 5, 16, 8, 1}},
        {"(-2P5D16.8E3)", {'D', 5, 16, 8, -2}},
        {"(3(2F8.0))", {'F', 6, 8, 0, 0}},
        {"((16I5))", {'I', 16, 5, 0, 0}},
        {"(((16I5)))", {0}},
        {"16I5)", {0}},
        {"", {0}},
        {"(16|5)", {0}},
        {"(2000P5E16.8)", {0}},
        {"(16X5)", {0}},
        {"(16I)", {0}},
        {"(0I5)", {0}},
        {"(-3I5)", {0}},
        {"(99999999999I5)", {0}},
        {"(999(999I5))", {0}},
        {"(5E6.9)", {0}},
        {"(5E16.8E99)", {0}},
        {"((16I5)", {0}},
        {"(16I5|)", {0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spmmi_fortran_format f = {0};
        const char *end = end_of(cases[i].text);
        const char *next = spmmi_fortran_format_read(cases[i].text, end, &f);
        if ((next != NULL) != (cases[i].expected.kind != 0) || (next != NULL && next != end))
            fail_msg("%s is %s", cases[i].text, next == NULL ? "refused" : "taken");
        if (next != NULL)
            assert_true(f.kind == cases[i].expected.kind && f.per_line == cases[i].expected.per_line &&
                        f.width == cases[i].expected.width && f.digits == cases[i].expected.digits &&
                        f.scale == cases[i].expected.scale);
    }
}

/* Checks the largest width, and the largest count of numbers per line. */
static void formats_at_their_limits(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        struct spmmi_fortran_format f;
        char text[32];
        (void)snprintf(text, sizeof text, "(I%d)", SPMMI_FORTRAN_WIDTH_MAX + extra);
        assert_int_equal(spmmi_fortran_format_read(text, text + strlen(text), &f) != NULL, !extra);
        (void)snprintf(text, sizeof text, "(2(%dI5))", 500 + extra);
        assert_int_equal(spmmi_fortran_format_read(text, text + strlen(text), &f) != NULL, !extra);
    }
    const struct spmmi_fortran_format f = {'I', 16, 5, 0, 0};
    assert_int_equal(spmmi_fortran_bytes(&f, 0), 0);
    assert_int_equal(spmmi_fortran_bytes(&f, 1), 1);
    assert_int_equal(spmmi_fortran_bytes(&f, 17), 15 * 5 + 2 + 1);
}

static void counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int is_count;
    } cases[] = {{"12", 1}, {"  12 ", 1}, {"", 0}, {"   ", 0}, {"|12", 0}, {"1x", 0}, {"-1", 0}, {"1 2", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t value = 0;
        assert_int_equal(spmmi_fortran_count(cases[i].text, end_of(cases[i].text), &value),
                         cases[i].is_count);
        assert_int_equal(value == 12, cases[i].is_count);
    }
}

static void reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        double value; /* 0: refused */
    } cases[] = {{"1.5", 3, 1.5},
                 {"1.5D2", 5, 150},
                 {"1.5+2", 5, 150},
                 {"15.E-1", 6, 1.5},
                 {"1.5E +2", 7, 150},
                 {"1.x5", 4, 0},
                 {"1.\0"
                  "5",
                  4, 0},
                 {"1.E", 3, 0},
                 {"1.E 5", 3, 0},
                 {"1.E+", 4, 0},
                 {".D5", 3, 0},
                 {"", 0, 0},
                 {"1.5E2x", 6, 0},
                 {"12", 2, 0}}; /* no point: 8 digits would follow an implied one */
    const struct spmmi_fortran_format f = {'E', 5, 16, 8, 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = 0;
        const bool is_real = spmmi_fortran_real(&f, cases[i].text, cases[i].text + cases[i].length, &value);
        if (is_real != (cases[i].value != 0) || (is_real && value != cases[i].value))
            fail_msg("case %zu: %s", i, cases[i].text);
    }
}

/* Line 3 of a file: three letters, blanks up to column 14, a number up to column 28. */
static void types(void **state)
{
    (void)state;
    static const struct {
        char line[32];
        size_t length;
        int is_type;
    } cases[] = {{"rua                       12", 28, 1},  {"PSE                       12", 28, 1},
                 {"rua                       12", 27, 0},  {"xua                       12", 28, 0},
                 {"rxa                       12", 28, 0},  {"rux                       12", 28, 0},
                 {"\0ua                       12", 28, 0}, {"r\0a                       12", 28, 0},
                 {"ru\0                       12", 28, 0}, {"rua          1            12", 28, 0},
                 {"rua1                      12", 28, 0},  {"rua           1           12", 28, 1}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(spmmi_rb_is_type(cases[i].line, cases[i].line + cases[i].length), cases[i].is_type);
}

/* Sizes of a file of 3 x 3. `lines` is the line of counts; `sizes` follows the type. */
static void sizes_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *sizes, *excerpt;
    } cases[] = {
        {"             3             1             1             1",
         "             3             3             2", "at least"},
        {"             3                           1             1",
         "             3             3             2", "columns 15 to 28, found blanks"},
        {"             3             1             1             1",
         "             3                           2", "columns 29 to 42, found blanks"},
        {"             3             1             1             1",
         "             3             0             2", "no entries in a matrix of 3 x 0"},
        {"             3             1             1             1",
         "             0             3             2", "no entries in a matrix of 0 x 3"},
        {"             3             1             1             1",
         "             3             3 1099511627776", "lines for 1099511627776"},
        {"             3             1             1             1",
         "             3             3 1099511627777", "entries of at most 1099511627776"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        spmm_diag_t diag = {.text = ""};
        spmm_matrix_t *matrix = NULL;
        const int length = snprintf(text, sizeof text,
                                    "title\n%s\nrua           %s\n(4I3)           (4I3)           (4F6.2)\n",
                                    cases[i].lines, cases[i].sizes);
        const spmm_status_t status = spmm_matrix_read(text, (size_t)length, "a.rua", NULL, &matrix, &diag);
        assert_true(status == SPMM_ERR_MATRIX_SYNTAX || status == SPMM_ERR_MATRIX_TOO_LARGE);
        if (strstr(diag.text, cases[i].excerpt) == NULL)
            fail_msg("case %zu: %s", i, diag.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats), cmocka_unit_test(formats_at_their_limits),
        cmocka_unit_test(counts),  cmocka_unit_test(sizes_of_files),
        cmocka_unit_test(reals),   cmocka_unit_test(types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
