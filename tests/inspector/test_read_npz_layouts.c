/* SPDX-License-Identifier: Apache-2.0 */
/* Checks each layout of SciPy's .npz: each member in turn is missing, cut off, of a wrong type or length, out
 * of range or damaged. The archive must then be refused with a message that names the member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "npz_make.h"
#include "read_check.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE
#define CONTAINER SPMM_ERR_MATRIX_CONTAINER
#define DICTIONARY(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"
#define BIG (INT64_C(1) << 40)

struct member {
    const char *name, *descr, *shape;
    int64_t integers[6]; /* eight bytes per number; for '<f8' converted to double */
    int count;
};

/* The same 2 x 3 matrix in every layout. */
#define MTX "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 1\n1 1 -2\n2 2 3\n"
#define INTEGERS(name, length) name, "<i8", "(" #length ",)"
#define MEMBERS 4
static const struct layout {
    const char *name;
    struct member members[MEMBERS]; /* without format and shape */
} layouts[] = {
    {"csr",
     {{INTEGERS("indptr.npy", 3), {0, 2, 3}, 3},
      {INTEGERS("indices.npy", 3), {2, 0, 1}, 3},
      {"data.npy", "<f8", "(3,)", {1, -2, 3}, 3}}},
    {"csc",
     {{INTEGERS("indptr.npy", 4), {0, 1, 2, 3}, 4},
      {INTEGERS("indices.npy", 3), {0, 1, 0}, 3},
      {"data.npy", "<f8", "(3,)", {-2, 3, 1}, 3}}},
    {"coo",
     {{INTEGERS("row.npy", 3), {0, 0, 1}, 3},
      {INTEGERS("col.npy", 3), {2, 0, 1}, 3},
      {"data.npy", "<f8", "(3,)", {1, -2, 3}, 3}}},
    {"bsr",
     {{INTEGERS("indptr.npy", 3), {0, 2, 3}, 3},
      {INTEGERS("indices.npy", 3), {2, 0, 1}, 3},
      {"data.npy", "<f8", "(3, 1, 1)", {1, -2, 3}, 3}}},
    {"dia", {{INTEGERS("offsets.npy", 2), {0, 2}, 2}, {"data.npy", "<f8", "(2, 3)", {-2, 3, 0, 0, 0, 1}, 6}}},
};

enum damage { NONE, ABSENT, CUT, TEXT, SHORT, HUGE, OUTSIDE, CHECKSUM, DAMAGES };

static void add(struct npz *npz, const struct member *m, enum damage damage)
{
    char dictionary[128];
    unsigned char data[6 * 8];
    for (int i = 0; i < m->count; i++) {
        const double real = (double)m->integers[i];
        const int64_t integer = damage == OUTSIDE ? BIG : damage == HUGE ? -1 : m->integers[i];
        if (m->descr[1] == 'f')
            memcpy(data + 8 * i, &real, 8);
        else
            memcpy(data + 8 * i, &integer, 8);
    }
    (void)snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                   damage == TEXT   ? "<U2"
                   : damage == HUGE ? "<u8"
                                    : m->descr,
                   damage == SHORT ? "(1,)" : m->shape);
    if (damage == CUT)
        npz_add(npz, m->name, "\x93NUMPY\1\0\x50", 9);
    else if (damage != ABSENT)
        npz_add_array(npz, m->name, dictionary, data, damage == SHORT ? 8 : (size_t)m->count * 8);
    if (damage == CHECKSUM)
        npz->bytes[npz->size - (size_t)m->count * 8 - 1] = ' '; /* replaces the newline of the header */
}

static void start(struct npz *npz, const char *format)
{
    static const int64_t shape[] = {2, 3};
    npz_start(npz);
    npz_add_array(npz, "format.npy", DICTIONARY("|S3", "()"), format, 3);
    npz_add_array(npz, "shape.npy", DICTIONARY("<i8", "(2,)"), shape, sizeof shape);
}

static void make(struct npz *npz, const struct layout *layout, size_t damaged, enum damage damage)
{
    start(npz, layout->name);
    for (size_t i = 0; i < MEMBERS && layout->members[i].name != NULL; i++)
        add(npz, &layout->members[i], i == damaged ? damage : NONE);
    npz_end(npz);
}

static void layouts_are_the_same_matrix(void **state)
{
    static struct npz npz;
    (void)state;
    for (size_t l = 0; l < COUNT(layouts); l++) {
        make(&npz, &layouts[l], 0, NONE);
        spmm_matrix_t *a = must_read("a.npz", npz.bytes, npz.size);
        spmm_matrix_t *b = must_read("a.mtx", MTX, strlen(MTX));
        assert_same_matrix(layouts[l].name, a, b);
        spmm_matrix_destroy(a);
        spmm_matrix_destroy(b);
    }
}

