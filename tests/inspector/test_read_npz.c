/* SPDX-License-Identifier: Apache-2.0 */
/* Checks SciPy's .npz: an accepted archive gives the same matrix as in Matrix Market. A refused one gets a
 * fixed status and a message that names the member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npz_make.h"
#include "read_check.h"
#include "tests/support/scorecard.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE
#define CONTAINER SPMM_ERR_MATRIX_CONTAINER

static void files_are_the_matrix_market_matrix(void **state)
{
    static const struct {
        const char *npz, *mtx, *field;
    } files[] = {{"csr.npz", "layouts.mtx", "real"},
                 {"csr_stored.npz", "layouts.mtx", "real"},
                 {"csc.npz", "layouts.mtx", "real"},
                 {"coo.npz", "layouts.mtx", "real"},
                 {"csr_array.npz", "layouts.mtx", "real"},
                 {"csr_indices64.npz", "layouts.mtx", "real"},
                 {"csr_big_endian.npz", "layouts.mtx", "real"},
                 {"duplicates.npz", "duplicates.mtx", "real"},
                 {"bsr.npz", "bsr.mtx", "real"},
                 {"dia.npz", "dia.mtx", "real"},
                 {"type_i1.npz", "types.mtx", "integer"},
                 {"type_u2.npz", "types.mtx", "integer"},
                 {"type_u8.npz", "types.mtx", "integer"},
                 {"type_f2.npz", "types.mtx", "real"},
                 {"type_f4.npz", "types.mtx", "real"},
                 {"type_b1.npz", "ones.mtx", "integer"}};
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        spmm_matrix_info_t other = info;
        spmm_matrix_t *a = must_load(files[i].npz);
        spmm_matrix_t *b = must_load(files[i].mtx);
        assert_same_matrix(files[i].npz, a, b);
        assert_int_equal(spmm_matrix_info(a, &info), SPMM_OK);
        assert_int_equal(spmm_matrix_info(b, &other), SPMM_OK);
        assert_string_equal(info.format, "npz");
        assert_string_equal(info.field, files[i].field);
        assert_string_equal(info.symmetry, "general");
        assert_int_equal(info.entries_stored, other.entries_stored);
        assert_int_equal(info.duplicates_summed, other.duplicates_summed);
        spmm_matrix_destroy(a);
        spmm_matrix_destroy(b);
    }
}

/* The members of a small archive that holds a csr of 2 x 3. */
struct member {
    const char *name, *dictionary;
    const void *data;
    size_t size;
};
#define DICTIONARY(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"
static const int64_t good_shape[] = {2, 3};
static const int32_t good_starts[] = {0, 2, 3};
static const int32_t good_indices[] = {2, 0, 1};
static const double good_data[] = {1.5, -2, 3};
static const struct member good[] = {
    {"format.npy", DICTIONARY("|S3", "()"), "csr", 3},
    {"shape.npy", DICTIONARY("<i8", "(2,)"), good_shape, sizeof good_shape},
    {"indptr.npy", DICTIONARY("<i4", "(3,)"), good_starts, sizeof good_starts},
    {"indices.npy", DICTIONARY("<i4", "(3,)"), good_indices, sizeof good_indices},
    {"data.npy", DICTIONARY("<f8", "(3,)"), good_data, sizeof good_data},
};
#define GOOD_MTX "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 1.5\n1 1 -2\n2 2 3\n"

/* Writes the good members. `other`, if not NULL, replaces the member of its name, or removes it if it has no
 * dictionary. */
static void make(struct npz *npz, bool deflated, const struct member *other)
{
    npz_start(npz);
    npz->deflated = deflated;
    for (size_t i = 0; i < COUNT(good); i++) {
        const struct member *m = &good[i];
        if (other != NULL && strcmp(other->name, m->name) == 0)
            m = other;
        if (m->dictionary != NULL)
            npz_add_array(npz, m->name, m->dictionary, m->data, m->size);
    }
    npz_end(npz);
}

