/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spmm_plan_stream, which tells how executors on GPUs store op(A), for matrices whose form follows
 * from their shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "inspect_support.h"

static spmm_plan_t *plan_of(const char *spec, const spmm_inspect_options_t *options)
{
    spmm_matrix_t *const m = inspect_generate(spec);
    spmm_plan_t *const plan = inspect_plan(m, options);
    spmm_matrix_destroy(m);
    return plan;
}

static spmm_stream_info_t stream_at(const spmm_plan_t *plan, int variant)
{
    spmm_stream_info_t s = {.struct_size = sizeof s};
    assert_int_equal(spmm_plan_stream(plan, variant, 0, &s, NULL), SPMM_OK);
    return s;
}

/* Returns options for a plan of products with n columns on a GPU. */
static spmm_inspect_options_t options_of(const char *kernel, uint32_t op, const int64_t *n)
{
    return (spmm_inspect_options_t)OPTIONS(.n = n, .n_count = 1, .ops = op, .a_type = SPMM_F32,
                                           .device = "h100", .force_kernel = kernel);
}

static const int64_t one = 1, eight = 8;

static void forms_follow_from_the_pattern(void **state)
{
    static const struct {
        const char *spec, *kernel;
        uint32_t op;
        spmm_dtype_t dtype;
        int column_bits, slice_bits, slice_run;
    } forms[] = {
        {"gen:fem3:9:9:20", "rows/row-split", SPMM_OPS_N, SPMM_F32, 16, 16, 3},
        {"gen:fem3:9:9:20", "rows/row-split", SPMM_OPS_T, SPMM_F32, 16, 16, 3},
        {"gen:fem3:9:9:20", "rows/row-split", SPMM_OPS_N, SPMM_F64, 16, 16, 1},
        {"gen:fem3:9:9:20", "rows/nonzero-split", SPMM_OPS_N, SPMM_F32, 16, 0, 0},
        {"gen:diag:65536", "rows/row-split", SPMM_OPS_N, SPMM_F32, 16, 16, 1},
        {"gen:diag:65537", "rows/row-split", SPMM_OPS_N, SPMM_F32, 32, 16, 1},
        {"gen:rand:200000:6", "rows/row-split", SPMM_OPS_N, SPMM_F32, 32, 20, 1},
        {"gen:rand:200000:6", "rows/row-split", SPMM_OPS_T, SPMM_F32, 32, 0, 0}, /* uneven rows */
        {"gen:dense:1:70000", "rows/row-split", SPMM_OPS_N, SPMM_F32, 32, 0, 0},
        {"gen:dense:1:70000", "rows/row-split", SPMM_OPS_T, SPMM_F32, 16, 16, 1},
        {"gen:dense:64:64", "panel", SPMM_OPS_N, SPMM_F32, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        spmm_inspect_options_t options = options_of(forms[i].kernel, forms[i].op, &one);
        options.a_type = forms[i].dtype;
        spmm_plan_t *const plan = plan_of(forms[i].spec, &options);
        const spmm_stream_info_t s = stream_at(plan, 0);
        if (s.column_bits != forms[i].column_bits || s.slice_bits != forms[i].slice_bits ||
            s.slice_run != forms[i].slice_run)
            fail_msg("%s by %s: %d bits, slices of %d and runs of %d", forms[i].spec, forms[i].kernel,
                     s.column_bits, s.slice_bits, s.slice_run);
        spmm_plan_destroy(plan);
    }
}

static void slices_are_for_one_column_on_a_gpu(void **state)
{
    const spmm_inspect_options_t options = options_of("rows/row-split", SPMM_OPS_N, &eight);
    (void)state;
    spmm_plan_t *const plan = plan_of("gen:diag:50", &options);
    spmm_variant_info_t v = {.struct_size = sizeof v};
    for (int i = 0; spmm_plan_variant(plan, i, &v) == SPMM_OK; i++) {
        const spmm_stream_info_t s = stream_at(plan, i);
        assert_int_equal(s.column_bits, v.target == 1 ? 0 : 16);
        assert_int_equal(s.slice_bits, v.target == 1 || v.n_min > 1 ? 0 : 16);
    }
    spmm_plan_destroy(plan);
}

/* Inspects a row of two values. Returns whether its stream lacks values. */
static int lacks_values(double first, double second, int pattern_only)
{
    static const int64_t row_ptr[] = {0, 2};
    static const int32_t columns[] = {0, 1};
    const double values[] = {first, second};
    const spmm_csr_t a = {1, 2, 2, SPMM_I64, SPMM_I32, row_ptr, columns, SPMM_F64, values};
    spmm_inspect_options_t options = options_of("rows/row-split", SPMM_OPS_N, &one);
    spmm_matrix_t *m = NULL;
    options.pattern_only = pattern_only;
    assert_int_equal(spmm_matrix_from_csr(&a, &m, NULL), SPMM_OK);
    spmm_plan_t *const plan = inspect_plan(m, &options);
    const int lacks = stream_at(plan, 0).has_uniform_values;
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
    return lacks;
}

static void values_that_are_all_the_same_are_lacked(void **state)
{
    (void)state;
    assert_int_equal(lacks_values(3, 3, 0), 1);
    assert_int_equal(lacks_values(3, 4, 0), 0);
    assert_int_equal(lacks_values(3, 3, 1), 0);
}

static void errors_are_reported_and_outputs_are_zero(void **state)
{
    spmm_plan_t *const plan = plan_of("gen:diag:5", NULL);
    spmm_stream_info_t s = {.struct_size = sizeof s, .column_bits = 9};
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(spmm_plan_stream(NULL, 0, 0, &s, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(s.column_bits, 0);
    assert_int_equal(spmm_plan_stream(plan, 64, 0, &s, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "has no variant 64"));
    assert_int_equal(spmm_plan_stream(plan, 0, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    s.struct_size = 0;
    assert_int_equal(spmm_plan_stream(plan, 0, 0, &s, &diag), SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

/* The transpose needs 51 row pointers twice, and 50 columns. */
static void a_transpose_keeps_to_the_budget(void **state)
{
    const spmm_inspect_options_t options = options_of("rows/row-split", SPMM_OPS_T, &one);
    spmm_plan_t *const plan = plan_of("gen:diag:50", &options);
    spmm_stream_info_t s = {.struct_size = sizeof s};
    (void)state;
    assert_int_equal(spmm_plan_stream(plan, 0, 2 * 51 * 8 + 50 * 4 - 1, &s, NULL), SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(s.column_bits, 0);
    assert_int_equal(spmm_plan_stream(plan, 0, 2 * 51 * 8 + 50 * 4, &s, NULL), SPMM_OK);
    assert_int_equal(s.slice_bits, 16);
    spmm_plan_destroy(plan);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transpose_keeps_to_the_budget),
        cmocka_unit_test(forms_follow_from_the_pattern),
        cmocka_unit_test(slices_are_for_one_column_on_a_gpu),
        cmocka_unit_test(values_that_are_all_the_same_are_lacked),
        cmocka_unit_test(errors_are_reported_and_outputs_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
