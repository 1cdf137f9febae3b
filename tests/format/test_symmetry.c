/* SPDX-License-Identifier: Apache-2.0 */
/* The symmetry that a plan reports for its matrix: pattern, values bit by bit, the diagonal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <spmm/symmetry.h>

#include "format/base/alloc.h"
#include "tests/support/dense.h"
#include "tests/support/plan_seal.h"

enum { SIZE = 4 };

/* Returns the symmetry of this matrix. Zeros are not stored, except -0. */
static spmm_symmetry_t symmetry_of(const double values[SIZE][SIZE], spmm_dtype_t dtype, int has_no_values)
{
    int64_t row_ptr[SIZE + 1] = {0};
    int32_t col_ind[SIZE * SIZE];
    double stored[SIZE * SIZE];
    int64_t nnz = 0;
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            if (values[i][j] != 0 || signbit(values[i][j])) {
                col_ind[nnz] = j;
                stored[nnz++] = values[i][j];
            }
        row_ptr[i + 1] = nnz;
    }
    struct test_matrix a = {.name = "small",
                            .rows = SIZE,
                            .cols = SIZE,
                            .nnz = nnz,
                            .row_ptr = row_ptr,
                            .col_ind = col_ind,
                            .values = stored};
    spmm_plan_t *plan = test_plan_whole(
        &a, (struct test_plan_options){dtype, SPMM_SCHEDULE_ROW_SPLIT, 0, 1, has_no_values}, "source");
    spmm_symmetry_t found = SPMM_SYMMETRY_GENERAL;
    assert_int_equal(spmm_plan_symmetry(plan, &found, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    return found;
}

static void each_kind_is_told(void **state)
{
    (void)state;
    static const double symmetric[SIZE][SIZE] = {{1, 2, 0, 0}, {2, 0, 3, 0}, {0, 3, -1, 4}, {0, 0, 4, 0}},
                        skew[SIZE][SIZE] = {{0, 2, 0, 5}, {-2, 0, -3, 0}, {0, 3, 0, -4}, {-5, 0, 4, 0}},
                        skew_with_diagonal[SIZE][SIZE] = {{1, 2, 0, 0},
                                                          {-2, 0, 0, 0},
                                                          {0, 0, 0, 1},
                                                          {0, 0, -1, 0}},
                        structural[SIZE][SIZE] = {{0, 2, 0, 0}, {3, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}},
                        upper[SIZE][SIZE] = {{1, 2, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
                        lower[SIZE][SIZE] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {7, 0, 0, 1}},
                        diagonal[SIZE][SIZE] = {{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 4}};
    for (spmm_dtype_t dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++) {
        assert_int_equal(symmetry_of(symmetric, dtype, 0), SPMM_SYMMETRY_SYMMETRIC);
        assert_int_equal(symmetry_of(skew, dtype, 0), SPMM_SYMMETRY_SKEW);
        assert_int_equal(symmetry_of(skew_with_diagonal, dtype, 0), SPMM_SYMMETRY_STRUCTURAL);
        assert_int_equal(symmetry_of(structural, dtype, 0), SPMM_SYMMETRY_STRUCTURAL);
        assert_int_equal(symmetry_of(upper, dtype, 0), SPMM_SYMMETRY_GENERAL);
        assert_int_equal(symmetry_of(lower, dtype, 0), SPMM_SYMMETRY_GENERAL);
        assert_int_equal(symmetry_of(diagonal, dtype, 0), SPMM_SYMMETRY_SYMMETRIC);
    }
    // There are no values that could differ.
    assert_int_equal(symmetry_of(structural, SPMM_F64, 1), SPMM_SYMMETRY_SYMMETRIC);
    assert_int_equal(symmetry_of(upper, SPMM_F64, 1), SPMM_SYMMETRY_GENERAL);
}

static void bits_count(void **state)
{
    (void)state;
    const double zeros[SIZE][SIZE] = {{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, -0.0}, {0, 0, -0.0, 0}},
                 nan_pair[SIZE][SIZE] = {{0, (double)NAN, 0, 0}, {(double)NAN, 0, 0, 0}, {0}, {0}},
                 nan_alone[SIZE][SIZE] = {{0, (double)NAN, 0, 0}, {1, 0, 0, 0}, {0}, {0}};
    assert_int_equal(symmetry_of(zeros, SPMM_F64, 0), SPMM_SYMMETRY_SYMMETRIC);
    assert_int_equal(symmetry_of(nan_pair, SPMM_F32, 0), SPMM_SYMMETRY_SYMMETRIC);
    assert_int_equal(symmetry_of(nan_alone, SPMM_F32, 0), SPMM_SYMMETRY_STRUCTURAL);
}

static void other_shapes_and_arguments(void **state)
{
    (void)state;
    spmm_symmetry_t found = SPMM_SYMMETRY_SKEW;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL);
        spmm_plan_t *plan = test_plan_whole(
            a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 0, 1, 0}, "source");
        assert_int_equal(spmm_plan_symmetry(plan, &found, NULL), SPMM_OK);
        if (a->rows != a->cols)
            assert_int_equal(found, SPMM_SYMMETRY_GENERAL);
        assert_int_equal(spmm_plan_symmetry(plan, NULL, NULL), SPMM_ERR_ARGUMENT);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    assert_int_equal(spmm_plan_symmetry(NULL, &found, NULL), SPMM_ERR_ARGUMENT);
    assert_string_equal(spmm_symmetry_name(SPMM_SYMMETRY_GENERAL), "general");
    assert_string_equal(spmm_symmetry_name(SPMM_SYMMETRY_SYMMETRIC), "symmetric");
    assert_string_equal(spmm_symmetry_name(SPMM_SYMMETRY_SKEW), "skew-symmetric");
    assert_string_equal(spmm_symmetry_name(SPMM_SYMMETRY_STRUCTURAL), "structural");
    assert_string_equal(spmm_symmetry_name((spmm_symmetry_t)4), "unknown");
    assert_string_equal(spmm_symmetry_name((spmm_symmetry_t)-1), "unknown");
}

/* Plans may be written without a check, so the writer asks for the symmetry of columns that no row has. */
static void a_wrong_column_has_no_partner(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 1, 2, 3, 4};
    int32_t columns[] = {1, 0, 3, 2};
    const struct spmm_plan plan = {.rows = 4, .cols = 4, .nnz = 4, .row_ptr = row_ptr, .col_ind = columns};
    spmm_symmetry_t found = SPMM_SYMMETRY_SKEW;
    assert_int_equal(spmm_plan_symmetry(&plan, &found, NULL), SPMM_OK);
    assert_int_equal(found, SPMM_SYMMETRY_SYMMETRIC);
    columns[2] = INT32_MAX;
    assert_int_equal(spmm_plan_symmetry(&plan, &found, NULL), SPMM_OK);
    assert_int_equal(found, SPMM_SYMMETRY_GENERAL);
    spmm_diag_t diag = {0};
    spmmi_alloc_fail_at(0, 0);
    assert_int_equal(spmm_plan_symmetry(&plan, &found, &diag), SPMM_ERR_MEMORY);
    spmmi_alloc_fail_at(-1, 0);
    assert_non_null(strstr(diag.text, "memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_told),
        cmocka_unit_test(bits_count),
        cmocka_unit_test(other_shapes_and_arguments),
        cmocka_unit_test(a_wrong_column_has_no_partner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