static void check_good(const char *what, const struct npz *npz)
{
    spmm_matrix_t *a = must_read("a.npz", npz->bytes, npz->size);
    spmm_matrix_t *b = must_read("a.mtx", GOOD_MTX, strlen(GOOD_MTX));
    assert_same_matrix(what, a, b);
    spmm_matrix_destroy(a);
    spmm_matrix_destroy(b);
}

static void other_clothes_are_the_same_matrix(void **state)
{
    static const unsigned char starts_u1[] = {0, 2, 3};
    static const unsigned char shape_be[] = {0, 2, 0, 3};
    static const uint16_t data_f2[] = {0x3e00, 0xc000, 0x4200};
    static const struct member others[] = {
        {"format.npy", DICTIONARY("<U3", "()"), "c\0\0\0s\0\0\0r\0\0\0", 12},
        {"format.npy", DICTIONARY(">U3", "(1,)"), "\0\0\0c\0\0\0s\0\0\0r", 12},
        {"shape.npy", DICTIONARY(">i2", "(2,)"), shape_be, sizeof shape_be},
        {"indptr.npy", DICTIONARY("|u1", "(3,)"), starts_u1, sizeof starts_u1},
        {"data.npy", DICTIONARY("<f2", "(3,)"), data_f2, sizeof data_f2},
        {"data.npy", "{\"shape\":(3,),\"descr\":\"=f8\",\"fortran_order\":True}", good_data,
         sizeof good_data},
    };
    struct npz npz;
    (void)state;
    make(&npz, false, NULL);
    check_good("stored", &npz);
    make(&npz, true, NULL);
    check_good("deflated", &npz);
    for (size_t i = 0; i < COUNT(others); i++) {
        make(&npz, i % 2 == 0, &others[i]);
        check_good(others[i].dictionary, &npz);
    }
}

struct refused {
    struct refusal refusal;
    struct member member;
};
#define I4(...)                                             \
    (const int32_t[]){__VA_ARGS__}, sizeof(const int32_t[]) \
    {                                                       \
        __VA_ARGS__                                         \
    }
#define I8(...)                                             \
    (const int64_t[]){__VA_ARGS__}, sizeof(const int64_t[]) \
    {                                                       \
        __VA_ARGS__                                         \
    }
#define GOOD_DATA good_data, sizeof good_data

