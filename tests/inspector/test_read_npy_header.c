/* SPDX-License-Identifier: Apache-2.0 */
/* Checks headers of NumPy arrays that break exactly one rule each, so that no other rule refuses them. */
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

static const int64_t shape[] = {2, 3};
static const int32_t starts[] = {0, 2, 3};
static const int32_t indices[] = {2, 0, 1};
static const double data[] = {1.5, -2, 3};

#define GOOD(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

/* Starts an archive of a 2 x 3 csr. of_indices is the header of indices.npy. The caller adds the last member,
 * data.npy. */
static void start(struct npz *npz, const char *of_indices)
{
    npz_start(npz);
    npz_add_array(npz, "format.npy", GOOD("|S3", "()"), "csr", 3);
    npz_add_array(npz, "shape.npy", GOOD("<i8", "(2,)"), shape, sizeof shape);
    npz_add_array(npz, "indptr.npy", GOOD("<i4", "(3,)"), starts, sizeof starts);
    npz_add_array(npz, "indices.npy", of_indices, indices, sizeof indices);
}

static void headers_that_break_one_rule(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "'descr': '<i4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr' '<i4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4' 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4', 'x':, 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4', 'other': False, 'shape': (3,), }",
        "{'descr': '<i4', 'fortran_order': False, 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), 'shape': (3,), }",
        "{'descr': '<i4', 'fortran_order': no, 'shape': (3,), }",
        "{'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4', 'shape': (3,), }",
        "{'descr': '<i4', 'fortran_order': False, }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), } x",
        "{'descr': '<i4', 'fortran_order': False, 'shape': 3,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1 3), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1 3), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1, 1, 3), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (x,), }",
        "{xdescrx: '<i4', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i4\\, 'fortran_order': False, 'shape': (3,), }",
        "{'descr': '<i00000000000004', 'fortran_order': False, 'shape': (3,), }",
    };
    static const struct refusal refusal = {"header", SPMM_ERR_MATRIX_SYNTAX, 0,
                                           "member indices.npy: expected a header with descr"};
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct npz npz;
        struct refusal named = refusal;
        named.name = headers[i];
        start(&npz, headers[i]);
        npz_add_array(&npz, "data.npy", GOOD("<f8", "(3,)"), data, sizeof data);
        npz_end(&npz);
        check_refusal(&named, "bad.npz", npz.bytes, npz.size);
    }
}

static void values_that_are_no_numbers(void **state)
{
    (void)state;
    static const struct {
        struct refusal refusal;
        const char *header;
        size_t size;
    } cases[] = {
        {{"text", SPMM_ERR_MATRIX_SYNTAX, 0, "expected numbers, found type U"}, GOOD("<U2", "(3,)"), 24},
        {{"bytes", SPMM_ERR_MATRIX_SYNTAX, 0, "expected numbers, found type S"}, GOOD("|S8", "(3,)"), 24},
        /* (2^61 + 3) * 8 bytes wrap around to 24 in 64 bits. */
        {{"bytes pass 64 bits", SPMM_ERR_MATRIX_SYNTAX, 0, "as its shape says"},
         GOOD("<f8", "(5, 461168601842738791)"),
         24},
        {{"numbers pass 64 bits", SPMM_ERR_MATRIX_SYNTAX, 0, "as its shape says"},
         GOOD("<f8", "(4294967296, 4294967296)"),
         0},
        {{"no type", SPMM_ERR_MATRIX_UNSUPPORTED, 0, "expected numbers of type"}, GOOD("", "(3,)"), 24},
        {{"an order alone", SPMM_ERR_MATRIX_UNSUPPORTED, 0, "expected numbers of type"},
         GOOD("<", "(3,)"),
         24},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct npz npz;
        start(&npz, GOOD("<i4", "(3,)"));
        npz_add_array(&npz, "data.npy", cases[i].header, data, cases[i].size);
        npz_end(&npz);
        check_refusal(&cases[i].refusal, "bad.npz", npz.bytes, npz.size);
    }
}

/* The largest integer must be refused because it is too large as a size, not because it cannot be read. */
static void the_largest_integer(void **state)
{
    (void)state;
    static const struct refusal refusal = {"2^63 - 1", SPMM_ERR_MATRIX_TOO_LARGE, 0,
                                           "member shape.npy: expected sizes from 0 to 2147483646"};
    static const uint64_t large[] = {2, INT64_MAX};
    struct npz npz;
    npz_start(&npz);
    npz_add_array(&npz, "format.npy", GOOD("|S3", "()"), "csr", 3);
    npz_add_array(&npz, "shape.npy", GOOD("<u8", "(2,)"), large, sizeof large);
    npz_end(&npz);
    check_refusal(&refusal, "bad.npz", npz.bytes, npz.size);
}

