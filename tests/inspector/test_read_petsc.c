/* SPDX-License-Identifier: Apache-2.0 */
/* Checks PETSc binary files: both sizes of integers, dense and complex matrices, objects after the matrix,
 * and refusals. */
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
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED

static void files_are_the_matrix_market_matrix(void **state)
{
    static const char *const files[] = {"petsc32.petsc", "petsc64.petsc", "petsc_complex.petsc"};
    spmm_matrix_t *expected = must_load("others.mtx");
    spmm_read_options_t real_part = SPMM_READ_OPTIONS_INIT;
    (void)state;
    real_part.complex_part = SPMM_COMPLEX_REAL_PART;
    for (size_t i = 0; i < COUNT(files); i++) {
        size_t size = 0;
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        unsigned char *bytes = bytes_of(files[i], &size);
        spmm_matrix_t *matrix = must_read_by(files[i], bytes, size, i == 2 ? &real_part : NULL);
        assert_same_matrix(files[i], matrix, expected);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.format, "petsc");
        assert_string_equal(info.field, i == 2 ? "complex" : "real");
        spmm_matrix_destroy(matrix);
        free(bytes);
    }
    spmm_matrix_destroy(expected);
}

static void a_dense_matrix_keeps_its_zeros(void **state)
{
    spmm_csr_t csr;
    spmm_matrix_t *matrix = must_load("petsc_dense.petsc");
    (void)state;
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    assert_int_equal(csr.rows, 6);
    assert_int_equal(csr.nnz, 30);
    const double *values = csr.values;
    assert_true(values[0] == 4 && values[3] == -1.5 && values[6] == 0.1 && values[29] == 1e30);
    assert_true(((const int32_t *)csr.col_ind)[6] == 1);
    spmm_matrix_destroy(matrix);
}

#define WORD(a)                                                                                  \
    (unsigned char)((uint32_t)(a) >> 24), (unsigned char)((a) >> 16), (unsigned char)((a) >> 8), \
        (unsigned char)(a)
#define HEADER(rows, cols, nonzeros) WORD(1211216), WORD(rows), WORD(cols), WORD(nonzeros)
#define ONE 0x3f, 0xf0, 0, 0, 0, 0, 0, 0
#define BYTES(...) {__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

static const struct {
    struct refusal refusal;
    uint64_t offset;
    unsigned char bytes[64];
    size_t size;
} refused[] = {
    {{"short header", SYNTAX, 0, "byte 0: expected 16 bytes of a PETSc header, found 8"},
     0,
     BYTES(WORD(1211216), WORD(1))},
    {{"negative rows", SYNTAX, 0, "byte 4: expected a number of rows from 0 to 2147483646, found -2"},
     4,
     BYTES(HEADER(-2, 1, 0))},
    {{"too many columns", TOO_LARGE, 0, "of columns from 0 to 2147483646, found 2147483647"},
     8,
     BYTES(HEADER(1, 2147483647, 0))},
    {{"nonzeros", SYNTAX, 0, "of nonzeros from -1 to 1099511627776, found -2"},
     12,
     BYTES(HEADER(1, 1, -2), WORD(0))},
    {{"rows that do not fit", SYNTAX, 0, "expected the end of 0 real or complex values of 8 bytes, or of 16"},
     20,
     BYTES(HEADER(2, 1, 0), WORD(0))},
    {{"nonzeros that do not fit", SYNTAX, 0, "of 1099511 real"}, 20, BYTES(HEADER(1, 1, 1099511), WORD(0))},
    {{"dense that does not fit", SYNTAX, 0, "of 4611686009837453316 real"},
     16,
     BYTES(HEADER(2147483646, 2147483646, -1))},
    {{"dense whose bytes wrap", SYNTAX, 0, "is it cut off?"},
     48,
     BYTES(HEADER(1824726041, 1263665316, -1), ONE, ONE, ONE, ONE)},
    {{"a header of 8 bytes", SYNTAX, 0, "expected 32 bytes of a PETSc header, found 8"},
     0,
     BYTES(WORD(0), WORD(1211216))},
    {{"values of 4 bytes", SYNTAX, 0, "found a PETSc file of 28 bytes"},
     28,
     BYTES(HEADER(1, 1, 1), WORD(1), WORD(0), WORD(0x3f800000))},
    {{"something behind", SYNTAX, 0, "is it cut off?"},
     36,
     BYTES(HEADER(1, 1, 1), WORD(1), WORD(0), ONE, WORD(1))},
    {{"complex", UNSUPPORTED, 0, "the values are complex; --real-part or --abs"},
     0,
     BYTES(HEADER(1, 1, 1), WORD(1), WORD(0), ONE, ONE)},
    {{"complex and a vector", UNSUPPORTED, 0, "complex"},
     0,
     BYTES(HEADER(1, 1, 1), WORD(1), WORD(0), ONE, ONE, WORD(1211214))},
    {{"a row of less than none", SYNTAX, 0, "of row 1 from 0 to 1, found -1"},
     20,
     BYTES(HEADER(2, 1, 1), WORD(0), WORD(-1), WORD(0), ONE)},
    {{"a row of too many", SYNTAX, 0, "of row 0 from 0 to 1, found 2"},
     16,
     BYTES(HEADER(1, 1, 1), WORD(2), WORD(0), ONE)},
    {{"rows of too few", SYNTAX, 0, "as many nonzeros as the rows have, 0, found 1"},
     12,
     BYTES(HEADER(1, 1, 1), WORD(0), WORD(0), ONE)},
    {{"negative column", SYNTAX, 0, "byte 20: expected a column index from 0 to 2, found -1"},
     20,
     BYTES(HEADER(1, 3, 1), WORD(1), WORD(-1), ONE)},
    {{"large column", SYNTAX, 0, "column index from 0 to 2, found 3"},
     20,
     BYTES(HEADER(1, 3, 1), WORD(1), WORD(3), ONE)},
    {{"name alone", SYNTAX, 1, "which starts with the class id 1211216, found \"abc\""},
     0,
     BYTES('a', 'b', 'c')},
};

