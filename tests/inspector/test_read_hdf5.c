/* SPDX-License-Identifier: Apache-2.0 */
/* Checks MATLAB files of version 7.3 that neither MATLAB nor the HDF5 library writes: rare descriptions of data,
 * wrong ones, and structures that would take long to read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_make.h"
#include "read_check.h"
#include "tests/support/scorecard.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED

/* Messages of object headers. */
#define SPACE1(dim) "1 b1 b1 z6 q" #dim
#define SPACE2(slow, fast) "1 b1 b2 z6 q" #slow " q" #fast
#define I8 "b0x10 b8 z2 w1 h0 h8"
#define U8 "b0x10 z3 w1 h0 h8"
#define U16 "b0x10 z3 w2 h0 h16"
#define U64 "b0x10 z3 w8 h0 h64"
#define U64_BIG "b0x10 b1 z2 w8 h0 h64"
#define F32 "b0x11 z3 w4 h0 h32 b23 b8 b0 b23 w127"
#define F64 "b0x11 z3 w8 h0 h64 b52 b11 b0 b52 w1023"
#define TYPE(type) "|3 " type
#define COMPLEX(first, at1, type1, second, at2, type2) \
    "|3 b0x36 h2 b0 w16 s" first " b" #at1 " " type1 " s" second " b" #at2 " " type2
#define AT(stored) "|8 b3 b1 @ q" #stored
#define CHUNKS1(dim) "|8 b3 b2 b2 @ w" #dim " w1"
#define CHUNKS2(slow, fast) "|8 b3 b2 b3 @ w" #slow " w" #fast " w1"
#define CLASS(length, name) "|12 b3 b0 h13 h8 h4 b0 sMATLAB_class b0x13 z3 w" #length " w2 t" name
#define DOUBLE CLASS(6, "double")
#define SINGLE CLASS(6, "single")
#define EMPTY(flags, type, type_bytes, value) \
    "|12 b3 b" #flags " h13 h" #type_bytes " h4 b0 sMATLAB_empty " type " w2 " value
#define IS_EMPTY EMPTY(0, U8, 12, "b1")
#define SPARSE "12 b3 b0 h14 h12 h4 b0 sMATLAB_sparse " U8 " w2 b3" DOUBLE
/* The head of a leaf of the tree of chunks, and the key and the address of a chunk. */
#define LEAF(count) "tTREE b1 b0 h" #count " q-1 q-1 "
#define CHUNK2(stored, slow, fast) "w" #stored " w0 q" #slow " q" #fast " q0 q" DATA " "
#define DATA "608" /* address of the data */

/* Starts a file with these data, and a tree of their chunks if tree is not NULL. */
static void start(struct hdf5 *f, const char *data, const char *tree)
{
    hdf5_start(f);
    f->at = hdf5_add(f, data);
    if (tree != NULL)
        f->at = hdf5_add(f, tree);
}

/* Makes a file of one data set F. */
static void make_full(struct hdf5 *f, const char *data, const char *tree, const char *messages)
{
    start(f, data, tree);
    const struct hdf5_member member = {"F", hdf5_add_object(f, messages), 0};
    hdf5_end(f, hdf5_add_members(f, &member, 1, ""));
}

/* Makes a file of one sparse array S, which has column pointers alone and thus no entries. */
static void make_sparse(struct hdf5 *f, const char *data, const char *tree, const char *pointers)
{
    start(f, data, tree);
    const struct hdf5_member jc = {"jc", hdf5_add_object(f, pointers), 0};
    const struct hdf5_member member = {"S", hdf5_add_members(f, &jc, 1, SPARSE), 0};
    hdf5_end(f, hdf5_add_members(f, &member, 1, ""));
}

static void check_matrix(const char *name, const struct hdf5 *f, int64_t rows, int64_t cols,
                         const double *values)
{
    spmm_csr_t csr;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    options.complex_part = SPMM_COMPLEX_ABS;
    spmm_matrix_t *matrix = must_read_by(name, f->bytes, f->size, &options);
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    if (csr.rows != rows || csr.cols != cols)
        fail_msg("%s: %lld x %lld", name, (long long)csr.rows, (long long)csr.cols);
    for (int64_t i = 0; i < csr.nnz; i++)
        if (((const double *)csr.values)[i] != values[i])
            fail_msg("%s: value %lld is %g", name, (long long)i, ((const double *)csr.values)[i]);
    spmm_matrix_destroy(matrix);
}

