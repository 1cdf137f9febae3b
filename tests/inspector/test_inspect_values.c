/* SPDX-License-Identifier: Apache-2.0 */
/* Checks values of A in the four value types: they are rounded once, never silently become infinite, and are
 * counted if they become zero. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspector/matrix/inspect_values.h"
#include "tests/support/dense.h"

static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};

/* Returns a matrix of one column with one row per value. */
static spmm_matrix_t *column_of(const double *values, int32_t count)
{
    int32_t row_ptr[32], col_ind[32] = {0};
    for (int32_t i = 0; i <= count; i++)
        row_ptr[i] = i;
    const spmm_csr_t csr = {count, 1, count, SPMM_I32, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    spmm_matrix_t *matrix = NULL;
    assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
    return matrix;
}

static spmm_status_t convert(const spmm_matrix_t *matrix, spmm_dtype_t dtype, spmm_plan_t **plan,
                             spmm_diag_t *diag)
{
    memset(diag, 0, sizeof *diag);
    *plan = spmmi_plan_new();
    assert_non_null(*plan);
    (*plan)->dtype = dtype;
    (*plan)->nnz = matrix->nnz;
    return spmmi_inspect_values(matrix, 1, *plan, diag);
}

static void values_are_rounded_to_the_nearest_of_the_type(void **state)
{
    /* 1 + 2^-11 and 1 + 3 * 2^-11 lie halfway between two values of f16. The fourth value is slightly larger
     * than a halfway point: rounding to f32 first would lose its last bit. */
    static const double values[] = {
        0.1,     1 + 0x1p-11, 1 + 3 * 0x1p-11,  1 + 0x1p-11 + 0x1p-40, -0.0, 65504, -65519.99,
        0x1p-24, 1.5e-5,      (double)INFINITY, -(double)INFINITY};
    static const double f16[] = {
        0x1.998p-4, 1,          1 + 0x1p-9,       1 + 0x1p-10,      -0.0, 65504, -65504,
        0x1p-24,    0x1.f8p-17, (double)INFINITY, -(double)INFINITY};
    const int32_t count = (int32_t)(sizeof values / sizeof *values);
    (void)state;
    for (int t = 0; t < 4; t++) {
        spmm_matrix_t *matrix = column_of(values, count);
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        assert_int_equal(convert(matrix, dtypes[t], &plan, &diag), SPMM_OK);
        for (int32_t i = 0; i < count; i++) {
            const double got = test_value_get(dtypes[t], plan->values, i);
            const double want = dtypes[t] == SPMM_F16 ? f16[i] : test_value_round(dtypes[t], values[i]);
            assert_memory_equal(&got, &want, sizeof got);
        }
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(matrix);
    }
}

static void a_value_too_large_for_the_type_is_refused_with_one_that_holds_it(void **state)
{
    static const struct {
        double value;
        spmm_dtype_t dtype;
        const char *text; /* NULL: the type can hold the value */
    } table[] = {{65519, SPMM_F16, NULL},
                 {65520, SPMM_F16, "too large for f16: use bf16 (--dtype bf16)"},
                 {-1e30, SPMM_F16, "too large for f16: use bf16 (--dtype bf16)"},
                 {1e300, SPMM_F16, "too large for f16: use f64 (--dtype f64)"},
                 {3.4e38, SPMM_F16, "too large for f16: use f32 (--dtype f32)"},
                 {3e38, SPMM_BF16, NULL},
                 {3.4e38, SPMM_BF16, "too large for bf16: use f32 (--dtype f32)"},
                 {1e39, SPMM_BF16, "too large for bf16: use f64 (--dtype f64)"},
                 {3.4e38, SPMM_F32, NULL},
                 {-1e39, SPMM_F32, "too large for f32: use f64 (--dtype f64)"},
                 {1e300, SPMM_F64, NULL}};
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const double values[] = {1, 2, table[k].value, table[k].value};
        spmm_matrix_t *matrix = column_of(values, 4);
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        const spmm_status_t status = convert(matrix, table[k].dtype, &plan, &diag);
        assert_int_equal(status, table[k].text == NULL ? SPMM_OK : SPMM_ERR_ARGUMENT);
        if (table[k].text != NULL) {
            assert_non_null(strstr(diag.text, table[k].text));
            assert_non_null(strstr(diag.text, "in row 3, column 1"));
            assert_int_equal(diag.offset, 2);
        }
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(matrix);
    }
}

static void a_pattern_holds_ones_in_every_type(void **state)
{
    static const int32_t row_ptr[] = {0, 2}, col_ind[] = {0, 2};
    const spmm_csr_t csr = {1, 3, 2, SPMM_I32, SPMM_I32, row_ptr, col_ind, SPMM_F64, NULL};
    (void)state;
    for (int t = 0; t < 4; t++) {
        spmm_matrix_t *matrix = NULL;
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
        assert_int_equal(convert(matrix, dtypes[t], &plan, &diag), SPMM_OK);
        for (int p = 0; p < 2; p++) {
            const double got = test_value_get(dtypes[t], plan->values, p), one = 1;
            assert_memory_equal(&got, &one, sizeof got);
        }
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(matrix);
    }
}

static void matrices_are_taken_with_values_of_every_type(void **state)
{
    static const int32_t row_ptr[] = {0, 2}, col_ind[] = {0, 2};
    (void)state;
    for (int t = 0; t < 4; t++) {
        double room[2];
        test_value_set(dtypes[t], room, 0, -0.3);
        test_value_set(dtypes[t], room, 1, 0.0);
        const spmm_csr_t csr = {1, 3, 2, SPMM_I32, SPMM_I32, row_ptr, col_ind, dtypes[t], room};
        spmm_matrix_t *matrix = NULL;
        assert_int_equal(spmm_matrix_from_csr(&csr, &matrix, NULL), SPMM_OK);
        const double want = test_value_round(dtypes[t], -0.3);
        assert_memory_equal(&matrix->values[0], &want, sizeof want);
        assert_int_equal(matrix->info.zeros_kept, 1);
        spmm_matrix_destroy(matrix);
    }
}

static void plans_of_16_bits_have_parts_of_the_rows_family(void **state)
{
    static const char *const specs[] = {"gen:band:300:9", "gen:rmat:9:6", "gen:arrow:500", "gen:empty:4:3"};
    static const char *const forced[] = {"rows/row-split", "rows/nonzero-split"};
    (void)state;
    for (size_t k = 0; k < 4 * sizeof specs / sizeof *specs; k++) {
        spmm_matrix_t *matrix = NULL;
        spmm_plan_t *plan = NULL;
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        assert_int_equal(spmm_matrix_generate(specs[k / 4], &matrix, NULL), SPMM_OK);
        options.a_type = dtypes[2 + k % 2];
        options.ops = SPMM_OPS_N | SPMM_OPS_T;
        options.force_kernel = forced[k / 2 % 2];
        assert_int_equal(spmm_inspect(matrix, &options, &plan, NULL), SPMM_OK);
        assert_true(plan->part_count > 0);
        for (uint32_t i = 0; i < plan->part_count; i++)
            assert_int_equal(plan->parts[i].family, SPMM_FAMILY_ROWS);
        spmm_plan_destroy(plan);
        spmm_matrix_destroy(matrix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_rounded_to_the_nearest_of_the_type),
        cmocka_unit_test(a_value_too_large_for_the_type_is_refused_with_one_that_holds_it),
        cmocka_unit_test(a_pattern_holds_ones_in_every_type),
        cmocka_unit_test(matrices_are_taken_with_values_of_every_type),
        cmocka_unit_test(plans_of_16_bits_have_parts_of_the_rows_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
