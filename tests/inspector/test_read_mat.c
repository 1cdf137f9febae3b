/* SPDX-License-Identifier: Apache-2.0 */
/* Checks MATLAB files of version 5: which variable is read, of which types, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "read_check.h"
#include "tests/support/scorecard.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define CONTAINER SPMM_ERR_MATRIX_CONTAINER
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE
#define FILE_BYTES 8192
#define MTX "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 2\n1 2 3\n"

/* ---- a writer ---- */

struct mat {
    unsigned char bytes[FILE_BYTES];
    size_t size;
};

static void start(struct mat *m)
{
    memset(m, 0, sizeof *m);
    memset(m->bytes, ' ', 124);
    memcpy(m->bytes, "MATLAB 5.0 MAT-file", 19);
    memcpy(m->bytes + 124, "\x00\x01IM", 4);
    m->size = 128;
}

static void word(struct mat *m, uint32_t value)
{
    memcpy(m->bytes + m->size, &value, 4);
    m->size += 4;
}

static void element(struct mat *m, uint32_t type, const void *data, size_t size)
{
    word(m, type);
    word(m, (uint32_t)size);
    memcpy(m->bytes + m->size, data, size);
    m->size += (size + 7) / 8 * 8;
}

static void words(struct mat *m, uint32_t type, int count, const int32_t *values)
{
    element(m, type, values, (size_t)count * 4);
}

/* Writes the start of an array and returns its offset. close_array sets the size. */
static size_t open_array(struct mat *m, uint32_t kind, int rows, int cols, const char *name)
{
    const size_t at = m->size;
    word(m, 14);
    word(m, 0);
    words(m, 6, 2, (const int32_t[]){(int32_t)kind, 0});
    words(m, 5, 2, (const int32_t[]){rows, cols});
    element(m, 1, name, strlen(name));
    return at;
}

static void close_array(struct mat *m, size_t at)
{
    const uint32_t size = (uint32_t)(m->size - at - 8);
    memcpy(m->bytes + at + 4, &size, 4);
}

static const int32_t row_indices[] = {0, 1, 0};
static const int32_t pointers[] = {0, 2, 3};
static const double values[] = {1, 2, 3};

/* Adds a sparse 2 x 2 variable. The variable T has unsigned indices. */
static void sparse(struct mat *m, const char *name)
{
    const uint32_t type = *name == 'T' ? 6 : 5;
    const size_t at = open_array(m, 5, 2, 2, name);
    words(m, type, 3, row_indices);
    words(m, type, 3, pointers);
    element(m, 9, values, sizeof values);
    close_array(m, at);
}

static void full(struct mat *m, const char *name)
{
    const size_t at = open_array(m, 6, 1, 1, name);
    element(m, 9, values, 8);
    close_array(m, at);
}

/* Replaces everything after the header by one compressed variable. */
static void compress_all(struct mat *m)
{
    struct mat packed = *m;
    uLongf size = FILE_BYTES - 136;
    assert_int_equal(compress(packed.bytes + 136, &size, m->bytes + 128, m->size - 128), Z_OK);
    packed.size = 128;
    word(&packed, 15);
    word(&packed, (uint32_t)size);
    packed.size += size;
    *m = packed;
}

/* ---- files ---- */

static void files_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *file, *variable, *field;
        spmm_complex_part_t part;
    } cases[] = {{"v6.mat", NULL, "real", SPMM_COMPLEX_REFUSE},
                 {"v7.mat", NULL, "real", SPMM_COMPLEX_REFUSE},
                 {"v7.mat", "S", "real", SPMM_COMPLEX_REFUSE},
                 {"problem.mat", NULL, "real", SPMM_COMPLEX_REFUSE},
                 {"problem.mat", "Problem", "real", SPMM_COMPLEX_REFUSE},
                 {"big_endian.mat", "S", "real", SPMM_COMPLEX_REFUSE},
                 {"complex.mat", NULL, "complex", SPMM_COMPLEX_REAL_PART}};
    spmm_matrix_t *expected = must_load("others.mtx");
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size = 0;
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        unsigned char *bytes = bytes_of(cases[i].file, &size);
        options.variable = cases[i].variable;
        options.complex_part = cases[i].part;
        spmm_matrix_t *matrix = must_read_by(cases[i].file, bytes, size, &options);
        assert_same_matrix(cases[i].file, matrix, expected);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.format, "mat");
        assert_string_equal(info.field, cases[i].field);
        spmm_matrix_destroy(matrix);
        free(bytes);
    }
    spmm_matrix_destroy(expected);
}