static void rare_descriptions_are_read(void **state)
{
    static const struct {
        const char *name, *data, *tree, *messages;
        int rows, cols;
        double values[2];
    } cases[] = {
        {"float", "d1.5 d2.5", NULL, SPACE2(2, 1) TYPE(F64) AT(16) DOUBLE, 1, 2, {1.5, 2.5}},
        {"single", "w0x3fc00000", NULL, SPACE2(1, 1) TYPE(F32) AT(4) SINGLE, 1, 1, {1.5}},
        {"no class", "b3 b4", NULL, SPACE2(2, 1) TYPE(U8) AT(2), 1, 2, {3, 4}},
        {"space 2", "d1.5 d2.5", NULL, "1 b2 b2 b0 b1 q2 q1" TYPE(F64) AT(16) DOUBLE, 1, 2, {1.5, 2.5}},
        {"complex 3",
         "d4 d-3 d0 d2",
         NULL,
         SPACE2(2, 1) COMPLEX("imag", 8, F64, "real", 0, F64) AT(32) DOUBLE,
         1,
         2,
         {5, 2}},
        {"chunks", "b3 b4", LEAF(1) CHUNK2(2, 0, 0), SPACE2(2, 1) TYPE(U8) CHUNKS2(2, 1), 1, 2, {3, 4}},
        {"filters 2",
         "b2 b4 b1 b3",
         LEAF(1) CHUNK2(4, 0, 0),
         SPACE2(2, 1) TYPE(U16) CHUNKS2(2, 1) "|11 b2 b1 h2 h0 h1 w2",
         1,
         2,
         {0x102, 0x304}},
        {"no rows", "b0 b4", NULL, SPACE1(2) TYPE(U8) AT(2) DOUBLE IS_EMPTY, 0, 4, {0}},
        {"no columns", "b4 b0", NULL, SPACE1(2) TYPE(U8) AT(2) DOUBLE IS_EMPTY, 4, 0, {0}},
        {"empty float",
         "b3 b4",
         NULL,
         SPACE2(2, 1) TYPE(U8) AT(2) EMPTY(0, F32, 20, "w0x3f800000"),
         1,
         2,
         {3, 4}},
        {"empty double", "b3 b4", NULL, SPACE2(2, 1) TYPE(U8) AT(2) EMPTY(0, F64, 20, "d1"), 1, 2, {3, 4}},
        {"shared type", "b3 b4", NULL, SPACE2(2, 1) TYPE(U8) AT(2) EMPTY(1, U8, 12, "b1"), 1, 2, {3, 4}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct hdf5 f;
        make_full(&f, cases[i].data, cases[i].tree, cases[i].messages);
        check_matrix(cases[i].name, &f, cases[i].rows, cases[i].cols, cases[i].values);
        hdf5_free(&f);
    }
}

static void numbers_without_a_class_have_the_field_of_their_type(void **state)
{
    struct hdf5 f;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    (void)state;
    make_full(&f, "b3 b4", NULL, SPACE2(2, 1) TYPE(U8) AT(2));
    spmm_matrix_t *matrix = must_read_by("a.mat", f.bytes, f.size, NULL);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_string_equal(info.field, "integer");
    spmm_matrix_destroy(matrix);
    hdf5_free(&f);
}

static void symbolic_links_are_ignored(void **state)
{
    static const double values[] = {3};
    struct hdf5 f;
    (void)state;
    start(&f, "b3", NULL);
    const uint64_t object = hdf5_add_object(&f, SPACE2(1, 1) TYPE(U8) AT(1));
    const struct hdf5_member members[] = {{"F", object, 0}, {"G", UINT64_MAX, 2}};
    hdf5_end(&f, hdf5_add_members(&f, members, 2, ""));
    check_matrix("link", &f, 1, 1, values);
    hdf5_free(&f);
}

#define NO_NUMBERS UNSUPPORTED, 0, "expected data as MATLAB writes them, found data that are no numbers"
#define TOO_LARGE SYNTAX, 0, "expected data of a size that the file can hold"
#define CHUNKS_TOO_LARGE SYNTAX, 0, "expected chunks of a size that the file can hold"
#define OTHER_CHUNKS UNSUPPORTED, 0, "found chunks of other dimensions than the data"
#define OTHER_FILTER UNSUPPORTED, 0, "found a filter other than shuffle and deflate"
#define SHORT_NAME "hundred_characters_hundred_characters_hundred_characters_"
#define FLOAT_OF(place, size, from, mantissa, bias) \
    SPACE2(1, 1) "|3 b0x11 z3 w4 h0 h32 b" #place " b" #size " b" #from " b" #mantissa " w" #bias AT(4) SINGLE
#define COMPLEX_OF(...) SPACE2(2, 1) COMPLEX(__VA_ARGS__) AT(32) DOUBLE
#define FILTERS(list) SPACE2(2, 1) TYPE(U16) CHUNKS2(2, 1) "|11 " list

static void wrong_data_sets_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *data, *tree, *messages;
    } cases[] = {
        {{"exponent", NO_NUMBERS}, "z4", NULL, FLOAT_OF(22, 8, 0, 23, 127)},
        {{"exponent bits", NO_NUMBERS}, "z4", NULL, FLOAT_OF(23, 7, 0, 23, 127)},
        {{"mantissa", NO_NUMBERS}, "z4", NULL, FLOAT_OF(23, 8, 1, 23, 127)},
        {{"mantissa bits", NO_NUMBERS}, "z4", NULL, FLOAT_OF(23, 8, 0, 22, 127)},
        {{"bias", NO_NUMBERS}, "z4", NULL, FLOAT_OF(23, 8, 0, 23, 126)},
        {{"other part", NO_NUMBERS}, "z64", NULL, COMPLEX_OF("real", 0, F64, "imaj", 8, F64)},
        {{"part outside", NO_NUMBERS}, "z64", NULL, COMPLEX_OF("real", 0, F64, "imag", 9, F64)},
        {{"two orders", NO_NUMBERS}, "z64", NULL, COMPLEX_OF("real", 0, U64, "imag", 8, U64_BIG)},
        {{"two types", NO_NUMBERS}, "z64", NULL, COMPLEX_OF("real", 0, F64, "imag", 8, F32)},
        {{"one part", NO_NUMBERS}, "z64", NULL, COMPLEX_OF("real", 0, F64, "real", 8, F64)},
        {{"large type", NO_NUMBERS},
         "z72",
         NULL,
         SPACE2(1, 1) "|3 b0x36 h2 b0 w72 sreal b0 " F64 " simag b8 " F64 AT(72) DOUBLE},
        {{"long class", UNSUPPORTED, 0, "expected one matrix in the MATLAB file, found 0"},
         "b3",
         NULL,
         SPACE2(1, 1) TYPE(U8) AT(1) CLASS(171, SHORT_NAME SHORT_NAME SHORT_NAME)},
        {{"not written", UNSUPPORTED, 0, "found data that were never written"},
         "b3",
         NULL,
         SPACE2(1, 1) TYPE(U8) "|8 b3 b1 q-1 q1"},
        {{"unknown filter", OTHER_FILTER}, "z4", NULL, FILTERS("b2 b1 h300 h8 h0xffff h0 z8")},
        {{"shuffled late", OTHER_FILTER}, "z4", NULL, FILTERS("b2 b2 h1 h0 h0 h2 h0 h0")},
        {{"shuffled twice", OTHER_FILTER}, "z4", NULL, FILTERS("b2 b2 h2 h0 h0 h2 h0 h0")},
        {{"rank of chunks", OTHER_CHUNKS}, "b3", LEAF(1) CHUNK2(1, 0, 0), SPACE2(1, 1) TYPE(U8) CHUNKS1(1)},
        {{"early layout", OTHER_CHUNKS},
         "b3",
         LEAF(1) CHUNK2(1, 0, 0),
         "8 b3 b2 b4 @ w1 w1 w1 w1|" SPACE2(1, 1) TYPE(U8)},
        {{"no rank", OTHER_CHUNKS}, "b3", LEAF(1) CHUNK2(1, 0, 0), SPACE2(1, 1) TYPE(U8) "|8 b3 b2 b0 @ z64"},
        {{"row between", SYNTAX, 0, "expected a chunk of the data"},
         "z4",
         LEAF(1) CHUNK2(4, 1, 0),
         SPACE2(4, 1) TYPE(U8) CHUNKS2(2, 2)},
        {{"row outside", SYNTAX, 0, "expected a chunk of the data"},
         "z4",
         LEAF(1) CHUNK2(4, 4, 0),
         SPACE2(4, 1) TYPE(U8) CHUNKS2(2, 2)},
        {{"empty float", SYNTAX, 0, "variable F: expected dimensions that are integers"},
         "d0 d4",
         NULL,
         SPACE1(2) TYPE(F64) AT(16) DOUBLE IS_EMPTY},
        {{"empty negative", SYNTAX, 0, "variable F: expected dimensions of 0 or more"},
         "b0xff b4",
         NULL,
         SPACE1(2) TYPE(I8) AT(2) DOUBLE IS_EMPTY},
        {{"empty large", SPMM_ERR_MATRIX_TOO_LARGE, 0, "found 0 x 9223372036854775807"},
         "q0 q-1",
         NULL,
         SPACE1(2) TYPE(U64) AT(16) DOUBLE IS_EMPTY},
        {{"empty with elements", SYNTAX, 0, "variable F: expected no elements in an empty array"},
         "b2 b4",
         NULL,
         SPACE1(2) TYPE(U8) AT(2) DOUBLE IS_EMPTY},
        {{"empty cube", UNSUPPORTED, 0, "variable F: expected a matrix, found an array of 3 dimensions"},
         "b1 b1 b0xff",
         NULL,
         SPACE1(3) TYPE(I8) AT(3) DOUBLE IS_EMPTY},
        {{"many dimensions", UNSUPPORTED, 0,
          "variable F: expected a matrix, found an array of 100 dimensions"},
         "z200",
         NULL,
         SPACE1(200) TYPE(U8) AT(200) DOUBLE IS_EMPTY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct hdf5 f;
        make_full(&f, cases[i].data, cases[i].tree, cases[i].messages);
        check_refusal(&cases[i].refusal, "a.mat", f.bytes, f.size);
        hdf5_free(&f);
    }
}

