/* SPDX-License-Identifier: Apache-2.0 */
/* Checks tar archives: which member is the matrix, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_check.h"
#include "tests/support/scorecard.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define CONTAINER SPMM_ERR_MATRIX_CONTAINER
#define BLOCK 512
#define MTX "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 5\n"
#define OTHER "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 7\n"

struct member {
    const char *name, *text;
    char type; /* 0: regular file */
};
#define MEMBERS 5

struct tar {
    char bytes[16 * BLOCK];
    size_t size;
};

static void set_sum(char *header)
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    (void)sprintf(header + 148, "%06o", sum);
}

static void make(struct tar *tar, const struct member *members)
{
    memset(tar, 0, sizeof *tar);
    for (int i = 0; i < MEMBERS && members[i].name != NULL; i++) {
        char *header = tar->bytes + tar->size;
        const size_t length = strlen(members[i].text);
        memcpy(header, members[i].name, strlen(members[i].name));
        (void)sprintf(header + 124, "%011o", (unsigned)length);
        header[156] = members[i].type != 0 ? members[i].type : '0';
        memcpy(header + 257, "ustar", 6);
        set_sum(header);
        memcpy(header + BLOCK, members[i].text, length);
        tar->size += BLOCK + (length + BLOCK - 1) / BLOCK * BLOCK;
    }
    tar->size += 2 * (size_t)BLOCK;
}

static void archives_of_others_are_read(void **state)
{
    static const char *const files[] = {"suite.tar.gz",    "suite.tar.xz",  "long_gnu.tar.bz2",
                                        "long_pax.tar.gz", "others.mtx.xz", "others.mtx.bz2"};
    spmm_matrix_t *expected = must_load("others.mtx");
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        spmm_matrix_t *matrix = must_load(files[i]);
        assert_same_matrix(files[i], matrix, expected);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.format, "matrix-market");
        assert_string_equal(info.name, files[i]);
        spmm_matrix_destroy(matrix);
    }
    spmm_matrix_destroy(expected);
}

static void the_matrix_is_found(void **state)
{
    static const struct {
        const char *name;
        struct member members[MEMBERS];
    } cases[] = {
        {"alone", {{"a.mtx", MTX, 0}}},
        {"in capitals", {{"A.MTX", MTX, 0}}},
        {"in its folder, before others", {{"a/b/b.mtx", MTX, 0}, {"a/b/b_x.mtx", OTHER, 0}}},
        {"in its folder, behind others",
         {{"b/b_x.mtx", OTHER, 0}, {"bb/b.mtx", OTHER, 0}, {"b/b.mtx", MTX, 0}}},
        {"one that is no file is passed over", {{"a/a.mtx", "", '2'}, {"a/c.mtx", MTX, 0}}},
        {"a name that is an ending", {{".mtx", MTX, 0}}},
        {"old type, a contiguous file", {{"x.mtx", MTX, '7'}}},
        {"global header of pax", {{"g", "11 path=zzz\n", 'g'}, {"x.mtx", MTX, 0}}},
        {"long name of GNU", {{"L", "a/a.mtx", 'L'}, {"c", MTX, 0}, {"d.mtx", OTHER, 0}}},
        {"long name is of one member", {{"L", "a/a", 'L'}, {"c.mtx", OTHER, 0}, {"d.mtx", MTX, 0}}},
        {"pax: a short record", {{"x", "5 a=\n", 'x'}, {"a.mtx", MTX, 0}}},
        {"long target of a link", {{"L", "a.mtx", 'L'}, {"K", "b", 'K'}, {"c", MTX, 0}}},
        {"pax: path and size",
         {{"x", "16 path=a/a.mtx\n11 size=58\n", 'x'}, {"c", MTX, 0}, {"d.mtx", OTHER, 0}}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tar tar;
        make(&tar, cases[i].members);
        spmm_matrix_t *matrix = must_read(cases[i].name, tar.bytes, tar.size);
        spmm_matrix_t *expected = must_read("a.mtx", MTX, strlen(MTX));
        assert_same_matrix(cases[i].name, matrix, expected);
        spmm_matrix_destroy(matrix);
        spmm_matrix_destroy(expected);
    }
}

/* Names and labels that are too long are shortened. The end of a name is kept, because it tells the format.
 * If the message fills its buffer, it does not say as what the file was read. */
static void long_names_are_shortened(void **state)
{
    char name[200], label[80], list[100] = "";
    const struct member members[MEMBERS] = {{"L", name, 'L'}, {"c", MTX, 0}};
    const struct member wrong[MEMBERS] = {{"a.mtx", "hello\n", 0}};
    const struct member others[MEMBERS] = {{list, "", 0}, {list, "", 0}};
    const struct refusal refusal = {"label", SYNTAX, 1, "xxx.tar, line 1: expected %%MatrixMarket"};
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    struct tar tar;
    (void)state;
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 5, ".mtx", 5);
    memset(label, 'x', sizeof label);
    memcpy(label + sizeof label - 5, ".tar", 5);
    memset(list, 'x', sizeof list - 1);
    make(&tar, members);
    spmm_matrix_destroy(must_read("a.tar", tar.bytes, tar.size));
    make(&tar, wrong);
    check_refusal(&refusal, label, tar.bytes, tar.size);
    make(&tar, others);
    assert_int_equal(spmm_matrix_read(tar.bytes, tar.size, label, NULL, &matrix, &diag), UNSUPPORTED);
    assert_non_null(strstr(diag.text, "in the tar archive, found xxx"));
    assert_null(strstr(diag.text, "(read"));
}