static void full_and_logical_matrices_are_read(void **state)
{
    size_t size = 0;
    spmm_csr_t csr;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    unsigned char *bytes = bytes_of("big_endian.mat", &size);
    (void)state;
    options.variable = "T";
    spmm_matrix_t *matrix = must_read_by("big_endian.mat", bytes, size, &options);
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_string_equal(info.field, "integer");
    for (int q = 0; q < 10; q++)
        assert_true(((const double *)csr.values)[q] == 1);
    spmm_matrix_destroy(matrix);
    free(bytes);
    spmm_matrix_t *with_zeros = must_load("petsc_dense.petsc");
    matrix = must_load("full.mat");
    assert_same_matrix("full", matrix, with_zeros);
    spmm_matrix_destroy(matrix);
    spmm_matrix_destroy(with_zeros);
}

/* A double array may be stored in any type that can hold its numbers. */
static void every_type_of_numbers_is_read(void **state)
{
    static const struct {
        uint32_t type;
        const char *bytes; /* bytes of two numbers, in most cases -2 (254 if unsigned) and 3 */
        size_t size;
        double first, second;
        int64_t inexact;
    } cases[] = {
        {1, "\xfe\3", 2, -2, 3, 0},
        {1, "\0\3", 2, 0, 3, 0},
        {2, "\xfe\3", 2, 254, 3, 0},
        {3, "\xfe\xff\3\0", 4, -2, 3, 0},
        {4, "\xfe\0\3\0", 4, 254, 3, 0},
        {5, "\xfe\xff\xff\xff\3\0\0\0", 8, -2, 3, 0},
        {6, "\xfe\0\0\x80\3\0\0\0", 8, 2147483902.0, 3, 0},
        {7, "\0\0\0\xc0\0\0\x40\x40", 8, -2, 3, 0},
        {9, "\0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\x08\x40", 16, -2, 3, 0},
        {12, "\xfe\xff\xff\xff\xff\xff\xff\xff\3\0\0\0\0\0\0\0", 16, -2, 3, 0},
        {12, "\1\0\0\0\0\0\0\x80\1\0\0\0\0\0\x20\0", 16, -0x1p63, 0x1p53, 2},
        {12, "\2\0\0\0\0\0\x20\0\3\0\0\0\0\0\0\0", 16, 0x1p53 + 2, 3, 0},
        {13, "\xfe\0\0\0\0\0\0\x80\3\0\0\0\0\0\0\0", 16, 0x1p63, 3, 1},
        {13, "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\x20\0", 16, 0x1p64, 0x1p53, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mat m;
        spmm_csr_t csr;
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        start(&m);
        const size_t at = open_array(&m, 6, 1, 2, "x");
        element(&m, cases[i].type, cases[i].bytes, cases[i].size);
        close_array(&m, at);
        spmm_matrix_t *matrix = must_read("a", m.bytes, m.size);
        assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
        const double expected[] = {cases[i].first, cases[i].second};
        assert_memory_equal(csr.values, expected, sizeof expected); /* also tells -0 from 0 */
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_int_equal(info.integers_inexact, cases[i].inexact);
        spmm_matrix_destroy(matrix);
    }
}

static void classes_have_their_field(void **state)
{
    static const struct {
        uint32_t kind;
        const char *field;
    } cases[] = {{6, "real"}, {7, "real"}, {8, "integer"}, {15, "integer"}, {0x206, "integer"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mat m;
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        start(&m);
        const size_t at = open_array(&m, cases[i].kind, 1, 1, "x");
        element(&m, 2, "\1", 1);
        close_array(&m, at);
        spmm_matrix_t *matrix = must_read("a", m.bytes, m.size);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.field, cases[i].field);
        spmm_matrix_destroy(matrix);
    }
}

/* ---- which variable ---- */

static void add_struct(struct mat *m, const char *name, const char *fields, int length, int rows)
{
    const size_t at = open_array(m, 2, rows, 1, name);
    words(m, 5, 1, &length);
    element(m, 1, fields, 2 * (size_t)length);
    full(m, "");
    sparse(m, "");
    close_array(m, at);
}

/* Writes a file with one variable per letter: s sparse S, t sparse T, f full F, g full Problem, p struct
 * Problem, q struct Q, u a struct without A, v an array of structs, c a cell C, e a full one without a name,
 * o an object, z one of class 0, n an unknown element. */
static void make(struct mat *m, const char *what)
{
    start(m);
    for (; *what != '\0'; what++) {
        size_t at = m->size;
        if (*what == 's' || *what == 't')
            sparse(m, *what == 's' ? "S" : "T");
        if (*what == 'f' || *what == 'e')
            full(m, *what == 'f' ? "F" : "");
        if (*what == 'g')
            full(m, "Problem");
        if (*what == 'p' || *what == 'q')
            add_struct(m, *what == 'p' ? "Problem" : "Q", "b\0\0A\0\0", 3, 1);
        if (*what == 'u')
            add_struct(m, "U", "b\0\0AB\0", 3, 1);
        if (*what == 'v')
            add_struct(m, "V", "b\0\0A\0\0", 3, 2);
        if (*what == 'c')
            close_array(m, (at = open_array(m, 1, 0, 0, "C")));
        if (*what == 'n')
            element(m, 77, "unknown", 7);
        if (*what == 'o' || *what == 'z') {
            word(m, 14);
            word(m, 16);
            words(m, 6, 2, (const int32_t[]){*what == 'o' ? 17 : 0, 0});
        }
    }
}

static void the_variable_that_is_meant_is_read(void **state)
{
    static const struct {
        const char *what, *variable;
        bool is_full;
    } cases[] = {{"s", NULL, false},    {"fs", NULL, false}, {"sf", NULL, false}, {"p", NULL, false},
                 {"qfp", NULL, false},  {"st", "T", false},  {"gs", NULL, false}, {"ss", "S", false},
                 {"q", "Q", false},     {"sf", "F", true},   {"f", NULL, true},   {"cef", NULL, true},
                 {"ozsn", NULL, false}, {"vs", NULL, false}};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        struct mat m;
        spmm_csr_t csr;
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        make(&m, cases[i / 2].what);
        if (i % 2 == 1 && strlen(cases[i / 2].what) == 1)
            compress_all(&m);
        options.variable = cases[i / 2].variable;
        spmm_matrix_t *matrix = must_read_by(cases[i / 2].what, m.bytes, m.size, &options);
        assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
        assert_int_equal(csr.nnz, cases[i / 2].is_full ? 1 : 3);
        if (!cases[i / 2].is_full) {
            spmm_matrix_t *expected = must_read("a.mtx", MTX, strlen(MTX));
            assert_same_matrix(cases[i / 2].what, matrix, expected);
            spmm_matrix_destroy(expected);
        }
        spmm_matrix_destroy(matrix);
    }
}