static const struct refused refused[] = {
    {{"no format", SYNTAX, 0, "found a zip archive without format.npy; unpack archives of other files"},
     {"format.npy", NULL, NULL, 0}},
    {{"no indptr", SYNTAX, 0, "member indptr.npy: expected it in the archive"},
     {"indptr.npy", NULL, NULL, 0}},
    {{"no data", SYNTAX, 0, "member data.npy: expected it in the archive"}, {"data.npy", NULL, NULL, 0}},
    {{"lil", UNSUPPORTED, 0, "member format.npy: expected csr, csc, coo, bsr or dia, found \"lil\""},
     {"format.npy", DICTIONARY("|S3", "()"), "lil", 3}},
    {{"format of control characters", UNSUPPORTED, 0, "found \"\\x01\\x02\\xff\""},
     {"format.npy", DICTIONARY("|S3", "()"), "\1\2\xff", 3}},
    {{"format is a number", SYNTAX, 0, "expected one text, found 1 of type i4"},
     {"format.npy", DICTIONARY("<i4", "()"), I4(7)}},
    {{"three sizes", SYNTAX, 0, "member shape.npy: expected rows and columns, found 3 numbers"},
     {"shape.npy", DICTIONARY("<i8", "(3,)"), I8(2, 3, 4)}},
    {{"negative size", SYNTAX, 0, "member shape.npy: expected sizes from 0 to 2147483646, found -2"},
     {"shape.npy", DICTIONARY("<i8", "(2,)"), I8(-2, 3)}},
    {{"size of 2^31 - 1", TOO_LARGE, 0, "found 2147483647"},
     {"shape.npy", DICTIONARY("<i8", "(2,)"), I8(2, 2147483647)}},
    {{"size beyond 2^63", TOO_LARGE, 0, "expected numbers below 2^63, found 18446744073709551615"},
     {"shape.npy", DICTIONARY("<u8", "(2,)"), I8(2, -1)}},
    {{"real sizes", SYNTAX, 0, "member shape.npy: expected integers, found type f8"},
     {"shape.npy", DICTIONARY("<f8", "(2,)"), (const double[]){2, 3}, 16}},
    {{"more rows than offsets", SYNTAX, 0, "member indptr.npy: expected 2000000001 numbers, found 3"},
     {"shape.npy", DICTIONARY("<i8", "(2,)"), I8(2000000000, 3)}},
    {{"first offset", SYNTAX, 0, "member indptr.npy: expected an offset from 0 to 0, found 1 as number 0"},
     {"indptr.npy", DICTIONARY("<i4", "(3,)"), I4(1, 2, 3)}},
    {{"falling offsets", SYNTAX, 0, "expected an offset from 0 to 3, found -1 as number 1"},
     {"indptr.npy", DICTIONARY("<i4", "(3,)"), I4(0, -1, 3)}},
    {{"last offset", SYNTAX, 0, "expected an offset from 3 to 3, found 2 as number 2"},
     {"indptr.npy", DICTIONARY("<i4", "(3,)"), I4(0, 2, 2)}},
    {{"index of 3 columns", SYNTAX, 0,
      "member indices.npy: expected an index from 0 to 2, found 3 as number 1"},
     {"indices.npy", DICTIONARY("<i4", "(3,)"), I4(2, 3, 1)}},
    {{"negative index", SYNTAX, 0, "expected an index from 0 to 2, found -1 as number 2"},
     {"indices.npy", DICTIONARY("<i4", "(3,)"), I4(2, 0, -1)}},
    {{"indices of two dimensions", SYNTAX, 0, "expected an array of 1 dimensions, found 2"},
     {"indices.npy", DICTIONARY("<i4", "(3, 1)"), good_indices, sizeof good_indices}},
    {{"fewer values", SYNTAX, 0, "member data.npy: expected 3 numbers, found 2"},
     {"data.npy", DICTIONARY("<f8", "(2,)"), good_data, 16}},
    {{"shape beyond the bytes", SYNTAX, 0,
      "member data.npy: expected 8000000000 bytes of numbers, as its shape says, found 24"},
     {"data.npy", DICTIONARY("<f8", "(1000000000,)"), GOOD_DATA}},
    {{"shape that overflows", SYNTAX, 0, "as its shape says, found 24"},
     {"data.npy", DICTIONARY("<f8", "(99999999999999999, 99999999999999999, 99999999999999999)"), GOOD_DATA}},
    {{"four dimensions", SYNTAX, 0, "shape of at most 3 dimensions, found \"1),\""},
     {"data.npy", DICTIONARY("<f8", "(3,1,1,1)"), GOOD_DATA}},
    {{"objects", UNSUPPORTED, 0, "member data.npy: Python objects are not read"},
     {"data.npy", DICTIONARY("|O", "(3,)"), GOOD_DATA}},
    {{"complex", UNSUPPORTED, 0, "found \"<c8\", complex numbers"},
     {"data.npy", DICTIONARY("<c8", "(3,)"), GOOD_DATA}},
    {{"bfloat16", UNSUPPORTED, 0, "found \"<V2\", such as bfloat16"},
     {"data.npy", DICTIONARY("<V2", "(3,)"), good_data, 6}},
    {{"long double", UNSUPPORTED, 0, "found \"<f16\""},
     {"data.npy", DICTIONARY("<f16", "(3,)"), good_data, 24}},
    {{"text values", SYNTAX, 0, "expected numbers, found type S8"},
     {"data.npy", DICTIONARY("|S8", "(3,)"), GOOD_DATA}},
    {{"no byte order", UNSUPPORTED, 0, "found \"f8\""}, {"data.npy", DICTIONARY("f8", "(3,)"), GOOD_DATA}},
    {{"a structure", SYNTAX, 0, "expected a header with descr, fortran_order and shape"},
     {"data.npy", "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", GOOD_DATA}},
    {{"a key twice", SYNTAX, 0, "expected a header with descr"},
     {"data.npy", "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", GOOD_DATA}},
    {{"a key too few", SYNTAX, 0, "expected a header with descr"},
     {"data.npy", "{'descr': '<f8', 'shape': (3,), }", GOOD_DATA}},
    {{"an expression", SYNTAX, 0, "found \"__import__('os')"},
     {"data.npy", "{'descr': '<f8', 'fortran_order': __import__('os').abort(), 'shape': (3,), }", GOOD_DATA}},
    {{"text behind the dictionary", SYNTAX, 0, "found \"1\""},
     {"data.npy", DICTIONARY("<f8", "(3,)") " 1", GOOD_DATA}},
};

