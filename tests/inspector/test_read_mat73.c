/* SPDX-License-Identifier: Apache-2.0 */
/* Checks MATLAB files of version 7.3, written by tests/data/formats/make_mat73.py with the HDF5 library:
 * which variable is read, of which types and layouts, and what is refused. */
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
#define KINDS "v73_kinds.mat.zst"

static spmm_matrix_t *load(const char *file, const char *variable, spmm_complex_part_t part)
{
    size_t size = 0;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    unsigned char *bytes = bytes_of(file, &size);
    options.variable = variable;
    options.complex_part = part;
    spmm_matrix_t *matrix = must_read_by(file, bytes, size, &options);
    free(bytes);
    return matrix;
}

static void files_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *file, *variable, *field;
    } cases[] = {{"v73.mat", NULL, "real"},
                 {"v73.mat", "S", "real"},
                 {"v73_chunked.mat", NULL, "real"},
                 {"v73_problem.mat", NULL, "real"},
                 {"v73_problem.mat", "Problem", "real"},
                 {KINDS, "S_complex", "complex"}};
    spmm_matrix_t *expected = must_load("others.mtx");
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        spmm_matrix_t *matrix = load(cases[i].file, cases[i].variable, SPMM_COMPLEX_REAL_PART);
        assert_same_matrix(cases[i].file, matrix, expected);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.format, "mat");
        assert_string_equal(info.field, cases[i].field);
        spmm_matrix_destroy(matrix);
    }
    spmm_matrix_destroy(expected);
}

static void every_layout_has_the_same_numbers(void **state)
{
    static const char *const names[] = {"F", "F_chunked", "F_complex", "F_compact", "F_big_endian"};
    spmm_matrix_t *expected = must_load("petsc_dense.petsc"); /* includes its zeros */
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        spmm_matrix_t *matrix = load(KINDS, names[i], SPMM_COMPLEX_REAL_PART);
        assert_same_matrix(names[i], matrix, expected);
        spmm_matrix_destroy(matrix);
    }
    spmm_matrix_destroy(expected);
}

static void every_type_has_the_same_numbers(void **state)
{
    static const struct {
        const char *name, *field;
    } cases[] = {{"N_single", "real"},    {"N_int8", "integer"},   {"N_uint8", "integer"},
                 {"N_int16", "integer"},  {"N_uint16", "integer"}, {"N_int32", "integer"},
                 {"N_uint32", "integer"}, {"N_int64", "integer"},  {"N_uint64", "integer"}};
    static const double small[] = {1, 0, 3, 0, 5, 127};
    (void)state;
    spmm_matrix_t *expected = load(KINDS, "N_double", SPMM_COMPLEX_REFUSE);
    spmm_csr_t csr;
    assert_int_equal(spmm_matrix_csr(expected, &csr), SPMM_OK);
    assert_int_equal(csr.rows, 2);
    assert_int_equal(csr.nnz, COUNT(small));
    for (size_t i = 0; i < COUNT(small); i++)
        assert_true(((const double *)csr.values)[i] == small[i]);
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        spmm_matrix_t *matrix = load(KINDS, cases[i].name, SPMM_COMPLEX_REFUSE);
        assert_same_matrix(cases[i].name, matrix, expected);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.field, cases[i].field);
        spmm_matrix_destroy(matrix);
    }
    spmm_matrix_destroy(expected);
}

static void arrays_without_entries_and_of_ones_are_read(void **state)
{
    static const struct {
        const char *name;
        int64_t rows, cols, nnz;
        double sum;
    } cases[] = {{"S_none", 3, 2, 0, 0},
                 {"S_logical", 6, 5, 10, 10},
                 {"S_long", 500, 1, 500, 125250}, /* its tree of chunks has two levels */
                 {"N_logical", 2, 3, 6, 4},
                 {"E_rows", 0, 4, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_csr_t csr;
        double sum = 0;
        spmm_matrix_t *matrix = load(KINDS, cases[i].name, SPMM_COMPLEX_REFUSE);
        assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
        assert_int_equal(csr.rows, cases[i].rows);
        assert_int_equal(csr.cols, cases[i].cols);
        assert_int_equal(csr.nnz, cases[i].nnz);
        for (int64_t k = 0; k < csr.nnz; k++)
            sum += ((const double *)csr.values)[k];
        assert_true(sum == cases[i].sum);
        spmm_matrix_destroy(matrix);
    }
}

static void other_variables_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *variable;
    } cases[] = {
        {{"four sparse", UNSUPPORTED, 0, "found 4; --variable of spmm-inspect names one of S_complex, S_"},
         NULL},
        {{"no such variable", UNSUPPORTED, 0,
          "expected a variable X in the MATLAB file, found E_rows, F, F_"},
         "X"},
        {{"complex", UNSUPPORTED, 0, "the values are complex; --real-part or --abs"}, "S_complex"},
        {{"a cube", UNSUPPORTED, 0, "variable cube: expected a matrix, found an array of 3 dimensions"},
         "cube"},
        {{"text", UNSUPPORTED, 0, "variable text: expected a sparse or full array of numbers, found a cell"},
         "text"},
        {{"a cell", UNSUPPORTED, 0, "variable cell: expected a sparse or full array of numbers"}, "cell"},
        {{"a struct", UNSUPPORTED, 0,
          "variable struct_without: expected a field A, found a struct without it"},
         "struct_without"},
        {{"a filter", UNSUPPORTED, 0, "found a filter other than shuffle and deflate"}, "F_fletcher"},
    };
    size_t size = 0;
    unsigned char *bytes = bytes_of(KINDS, &size);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        options.variable = cases[i].variable;
        check_refusal_by(&cases[i].refusal, "a.mat.zst", bytes, size, &options);
    }
    free(bytes);
}

