/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy files: which are read, which are refused, and that a file that is written and read gives the same
 * array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/compute/npy.h"

#define PLAIN "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"
#define WITH_SHAPE(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

/* Makes a file header of this version with this dictionary. length: content of the length field; -1: the
 * true length. */
static size_t header_make(uint8_t *bytes, int major, int minor, const char *text, long length)
{
    const size_t text_length = strlen(text);
    const uint64_t said = length < 0 ? text_length : (uint64_t)length;
    size_t at = 8;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)major;
    bytes[7] = (uint8_t)minor;
    for (int byte = 0; byte < (major == 1 ? 2 : 4); byte++)
        bytes[at++] = (uint8_t)(said >> (8 * byte));
    memcpy(bytes + at, text, text_length);
    return at + text_length;
}

struct good {
    int major;
    const char *text;
    spmm_dtype_t type;
    spmm_layout_t layout;
    int64_t rows, cols;
};

static void headers_as_numpy_writes_them_are_read(void **state)
{
    static const struct good table[] = {
        {1, PLAIN, SPMM_F32, SPMM_ROW_MAJOR, 3, 2},
        {2, PLAIN, SPMM_F32, SPMM_ROW_MAJOR, 3, 2},
        {1, PLAIN "            \n", SPMM_F32, SPMM_ROW_MAJOR, 3, 2},
        {1, "{'descr': '<f8', 'fortran_order': True, 'shape': (7, 1), }", SPMM_F64, SPMM_COL_MAJOR, 7, 1},
        {1, "{\"shape\":(5,),\"fortran_order\":False,\"descr\":\"<f8\"}", SPMM_F64, SPMM_ROW_MAJOR, 5, 1},
        {1, "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", SPMM_F16, SPMM_ROW_MAJOR, 3, 2},
        {1, "{'descr': '<V2', 'fortran_order': False, 'shape': (3, 2), }", SPMM_BF16, SPMM_ROW_MAJOR, 3, 2},
        {1, "{'descr': '|V2', 'fortran_order': True, 'shape': (3, 2), }", SPMM_BF16, SPMM_COL_MAJOR, 3, 2},
        {1, WITH_SHAPE("(0, 4)"), SPMM_F32, SPMM_ROW_MAJOR, 0, 4},
        {1, WITH_SHAPE("(4611686018427387904, 0)"), SPMM_F32, SPMM_ROW_MAJOR, (int64_t)1 << 62, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint8_t bytes[512];
        struct npy_header header;
        spmm_diag_t diag;
        const size_t size = header_make(bytes, table[i].major, 0, table[i].text, -1);
        assert_int_equal(npy_header_parse(bytes, size, &header, &diag), SPMM_OK);
        assert_int_equal(header.type, table[i].type);
        assert_int_equal(header.layout, table[i].layout);
        assert_int_equal(header.rows, table[i].rows);
        assert_int_equal(header.cols, table[i].cols);
        assert_int_equal(header.data_offset, size);
        assert_int_equal(header.data_bytes,
                         (uint64_t)(header.rows * header.cols) * spmm_dtype_size(header.type));
    }
}

static void headers_that_say_anything_else_are_refused(void **state)
{
    static const struct {
        int major, minor;
        const char *text;
        long length;
        spmm_status_t status;
    } table[] = {
        {3, 0, PLAIN, -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {0, 0, PLAIN, -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 1, PLAIN, -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 0, PLAIN, 65535, SPMM_ERR_MATRIX_SYNTAX},
        {2, 0, PLAIN, 0xffffffff, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, PLAIN, 0, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, PLAIN, sizeof PLAIN - 3, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, PLAIN " x", -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "", -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{}", -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{'descr': '<f4', 'shape': (3, 2)}", -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}", -1,
         SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), 'more': 1}", -1,
         SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{'descr': '<f4' 'fortran_order': False, 'shape': (3, 2)}", -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3, 2)}", -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2)}", -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 0, "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2)}", -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 0, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 2)}", -1,
         SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 0, WITH_SHAPE("()"), -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 0, WITH_SHAPE("(1, 2, 3)"), -1, SPMM_ERR_MATRIX_UNSUPPORTED},
        {1, 0, WITH_SHAPE("(-1, 2)"), -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, WITH_SHAPE("(3 2)"), -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, WITH_SHAPE("[3, 2]"), -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, WITH_SHAPE("(3.0, 2)"), -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, WITH_SHAPE("(9223372036854775808, 1)"), -1, SPMM_ERR_MATRIX_SYNTAX},
        {1, 0, WITH_SHAPE("(4294967296, 4294967296)"), -1, SPMM_ERR_MATRIX_TOO_LARGE},
        {1, 0, WITH_SHAPE("(2305843009213693952, 1)"), -1, SPMM_ERR_MATRIX_TOO_LARGE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint8_t bytes[512];
        struct npy_header header;
        spmm_diag_t diag;
        const size_t size =
            header_make(bytes, table[i].major, table[i].minor, table[i].text, table[i].length);
        const spmm_status_t status = npy_header_parse(bytes, size, &header, &diag);
        if (status != table[i].status)
            fail_msg("%s: %s, expected %s", table[i].text, spmm_status_name(status),
                     spmm_status_name(table[i].status));
        assert_true(diag.text[0] != '\0');
    }
}

