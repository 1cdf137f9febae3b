/* SPDX-License-Identifier: Apache-2.0 */
/* Checks complex matrices read as their real parts or absolute values: the result equals that of a real
 * file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "read_check.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define BANNER(kind) "%%MatrixMarket matrix " kind "\n"
#define RB(type, rows, cols, entries, lines)                                                       \
    "title\n             " lines "             1             1             " lines "\n" type       \
    "                       " rows "             " cols "             " entries "             0\n" \
    "(4I3) (4I3) (4F6.2)\n"

static const struct {
    const char *name, *complex, *real_part, *abs;
} cases[] = {
    {"general", BANNER("coordinate complex general") "2 3 3\n1 1 3 4\n2 3 -5 -12.0e0\n2 1 1 0\n",
     BANNER("coordinate real general") "2 3 3\n1 1 3\n2 3 -5\n2 1 1\n",
     BANNER("coordinate real general") "2 3 3\n1 1 5\n2 3 13\n2 1 1\n"},
    {"symmetric", BANNER("coordinate complex symmetric") "2 2 2\n1 1 3 4\n2 1\t5\t12\r\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 3\n2 1 5\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 5\n2 1 13\n"},
    {"hermitian", BANNER("coordinate complex hermitian") "2 2 2\n1 1 3 0\n2 1 -5 12\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 3\n2 1 -5\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 3\n2 1 13\n"},
    {"skew-symmetric", BANNER("coordinate complex skew-symmetric") "2 2 2\n1 1 0 0\n2 1 -5 12\n",
     BANNER("coordinate real skew-symmetric") "2 2 2\n1 1 0\n2 1 -5\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 0\n2 1 13\n"},
    {"array", BANNER("array complex general") "2 1\n3 4\n5 -12\n", BANNER("array real general") "2 1\n3\n5\n",
     BANNER("array real general") "2 1\n5\n13\n"},
    {"skew-symmetric array", BANNER("array complex skew-symmetric") "2 2\n3 4\n",
     BANNER("array real skew-symmetric") "2 2\n3\n", BANNER("array real general") "2 2\n0\n5\n5\n0\n"},
    {"Rutherford-Boeing",
     RB("cua", "2", "3", "4", "2") "  1  3  4  5\n  1  2  2  1\n"
                                   "  3.00  4.00  5.00-12.00\n  1.00  0.00  0.00  2.00\n",
     BANNER("coordinate real general") "2 3 4\n1 1 3\n2 1 5\n2 2 1\n1 3 0\n",
     BANNER("coordinate real general") "2 3 4\n1 1 5\n2 1 13\n2 2 1\n1 3 2\n"},
    {"hermitian Rutherford-Boeing",
     RB("CHA", "2", "2", "2", "1") "  1  3  3\n  1  2\n  3.00  0.00  5.00-12.00\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 3\n2 1 5\n",
     BANNER("coordinate real symmetric") "2 2 2\n1 1 3\n2 1 13\n"},
    {"skew Rutherford-Boeing", RB("cza", "2", "2", "1", "1") "  1  2  2\n  2\n  5.00-12.00\n",
     BANNER("coordinate real skew-symmetric") "2 2 1\n2 1 5\n",
     BANNER("coordinate real symmetric") "2 2 1\n2 1 13\n"},
};

/* Copies a file to text and returns its length. The macro RB writes the number of lines of values also as the
 * total of lines, so this function adds the two lines of pointers and indices to the total. */
static size_t text_of(const char *complex, char text[2048])
{
    size_t length = strlen(complex);
    memcpy(text, complex, length + 1);
    if (strncmp(complex, "title", 5) == 0)
        text[19] = (char)(text[19] + 2);
    return length;
}

static void one_number_of_each_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[2048];
        const size_t size = text_of(cases[i].complex, text);
        for (int part = SPMM_COMPLEX_REAL_PART; part <= SPMM_COMPLEX_ABS; part++) {
            const char *real = part == SPMM_COMPLEX_ABS ? cases[i].abs : cases[i].real_part;
            spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
            spmm_matrix_info_t info = {.struct_size = sizeof info};
            options.complex_part = (spmm_complex_part_t)part;
            spmm_matrix_t *matrix = must_read_by(cases[i].name, text, size, &options);
            spmm_matrix_t *expected = must_read("a.mtx", real, strlen(real));
            assert_same_matrix(cases[i].name, matrix, expected);
            assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
            assert_string_equal(info.field, "complex");
            spmm_matrix_destroy(matrix);
            spmm_matrix_destroy(expected);
        }
    }
}