/* A matrix without rows, and one with the maximum number of columns. */
static void shapes_at_their_limits(void **state)
{
    (void)state;
    static const int64_t none[] = {0, 3}, wide[] = {2, 2147483646};
    for (int i = 0; i < 2; i++) {
        struct npz npz;
        const char *const count = i == 0 ? "(0,)" : "(3,)";
        char numbers[64], integers[64];
        (void)snprintf(integers, sizeof integers, GOOD("<i4", "%s"), count);
        (void)snprintf(numbers, sizeof numbers, GOOD("<f8", "%s"), count);
        npz_start(&npz);
        npz_add_array(&npz, "format.npy", GOOD("|S3", "()"), "csr", 3);
        npz_add_array(&npz, "shape.npy", GOOD("<i8", "(2,)"), i == 0 ? none : wide, sizeof wide);
        npz_add_array(&npz, "indptr.npy", i == 0 ? GOOD("<i4", "(1,)") : integers, starts,
                      i == 0 ? 4 : sizeof starts);
        npz_add_array(&npz, "indices.npy", integers, indices, i == 0 ? 0 : sizeof indices);
        npz_add_array(&npz, "data.npy", numbers, data, i == 0 ? 0 : sizeof data);
        npz_end(&npz);
        spmm_matrix_destroy(must_read("good.npz", npz.bytes, npz.size));
    }
}

/* Diagonals as far from the main diagonal as possible, and one step farther. */
static void offsets_of_diagonals(void **state)
{
    (void)state;
    static const struct refusal refusal = {"offset", SPMM_ERR_MATRIX_SYNTAX, 0, "member offsets.npy"};
    static const int64_t offsets[][2] = {
        {-2147483646, 2147483646}, {-2147483647, 0}, {0, INT64_C(2147483647)}};
    static const double zeros[6] = {0};
    for (size_t i = 0; i < COUNT(offsets); i++) {
        struct npz npz;
        npz_start(&npz);
        npz_add_array(&npz, "format.npy", GOOD("|S3", "()"), "dia", 3);
        npz_add_array(&npz, "shape.npy", GOOD("<i8", "(2,)"), shape, sizeof shape);
        npz_add_array(&npz, "offsets.npy", GOOD("<i8", "(2,)"), offsets[i], sizeof offsets[i]);
        npz_add_array(&npz, "data.npy", GOOD("<f8", "(2, 3)"), zeros, sizeof zeros);
        npz_end(&npz);
        if (i == 0)
            spmm_matrix_destroy(must_read("good.npz", npz.bytes, npz.size));
        else
            check_refusal(&refusal, "bad.npz", npz.bytes, npz.size);
    }
}

/* A header of 16,384 bytes with its line end is accepted, a longer one is refused. */
static void long_headers(void **state)
{
    (void)state;
    static const struct refusal refusal = {"length", SPMM_ERR_MATRIX_SYNTAX, 0,
                                           "a header of at most 16384 bytes"};
    for (int extra = 0; extra < 2; extra++) {
        static struct npz npz;
        static char header[16385];
        (void)snprintf(header, sizeof header, "%-*s", 16383 + extra, GOOD("<f8", "(3,)"));
        start(&npz, GOOD("<i4", "(3,)"));
        npz_add_array(&npz, "data.npy", header, data, sizeof data);
        npz_end(&npz);
        if (extra == 0)
            spmm_matrix_destroy(must_read("good.npz", npz.bytes, npz.size));
        else
            check_refusal(&refusal, "bad.npz", npz.bytes, npz.size);
    }
}

/* Each case has a version, a minor version and the bytes of the length. The header has no line end, which is
 * allowed. */
static void versions(void **state)
{
    (void)state;
    static const struct {
        int major, minor, width;
    } cases[] = {{1, 0, 2}, {2, 0, 4}, {3, 0, 4}, {0, 0, 4}, {4, 0, 4}, {1, 1, 2}};
    static const char header[] = GOOD("<f8", "(3,)");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct npz npz;
        char array[256] = "\x93NUMPY";
        const size_t length = strlen(header), begin = 8 + (size_t)cases[i].width;
        array[6] = (char)cases[i].major;
        array[7] = (char)cases[i].minor;
        array[8] = (char)length;
        memcpy(array + begin, header, length);
        memcpy(array + begin + length, data, sizeof data);
        start(&npz, GOOD("<i4", "(3,)"));
        npz_add(&npz, "data.npy", array, begin + length + sizeof data);
        npz_end(&npz);
        if (i < 3) {
            spmm_matrix_destroy(must_read("good.npz", npz.bytes, npz.size));
            continue;
        }
        const struct refusal refusal = {"version", SPMM_ERR_MATRIX_UNSUPPORTED, 0,
                                        "of the NumPy format, found"};
        check_refusal(&refusal, "bad.npz", npz.bytes, npz.size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_break_one_rule),
        cmocka_unit_test(values_that_are_no_numbers),
        cmocka_unit_test(the_largest_integer),
        cmocka_unit_test(shapes_at_their_limits),
        cmocka_unit_test(offsets_of_diagonals),
        cmocka_unit_test(long_headers),
        cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
