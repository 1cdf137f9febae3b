/* SPDX-License-Identifier: Apache-2.0 */
/* Checks Rutherford-Boeing and Harwell-Boeing files: an accepted file gives the same matrix as in Matrix
 * Market. A refused one gets a fixed status and line, and a message that says what was expected and what was
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_check.h"
#include "tests/support/scorecard.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE
#define TEXT_MAX 4096

/* A file of few lines. make() writes the fields of the header in their columns. */
struct file {
    int lines[4]; /* numbers of lines: all, pointers, indices, values */
    const char *type;
    int sizes[3]; /* rows, columns, entries */
    const char *formats, *body;
};

static size_t make(const struct file *f, char text[TEXT_MAX])
{
    const int length = snprintf(text, TEXT_MAX, "%-72s%-8s\n%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%s\n%s",
                                "title", "key", f->lines[0], f->lines[1], f->lines[2], f->lines[3], f->type,
                                f->sizes[0], f->sizes[1], f->sizes[2], 0, f->formats, f->body);
    assert_true(length > 0 && length < TEXT_MAX);
    return (size_t)length;
}

#define REAL "%%MatrixMarket matrix coordinate real general\n"
#define INTS "(4I3) (4I3) "
/* A 2 x 3 matrix: the columns hold rows 1 and 2, row 2, and row 1. */
#define PATTERN_BODY "  1  3  4  5\n  1  2  2  1\n"
#define ENTRIES "2 3 4\n1 1 1.5\n2 1 -2\n2 2 0.25\n1 3 40\n"

struct accepted {
    const char *name;
    struct file file;
    const char *mtx;
};