/* Returns the offset of the count-th occurrence of the bytes `what`. Fails the test if there is none. */
static size_t find(const unsigned char *bytes, size_t size, const char *what, size_t length, int count)
{
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, what, length) == 0 && --count == 0)
            return i;
    fail_msg("%s is not in the file", what);
    return 0;
}

static void changed_structures_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *file, *near; /* `to` is written `offset` bytes after `near` */
        int count, offset;
        const char *to;
        size_t length;
    } cases[] = {
        {{"signature", SYNTAX, 0, "byte 512: expected the signature of HDF5 after the header"},
         "v73.mat",
         "HDF\r",
         1,
         0,
         "X",
         1},
        {{"superblock", SYNTAX, 0,
          "byte 520: expected a superblock of version 0 or 1; programs other than MATLAB"},
         "v73.mat",
         "HDF\r",
         1,
         7,
         "\2",
         1},
        {{"size of addresses", SYNTAX, 0, "byte 525: expected addresses and sizes of 8 bytes"},
         "v73.mat",
         "HDF\r",
         1,
         12,
         "\4",
         1},
        {{"base", SYNTAX, 0, "expected a whole superblock; is the file cut off?"},
         "v73.mat",
         "HDF\r",
         1,
         30,
         "\xff",
         1},
        {{"root", SYNTAX, 0, "expected an object header within the file"},
         "v73.mat",
         "HDF\r",
         1,
         70,
         "\x7f",
         1},
        {{"names", SYNTAX, 0, "expected the names of a group"}, "v73.mat", "HEAP", 1, 0, "X", 1},
        {{"size of names", SYNTAX, 0, "expected the names of a group within the file"},
         "v73.mat",
         "HEAP",
         1,
         13,
         "\x7f",
         1},
        {{"symbols", SYNTAX, 0, "expected symbols of a group"}, "v73.mat", "SNOD", 1, 0, "X", 1},
        {{"count of symbols", SYNTAX, 0, "expected symbols of a group within the file"},
         "v73.mat",
         "SNOD",
         1,
         7,
         "\xff",
         1},
        {{"place of a name", SYNTAX, 0, "expected a name within those of the group"},
         "v73.mat",
         "SNOD",
         1,
         10,
         "\xff",
         1},
        {{"address", SYNTAX, 0, "expected an object header within the file"},
         "v73.mat",
         "SNOD",
         1,
         62,
         "\xff",
         1},
        {{"tree", SYNTAX, 0, "expected a tree of the members of a group"}, "v73.mat", "TREE", 1, 0, "X", 1},
        {{"kind of tree", SYNTAX, 0, "expected a tree of the members of a group"},
         "v73.mat",
         "TREE",
         1,
         4,
         "\1",
         1},
        {{"a tree of itself", SYNTAX, 0, "expected a tree of the members of a group"},
         "v73.mat",
         "TREE",
         1,
         5,
         "\1",
         1},
        {{"level", SYNTAX, 0, "expected a tree of the members of a group"},
         "v73.mat",
         "TREE",
         1,
         5,
         "\x20",
         1},
        {{"count of children", SYNTAX, 0, "expected a tree of the members of a group"},
         "v73.mat",
         "TREE",
         1,
         7,
         "\xff",
         1},
        {{"no pointers", SYNTAX, 0, "variable S: expected jc, ir and data of a sparse array"},
         "v73.mat",
         "jc\0",
         1,
         0,
         "x",
         1},
        {{"no rows", SYNTAX, 0, "variable S: expected jc, ir and data of a sparse array"},
         "v73.mat",
         "ir\0",
         1,
         0,
         "x",
         1},
        {{"no values", SYNTAX, 0, "variable S: expected jc, ir and data of a sparse array"},
         "v73.mat",
         "data\0",
         1,
         0,
         "x",
         1},
        {{"a chunk", SPMM_ERR_MATRIX_CONTAINER, 0, "is damaged or cut off"},
         "v73_chunked.mat",
         "\x78\x5e",
         1,
         2,
         "\xff\xff",
         2},
        {{"chunks", SYNTAX, 0, "expected a tree of chunks of data"},
         "v73_chunked.mat",
         "TREE\1",
         1,
         0,
         "X",
         1},
        {{"level of chunks", SYNTAX, 0, "expected a tree of chunks of data"},
         "v73_chunked.mat",
         "TREE\1",
         1,
         5,
         "\x20",
         1},
        {{"size of chunks", SYNTAX, 0, "expected chunks of a size that the file can hold"},
         "v73_chunked.mat",
         "\3\2\2",
         1,
         13,
         "\x20",
         1},
        {{"a chunk twice", SYNTAX, 0, "expected each chunk of the data once, in order"},
         "v73_chunked.mat",
         "TREE\1",
         1,
         64,
         "\0",
         1},
        {{"fewer chunks", SYNTAX, 0, "expected all chunks of the data"},
         "v73_chunked.mat",
         "TREE\1",
         1,
         6,
         "\1",
         1},
        {{"a place between chunks", SYNTAX, 0, "expected a chunk of the data"},
         "v73_chunked.mat",
         "TREE\1",
         1,
         32,
         "\1",
         1},
        {{"address of a chunk", SYNTAX, 0, "expected a chunk of data within the file; is it cut off?"},
         "v73_chunked.mat",
         "TREE\1",
         1,
         54,
         "\xff",
         1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size = 0;
        unsigned char *bytes = bytes_of(cases[i].file, &size);
        const size_t length = strlen(cases[i].near);
        const size_t at = find(bytes, size, cases[i].near, length, cases[i].count) + (size_t)cases[i].offset;
        memcpy(bytes + at, cases[i].to, cases[i].length);
        check_refusal(&cases[i].refusal, "a.mat", bytes, size);
        free(bytes);
    }
}