static void files_without_one_matrix_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *what, *variable;
    } cases[] = {
        {{"nothing", UNSUPPORTED, 0, "expected one matrix in the MATLAB file, found 0 (read as MATLAB)"},
         "",
         NULL},
        {{"no matrix", UNSUPPORTED, 0, "in the MATLAB file, found 0"}, "cqe", NULL},
        {{"two sparse", UNSUPPORTED, 0, "found 2; --variable of spmm-inspect names one of S, T (read"},
         "sft",
         NULL},
        {{"sparse and Problem", UNSUPPORTED, 0, "names one of Problem, S"}, "ps", NULL},
        {{"two full", UNSUPPORTED, 0, "names one of F, F"}, "ff", NULL},
        {{"a long list", UNSUPPORTED, 0, "found 60; --variable of spmm-inspect names one of F, F"},
         "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
         NULL},
        {{"no such variable", UNSUPPORTED, 0,
          "expected a variable X in the MATLAB file, found S, F, Problem"},
         "sfp",
         "X"},
        {{"no variable at all", UNSUPPORTED, 0, "expected a variable \\x1b in the MATLAB file, found none"},
         "",
         "\x1b"},
        {{"a cell", UNSUPPORTED, 0, "variable C: expected a sparse or full array of numbers, found a cell"},
         "sc",
         "C"},
        {{"a struct without A", UNSUPPORTED, 0, "variable U: expected a field A, found a struct without it"},
         "su",
         "U"},
        {{"an array of structs", UNSUPPORTED, 0, "variable V: expected one struct, found an array"},
         "v",
         "V"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mat m;
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        make(&m, cases[i].what);
        options.variable = cases[i].variable;
        check_refusal_by(&cases[i].refusal, "a.mat", m.bytes, m.size, &options);
    }
}