static void malformed_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        spmm_matrix_t *matrix = NULL;
        spmm_diag_t diag;
        check_refusal(&refused[i].refusal, "a.petsc", refused[i].bytes, refused[i].size);
        (void)spmm_matrix_read(refused[i].bytes, refused[i].size, "a.petsc", NULL, &matrix, &diag);
        assert_int_equal(diag.offset, refused[i].offset);
    }
}

/* The class id tells that another object follows the matrix. Tests the first and the last valid id and their
 * neighbours. */
static void objects_behind_are_passed_over(void **state)
{
    static const unsigned char one[] = {HEADER(1, 1, 1), WORD(1), WORD(0), ONE, WORD(0)};
    static const struct {
        uint32_t class_id;
        spmm_status_t status;
    } cases[] = {{1211209, SYNTAX}, {1211210, SPMM_OK}, {1211239, SPMM_OK}, {1211240, SYNTAX}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned char bytes[sizeof one];
        const unsigned char word[] = {WORD(cases[i].class_id)};
        spmm_matrix_t *matrix = NULL;
        memcpy(bytes, one, sizeof one);
        memcpy(bytes + sizeof one - 4, word, 4);
        assert_int_equal(spmm_matrix_read(bytes, sizeof bytes, NULL, NULL, &matrix, NULL), cases[i].status);
        spmm_matrix_destroy(matrix);
    }
}

/* Only seven of the eight bytes exist. */
static void a_class_id_is_read_whole(void **state)
{
    static const unsigned char bytes[] = {WORD(0), WORD(1211216)};
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(spmm_matrix_read(bytes, 7, NULL, NULL, &matrix, &diag), SYNTAX);
    assert_non_null(strstr(diag.text, "expected %%MatrixMarket"));
}

static void small_matrices_are_read(void **state)
{
    static const struct {
        unsigned char bytes[64];
        size_t size;
        const char *mtx;
    } cases[] = {{BYTES(HEADER(0, 0, 0)), "%%MatrixMarket matrix coordinate real general\n0 0 0\n"},
                 {BYTES(HEADER(0, 0, -1)), "%%MatrixMarket matrix array real general\n0 0\n"},
                 {BYTES(HEADER(2, 0, -1)), "%%MatrixMarket matrix array real general\n2 0\n"},
                 {BYTES(HEADER(1, 2, 2), WORD(2), WORD(1), WORD(1), ONE, ONE),
                  "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 2\n"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_t *matrix = must_read("a", cases[i].bytes, cases[i].size);
        spmm_matrix_t *expected = must_read("a.mtx", cases[i].mtx, strlen(cases[i].mtx));
        assert_same_matrix(cases[i].mtx, matrix, expected);
        spmm_matrix_destroy(matrix);
        spmm_matrix_destroy(expected);
    }
}

static void damaged_files_are_survived(void **state)
{
    static const char *const files[] = {"petsc64.petsc", "petsc_dense.petsc"};
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        size_t size = 0;
        unsigned char *bytes = bytes_of(files[i], &size);
        survive_truncations("a", bytes, size, size);
        survive_changes("a", bytes, size, 5);
        survive_failing_allocations("a", bytes, size);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrix_market_matrix),
        cmocka_unit_test(a_dense_matrix_keeps_its_zeros),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(objects_behind_are_passed_over),
        cmocka_unit_test(small_matrices_are_read),
        cmocka_unit_test(a_class_id_is_read_whole),
        cmocka_unit_test(damaged_files_are_survived),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
