/* SPDX-License-Identifier: Apache-2.0 */
/* Checks matrices from CSR arrays: what is copied, and what is refused in which row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <spmm/inspector.h>

#include "format/base/alloc.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const int32_t row_ptr_32[] = {0, 2, 2, 3};
static const int64_t row_ptr_64[] = {0, 2, 2, 3};
static const int32_t col_ind_32[] = {0, 3, 1};
static const int64_t col_ind_64[] = {0, 3, 1};
static const float values_32[] = {1.5f, 0.0f, -2.0f};
static const double values_64[] = {1.5, 0.0, -2.0};

static spmm_csr_t good_csr(void)
{
    return (spmm_csr_t){3, 4, 3, SPMM_I64, SPMM_I32, row_ptr_64, col_ind_32, SPMM_F64, values_64};
}

static void every_index_and_value_type_gives_the_same_matrix(void **state)
{
    (void)state;
    for (int key = 0; key < 12; key++) {
        spmm_csr_t csr = good_csr();
        spmm_csr_t view;
        spmm_matrix_t *matrix = NULL;
        spmm_matrix_info_t info = {.struct_size = sizeof info};
        csr.row_ptr_type = key & 1 ? SPMM_I32 : SPMM_I64;
        csr.row_ptr = key & 1 ? (const void *)row_ptr_32 : row_ptr_64;
        csr.col_ind_type = key & 2 ? SPMM_I64 : SPMM_I32;
        csr.col_ind = key & 2 ? (const void *)col_ind_64 : col_ind_32;
        csr.value_type = key / 4 == 1 ? SPMM_F32 : SPMM_F64;
        csr.values = key / 4 == 0 ? (const void *)values_64 : key / 4 == 1 ? (const void *)values_32 : NULL;
        assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
        assert_int_equal(spmm_matrix_csr(matrix, &view), SPMM_OK);
        assert_int_equal(view.rows, 3);
        assert_int_equal(view.cols, 4);
        assert_int_equal(view.nnz, 3);
        assert_memory_equal(view.row_ptr, row_ptr_64, sizeof row_ptr_64);
        assert_memory_equal(view.col_ind, col_ind_32, sizeof col_ind_32);
        if (csr.values == NULL)
            assert_null(view.values);
        else
            assert_memory_equal(view.values, values_64, sizeof values_64);
        assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
        assert_string_equal(info.format, "csr");
        assert_string_equal(info.field, csr.values == NULL ? "pattern" : "real");
        assert_int_equal(info.zeros_kept, csr.values == NULL ? 0 : 1);
        spmm_matrix_destroy(matrix);
        assert_int_equal(spmmi_alloc_live(), 0);
    }
}

static void an_empty_matrix_needs_no_columns(void **state)
{
    static const int64_t zero[] = {0};
    const spmm_csr_t csr = {0, 0, 0, SPMM_I64, SPMM_I32, zero, NULL, SPMM_F64, NULL};
    spmm_matrix_t *matrix = NULL;
    (void)state;
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
    spmm_matrix_destroy(matrix);
}

static void values_that_are_not_finite_are_counted(void **state)
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    spmm_csr_t csr = good_csr();
    spmm_matrix_t *matrix = NULL;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    (void)state;
    csr.values = values;
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_int_equal(info.not_finite, 3);
    spmm_matrix_destroy(matrix);
}

static void arrays_that_are_no_csr_are_refused_with_the_row(void **state)
{
    static const struct {
        int64_t row_ptr[4];
        int32_t col_ind[3];
        uint64_t row;
        const char *excerpt;
    } cases[] = {
        {{1, 2, 2, 3}, {0, 3, 1}, 0, "row_ptr[0] = 0, found 1"},
        {{0, 2, 1, 3}, {0, 3, 1}, 1, "row_ptr[2] from 2 to nnz = 3, found 1"},
        {{0, 2, 4, 3}, {0, 3, 1}, 1, "found 4"},
        {{0, 2, 2, 2}, {0, 3, 1}, 2, "row_ptr[rows] = nnz = 3, found 2"},
        {{0, -1, 2, 3}, {0, 3, 1}, 0, "found -1"},
        {{0, 2, 2, 3}, {3, 0, 1}, 0, "a column from 4 to 3, found 0"},
        {{0, 2, 2, 3}, {3, 3, 1}, 0, "found 3"},
        {{0, 2, 2, 3}, {0, 4, 1}, 0, "found 4"},
        {{0, 2, 2, 3}, {0, 3, -1}, 2, "a column from 0 to 3, found -1"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_csr_t csr = good_csr();
        spmm_matrix_t *matrix = (spmm_matrix_t *)&csr;
        spmm_diag_t diag;
        csr.row_ptr = cases[i].row_ptr;
        csr.col_ind = cases[i].col_ind;
        assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, &diag), SPMM_ERR_CSR);
        assert_null(matrix);
        if (diag.offset != cases[i].row || strstr(diag.text, cases[i].excerpt) == NULL)
            fail_msg("case %zu: row %llu: %s", i, (unsigned long long)diag.offset, diag.text);
        assert_int_equal(spmmi_alloc_live(), 0);
    }
}

static void sizes_out_of_range_are_refused(void **state)
{
    static const int64_t sizes[][3] = {{-1, 4, 3},         {3, -1, 3},         {3, 4, -1},
                                       {2147483647, 4, 3}, {3, 2147483647, 3}, {3, 4, INT64_MAX}};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        spmm_csr_t csr = good_csr();
        spmm_matrix_t *matrix = NULL;
        csr.rows = sizes[i][0];
        csr.cols = sizes[i][1];
        csr.nnz = sizes[i][2];
        assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_ERR_CSR);
        assert_null(matrix);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    spmm_csr_t csr = good_csr();
    spmm_csr_t view;
    spmm_matrix_t *matrix = NULL;
    spmm_matrix_info_t info = {.struct_size = 0};
    (void)state;
    assert_int_equal(spmm_matrix_from_csr(&csr, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_from_csr(NULL, &matrix, NULL), SPMM_ERR_ARGUMENT);
    csr.row_ptr = NULL;
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_ERR_ARGUMENT);
    csr = good_csr();
    csr.col_ind_type = (spmm_itype_t)7;
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_ERR_ARGUMENT);
    csr = good_csr();
    csr.value_type = (spmm_dtype_t)7;
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_ERR_ARGUMENT);
    view = csr;
    assert_int_equal(spmm_matrix_csr(NULL, &view), SPMM_ERR_ARGUMENT);
    assert_memory_equal(&view, &csr, sizeof view); /* a refused call does not change the struct */
    assert_int_equal(spmm_matrix_info(NULL, &info), SPMM_ERR_ARGUMENT);
    csr = good_csr();
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(matrix, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_ERR_ARGUMENT);
    spmm_matrix_destroy(matrix);
    spmm_matrix_destroy(NULL);
}