/* ---- what is malformed ---- */

/* Byte offsets of the parts of a file with one sparse variable S. */
enum place {
    VARIABLE = 128,
    FLAGS = 136,
    DIMS = 152,
    NAME = 168,
    ROWS = 184,
    POINTERS = 208,
    VALUES = 232,
    END = 264
};

static void changed_words_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        size_t at;
        uint32_t word;
    } cases[] = {
        {{"order of bytes", SYNTAX, 0, "byte 126: expected IM or MI, the order of bytes"}, 124, 0},
        {{"size of the variable", SYNTAX, 0, "byte 128: expected a variable that ends within the file"},
         VARIABLE + 4,
         129},
        {{"small element of 5", SYNTAX, 0, "byte 128: expected a variable that ends"},
         VARIABLE,
         5 << 16 | 14},
        {{"size of the flags", SYNTAX, 0, "byte 128: expected flags, dimensions and the name"}, FLAGS + 4, 4},
        {{"type of the dimensions", SYNTAX, 0, "expected flags, dimensions and the name"}, DIMS, 6},
        {{"one dimension", SYNTAX, 0, "expected flags, dimensions and the name"}, DIMS + 4, 4},
        {{"negative rows", SYNTAX, 0, "expected flags, dimensions and the name"}, DIMS + 8, 0x80000000},
        {{"negative columns", SYNTAX, 0, "expected flags, dimensions and the name"}, DIMS + 12, 0x80000000},
        {{"too many rows", TOO_LARGE, 0, "variable S: expected at most 2147483646 rows and columns, found"},
         DIMS + 8,
         0x7fffffff},
        {{"too many columns", TOO_LARGE, 0, "found 2 x 2147483647 (read as MATLAB)"}, DIMS + 12, 0x7fffffff},
        {{"size of the name", SYNTAX, 0, "expected flags, dimensions and the name"}, NAME + 4, 200},
        {{"size of the rows", SYNTAX, 0, "variable S: expected row indices, found the end of the array"},
         ROWS + 4,
         200},
        {{"row indices of text", SYNTAX, 0, "variable S: expected row indices of type 5, found type 16"},
         ROWS,
         16},
        {{"pointers in single", SYNTAX, 0, "expected column pointers of type 5, found type 7"}, POINTERS, 7},
        {{"a row too large", SYNTAX, 0, "variable S: expected a row index from 0 to 1, found 2"},
         ROWS + 8,
         2},
        {{"a negative row", SYNTAX, 0, "a row index from 0 to 1, found -1"}, ROWS + 8, 0xffffffff},
        {{"few pointers", SYNTAX, 0, "expected 3 column pointers, found 2"}, POINTERS + 4, 8},
        {{"first pointer", SYNTAX, 0, "a first column pointer from 0 to 0, found 1"}, POINTERS + 8, 1},
        {{"a pointer too large", SYNTAX, 0, "a column pointer from 0 to 3, found 4"}, POINTERS + 12, 4},
        {{"pointers fall", SYNTAX, 0, "a column pointer from 0 to 1, found 2"}, POINTERS + 16, 1},
        {{"a negative pointer", SYNTAX, 0, "a column pointer from 0 to 3, found -1"},
         POINTERS + 12,
         0xffffffff},
        {{"negative last pointer", SYNTAX, 0, "a last column pointer from 0 to 3, found -1"},
         POINTERS + 16,
         0xffffffff},
        {{"last pointer too large", SYNTAX, 0, "a last column pointer from 0 to 3, found 4"},
         POINTERS + 16,
         4},
        {{"few values", SYNTAX, 0, "expected 3 values, found 2"}, VALUES + 4, 16},
        {{"values of another type", SYNTAX, 0, "expected 3 values, found 0"}, VALUES, 8},
        {{"complex", UNSUPPORTED, 0, "the values are complex; --real-part or --abs"}, FLAGS + 8, 0x0805},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mat m;
        make(&m, "s");
        assert_int_equal(m.size, END);
        memcpy(m.bytes + cases[i].at, &cases[i].word, 4);
        check_refusal(&cases[i].refusal, "a.mat", m.bytes, m.size);
    }
}