static const struct accepted accepted[] = {
    {"free numbers of one width",
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY "  1.50 -2.00  0.25 40.00\n"},
     REAL ENTRIES},
    {"exponents of all kinds",
     {{3, 1, 1, 1}, "RUA", {2, 3, 4}, INTS "(4D9.2)", PATTERN_BODY "  1.5D+00  -2.0d 0  2.5E-01  4.00+01\n"},
     REAL ENTRIES},
    {"scale factor, which exponents make idle",
     {{3, 1, 1, 1},
      "rua",
      {2, 3, 4},
      INTS "(1P,4E9.2)",
      PATTERN_BODY "   1.5E+0  -2.0E+0   2.5E-1   4.00E1\n"},
     REAL ENTRIES},
    {"negative scale factor",
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(-1P,4F8.4)", PATTERN_BODY "  0.1500 -0.2000  0.0250  4.0000\n"},
     REAL ENTRIES},
    {"scale factor without exponents",
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "( 1P 4F8.2 )", PATTERN_BODY "   15.00  -20.00    2.50  400.00\n"},
     REAL ENTRIES},
    {"inner parentheses, capitals and blanks",
     {{3, 1, 1, 1},
      "rua",
      {2, 3, 4},
      "( 2( 2 i3 )) (4I3)  (1p,2(2e9.2e2))",
      PATTERN_BODY "   1.5E+0  -2.0E+0   2.5E-1   4.00E1\n"},
     REAL ENTRIES},
    {"more lines, and lines cut at their last number",
     {{6, 2, 2, 2},
      "rua",
      {2, 3, 4},
      "(2I3) (3I3) (3G6.2)",
      "  1  3\n  4  5\n  1  2  2\n  1\n   1.5   -2.  0.25\n   40.\n"},
     REAL ENTRIES},
    {"carriage returns, blank lines at the end",
     {{3, 1, 1, 1},
      "rua",
      {2, 3, 4},
      INTS "(4F6.2)\r",
      "  1  3  4  5\r\n  1  2  2  1\r\n  1.50 -2.00  0.25 40.00\r\n  \r\n\n"},
     REAL ENTRIES},
    {"leftovers behind the last number of a section",
     {{4, 1, 1, 2},
      "rua",
      {2, 3, 4},
      INTS "(3F6.2)",
      "  1  3  4  5\n  1  2  2  1\n  1.50 -2.00  0.25\n 40.00  9.00\n"},
     REAL ENTRIES},
    {"no line end",
     {{3, 1, 1, 1}, "rra", {2, 3, 4}, INTS "(4F6.2)", "  1  3  4  5\n  1  2  2  1\n  1.50 -2.00  0.25 40.00"},
     REAL ENTRIES},
    {"a duplicate is summed",
     {{3, 1, 1, 1}, "rua", {2, 1, 3}, INTS "(4F6.2)", "  1  4\n  2  1  2\n  1.50 -2.00  0.25\n"},
     REAL "2 1 3\n2 1 1.5\n1 1 -2\n2 1 0.25\n"},
    {"integers without points where the format has no digits",
     {{3, 1, 1, 1}, "rua", {2, 1, 2}, INTS "(2F3.0)", "  1  3\n  1  2\n  7-8.\n"},
     REAL "2 1 2\n1 1 7\n2 1 -8\n"},
    {"real numbers in a format of integers",
     {{3, 1, 1, 1}, "rua", {2, 1, 2}, INTS "(2I3)", "  1  3\n  1  2\n  7 -8\n"},
     REAL "2 1 2\n1 1 7\n2 1 -8\n"},
    {"integers with blanks behind them, and a huge exponent",
     {{3, 1, 1, 1}, "iua", {2, 1, 2}, INTS "(2I6)", "  1  3\n  1  2\n  7   8     \n"},
     REAL "2 1 2\n1 1 7\n2 1 8\n"},
    {"an exponent beyond any number",
     {{3, 1, 1, 1}, "rua", {2, 1, 2}, INTS "(2D12.1)", "  1  3\n  1  2\n 1.0D-999999 1.0D+999999\n"},
     REAL "2 1 2\n1 1 0\n2 1 inf\n"},
    {"not finite",
     {{3, 1, 1, 1}, "rua", {2, 1, 2}, INTS "(2E8.1)", "  1  3\n  1  2\n     Inf-1.0E999\n"},
     REAL "2 1 2\n1 1 inf\n2 1 -inf\n"},
    {"pattern",
     {{2, 1, 1, 0}, "pua", {2, 3, 4}, INTS, PATTERN_BODY},
     "%%MatrixMarket matrix coordinate pattern general\n2 3 4\n1 1\n2 1\n2 2\n1 3\n"},
    {"skew-symmetric with a zero on the diagonal",
     {{3, 1, 1, 1}, "rza", {2, 2, 2}, INTS "(2F5.1)", "  1  3  3\n  1  2\n  0.0  3.5\n"},
     "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 3.5\n"},
    {"no entries", {{1, 1, 0, 0}, "rua", {2, 3, 0}, INTS "(4F6.2)", "  1  1  1  1\n"}, REAL "2 3 0\n"},
    {"no columns", {{1, 1, 0, 0}, "rua", {2, 0, 0}, INTS "(4F6.2)", "  1\n"}, REAL "2 0 0\n"},
};

static void variants_are_the_matrix_market_matrix(void **state)
{
    char text[TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(accepted); i++) {
        spmm_matrix_t *a = must_read(accepted[i].name, text, make(&accepted[i].file, text));
        spmm_matrix_t *b = must_read("a.mtx", accepted[i].mtx, strlen(accepted[i].mtx));
        assert_same_matrix(accepted[i].name, a, b);
        spmm_matrix_destroy(a);
        spmm_matrix_destroy(b);
    }
}

static void files_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *name, *field, *symmetry;
    } files[] = {{"rua", "real", "general"},
                 {"rsa", "real", "symmetric"},
                 {"iza", "integer", "skew-symmetric"},
                 {"psa", "pattern", "symmetric"}};
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        char name[16];
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        spmm_matrix_info_t other = info;
        (void)snprintf(name, sizeof name, "%s.rb", files[i].name);
        spmm_matrix_t *a = must_load(name);
        (void)snprintf(name, sizeof name, "%s.mtx", files[i].name);
        spmm_matrix_t *b = must_load(name);
        assert_same_matrix(name, a, b);
        assert_int_equal(spmm_matrix_info(a, &info), SPMM_OK);
        assert_int_equal(spmm_matrix_info(b, &other), SPMM_OK);
        assert_string_equal(info.format, "rb");
        assert_string_equal(info.field, files[i].field);
        assert_string_equal(info.symmetry, files[i].symmetry);
        assert_int_equal(info.entries_stored, other.entries_stored);
        spmm_matrix_destroy(a);
        spmm_matrix_destroy(b);
    }
}