/* The last bytes of the file are those of a type whose names do not end. */
static void names_without_end_are_refused(void **state)
{
    static const struct refusal refusal = {"name", NO_NUMBERS};
    static const char *const types[] = {"3 b0x16 h2 b0 w16 treal", "3 b0x36 h2 b0 w16 treal"};
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct hdf5 f;
        char messages[256];
        start(&f, "z64", NULL);
        const struct hdf5_member member = {"F", f.size + 256, 0};
        hdf5_end(&f, hdf5_add_members(&f, &member, 1, ""));
        assert_true(f.size <= member.address);
        memset(f.bytes + f.size, 0, member.address - f.size);
        f.size = member.address;
        (void)snprintf(messages, sizeof messages, SPACE2(2, 1) AT(32) DOUBLE "|%s", types[i]);
        (void)hdf5_add_object(&f, messages);
        check_refusal(&refusal, "a.mat", f.bytes, f.size);
        hdf5_free(&f);
    }
}

static void column_pointers_of_one_scalar_chunk_are_read(void **state)
{
    struct hdf5 f;
    (void)state;
    make_sparse(&f, "b0", LEAF(1) "w1 w0 q0 q" DATA " ", "1 b1 b0 z6" TYPE(U8) "|8 b3 b2 b1 @ w1");
    check_matrix("scalar", &f, 3, 0, NULL);
    hdf5_free(&f);
}