static void most_rows_and_columns_are_taken(void **state)
{
    static const struct refusal rows = {"rows", SPMM_ERR_MEMORY, 0,
                                        "the row pointers needs 17179869176 bytes"};
    static const struct refusal cols = {"columns", SYNTAX, 0, "expected 2147483647 column pointers, found 3"};
    static const uint32_t most = 2147483646;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    struct mat m;
    (void)state;
    options.budget_bytes = 1 << 20;
    for (int i = 0; i < 2; i++) {
        make(&m, "s");
        memcpy(m.bytes + DIMS + (i == 0 ? 8 : 12), &most, 4);
        check_refusal_by(i == 0 ? &rows : &cols, "a.mat", m.bytes, m.size, &options);
    }
}

static void arrays_of_other_shapes_are_refused(void **state)
{
    static const struct refusal cube = {"cube", UNSUPPORTED, 0,
                                        "variable X: expected a matrix, found an array of 3"};
    static const struct refusal imaginary = {"no imaginary parts", SYNTAX, 0,
                                             "variable S: expected imaginary parts, found the end"};
    static const struct refusal structs = {"structs", UNSUPPORTED, 0,
                                           "expected one struct, found an array of them"};
    static const struct refusal names = {"no names", SYNTAX, 0,
                                         "variable Q: expected the names of its fields"};
    static const struct refusal without = {"names without an end", UNSUPPORTED, 0,
                                           "variable Q: expected a field A, found a struct without it"};
    static const struct refusal field = {"no fields", SYNTAX, 0,
                                         "variable Q: expected a field that ends within the struct"};
    static const struct refusal inner = {"damaged field", SYNTAX, 0,
                                         "variable Q.A: expected flags, dimensions and a name"};
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    struct mat m;
    (void)state;
    start(&m);
    size_t at = m.size;
    word(&m, 14);
    word(&m, 0);
    words(&m, 6, 2, (const int32_t[]){6, 0});
    words(&m, 5, 3, (const int32_t[]){1, 1, 1});
    element(&m, 1, "X", 1);
    element(&m, 9, values, 8);
    close_array(&m, at);
    check_refusal(&cube, "a.mat", m.bytes, m.size);
    m.bytes[at + 16] = 2; /* now a struct with three dimensions */
    options.variable = "X";
    check_refusal_by(&structs, "a.mat", m.bytes, m.size, &options);
    options.variable = NULL;
    start(&m);
    close_array(&m, open_array(&m, 2, 1, 2, "Problem"));
    check_refusal(&structs, "a.mat", m.bytes, m.size);
    make(&m, "s");
    m.bytes[FLAGS + 9] = 8;
    options.complex_part = SPMM_COMPLEX_ABS;
    check_refusal_by(&imaginary, "a.mat", m.bytes, m.size, &options);
    options.variable = "Q";
    start(&m);
    close_array(&m, open_array(&m, 2, 1, 1, "Q"));
    check_refusal_by(&names, "a.mat", m.bytes, m.size, &options);
    start(&m);
    at = open_array(&m, 2, 1, 1, "Q");
    words(&m, 5, 1, (const int32_t[]){1});
    element(&m, 1, "A", 1);
    close_array(&m, at);
    check_refusal_by(&without, "a.mat", m.bytes, m.size, &options);
    start(&m);
    at = open_array(&m, 2, 1, 1, "Q");
    words(&m, 5, 1, (const int32_t[]){2});
    element(&m, 1, "A", 2);
    close_array(&m, at);
    check_refusal_by(&field, "a.mat", m.bytes, m.size, &options);
    element(&m, 14, "", 0);
    close_array(&m, at);
    check_refusal_by(&inner, "a.mat", m.bytes, m.size, &options);
}

