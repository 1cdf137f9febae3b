/* SPDX-License-Identifier: Apache-2.0 */
/* Checks lists of edges: the index base, the number of vertices, and what is refused. */
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
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define PATTERN "%%MatrixMarket matrix coordinate pattern general\n"
#define REAL "%%MatrixMarket matrix coordinate real general\n"
#define AUTO SPMM_INDEX_BASE_AUTO
#define FROM_0 SPMM_INDEX_BASE_0
#define FROM_1 SPMM_INDEX_BASE_1

static spmm_read_options_t options_of(spmm_index_base_t base, int64_t vertices)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    options.index_base = base;
    options.vertices = vertices;
    return options;
}

static void files_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *file;
        spmm_index_base_t base;
    } cases[] = {{"ring.txt", AUTO}, {"ring.csv", FROM_1}};
    spmm_matrix_t *expected = must_load("ring.mtx");
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size = 0;
        const spmm_read_options_t options = options_of(cases[i].base, 0);
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        unsigned char *bytes = bytes_of(cases[i].file, &size);
        spmm_matrix_t *matrix = must_read_by(cases[i].file, bytes, size, &options);
        assert_same_matrix(cases[i].file, matrix, expected);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.format, "edges");
        assert_string_equal(info.field, "real");
        assert_int_equal(info.entries_stored, 14);
        spmm_matrix_destroy(matrix);
        free(bytes);
    }
    spmm_matrix_destroy(expected);
}

static void variants_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *name, *text;
        spmm_index_base_t base;
        int64_t vertices;
        const char *mtx;
    } cases[] = {
        {"from 0", "0 1\n2 0\n", AUTO, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"from 0, said", "1 2\n2 1\n", FROM_0, 0, PATTERN "3 3 2\n2 3\n3 2\n"},
        {"from 1", "1 2\n3 1\n", FROM_1, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"vertices", "0 1\n2 0\n", AUTO, 5, PATTERN "5 5 2\n1 2\n3 1\n"},
        {"vertices from 1", "1 2\n3 1\n", FROM_1, 3, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"vertices before the comment", "# Nodes: 9\n0 1\n2 0\n", AUTO, 4, PATTERN "4 4 2\n1 2\n3 1\n"},
        {"more nodes", "# Nodes: 5 Edges: 2\n0 1\n2 0\n", AUTO, 0, PATTERN "5 5 2\n1 2\n3 1\n"},
        {"fewer nodes", "# Nodes: 2 Edges: 2\n0 1\n2 0\n", AUTO, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"nodes that are no number", "# Nodes: many\n# Nodes:\n0 1\n2 0\n", AUTO, 0,
         PATTERN "3 3 2\n1 2\n3 1\n"},
        {"too many nodes", "# Nodes: 2147483647\n0 1\n2 0\n", AUTO, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"nodes behind %", "% Nodes: 5\n0 1\n2 0\n", AUTO, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"commas and tabs", "0 , 1\r\n\t2,0 \r\n", AUTO, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"comments and blank lines", "\n  # a\n0 1\n% b\n\n 2 0", AUTO, 0, PATTERN "3 3 2\n1 2\n3 1\n"},
        {"weights", "# w\n0 1 -2.5\n2 0 1e3\n", AUTO, 0, REAL "3 3 2\n1 2 -2.5\n3 1 1000\n"},
        {"weights by name.el", "0 1 -2.5\n2 0 1e3\n", AUTO, 0, REAL "3 3 2\n1 2 -2.5\n3 1 1000\n"},
        {"one edge.edges", "0 1\n", AUTO, 0, PATTERN "2 2 1\n1 2\n"},
        {"one edge.EDGELIST", "0 1", AUTO, 0, PATTERN "2 2 1\n1 2\n"},
        {"one edge.el", "0 1 2", AUTO, 0, REAL "2 2 1\n1 2 2\n"},
        {"one edge.tsv", "0\t1\n", AUTO, 0, PATTERN "2 2 1\n1 2\n"},
        {"sizes that are an edge, said", "3 2\n0 1\n2 0\n", FROM_0, 0, PATTERN "4 4 3\n4 3\n1 2\n3 1\n"},
        {"sizes from 1 that are an edge, said", "3 2\n1 2\n3 1\n", FROM_1, 3,
         PATTERN "3 3 3\n3 2\n1 2\n3 1\n"},
        {"no size from 1: a larger vertex", "2 2\n1 2\n3 1\n", FROM_1, 0, PATTERN "3 3 3\n2 2\n1 2\n3 1\n"},
        {"no size from 1: other edges", "3 1\n1 2\n3 1\n", FROM_1, 0, PATTERN "3 3 2\n3 1\n1 2\n"},
        {"no size: a vertex as large", "2 2\n0 1\n2 0\n", AUTO, 0, PATTERN "3 3 3\n3 3\n1 2\n3 1\n"},
        {"no size: other vertices as large", "2 2\n0 1\n0 2\n", AUTO, 0, PATTERN "3 3 3\n3 3\n1 2\n1 3\n"},
        {"no size: another number of edges", "3 1\n0 1\n2 0\n", AUTO, 0, PATTERN "4 4 3\n4 2\n1 2\n3 1\n"},
        {"no size: one edge.el", "1 0\n", AUTO, 0, PATTERN "2 2 1\n2 1\n"},
        {"no size: weights.el", "3 2 1\n0 1 1\n2 0 1\n", AUTO, 0, REAL "4 4 3\n4 3 1\n1 2 1\n3 1 1\n"},
        {"an edge named twice", "0 1\n0 1\n", AUTO, 0, PATTERN "2 2 1\n1 2\n"},
        {"weights are summed", "# w\n0 1 2\n0 1 3\n", AUTO, 0, REAL "2 2 1\n1 2 5\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const spmm_read_options_t options = options_of(cases[i].base, cases[i].vertices);
        spmm_matrix_t *matrix = must_read_by(cases[i].name, cases[i].text, strlen(cases[i].text), &options);
        spmm_matrix_t *expected = must_read("a.mtx", cases[i].mtx, strlen(cases[i].mtx));
        assert_same_matrix(cases[i].name, matrix, expected);
        spmm_matrix_destroy(matrix);
        spmm_matrix_destroy(expected);
    }
}