static void wrong_column_pointers_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *data, *messages;
    } cases[] = {
        {{"none", SYNTAX, 0, "variable S: expected column pointers, found none"},
         "b0",
         SPACE1(0) TYPE(U8) AT(0)},
        {{"single", SYNTAX, 0, "variable S: expected column pointers that are integers"},
         "z4",
         SPACE1(1) TYPE(F32) AT(4)},
        {{"double", SYNTAX, 0, "variable S: expected column pointers that are integers"},
         "z8",
         SPACE1(1) TYPE(F64) AT(8)},
        {{"cube", UNSUPPORTED, 0, "found another shape of data"}, "b0", "1 b1 b3 z6 q1 q1 q1" TYPE(U8) AT(1)},
        {{"more than 2^64", TOO_LARGE}, "b0", SPACE2(0x100000000, 0x100000000) TYPE(U8) AT(1)},
        {{"chunks of more than 2^64", CHUNKS_TOO_LARGE}, /* 2^64 + 64 bytes */
         "z8",
         SPACE2(1, 1) TYPE(U64) CHUNKS2(536903681, 4294705160)},
        {{"chunks of none", CHUNKS_TOO_LARGE}, "z8", SPACE2(1, 1) TYPE(U64) CHUNKS2(0, 1)},
        {{"wide chunks", CHUNKS_TOO_LARGE}, "z8", SPACE2(1, 2000) TYPE(U8) CHUNKS2(10000, 1)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct hdf5 f;
        make_sparse(&f, cases[i].data, NULL, cases[i].messages);
        check_refusal(&cases[i].refusal, "a.mat", f.bytes, f.size);
        hdf5_free(&f);
    }
}