static void malformed_arrays_are_refused(void **state)
{
    struct npz npz;
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        make(&npz, false, &refused[i].member);
        check_refusal(&refused[i].refusal, "bad.npz", npz.bytes, npz.size);
        make(&npz, true, &refused[i].member);
        check_refusal(&refused[i].refusal, "bad", npz.bytes, npz.size);
    }
}

/* Fortran order matters only for two or more dimensions, which bsr and dia have. */
static void layouts_of_blocks_are_checked(void **state)
{
    static const struct refused cases[] = {
        {{"column by column", UNSUPPORTED, 0, "expected numbers row by row, found fortran_order: True"},
         {"data.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1, 1), }", GOOD_DATA}},
        {{"no blocks of this size", SYNTAX, 0, "expected blocks that divide a matrix of 2 x 3, found 3 x 1"},
         {"data.npy", DICTIONARY("<f8", "(1, 3, 1)"), GOOD_DATA}},
        {{"empty blocks", SYNTAX, 0, "expected blocks that divide a matrix of 2 x 3, found 0 x 1"},
         {"data.npy", DICTIONARY("<f8", "(3, 0, 1)"), good_data, 0}},
        {{"dimensions", SYNTAX, 0, "expected an array of 3 dimensions, found 1"},
         {"data.npy", DICTIONARY("<f8", "(3,)"), GOOD_DATA}},
    };
    struct npz npz;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        npz_start(&npz);
        npz_add_array(&npz, "format.npy", DICTIONARY("|S3", "()"), "bsr", 3);
        for (size_t k = 1; k < 4; k++)
            npz_add_array(&npz, good[k].name, good[k].dictionary, good[k].data, good[k].size);
        npz_add_array(&npz, cases[i].member.name, cases[i].member.dictionary, cases[i].member.data,
                      cases[i].member.size);
        npz_end(&npz);
        check_refusal(&cases[i].refusal, "bad.npz", npz.bytes, npz.size);
    }
}

/* Returns the byte at `offset` in the directory's entry for the first member. */
static unsigned char *in_directory(struct npz *npz, size_t offset)
{
    for (size_t i = 0; i + 4 < npz->size; i++)
        if (memcmp(npz->bytes + i, "PK\1\2", 4) == 0)
            return npz->bytes + i + offset;
    fail();
    return NULL;
}

static void damaged_archives_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        bool deflated;
        size_t offset; /* in the entry of the directory */
        const char *bytes;
        size_t size;
    } cases[] = {
        {{"encrypted", UNSUPPORTED, 0, "member format.npy: it is encrypted"}, false, 8, "\1", 1},
        {{"bzip2", UNSUPPORTED, 0, "expected stored or deflated bytes, found compression method 12"},
         false,
         10,
         "\x0c",
         1},
        {{"checksum", CONTAINER, 0, "member format.npy: its header is damaged"}, false, 16, "\1\2\3\4", 4},
        {{"a bomb", CONTAINER, 0, "packed bytes can hold, found 2147483647"},
         true,
         24,
         "\xff\xff\xff\x7f",
         4},
        {{"stored, of another size", CONTAINER, 0, "packed bytes can hold, found 5"},
         false,
         24,
         "\5\0\0\0",
         4},
        {{"elsewhere", CONTAINER, 0, "member format.npy: its header is damaged"}, false, 42, "\7", 1},
    };
    struct npz npz;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        make(&npz, cases[i].deflated, NULL);
        memcpy(in_directory(&npz, cases[i].offset), cases[i].bytes, cases[i].size);
        check_refusal(&cases[i].refusal, "bad.npz", npz.bytes, npz.size);
    }
    static const struct refusal changed = {"a changed value", CONTAINER, 0,
                                           "member format.npy: its bytes do not match its checksum"};
    make(&npz, false, NULL);
    npz.bytes[30 + strlen("format.npy") + 10 + strlen(good[0].dictionary) + 1] = 'C';
    check_refusal(&changed, "bad.npz", npz.bytes, npz.size);
}