/* Right-hand sides of a Harwell-Boeing file add a line to the header and numbers after the matrix. */
static void right_hand_sides_are_passed_over(void **state)
{
    char text[TEXT_MAX];
    (void)state;
    const int length = snprintf(text, sizeof text,
                                "%-80s\n%14d%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s%-20s\n"
                                "F             %14d%14d\n%s  1.50 -2.00  0.25 40.00\n  9.00  9.00\n",
                                "title", 4, 1, 1, 1, 1, "RUA", 2, 3, 4, 1, "(4I3)", "(4I3)", "(4F6.2)",
                                "(4F6.2)", 1, 0, PATTERN_BODY);
    spmm_matrix_t *a = must_read("a.rua", text, (size_t)length);
    spmm_matrix_t *b = must_read("a.mtx", REAL ENTRIES, strlen(REAL ENTRIES));
    assert_same_matrix("right-hand side", a, b);
    spmm_matrix_destroy(a);
    spmm_matrix_destroy(b);
}

struct refused {
    struct refusal refusal;
    struct file file;
};

#define VALUES "  1.50 -2.00  0.25 40.00\n"
static const struct refused refused[] = {
    {{"complex", UNSUPPORTED, 3, "the values are complex; --real-part or --abs"},
     {{4, 1, 1, 2}, "cua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES VALUES}},
    {{"hermitian", UNSUPPORTED, 3, "the type is RHA; hermitian matrices are complex"},
     {{3, 1, 1, 1}, "RHA", {2, 2, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"elemental", UNSUPPORTED, 3, "the type is rse; elemental"},
     {{3, 1, 1, 1}, "rse", {3, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"values elsewhere", UNSUPPORTED, 3, "values in a file of their own"},
     {{2, 1, 1, 0}, "qua", {2, 3, 4}, INTS, PATTERN_BODY}},
    {{"skew pattern", SYNTAX, 3, "the type pza, a skew-symmetric pattern"},
     {{2, 1, 1, 0}, "pza", {3, 3, 4}, INTS, PATTERN_BODY}},
    {{"sum of the lines", SYNTAX, 2, "expected 3 lines in all, the sum of the parts, found 4"},
     {{4, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"negative rows", SYNTAX, 3,
      "expected a number of rows in columns 15 to 28, found \"-2\" (read as Rutherford-Boeing)"},
     {{3, 1, 1, 1}, "rua", {-2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"too many rows", TOO_LARGE, 3, "a number of rows of at most 2147483646, found \"2147483647\""},
     {{3, 1, 1, 1}, "rua", {2147483647, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"not square", SYNTAX, 3, "as many rows as columns for a symmetric matrix, found 2 and 3"},
     {{3, 1, 1, 1}, "rsa", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"entries without rows", SYNTAX, 3, "expected no entries in a matrix of 0 x 3, found a count of 4"},
     {{3, 1, 1, 1}, "rua", {0, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"lines of pointers", SYNTAX, 4, "expected 2 lines for 4 column pointers, 3 a line, found a count of 1"},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(3I3) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"lines of values", SYNTAX, 4, "expected 1 lines for 4 values, 4 a line, found a count of 0"},
     {{2, 1, 1, 0}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY}},
    {{"values of a pattern", SYNTAX, 4, "expected no lines of values for a pattern, found a count of 1"},
     {{3, 1, 1, 1}, "pua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"no format", SYNTAX, 4, "expected a Fortran format of row indices such as (16I5), found \"4I3)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(4I3) 4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"format of two kinds", SYNTAX, 4,
      "a Fortran format of values such as (1P,5E16.8), found \"(2F6.2,2F5.2)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(2F6.2,2F5.2)", PATTERN_BODY VALUES}},
    {{"pointers in real numbers", SYNTAX, 4, "of column pointers such as (16I5), found \"(4F3.0)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(4F3.0) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"integers in real numbers", SYNTAX, 4, "of values such as (16I5), found \"(4F6.2)\""},
     {{3, 1, 1, 1}, "iua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"no width", SYNTAX, 4, "found \"(4I)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(4I) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"huge width", SYNTAX, 4, "found \"(4I1000)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(4I1000) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"no repeat", SYNTAX, 4, "found \"(0I3)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(0I3) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"much too large a width", SYNTAX, 4, "found \"(4I10000)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(4I10000) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"too large a repeat", SYNTAX, 4, "found \"(1001I3)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(1001I3) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"too large repeats together", SYNTAX, 4, "found \"(100(100I3))\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(100(100I3)) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"negative repeat", SYNTAX, 4, "found \"(-4I3)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(-4I3) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"three levels of parentheses", SYNTAX, 4, "found \"(((4I3)))\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, "(((4I3))) (4I3) (4F6.2)", PATTERN_BODY VALUES}},
    {{"more exponent than width", SYNTAX, 4, "found \"(4E9.2E10)\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4E9.2E10)", PATTERN_BODY VALUES}},
    {{"no lines of indices", SYNTAX, 6, "expected 4 row indices, found the end of the file after 0"},
     {{3, 1, 1, 1},
      "rua",
      {2, 3, 4},
      INTS "(4F6.2)",
      "  1  3  4  5                                        \n"}},
    {{"no integer at all", SYNTAX, 7, "an integer, found blanks"},
     {{3, 1, 1, 1}, "iua", {2, 3, 4}, INTS "(4I6)", PATTERN_BODY "     1     2           4\n"}},
    {{"no number where none needs a point", SYNTAX, 7, "a number, found \"abc\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.0)", PATTERN_BODY "   abc -2.00  0.25 40.00\n"}},
    {{"cannot fit", SYNTAX, 4, "for 3 columns and 4000 entries, found 51; is the file cut off?"},
     {{2001, 1, 1000, 1000}, "rua", {2, 3, 4000}, INTS "(4F6.2)", PATTERN_BODY VALUES}},
    {{"first pointer", SYNTAX, 5, "a first column pointer from 1 to 1, found \"0\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  0  3  4  5\n  1  2  2  1\n" VALUES}},
    {{"pointers fall", SYNTAX, 5, "a column pointer from 4 to 5, found \"3\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  4  3  5\n  1  2  2  1\n" VALUES}},
    {{"pointer behind the entries", SYNTAX, 5, "a column pointer from 1 to 5, found \"6\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  6  4  5\n  1  2  2  1\n" VALUES}},
    {{"last pointer", SYNTAX, 5, "a column pointer from 5 to 5, found \"4\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  3  4  4\n  1  2  2  1\n" VALUES}},
    {{"row 0", SYNTAX, 6, "a row index from 1 to 2, found \"0\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  3  4  5\n  0  2  2  1\n" VALUES}},
    {{"row 3 of 2", SYNTAX, 6, "a row index from 1 to 2, found \"3\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  3  4  5\n  1  2  3  1\n" VALUES}},
    {{"a blank where a row should be", SYNTAX, 6, "a row index from 1 to 2, found blanks"},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  3  4  5\n  1  2     1\n" VALUES}},
    {{"columns out of step", SYNTAX, 6, "a row index from 1 to 2, found \"2\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", "  1  3  4  5\n  1 2 2 1\n" VALUES}},
    {{"upper triangle", SYNTAX, 6, "the lower triangle of a symmetric matrix, found row 1, column 2"},
     {{3, 1, 1, 1}, "rsa", {2, 2, 2}, INTS "(2F6.2)", "  1  2  3\n  1  1\n  1.50 -2.00\n"}},
    {{"skew diagonal", SYNTAX, 7, "0 on the diagonal of a skew-symmetric matrix, found \"1.50\""},
     {{3, 1, 1, 1}, "rza", {2, 2, 1}, INTS "(2F6.2)", "  1  2  2\n  1\n  1.50\n"}},
    {{"no number", SYNTAX, 7, "a number with a decimal point, found \"abc\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY "  1.50   abc  0.25 40.00\n"}},
    {{"no point", SYNTAX, 7, "a number with a decimal point, found \"150\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY "   150 -2.00  0.25 40.00\n"}},
    {{"two numbers in a field", SYNTAX, 7, "a number with a decimal point, found \"1.\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY " 1. 2. -2.00  0.25 40.00\n"}},
    {{"no exponent", SYNTAX, 7, "a number with a decimal point, found \"1.5D\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY "  1.5D -2.00  0.25 40.00\n"}},
    {{"no integer", SYNTAX, 7, "an integer, found \"1.5\""},
     {{3, 1, 1, 1}, "iua", {2, 3, 4}, INTS "(4I6)", PATTERN_BODY "   1.5     2     3     4\n"}},
    {{"text behind a full line", SYNTAX, 7, "the end of the line, found \"7\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY "  1.50 -2.00  0.25 40.00 7\n"}},
    {{"text behind the matrix", SYNTAX, 8, "the end of the file behind the matrix, found \"more\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY VALUES "more\n"}},
    {{"cut off in a number", SYNTAX, 7, "in all of its columns at the end of the file, found \"40.0\""},
     {{3, 1, 1, 1}, "rua", {2, 3, 4}, INTS "(4F6.2)", PATTERN_BODY "  1.50 -2.00  0.25 40.0"}},
    {{"a line too few", SYNTAX, 7, "expected 4 values, found the end of the file after 0"},
     {{3, 1, 1, 1},
      "rua",
      {2, 3, 4},
      INTS "(4F6.2)",
      "  1  3  4  5                              \n  1  2  2  1\n"}},
};

static void malformed_files_are_refused(void **state)
{
    char text[TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++)
        check_refusal(&refused[i].refusal, "bad.rb", text, make(&refused[i].file, text));
}

/* Malformed headers of files with right-hand sides. */
static void malformed_right_hand_sides_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        int lines;
        const char *rest;
    } cases[] = {
        {{"negative", SYNTAX, 2, "expected a number of lines of right-hand sides"}, -1, "\nF\n"},
        {{"no description", SYNTAX, 5, "a description of the right-hand sides, found the end of the file"},
         1,
         ""},
    };
    char text[TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int length = snprintf(
            text, sizeof text, "title\n%14d%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s%-20s%s",
            3 + cases[i].lines, 1, 1, 1, cases[i].lines, "RUA", 2, 3, 4, 1, "(4I3)", "(4I3)", "(4F6.2)",
            "(4F6.2)", cases[i].rest);
        check_refusal(&cases[i].refusal, "a.rua", text, (size_t)length);
    }
}

static void names_alone_do_not_make_a_format(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *file, *text;
    } cases[] = {
        {{"type", SYNTAX, 1, "line 3 starts with a type such as rua, found \"three\""},
         "a.rb",
         "one\ntwo\nthree\n"},
        {{"short", SYNTAX, 1, "such as rua, found the end of the file"}, "a.RSA", "one\n"},
        {{"unknown", SYNTAX, 1,
          "other formats: METIS, list of edges, .smtx, Rutherford-Boeing, .npz, tar, PETSc"},
         "a.txt",
         "one\ntwo\nthree\n"},
        {{"hb", SYNTAX, 1, "such as rua, found \"three\""}, "a.hb", "one\ntwo\nthree\n"},
        {{"shape", SYNTAX, 1, "other formats"}, "a.rxa", "one\ntwo\nthree\n"},
        {{"storage", SYNTAX, 1, "other formats"}, "a.rux", "one\ntwo\nthree\n"},
        {{"mtx", SYNTAX, 1, "expected %%MatrixMarket at the start of the file"},
         "a.mtx",
         "one\ntwo\nthree\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_refusal(&cases[i].refusal, cases[i].file, cases[i].text, strlen(cases[i].text));
}

static void damaged_files_are_survived(void **state)
{
    char text[TEXT_MAX];
    (void)state;
    const size_t size = make(&accepted[1].file, text);
    survive_truncations("a.rb", text, size, size - 1);
    survive_truncations("a", text, size, size - 1);
    survive_changes("a.rb", text, size, 1);
    survive_failing_allocations("a.rb", text, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_are_the_matrix_market_matrix),
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(right_hand_sides_are_passed_over),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(malformed_right_hand_sides_are_refused),
        cmocka_unit_test(names_alone_do_not_make_a_format),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