static void no_prefix_of_a_header_is_a_header(void **state)
{
    uint8_t bytes[512];
    struct npy_header header;
    spmm_diag_t diag;
    const size_t size = header_make(bytes, 2, 0, PLAIN, -1);
    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1); /* exact size, so that a sanitizer detects reads past the end */
        memcpy(copy, bytes, cut);
        assert_int_not_equal(npy_header_parse(copy, cut, &header, &diag), SPMM_OK);
        free(copy);
    }
}

static char path[64];

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "test-npy-XXXXXX");
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void what_is_saved_is_loaded_without_the_padding(void **state)
{
    static const double values[] = {1.5, -2.25, 3e30, 0.0, -0.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0};
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        spmm_dense_t saved = {(void *)(uintptr_t)values, 3, 2, 4, (spmm_layout_t)layout, SPMM_F64};
        spmm_dense_t loaded;
        spmm_diag_t diag;
        assert_int_equal(npy_save(path, &saved, &diag), SPMM_OK);
        assert_int_equal(npy_load(path, &loaded, &diag), SPMM_OK);
        assert_int_equal(loaded.rows, 3);
        assert_int_equal(loaded.cols, 2);
        assert_int_equal(loaded.layout, layout);
        assert_int_equal(loaded.type, SPMM_F64);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 2; j++) {
                const double *got = loaded.data;
                const int64_t from = layout == SPMM_ROW_MAJOR ? i * 4 + j : i + j * 4;
                const int64_t to = layout == SPMM_ROW_MAJOR ? i * loaded.ld + j : i + j * loaded.ld;
                assert_memory_equal(&got[to], &values[from], sizeof(double));
            }
        }
        free(loaded.data);
    }
}

static void values_of_16_bits_survive_a_round_trip(void **state)
{
    static const uint16_t values[] = {0x3c00, 0x8000, 0x7c01, 0xffff, 0x0001, 0x7f80};
    static const spmm_dtype_t dtypes[] = {SPMM_F16, SPMM_BF16};
    (void)state;
    for (int t = 0; t < 2; t++) {
        const spmm_dense_t saved = {(void *)(uintptr_t)values, 3, 2, 2, SPMM_ROW_MAJOR, dtypes[t]};
        spmm_dense_t loaded;
        spmm_diag_t diag;
        assert_int_equal(npy_save(path, &saved, &diag), SPMM_OK);
        assert_int_equal(npy_load(path, &loaded, &diag), SPMM_OK);
        assert_int_equal(loaded.type, dtypes[t]);
        assert_memory_equal(loaded.data, values, sizeof values);
        free(loaded.data);
    }
}

static void a_file_longer_or_shorter_than_its_header_says_is_refused(void **state)
{
    static const float values[6] = {1, 2, 3, 4, 5, 6};
    spmm_dense_t saved = {(void *)(uintptr_t)values, 3, 2, 2, SPMM_ROW_MAJOR, SPMM_F32};
    spmm_dense_t loaded;
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(npy_save(path, &saved, &diag), SPMM_OK);
    assert_int_equal(truncate(path, 128 + 23), 0);
    assert_int_equal(npy_load(path, &loaded, &diag), SPMM_ERR_MATRIX_SYNTAX);
    assert_null(loaded.data);
    assert_int_equal(truncate(path, 128 + 25), 0);
    assert_int_equal(npy_load(path, &loaded, &diag), SPMM_ERR_MATRIX_SYNTAX);
    assert_int_equal(truncate(path, 128 + 24), 0);
    assert_int_equal(npy_load(path, &loaded, &diag), SPMM_OK);
    free(loaded.data);
    assert_int_equal(npy_load("/nowhere/b.npy", &loaded, &diag), SPMM_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_as_numpy_writes_them_are_read),
        cmocka_unit_test(headers_that_say_anything_else_are_refused),
        cmocka_unit_test(no_prefix_of_a_header_is_a_header),
        cmocka_unit_test_setup_teardown(what_is_saved_is_loaded_without_the_padding, make_path, remove_path),
        cmocka_unit_test_setup_teardown(values_of_16_bits_survive_a_round_trip, make_path, remove_path),
        cmocka_unit_test_setup_teardown(a_file_longer_or_shorter_than_its_header_says_is_refused, make_path,
                                        remove_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