static void other_bytes_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *bytes;
        size_t size;
    } cases[] = {
        {{"no zip", SYNTAX, 1, "expected a zip archive, as scipy.sparse.save_npz writes it, found \"hello\""},
         "hello\n",
         6},
        {{"empty zip", CONTAINER, 0, "found one without its directory"},
         "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
         22},
        {{"cut off", CONTAINER, 0, "found one without its directory; is it cut off?"}, "PK\3\4\0\0\0\0", 8},
    };
    static const struct refusal no_array = {"no array", SYNTAX, 0,
                                            "member format.npy: expected a NumPy array, found other bytes"};
    static const struct refusal version = {"version", UNSUPPORTED, 0,
                                           "expected version 1.0, 2.0 or 3.0 of the NumPy format, found 4.0"};
    static const struct refusal length = {
        "length", SYNTAX, 0, "expected a header of at most 16384 bytes, found a length of 4294967295"};
    static const struct refusal short_array = {"short", SYNTAX, 0,
                                               "expected 8 more bytes, found the end after 3"};
    struct npz npz;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_refusal(&cases[i].refusal, "bad.npz", cases[i].bytes, cases[i].size);
    static const struct {
        const struct refusal *refusal;
        const char *bytes;
        size_t size;
    } arrays[] = {{&no_array, "hello, world", 12},
                  {&version, "\x93NUMPY\4\0\0\0\0\0", 12},
                  {&length, "\x93NUMPY\2\0\xff\xff\xff\xff", 12},
                  {&short_array, "\x93NU", 3}};
    for (size_t i = 0; i < COUNT(arrays); i++) {
        npz_start(&npz);
        npz_add(&npz, "format.npy", arrays[i].bytes, arrays[i].size);
        npz_end(&npz);
        check_refusal(arrays[i].refusal, "bad.npz", npz.bytes, npz.size);
    }
}

static void the_budget_is_kept(void **state)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    struct npz npz;
    (void)state;
    make(&npz, true, NULL);
    options.budget_bytes = 1000;
    assert_int_equal(spmm_matrix_read(npz.bytes, npz.size, "a.npz", &options, &matrix, &diag),
                     SPMM_ERR_MEMORY);
    assert_null(matrix);
}

static void damaged_files_are_survived(void **state)
{
    static const char *const files[] = {"coo.npz", "bsr.npz", "dia.npz", "csc.npz"};
    struct npz npz;
    (void)state;
    for (int deflated = 0; deflated < 2; deflated++) {
        make(&npz, deflated != 0, NULL);
        survive_truncations("a.npz", npz.bytes, npz.size, npz.size);
        survive_changes("a.npz", npz.bytes, npz.size, deflated ? 17 : 1);
        survive_failing_allocations("a.npz", npz.bytes, npz.size);
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        size_t size = 0;
        unsigned char *bytes = bytes_of(files[i], &size);
        survive_truncations(files[i], bytes, size, size);
        survive_failing_allocations(files[i], bytes, size);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(other_clothes_are_the_same_matrix),
        cmocka_unit_test(malformed_arrays_are_refused),
        cmocka_unit_test(layouts_of_blocks_are_checked),
        cmocka_unit_test(damaged_archives_are_refused),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