static void symmetry_is_that_of_what_is_read(void **state)
{
    static const char text[] = BANNER("coordinate complex skew-symmetric") "2 2 1\n2 1 -5 12\n";
    static const char *const expected[] = {"skew-symmetric", "symmetric"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        options.complex_part = i == 0 ? SPMM_COMPLEX_REAL_PART : SPMM_COMPLEX_ABS;
        spmm_matrix_t *matrix = must_read_by("a.mtx", text, sizeof text - 1, &options);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.symmetry, expected[i]);
        spmm_matrix_destroy(matrix);
    }
}

static void malformed_complex_numbers_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *text;
    } refused[] = {
        {{"no imaginary part", SYNTAX, 3, "expected a real and an imaginary part, found \"5\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 5\n\n\n"},
        {{"no real part", SYNTAX, 3, "expected a real and an imaginary part, found \"x\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 x 5\n"},
        {{"the end behind a real part", SYNTAX, 3, "a real and an imaginary part, found \"5.000000\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 5.000000"},
        {{"no number behind it", SYNTAX, 3, "a real and an imaginary part, found \"1\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 1 x\n"},
        {{"no blank between", SYNTAX, 3, "a real and an imaginary part, found \"1+2i\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 1+2i\n"},
        {{"a word behind", SYNTAX, 3, "a real and an imaginary part, found \"1\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 1 2i\n"},
        {{"three numbers", SYNTAX, 3, "expected the end of the line, found \"3\""},
         BANNER("coordinate complex general") "2 2 1\n2 1 1 2 3\n"},
        {{"hermitian diagonal", SYNTAX, 3, "imaginary part 0 on the diagonal of a hermitian matrix"},
         BANNER("coordinate complex hermitian") "2 2 1\n2 2 1 2\n"},
        {{"skew diagonal, real", SYNTAX, 3, "0 on the diagonal of a skew-symmetric matrix"},
         BANNER("coordinate complex skew-symmetric") "2 2 1\n2 2 1 0\n"},
        {{"skew diagonal, imaginary", SYNTAX, 3, "0 on the diagonal of a skew-symmetric matrix"},
         BANNER("coordinate complex skew-symmetric") "2 2 1\n2 2 0 1\n"},
        {{"cannot fit", SYNTAX, 4, "expected 3 entries, found the end of the file after 1"},
         BANNER("coordinate complex general") "2 2 3\n2 1 1 1.00\n"},
        {{"cannot fit an array", SYNTAX, 4, "expected 4 entries, found the end of the file after 1"},
         BANNER("array complex general") "2 2\n1 1.0000\n"},
        {{"RB: hermitian diagonal", SYNTAX, 7, "imaginary part 0 on the diagonal of a hermitian matrix"},
         RB("cha", "2", "2", "1", "1") "  1  2  2\n  1\n  5.00-12.00\n"},
        {{"RB: skew diagonal", SYNTAX, 7, "0 on the diagonal of a skew-symmetric matrix"},
         RB("cza", "2", "2", "1", "1") "  1  2  2\n  1\n  0.00-12.00\n"},
        {{"RB: no number", SYNTAX, 7, "a number with a decimal point, found \"x\""},
         RB("cua", "2", "2", "1", "1") "  1  2  2\n  1\n  0.00     x\n"},
        {{"RB: text behind a real part", SYNTAX, 7, "the end of the line, found \"7\""},
         "title\n             4             1             1             2\ncua                        2      "
         "       2"
         "             1             0\n(4I3) (4I3) (1F6.2)\n  1  2  2\n  1\n  1.00 7\n  2.00\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        char text[2048];
        size_t size = strlen(refused[i].text);
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        options.complex_part = SPMM_COMPLEX_REAL_PART;
        if (strstr(refused[i].text, "1F6.2") == NULL)
            size = text_of(refused[i].text, text);
        else
            memcpy(text, refused[i].text, size);
        check_refusal_by(&refused[i].refusal, "a.mtx", text, size, &options);
    }
}

static void other_parts_are_refused(void **state)
{
    (void)state;
    for (int part = -1; part <= 3; part += 4) {
        const struct refusal refusal = {"part", SPMM_ERR_ARGUMENT, 0,
                                        "expected complex_part from 0 to 2, found"};
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        options.complex_part = (spmm_complex_part_t)part;
        check_refusal_by(&refusal, "a.mtx", "", 0, &options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_of_each_is_read),
        cmocka_unit_test(symmetry_is_that_of_what_is_read),
        cmocka_unit_test(malformed_complex_numbers_are_refused),
        cmocka_unit_test(other_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