static void damaged_compression_is_refused(void **state)
{
    static const struct refusal damaged = {"damaged", CONTAINER, 0,
                                           "the compressed variable at byte 128 is damaged or cut off"};
    static const struct refusal larger = {"larger", SYNTAX, 0,
                                          "a size that the compressed variable can hold"};
    static const struct refusal other = {"no array", SYNTAX, 0,
                                         "expected an array in the compressed variable"};
    struct mat m;
    (void)state;
    make(&m, "s");
    compress_all(&m);
    m.bytes[m.size - 1] ^= 1; /* damages the checksum */
    check_refusal(&damaged, "a.mat", m.bytes, m.size);
    make(&m, "s");
    m.bytes[VARIABLE + 4] = 0x80; /* the size of the variable: 8 bytes more than there are */
    m.size -= 8;
    compress_all(&m);
    check_refusal(&damaged, "a.mat", m.bytes, m.size);
    for (int i = 0; i < 2; i++) {
        make(&m, "s");
        memcpy(m.bytes + VARIABLE + 4, i == 0 ? "\0\0\1\0" : "\xff\xff\xff\xff", 4);
        compress_all(&m);
        check_refusal(&larger, "a.mat", m.bytes, m.size);
    }
    start(&m);
    word(&m, 14); /* without a size after it */
    compress_all(&m);
    check_refusal(&other, "a.mat", m.bytes, m.size);
    start(&m);
    element(&m, 77, "unknown", 7);
    compress_all(&m);
    check_refusal(&other, "a.mat", m.bytes, m.size);
    m.size = 128;
    word(&m, 15);
    word(&m, 0);
    check_refusal(&damaged, "a.mat", m.bytes, m.size);
}

static void other_versions_are_refused_by_name(void **state)
{
    static const struct refusal name = {"name alone", SYNTAX, 1, "at the start of the file, found \"hello\""};
    static const struct refusal head = {"short", SYNTAX, 0, "byte 19: expected a MATLAB header of 128 bytes"};
    (void)state;
    check_refusal(&name, "a.mat", "hello", 5);
    check_refusal(&head, "a.mat", "MATLAB 5.0 MAT-file", 19);
}

static void damaged_files_are_survived(void **state)
{
    static const char *const kinds[] = {"s", "p", "f"};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        struct mat m;
        make(&m, kinds[i / 2]);
        if (i % 2 == 1)
            compress_all(&m);
        survive_truncations("a.mat", m.bytes, m.size, m.size - (i == 4 ? 0 : 8));
        survive_changes("a.mat", m.bytes, m.size, 9);
        survive_failing_allocations("a.mat", m.bytes, m.size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(full_and_logical_matrices_are_read),
        cmocka_unit_test(every_type_of_numbers_is_read),
        cmocka_unit_test(classes_have_their_field),
        cmocka_unit_test(the_variable_that_is_meant_is_read),
        cmocka_unit_test(files_without_one_matrix_are_refused),
        cmocka_unit_test(changed_words_are_refused),
        cmocka_unit_test(most_rows_and_columns_are_taken),
        cmocka_unit_test(arrays_of_other_shapes_are_refused),
        cmocka_unit_test(damaged_compression_is_refused),
        cmocka_unit_test(other_versions_are_refused_by_name),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