static const struct {
    struct refusal refusal;
    const char *name, *text;
    spmm_index_base_t base;
    int64_t vertices;
} refused[] = {
    {{"no vertex 0", UNSUPPORTED, 0,
      "no vertex 0, so its numbers may count from 0 or from 1; --base 0 or --base 1"},
     "a",
     "1 2\n2 3\n",
     AUTO,
     0},
    {{"sizes before the edges", UNSUPPORTED, 0,
      "begins with \"3 2\", which may be the numbers of vertices and edges; delete that line, or --base 0"},
     "a",
     "# a\n3 2\n0 1\n2 0\n",
     AUTO,
     0},
    {{"sizes before the edges from 1", UNSUPPORTED, 0,
      "begins with \"3 2\", which may be the numbers of vertices and edges; delete that line, or --vertices "
      "N"},
     "a",
     "3 2\n1 2\n3 1\n",
     FROM_1,
     0},
    {{"vertex 0 from 1", SYNTAX, 2, "a vertex from 1 to 2147483646, found \"0\""},
     "a",
     "1 2\n0 3\n",
     FROM_1,
     0},
    {{"largest vertex", SYNTAX, 2, "a vertex from 0 to 2147483645, found \"2147483646\""},
     "a",
     "0 2\n0 2147483646\n",
     AUTO,
     0},
    {{"beyond the vertices", SYNTAX, 2, "a vertex from 0 to 3, found \"4\""}, "a", "0 2\n0 4\n", AUTO, 4},
    {{"beyond the vertices from 1", SYNTAX, 2, "a vertex from 1 to 4, found \"5\""},
     "a",
     "1 2\n1 5\n",
     FROM_1,
     4},
    {{"a sign", SYNTAX, 3, "a vertex from 0 to 2147483645, found \"-3\""}, "a", "0 2\n0 1\n-3 2\n", AUTO, 0},
    {{"letters behind", SYNTAX, 3, "found \"3x\""}, "a", "0 2\n0 1\n3x 2\n", AUTO, 0},
    {{"one column", SYNTAX, 3, "found the end of the line"}, "a", "0 2\n0 1\n3\n", AUTO, 0},
    {{"three columns where two were", SYNTAX, 3, "two columns a line, found \"5\""},
     "a",
     "0 2\n0 1\n3 4 5\n",
     AUTO,
     0},
    {{"two columns where three were", SYNTAX, 4,
      "a number, the weight of the edge, found the end of the line"},
     "a",
     "# w\n0 2 1\n0 1 1\n3 4\n",
     AUTO,
     0},
    {{"four columns where three were", SYNTAX, 4, "three columns a line, found \"9\""},
     "a",
     "# w\n0 2 1\n0 1 1\n3 4 1 9\n",
     AUTO,
     0},
    {{"four columns", SYNTAX, 2, "two or three columns, the third a weight, found \"0\", the first of four"},
     "a",
     "# w\n0 2 1 7\n0 1 1 8\n",
     AUTO,
     0},
    {{"weight that is none", SYNTAX, 4, "the weight of the edge, found \"1x\""},
     "a",
     "# w\n0 2 1\n0 1 1\n0 1 1x\n",
     AUTO,
     0},
    {{"a carriage return", SYNTAX, 3, "two columns a line, found a carriage return"},
     "a",
     "0 2\n0 1\n3 4\r5 6\n",
     AUTO,
     0},
    {{"name alone", SYNTAX, 1, "a list of edges, two or three numbers a line, found \"source,target\""},
     "a.csv",
     "source,target\n0,1\n",
     AUTO,
     0},
    {{"weights without name and comment", SYNTAX, 1, "the file has no banner"},
     "a",
     "0 1 2\n1 2 3\n",
     AUTO,
     0},
    {{"one edge without name", SYNTAX, 1, "the file has no banner"}, "a", "0 1\n", AUTO, 0},
    {{"two numbers in one", SYNTAX, 1, "expected a list of edges"}, "a.el", "0 1 3-4\n", AUTO, 0},
    {{"a carriage return in the first line", SYNTAX, 1, "the file has no banner"},
     "a",
     "0 1\r5\n1 2\n",
     AUTO,
     0},
    {{"two lines by name", SYNTAX, 2, "two columns a line, found \"4\""}, "a.el", "0 1\n2 3 4\n", AUTO, 0},
    {{"five columns", SYNTAX, 1, "expected a list of edges"}, "a.el", "0 1 2 3 4\n", AUTO, 0},
    {{"the name of another format", SYNTAX, 1,
      "what looks like a list of edges; a Matrix Market file has a banner"},
     "a.mtx",
     "0 1\n1 2\n",
     AUTO,
     0},
    {{"vertices", SPMM_ERR_ARGUMENT, 0, "expected vertices from 0 to 2147483646, found -1"},
     "a",
     "0 1\n",
     AUTO,
     -1},
    {{"many vertices", SPMM_ERR_ARGUMENT, 0, "found 2147483647"}, "a", "0 1\n", AUTO, 2147483647},
    {{"base", SPMM_ERR_ARGUMENT, 0, "expected index_base from 0 to 2, found 3"},
     "a",
     "0 1\n",
     (spmm_index_base_t)3,
     0},
};

