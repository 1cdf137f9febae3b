/* SPDX-License-Identifier: Apache-2.0 */
/* Checks METIS graphs: which are read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "read_check.h"
#include "tests/support/scorecard.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE
#define PATTERN "%%MatrixMarket matrix coordinate pattern symmetric\n"
#define INTEGER "%%MatrixMarket matrix coordinate integer symmetric\n"

static void files_are_the_matrix_market_matrix(void **state)
{
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    spmm_matrix_t *matrix = must_load("ring_weights.graph");
    spmm_matrix_t *expected = must_load("ring.mtx");
    (void)state;
    assert_same_matrix("weights", matrix, expected);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_string_equal(info.format, "metis");
    assert_string_equal(info.field, "integer");
    assert_string_equal(info.symmetry, "symmetric");
    assert_int_equal(info.entries_stored, 14);
    spmm_matrix_destroy(matrix);
    spmm_matrix_destroy(expected);
}

static void variants_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *name, *text, *mtx;
    } cases[] = {
        {"plain.graph", "3 2\n2\n1 3\n2\n", PATTERN "3 3 2\n2 1\n3 2\n"},
        {"tabs, blanks, DOS lines, no line end.graph", " 3\t2 \r\n2\r\n 1  3 \r\n\t2",
         PATTERN "3 3 2\n2 1\n3 2\n"},
        {"comments.METIS", "% a\n3 2\n2\n% b\n1 3\n2\n% c\n\n", PATTERN "3 3 2\n2 1\n3 2\n"},
        {"vertices without neighbours.graph", "4 1\n\n3\n2\n\n", PATTERN "4 4 1\n3 2\n"},
        {"the last one without a line.graph", "3 1\n2\n1\n", PATTERN "3 3 1\n2 1\n"},
        {"edge weights.graph", "3 2 1\n2 -7\n1 -7 3 9\n2 9\n", INTEGER "3 3 2\n2 1 -7\n3 2 9\n"},
        {"three digits.graph", "3 2 001\n2 7\n1 7 3 9\n2 9\n", INTEGER "3 3 2\n2 1 7\n3 2 9\n"},
        {"sizes.graph", "2 1 100\n5 2\n5 1\n", PATTERN "2 2 1\n2 1\n"},
        {"one weight.graph", "2 1 10\n5 2\n5 1\n", PATTERN "2 2 1\n2 1\n"},
        {"everything.graph", "2 1 111 2\n5 6 7 2 3\n5 6 7 1 3\n", INTEGER "2 2 1\n2 1 3\n"},
        {"no weights, said.graph", "2 1 0 0\n2\n1\n", PATTERN "2 2 1\n2 1\n"},
        {"one without a line.graph", "1 0\n", PATTERN "1 1 0\n"},
        {"nothing.graph", "0 0\n", PATTERN "0 0 0\n"},
        {"inexact weight.graph", "2 1 1\n2 9007199254740993\n1 9007199254740993\n",
         INTEGER "2 2 1\n2 1 9007199254740993\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_t *matrix = must_read(cases[i].name, cases[i].text, strlen(cases[i].text));
        spmm_matrix_t *expected = must_read("a.mtx", cases[i].mtx, strlen(cases[i].mtx));
        assert_same_matrix(cases[i].name, matrix, expected);
        spmm_matrix_destroy(matrix);
        spmm_matrix_destroy(expected);
    }
}

static void inexact_weights_are_counted(void **state)
{
    static const char text[] = "2 1 1\n2 9007199254740993\n1 9007199254740993\n";
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    spmm_matrix_t *matrix = must_read("a.graph", text, sizeof text - 1);
    (void)state;
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_int_equal(info.integers_inexact, 2);
    spmm_matrix_destroy(matrix);
}

static const struct {
    struct refusal refusal;
    const char *text;
} refused[] = {
    {{"no number", SYNTAX, 1, "expected a METIS graph, whose first line is"}, "hello\n"},
    {{"one number", SYNTAX, 1, "[format [weights]]\", found \"5\""}, "5\n"},
    {{"five numbers", SYNTAX, 1, "expected a METIS graph"}, "5 4 0 0 1\n"},
    {{"a word behind a number", SYNTAX, 1, "expected a METIS graph"}, "5 4x\n"},
    {{"a graph of WebGraph", SYNTAX, 1,
      "found binary data; a graph of WebGraph has to be written as a list of edges"},
     "\x8f\x1d\n5 4\n"},
    {{"text before binary data", SYNTAX, 1, "[format [weights]]\", found \"hello\""}, "hello\n\x1d\n"},
    {{"only comments", SYNTAX, 1, "found the end of the file"}, "% a\n% b\n"},
    {{"format of four digits", SYNTAX, 1, "three digits 0 or 1, found 1000"}, "2 1 1000\n2\n1\n"},
    {{"format of a 2", SYNTAX, 1, "three digits 0 or 1, found 2"}, "2 1 2\n2\n1\n"},
    {{"format of 20", SYNTAX, 1, "three digits 0 or 1, found 20"}, "2 1 20\n2\n1\n"},
    {{"weights without the format", SYNTAX, 1, "weights of a vertex of 0 for this format, found 1"},
     "2 1 1 1\n2\n1\n"},
    {{"no weights for the format", SYNTAX, 1, "weights of a vertex from 1 on, found 0"}, "2 1 10 0\n2\n1\n"},
    {{"too many weights", SYNTAX, 2, "a size or weight of the vertex"}, "2 1 10 999999999999999999\n2\n1\n"},
    {{"most vertices", SYNTAX, 1, "lines of 2147483646 vertices"}, "2147483646 0\n"},
    {{"too many vertices", TOO_LARGE, 1, "at most 2147483646 vertices, found 2147483647"}, "2147483647 0\n"},
    {{"vertices that do not fit", SYNTAX, 1, "lines of 7 vertices with 0 edges, but only 5 bytes follow"},
     "7 0\n\n\n\n\n\n"},
    {{"edges that do not fit", SYNTAX, 1, "with 3 edges, but only 4 bytes follow; is the file cut off?"},
     "2 3\n2\n1\n"},
    {{"cut off", SYNTAX, 5, "lines of 3 vertices, found the end of the file after 2"}, "% a\n3 2\n2\n1 3"},
    {{"cut off without neighbours", SYNTAX, 4, "found the end of the file after 1"}, "3 0 000\n\n%x\n"},
    {{"too few neighbours", SYNTAX, 4, "expected 4 neighbours in all, two for each edge, found 2"},
     "3 2\n2\n1\n\n"},
    {{"too many neighbours", SYNTAX, 3, "expected 2 neighbours in all, two for each edge, found more"},
     "3 1\n2\n1 3\n2\n"},
    {{"neighbour 0", SYNTAX, 2, "a neighbour from 1 to 3, found \"0\""}, "3 2\n0\n1 3\n2\n"},
    {{"neighbour too large", SYNTAX, 3, "a neighbour from 1 to 3, found \"4\""}, "3 2\n2\n1 4\n2\n"},
    {{"a word", SYNTAX, 3, "a neighbour from 1 to 3, found \"x\""}, "3 2\n2\n1 x\n2\n"},
    {{"a loop", SYNTAX, 3, "no edge of a vertex with itself, found \"2\""}, "3 2\n2\n1 2\n2\n"},
    {{"no weight of an edge", SYNTAX, 2, "an integer, the weight of the edge, found the end of the line"},
     "2 1 1\n2\n1 3\n"},
    {{"weight with a point", SYNTAX, 2, "the weight of the edge, found \"3.5\""}, "2 1 1\n2 3.5\n1 3.5\n"},
    {{"no weight of a vertex", SYNTAX, 3, "a size or weight of the vertex, found the end of the line"},
     "2 1 10\n5 2\n\n"},
    {{"one direction", SYNTAX, 0, "found the edge 1 to 2 without its counterpart"}, "3 1\n2\n3\n\n"},
    {{"twice at one", SYNTAX, 0, "found the edge 2 to 1 without its counterpart"}, "3 2\n2\n1 1\n2\n"},
    {{"two weights", SYNTAX, 0, "each edge once at both of its vertices, found the edge 1 to 2"},
     "2 1 1\n2 3\n1 4\n"},
    {{"text behind", SYNTAX, 5, "the end of the file behind the last vertex, found \"7\""},
     "2 1\n2\n1\n\n7\n"},
};

static void malformed_graphs_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++)
        check_refusal(&refused[i].refusal, "a.graph", refused[i].text, strlen(refused[i].text));
}

static void damaged_graphs_are_survived(void **state)
{
    size_t size = 0;
    unsigned char *bytes = bytes_of("ring_weights.graph", &size);
    (void)state;
    survive_truncations("a.graph", bytes, size, size - 2);
    survive_changes("a.graph", bytes, size, 5);
    survive_failing_allocations("a.graph", bytes, size);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(variants_are_the_matrix_market_matrix),
        cmocka_unit_test(inexact_weights_are_counted),
        cmocka_unit_test(malformed_graphs_are_refused),
        cmocka_unit_test(damaged_graphs_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