static void every_damaged_member_is_named(void **state)
{
    static const struct {
        spmm_status_t status;
        const char *excerpt;
    } verdicts[DAMAGES] = {[ABSENT] = {SYNTAX, "expected it in the archive"},
                           [CUT] = {SYNTAX, "expected 2 more bytes"},
                           [TEXT] = {SYNTAX, "found type U8"},
                           [SHORT] = {SYNTAX, "expected "},
                           [HUGE] = {TOO_LARGE, "expected numbers below 2^63"},
                           [OUTSIDE] = {SYNTAX, "found 1099511627776"},
                           [CHECKSUM] = {CONTAINER, "do not match its checksum"}};
    static struct npz npz;
    (void)state;
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t m = 0; m < MEMBERS && layouts[l].members[m].name != NULL; m++)
            for (int damage = ABSENT; damage < DAMAGES; damage++) {
                const struct member *member = &layouts[l].members[m];
                const struct refusal refusal = {member->name, verdicts[damage].status, 0,
                                                verdicts[damage].excerpt};
                if (member->descr[1] == 'f' && (damage == HUGE || damage == OUTSIDE))
                    continue; /* every number is a valid value */
                make(&npz, &layouts[l], m, (enum damage)damage);
                check_refusal(&refusal, "bad.npz", npz.bytes, npz.size);
            }
}

/* Data with wrong shapes: blocks that do not divide the matrix, wrong numbers of diagonals, lengths that do
 * not match. */
static void shapes_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        struct refusal refusal;
        const char *format;
        struct member data;
    } cases[] = {
        {{"wide", SYNTAX, 0, "expected blocks that divide a matrix of 2 x 3, found 1 x 2"},
         "bsr",
         {"data.npy", "<f8", "(1, 1, 2)", {1, 2}, 2}},
        {{"no columns", SYNTAX, 0, "found 1 x 0"}, "bsr", {"data.npy", "<f8", "(3, 1, 0)", {0}, 0}},
        {{"diagonals", SYNTAX, 0, "expected 2 diagonals, found 1"},
         "dia",
         {"data.npy", "<f8", "(1, 3)", {1, 2, 3}, 3}},
        {{"offsets", SYNTAX, 0, "expected offsets of diagonals, found -1099511627776"},
         "dia",
         {"offsets.npy", "<i8", "(2,)", {0, -BIG}, 2}},
        {{"elements", SYNTAX, 0, "bytes of numbers, as its shape says"},
         "csr",
         {"data.npy", "<f8", "(4294967296, 1073741824)", {0}, 0}},
    };
    static struct npz npz;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        start(&npz, cases[i].format);
        for (size_t l = 0; l < COUNT(layouts); l++)
            for (size_t m = 0; strcmp(layouts[l].name, cases[i].format) == 0 && m < MEMBERS; m++)
                if (layouts[l].members[m].name != NULL &&
                    strcmp(layouts[l].members[m].name, cases[i].data.name) != 0)
                    add(&npz, &layouts[l].members[m], NONE);
        add(&npz, &cases[i].data, NONE);
        npz_end(&npz);
        check_refusal(&cases[i].refusal, "bad.npz", npz.bytes, npz.size);
    }
}

static void headers_that_are_incomplete_are_refused(void **state)
{
    static const struct refused_header {
        struct refusal refusal;
        const char *dictionary;
        size_t size;
    } cases[] = {
        {{"shape twice", SYNTAX, 0, "expected a header with descr"},
         "{'descr': '|S3', 'fortran_order': False, 'shape': (), 'shape': (), }",
         3},
        {{"order twice", SYNTAX, 0, "expected a header with descr"},
         "{'descr': '|S3', 'fortran_order': False, 'fortran_order': False, 'shape': (), }",
         3},
        {{"no descr", SYNTAX, 0, "expected a header with descr"},
         "{'fortran_order': False, 'shape': (), }",
         3},
        {{"no shape", SYNTAX, 0, "expected a header with descr"},
         "{'descr': '|S3', 'fortran_order': False, }",
         3},
        {{"long text", UNSUPPORTED, 0, "found \"|S65\""}, DICTIONARY("|S65", "()"), 65},
        {{"two texts", SYNTAX, 0, "expected one text, found 2 of type S3"}, DICTIONARY("|S3", "(2,)"), 6},
        {{"a number", SYNTAX, 0, "expected one text, found 1 of type i4"}, DICTIONARY("<i4", "()"), 4},
        {{"unknown layout", UNSUPPORTED, 0, "found \"cssssss\""}, DICTIONARY("|S64", "()"), 64},
    };
    static struct npz npz;
    char text[65];
    (void)state;
    memset(text, 's', sizeof text);
    text[0] = 'c';
    for (size_t i = 0; i < COUNT(cases); i++) {
        npz_start(&npz);
        npz_add_array(&npz, "format.npy", cases[i].dictionary, text, cases[i].size);
        npz_end(&npz);
        check_refusal(&cases[i].refusal, "bad.npz", npz.bytes, npz.size);
    }
}