static void malformed_lists_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        const spmm_read_options_t options = options_of(refused[i].base, refused[i].vertices);
        check_refusal_by(&refused[i].refusal, refused[i].name, refused[i].text, strlen(refused[i].text),
                         &options);
    }
}

static void most_vertices_are_taken(void **state)
{
    static const struct refusal refusal = {"most", SPMM_ERR_MEMORY, 0,
                                           "the row pointers needs 17179869176 bytes"};
    spmm_read_options_t options = options_of(AUTO, 2147483646);
    (void)state;
    options.budget_bytes = 1 << 20;
    check_refusal_by(&refusal, "a.el", "0 1\n", 4, &options);
}

/* The reader recognizes the format by the first 64 KiB. This list is longer. */
static void a_long_list_is_read(void **state)
{
    enum { LINES = 20000 };
    spmm_csr_t csr;
    char *text = malloc(LINES * 8 + 1);
    size_t size = 0;
    (void)state;
    for (int i = 0; i < LINES; i++, size += 6)
        memcpy(text + size, i % 2 == 0 ? "0 123\n" : "7 456\n", 6);
    spmm_matrix_t *matrix = must_read("a", text, size);
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    assert_int_equal(csr.rows, 457);
    assert_int_equal(csr.nnz, 2);
    spmm_matrix_destroy(matrix);
    free(text);
}

static void damaged_lists_are_survived(void **state)
{
    size_t size = 0;
    unsigned char *bytes = bytes_of("ring.txt", &size);
    (void)state;
    survive_truncations("a.edges", bytes, size, 76);
    survive_changes("a", bytes, size, 5);
    survive_failing_allocations("a", bytes, size);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(variants_are_the_matrix_market_matrix),
        cmocka_unit_test(malformed_lists_are_refused),
        cmocka_unit_test(most_vertices_are_taken),
        cmocka_unit_test(a_long_list_is_read),
        cmocka_unit_test(damaged_lists_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