static void archives_without_one_matrix_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        struct member members[MEMBERS];
    } cases[] = {
        {{"none", UNSUPPORTED, 0, "a member NAME/NAME.mtx in the tar archive, found readme, b.txt"},
         {{"readme", "x", 0}, {"b.txt", "x", 0}}},
        {{"no files", UNSUPPORTED, 0, "in the tar archive, found none"}, {{"a", "", '5'}}},
        {{"several", UNSUPPORTED, 0,
          "expected one matrix in the tar archive, found 2; unpack one of a.mtx, b.rb"},
         {{"c.txt", "x", 0}, {"a.mtx", MTX, 0}, {"b.rb", OTHER, 0}}},
        {{"several in their folders", UNSUPPORTED, 0, "unpack one of a/a.mtx, b/b.mtx"},
         {{"a/a.mtx", MTX, 0}, {"b/b.mtx", MTX, 0}}},
        {{"names are escaped", UNSUPPORTED, 0, "found \\x1b[0m"}, {{"\x1b[0m", MTX, 0}}},
        {{"long lists", UNSUPPORTED, 0,
          "aaa, b/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
         {{"a/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "", 0},
          {"b/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "", 0},
          {"c/ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc", "", 0},
          {"d", "", 0}}},
        {{"a long list of matrices", UNSUPPORTED, 0, "found 2; unpack one of aaaaaaaa"},
         {{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.mtx", MTX, 0},
          {"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.mtx", MTX, 0}}},
        {{"what the matrix is not", SYNTAX, 1, "a.tar: x.mtx, line 1: expected %%MatrixMarket"},
         {{"x.mtx", "hello\n", 0}}},
        {{"an error in the matrix", SYNTAX, 3, "a.tar: x.mtx, line 3: expected a column index"},
         {{"x.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 3 5\n", 0}}},
        {{"an empty one", SYNTAX, 1, "found an empty file"}, {{"x.mtx", "", 0}}},
        {{"pax without length", CONTAINER, 0, "expected a record of pax at byte 512"},
         {{"x", "path=a\n", 'x'}}},
        {{"pax of length 0", CONTAINER, 0, "record of pax at byte 523"},
         {{"x", "11 path=zz\n0 path=1\n", 'x'}}},
        {{"pax of length 2^64 + 42", CONTAINER, 0, "record of pax at byte 512"},
         {{"x", "18446744073709551658 path=aaaaaaaaaaaaaaa\n", 'x'}}},
        {{"pax beyond its end", CONTAINER, 0, "record of pax at byte 512"},
         {{"x", "17 path=a/a.mtx\n", 'x'}}},
        {{"pax without line end", CONTAINER, 0, "record of pax at byte 512"},
         {{"x", "15 path=a/a.mtx\n", 'x'}}},
        {{"pax without blank", CONTAINER, 0, "record of pax at byte 512"}, {{"x", "7path=\n", 'x'}}},
        {{"pax of a size that is none", CONTAINER, 0, "record of pax at byte"}, {{"x", "11 size=6x\n", 'x'}}},
        {{"pax of a huge size", CONTAINER, 0, "record of pax at byte"},
         {{"x", "40 size=99999999999999999999999999999999\n", 'x'}}},
        {{"pax of a size that is too large", CONTAINER, 0, "a member is longer than what is left"},
         {{"x", "13 size=9999\n", 'x'}, {"a.mtx", MTX, 0}}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tar tar;
        make(&tar, cases[i].members);
        check_refusal(&cases[i].refusal, "a.tar", tar.bytes, tar.size);
    }
}

/* Changes the header of one member, and then corrects its checksum unless the case is about the checksum. */
static void damaged_headers_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        size_t at;
        const char *text;
        size_t length;
        bool keeps_sum;
    } cases[] = {
        {{"a letter behind the sum", CONTAINER, 0, "the header does not match its sum"}, 154, "x", 1, true},
        {{"sum", CONTAINER, 0, "the header does not match its sum at byte 0"}, 150, "7", 1, true},
        {{"no octal size", CONTAINER, 0, "expected a size at byte 124"}, 128, "9", 1, false},
        {{"size in 64 bits and more", CONTAINER, 0, "expected a size at byte 124"},
         124,
         "\x80\1\1\1",
         4,
         false},
        {{"a size of blanks, which is 0", CONTAINER, 0, "does not match its sum at byte 512"},
         124,
         "             x",
         14,
         false},
        {{"negative size", CONTAINER, 0, "expected a size at byte 124"}, 124, "\xff", 1, false},
        {{"too large a size", CONTAINER, 0, "longer than what is left; is it cut off? at byte 0"},
         124,
         "00000010000",
         11,
         false},
        {{"nearly 2^64", CONTAINER, 0, "longer than what is left"},
         124,
         "\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
         12,
         false},
    };
    static const struct member members[MEMBERS] = {{"a.mtx", MTX, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tar tar;
        make(&tar, members);
        memcpy(tar.bytes + cases[i].at, cases[i].text, cases[i].length);
        if (!cases[i].keeps_sum)
            set_sum(tar.bytes);
        check_refusal(&cases[i].refusal, "a.tar", tar.bytes, tar.size);
    }
}

/* The bytes in front of a name belong to the end of another member, not to the name. */
static void names_begin_where_they_begin(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *before;
        struct member members[MEMBERS - 1];
    } cases[] = {
        {{"ending", UNSUPPORTED, 0, "found d, x"}, ".mt", {{"x", MTX, 0}}},
        {{"folder", UNSUPPORTED, 0, "found 2; unpack one of b/bb.mtx, c.mtx"},
         "/b",
         {{"b/bb.mtx", MTX, 0}, {"c.mtx", MTX, 0}}},
        {{"folder before", UNSUPPORTED, 0, "found 2; unpack one of b.mtx, c.mtx"},
         "/b/",
         {{"b.mtx", MTX, 0}, {"c.mtx", MTX, 0}}},
    };
    char block[BLOCK + 1];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tar tar;
        struct member members[MEMBERS] = {{"d", block, 0}};
        memset(block, 'a', BLOCK);
        memcpy(block + BLOCK - strlen(cases[i].before), cases[i].before, strlen(cases[i].before) + 1);
        memcpy(members + 1, cases[i].members, sizeof cases[i].members);
        make(&tar, members);
        check_refusal(&cases[i].refusal, "a.tar", tar.bytes, tar.size);
    }
}

static void set_size(struct tar *tar, const char *octal)
{
    memcpy(tar->bytes + 124, octal, strlen(octal));
    set_sum(tar->bytes);
}

static void links_have_no_bytes(void **state)
{
    (void)state;
    for (char type = '1'; type <= '6'; type++) {
        const struct member members[MEMBERS] = {{"l", "", type}, {"a.mtx", MTX, 0}};
        struct tar tar;
        make(&tar, members);
        set_size(&tar, "00000000005");
        spmm_matrix_destroy(must_read("a.tar", tar.bytes, tar.size));
    }
}

/* The record of pax claims to end after its member, at a line end. */
static void records_end_in_their_member(void **state)
{
    static const struct refusal refusal = {"record", CONTAINER, 0, "expected a record of pax at byte 512"};
    static const struct member members[MEMBERS] = {{"x", "17 path=a/a.mtx\n\n", 'x'}, {"c.mtx", MTX, 0}};
    struct tar tar;
    (void)state;
    make(&tar, members);
    set_size(&tar, "00000000020");
    check_refusal(&refusal, "a.tar", tar.bytes, tar.size);
}

static void headers_of_other_writers_are_read(void **state)
{
    static const struct {
        const char *name;
        size_t at;
        const char *text;
        size_t length;
    } cases[] = {
        {"blanks before the size", 124, "         72 ", 12},
        {"size without an end, before a time", 124, "0000000000727", 13},
        {"size as eight bytes", 124, "\x80\0\0\0\0\0\0\0\0\0\0\x3a", 12},
        {"no magic: v7", 257, "\0\0\0\0\0", 5},
        {"no type: v7", 156, "", 1},
    };
    static const struct member members[MEMBERS] = {{"a.mtx", MTX, 0}};
    spmm_matrix_t *expected = must_read("a.mtx", MTX, strlen(MTX));
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tar tar;
        make(&tar, members);
        memcpy(tar.bytes + cases[i].at, cases[i].text, cases[i].length);
        set_sum(tar.bytes);
        spmm_matrix_t *matrix = must_read(cases[i].name, tar.bytes, tar.size);
        assert_same_matrix(cases[i].name, matrix, expected);
        spmm_matrix_destroy(matrix);
    }
    spmm_matrix_destroy(expected);
}