/* All chunks are as large as the file can hold, but their sum is more than 2^64 bytes. */
static void chunks_of_a_large_sum_are_refused(void **state)
{
    static const struct refusal refusal = {"sum", CHUNKS_TOO_LARGE};
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    struct hdf5 f;
    (void)state;
    options.budget_bytes = 1 << 20;
    make_sparse(&f, "z4300000", NULL, SPACE2(1, 0x100000002) TYPE(U8) CHUNKS2(0xffffffff, 1));
    check_refusal_by(&refusal, "a.mat", f.bytes, f.size, &options);
    hdf5_free(&f);
}

/* Structures in which few bytes are visited often, as many addresses lead to the same place. */
static void trees_of_equal_children_are_refused(void **state)
{
    enum { CHILDREN = 200 };
    static const struct {
        struct refusal refusal;
        int names, leaf, node; /* how often each symbol, table of symbols and leaf is visited */
    } cases[] = {
        {{"nodes", SYNTAX, 0, "expected a tree of the members of a group"}, 0, 0, CHILDREN},
        {{"tables", SYNTAX, 0, "expected symbols of a group"}, 0, CHILDREN, CHILDREN},
        {{"names", SYNTAX, 0, "expected a name within those of the group"}, CHILDREN, CHILDREN, 1},
    };
    struct hdf5_member members[CHILDREN];
    (void)state;
    for (int i = 0; i < CHILDREN; i++)
        members[i] = (struct hdf5_member){"#", 0, 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct hdf5 f;
        hdf5_start(&f);
        const uint64_t symbols = hdf5_add_symbols(&f, members, cases[i].names);
        const uint64_t leaf = hdf5_add_node(&f, 0, 0, cases[i].leaf, symbols);
        const uint64_t node = hdf5_add_node(&f, 0, 1, cases[i].node, leaf);
        const uint64_t tree = hdf5_add_node(&f, 0, 2, CHILDREN, node);
        hdf5_end(&f, hdf5_add_group(&f, tree, hdf5_add_names(&f, members, CHILDREN), ""));
        check_refusal(&cases[i].refusal, "a.mat", f.bytes, f.size);
        hdf5_free(&f);
    }
}

static void trees_of_equal_chunks_are_refused(void **state)
{
    enum { CHILDREN = 200 };
    static const struct refusal refusal = {"chunks", SYNTAX, 0, "expected a tree of chunks of data"};
    struct hdf5 f;
    (void)state;
    start(&f, "b0", NULL);
    const uint64_t leaf = hdf5_add_node(&f, 1, 0, 0, 0);
    f.at = hdf5_add_node(&f, 1, 2, CHILDREN, hdf5_add_node(&f, 1, 1, CHILDREN, leaf));
    const struct hdf5_member jc = {"jc", hdf5_add_object(&f, SPACE1(1) TYPE(U8) CHUNKS1(1)), 0};
    const struct hdf5_member member = {"S", hdf5_add_members(&f, &jc, 1, SPARSE), 0};
    hdf5_end(&f, hdf5_add_members(&f, &member, 1, ""));
    check_refusal(&refusal, "a.mat", f.bytes, f.size);
    hdf5_free(&f);
}