/* The reader ignores bytes after the last block of a packed chunk. So chunks could claim bytes of each
 * other. */
static void chunks_that_share_bytes_are_refused(void **state)
{
    static const struct refusal shared = {"shared", SYNTAX, 0, "expected chunks that do not overlap"};
    size_t size = 0;
    unsigned char *bytes = bytes_of("v73_chunked.mat", &size);
    const size_t key = find(bytes, size, "TREE\1", 5, 1) + 24;
    (void)state;
    for (size_t i = 0; i < 3; i++)
        bytes[key + i * 32 + 1] = 0x14; /* each claims at least 5,120 of 11,968 bytes */
    check_refusal(&shared, "a.mat", bytes, size);
    free(bytes);
}

/* The heap of names becomes an area full of letters, so the symbols of the root group have very long
 * names. */
static void long_names_are_refused(void **state)
{
    static const struct refusal name = {"name", SYNTAX, 0, "expected a name within those of the group"};
    size_t size = 0;
    unsigned char *bytes = bytes_of("v73.mat", &size);
    const size_t heap = find(bytes, size, "HEAP", 4, 1);
    unsigned char *longer = malloc(size + 4096);
    const uint64_t names = size - 512, length = 4096;
    (void)state;
    memcpy(longer, bytes, size);
    memset(longer + size, 'a', 4095);
    longer[size + 4095] = '\0';
    memcpy(longer + heap + 8, &length, 8);
    memcpy(longer + heap + 24, &names, 8);
    check_refusal(&name, "a.mat", longer, size + 4096);
    free(longer);
    free(bytes);
}

static void other_files_are_refused_by_name(void **state)
{
    static const struct refusal plain = {"HDF5", SYNTAX, 1,
                                         "an HDF5 file; of those spmm reads MATLAB's alone"};
    static const struct refusal head = {"short", SYNTAX, 0,
                                        "expected the signature of HDF5 after the header"};
    (void)state;
    check_refusal(&plain, "a.mat", "\x89HDF\r\n\x1a\n", 8);
    check_refusal(&head, "a.mat", "MATLAB 7.3 MAT-file", 19);
}

static void memory_is_within_the_budget(void **state)
{
    static const struct refusal chunks = {"chunks", SPMM_ERR_MEMORY, 0, "bytes"};
    size_t size = 0;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    unsigned char *bytes = bytes_of("v73_chunked.mat", &size);
    (void)state;
    options.budget_bytes = 100;
    check_refusal_by(&chunks, "a.mat", bytes, size, &options);
    free(bytes);
}

static void damaged_files_are_survived(void **state)
{
    static const struct {
        const char *file;
        size_t must_fail;
    } cases[] = {{"v73.mat", 2048}, {"v73_chunked.mat", 4096}, {"v73_problem.mat", 2048}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size = 0;
        unsigned char *bytes = bytes_of(cases[i].file, &size);
        survive_truncations("a.mat", bytes, size, cases[i].must_fail);
        survive_changes("a.mat", bytes, size, 9);
        survive_failing_allocations("a.mat", bytes, size);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(every_layout_has_the_same_numbers),
        cmocka_unit_test(every_type_has_the_same_numbers),
        cmocka_unit_test(arrays_without_entries_and_of_ones_are_read),
        cmocka_unit_test(other_variables_are_refused),
        cmocka_unit_test(changed_structures_are_refused),
        cmocka_unit_test(chunks_that_share_bytes_are_refused),
        cmocka_unit_test(long_names_are_refused),
        cmocka_unit_test(other_files_are_refused_by_name),
        cmocka_unit_test(memory_is_within_the_budget),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