static void an_archive_in_an_archive_is_refused(void **state)
{
    static const struct refusal refusal = {"inner", UNSUPPORTED, 0, "found another tar archive"};
    static const struct refusal no_name = {"name alone", SYNTAX, 1,
                                           "expected a tar archive, found \"hello\""};
    static const struct member members[MEMBERS] = {{"a.mtx", "", 0}};
    struct tar outer;
    struct tar inner;
    (void)state;
    make(&inner, members);
    make(&outer, members);
    memcpy(outer.bytes + BLOCK, inner.bytes, inner.size);
    (void)sprintf(outer.bytes + 124, "%011o", (unsigned)inner.size);
    set_sum(outer.bytes);
    check_refusal(&refusal, "a.tar", outer.bytes, outer.size + inner.size);
    check_refusal(&no_name, "a.tar", "hello\n", 6);
    check_refusal(&no_name, "a.tgz", "hello\n", 6);
}

static void damaged_archives_are_survived(void **state)
{
    static const struct member members[MEMBERS] = {{"x", "16 path=a/a.mtx\n", 'x'}, {"c.mtx", MTX, 0}};
    struct tar tar;
    (void)state;
    make(&tar, members);
    survive_truncations("a.tar", tar.bytes, tar.size, tar.size - 2 * BLOCK);
    survive_changes("a", tar.bytes, tar.size, 16);
    survive_failing_allocations("a.tar", tar.bytes, tar.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_of_others_are_read),
        cmocka_unit_test(the_matrix_is_found),
        cmocka_unit_test(long_names_are_shortened),
        cmocka_unit_test(archives_without_one_matrix_are_refused),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(headers_of_other_writers_are_read),
        cmocka_unit_test(names_begin_where_they_begin),
        cmocka_unit_test(links_have_no_bytes),
        cmocka_unit_test(records_end_in_their_member),
        cmocka_unit_test(an_archive_in_an_archive_is_refused),
        cmocka_unit_test(damaged_archives_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