/* An older caller knows a shorter struct. The library must write nothing after it. */
static void info_fills_no_more_than_the_caller_knows(void **state)
{
    const spmm_csr_t csr = good_csr();
    spmm_matrix_t *matrix = NULL;
    spmm_matrix_info_t info;
    (void)state;
    memset(&info, 0x5a, sizeof info);
    info.struct_size = offsetof(spmm_matrix_info_t, nnz);
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_info(matrix, &info), SPMM_OK);
    assert_int_equal(info.cols, 4);
    assert_int_equal(info.nnz, INT64_C(0x5a5a5a5a5a5a5a5a));
    spmm_matrix_destroy(matrix);
}

static void every_failing_allocation_is_survived(void **state)
{
    const spmm_csr_t csr = good_csr();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t k = 0;
    (void)state;
    for (; status != SPMM_OK; k++) {
        spmm_matrix_t *matrix = NULL;
        spmmi_alloc_fail_at(k, 0);
        status = spmm_matrix_from_csr(&csr, &matrix, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(matrix == NULL, status != SPMM_OK);
        spmm_matrix_destroy(matrix);
        assert_int_equal(spmmi_alloc_live(), 0);
    }
    assert_int_equal(k, 5); /* the matrix, its three arrays, and then success */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_and_value_type_gives_the_same_matrix),
        cmocka_unit_test(an_empty_matrix_needs_no_columns),
        cmocka_unit_test(values_that_are_not_finite_are_counted),
        cmocka_unit_test(arrays_that_are_no_csr_are_refused_with_the_row),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(info_fills_no_more_than_the_caller_knows),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