/* Values of a diagonal outside the matrix are not entries: above it, below it and after its last column. */
static void diagonals_are_cut_at_the_edges(void **state)
{
    static const int64_t offsets[] = {1, -1};
    static const double data[] = {9, 1, 2, 9, 3, 9, 9, 9};
    static const char mtx[] = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 2 1\n2 3 2\n2 1 3\n";
    static struct npz npz;
    (void)state;
    start(&npz, "dia");
    npz_add_array(&npz, "offsets.npy", DICTIONARY("<i8", "(2,)"), offsets, sizeof offsets);
    npz_add_array(&npz, "data.npy", DICTIONARY("<f8", "(2, 4)"), data, sizeof data);
    npz_end(&npz);
    spmm_matrix_t *a = must_read("a.npz", npz.bytes, npz.size);
    spmm_matrix_t *b = must_read("a.mtx", mtx, strlen(mtx));
    assert_same_matrix("diagonals", a, b);
    spmm_matrix_destroy(a);
    spmm_matrix_destroy(b);
}

#define LONG 20000 /* numbers; more than one block of unpacked bytes */

static void start_long(struct npz *npz, const char *format)
{
    static const int64_t shape[] = {1, LONG};
    npz_start(npz);
    npz->deflated = true;
    npz_add_array(npz, "format.npy", DICTIONARY("|S3", "()"), format, 3);
    npz_add_array(npz, "shape.npy", DICTIONARY("<i8", "(2,)"), shape, sizeof shape);
}

/* Members longer than a block of unpacked bytes: undamaged, and with packed bytes damaged after the first
 * block. */
static void long_members_are_read_in_blocks(void **state)
{
    static const int64_t starts[] = {0, LONG};
    static const struct {
        const char *format, *offsets, *offset_shape, *indices, *shape;
    } cases[] = {{"csr", "indptr.npy", "(2,)", "indices.npy", "(20000,)"},
                 {"bsr", "indptr.npy", "(2,)", "indices.npy", "(20000, 1, 1)"},
                 {"dia", "offsets.npy", "(1,)", NULL, "(1, 20000)"}};
    static int64_t columns[LONG];
    static double values[LONG];
    static struct npz npz;
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int64_t i = 0; i < LONG; i++) {
        columns[i] = LONG - 1 - i;
        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(&values[i], &random, sizeof random); /* random: deflate stores blocks of 65,535 bytes */
    }
    for (size_t c = 0; c < COUNT(cases); c++)
        for (int damaged = 0; damaged < 3; damaged++) { /* 0: nothing, 1: indices, 2: data */
            const struct refusal refusal = {cases[c].format, CONTAINER, 0,
                                            damaged == 1 ? "member indices.npy: its "
                                                         : "member data.npy: its "};
            char dictionary[96];
            if (damaged == 1 && cases[c].indices == NULL)
                continue;
            start_long(&npz, cases[c].format);
            (void)snprintf(dictionary, sizeof dictionary, DICTIONARY("<i8", "%s"), cases[c].offset_shape);
            npz_add_array(&npz, cases[c].offsets, dictionary, starts, cases[c].indices != NULL ? 16 : 8);
            if (cases[c].indices != NULL)
                npz_add_array(&npz, cases[c].indices, DICTIONARY("<i8", "(20000,)"), columns, sizeof columns);
            if (damaged == 1)
                memset(npz.bytes + npz.size - 40, 0xff, 40);
            (void)snprintf(dictionary, sizeof dictionary, DICTIONARY("<f8", "%s"), cases[c].shape);
            npz_add_array(&npz, "data.npy", dictionary, values, sizeof values);
            if (damaged == 2)
                memset(npz.bytes + npz.size - 40000, 0xff, 40000);
            npz_end(&npz);
            if (damaged == 0)
                spmm_matrix_destroy(must_read("a.npz", npz.bytes, npz.size));
            else
                check_refusal(&refusal, "bad.npz", npz.bytes, npz.size);
        }
}

/* Integers that a double cannot hold, one of them the largest of its type. */
static void inexact_integers_are_counted(void **state)
{
    static const uint64_t values[] = {UINT64_C(9007199254740993), UINT64_MAX, 3};
    static struct npz npz;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    (void)state;
    start(&npz, "csr");
    add(&npz, &layouts[0].members[0], NONE);
    add(&npz, &layouts[0].members[1], NONE);
    npz_add_array(&npz, "data.npy", DICTIONARY("<u8", "(3,)"), values, sizeof values);
    npz_end(&npz);
    spmm_matrix_t *a = must_read("a.npz", npz.bytes, npz.size);
    assert_int_equal(spmm_matrix_info(a, &info), SPMM_OK);
    assert_int_equal(info.integers_inexact, 2);
    spmm_matrix_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_the_same_matrix),
        cmocka_unit_test(every_damaged_member_is_named),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(headers_that_are_incomplete_are_refused),
        cmocka_unit_test(diagonals_are_cut_at_the_edges),
        cmocka_unit_test(long_members_are_read_in_blocks),
        cmocka_unit_test(inexact_integers_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