static void a_tree_that_is_cut_off_is_refused(void **state)
{
    static const struct refusal refusal = {"tree", SYNTAX, 0, "expected a tree of the members of a group"};
    struct hdf5 f;
    (void)state;
    hdf5_start(&f);
    const uint64_t tree = f.size + 256;
    hdf5_end(&f, hdf5_add_group(&f, tree, hdf5_add_names(&f, NULL, 0), ""));
    while (f.size < tree)
        (void)hdf5_add(&f, "b0");
    (void)hdf5_add(&f, "tTREE");
    check_refusal(&refusal, "a.mat", f.bytes, f.size);
    hdf5_free(&f);
}

/* Makes a data set F whose object header has `blocks` blocks of `count` empty messages, all at the same address.
 * The block of its own messages is the last one. */
static void make_blocks(struct hdf5 *f, int blocks, int count)
{
    char text[64];
    start(f, "b3", NULL);
    const uint64_t empty = f->size;
    for (int i = 0; i < count; i++)
        (void)hdf5_add(f, "z8");
    const uint64_t own = hdf5_add_messages(f, SPACE2(1, 1) TYPE(U8) AT(1));
    const uint64_t own_bytes = f->size - own;
    const struct hdf5_member member = {"F", f->size, 0};
    hdf5_add_header(f, 24 * ((uint64_t)blocks + 1));
    for (int i = 0; i <= blocks; i++) {
        (void)snprintf(text, sizeof text, "0x10 q%llu q%llu", (unsigned long long)(i < blocks ? empty : own),
                       (unsigned long long)(i < blocks ? 8 * (uint64_t)count : own_bytes));
        (void)hdf5_add_messages(f, text);
    }
    hdf5_end(f, hdf5_add_members(f, &member, 1, ""));
}

static void object_headers_of_many_blocks_are_refused(void **state)
{
    static const double values[] = {3};
    static const struct {
        struct refusal refusal;
        int blocks, count;
    } cases[] = {
        {{"blocks", SYNTAX, 0, "expected an object header of fewer blocks"}, 63, 1},
        {{"messages", SYNTAX, 0, "expected messages that end within their object header"}, 60, 40},
        /* The search for the variable takes more than half of the steps. */
        {{"read again", SYNTAX, 0, "expected messages that end within their object header"}, 60, 20},
    };
    struct hdf5 f;
    (void)state;
    make_blocks(&f, 62, 1);
    check_matrix("blocks", &f, 1, 1, values);
    hdf5_free(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        make_blocks(&f, cases[i].blocks, cases[i].count);
        check_refusal(&cases[i].refusal, "a.mat", f.bytes, f.size);
        hdf5_free(&f);
    }
}

static void memory_is_within_the_budget(void **state)
{
    static const struct refusal refusal = {"budget", SPMM_ERR_MEMORY, 0, "bytes"};
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    struct hdf5 f;
    (void)state;
    options.budget_bytes = 1;
    make_full(&f, "b3 b4", NULL, SPACE2(2, 1) TYPE(U8) AT(2));
    check_refusal_by(&refusal, "a.mat", f.bytes, f.size, &options);
    survive_failing_allocations("a.mat", f.bytes, f.size);
    hdf5_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rare_descriptions_are_read),
        cmocka_unit_test(numbers_without_a_class_have_the_field_of_their_type),
        cmocka_unit_test(symbolic_links_are_ignored),
        cmocka_unit_test(wrong_data_sets_are_refused),
        cmocka_unit_test(names_without_end_are_refused),
        cmocka_unit_test(column_pointers_of_one_scalar_chunk_are_read),
        cmocka_unit_test(wrong_column_pointers_are_refused),
        cmocka_unit_test(chunks_of_a_large_sum_are_refused),
        cmocka_unit_test(trees_of_equal_children_are_refused),
        cmocka_unit_test(trees_of_equal_chunks_are_refused),
        cmocka_unit_test(a_tree_that_is_cut_off_is_refused),
        cmocka_unit_test(object_headers_of_many_blocks_are_refused),
        cmocka_unit_test(memory_is_within_the_budget),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
