/* SPDX-License-Identifier: Apache-2.0 */
/* Executors for a narrower type than the plan's values: they give the bits of an inspection for that type.
 * Refusals, memory and certificates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/executor.h>
#include <spmm/inspector.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "tests/support/dense.h"
#include "tests/support/plan_build.h"
#include "tests/support/plan_seal.h"
#include "tests/support/products.h"

static const spmm_dtype_t of_f64[] = {SPMM_F64, SPMM_F32, SPMM_F16, SPMM_BF16};

/* Most values lie between two neighbours in every narrower type, many of them halfway. They distinguish one
 * rounding from two, and round to nearest even from other rules for ties. */
static spmm_matrix_t *matrix_make(void)
{
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_matrix_t *matrix = NULL;
    for (int64_t p = 0; p < a->nnz; p++) {
        const double unit = p % 4 == 0   ? 0x1p-11
                            : p % 4 == 1 ? 0x1p-8
                            : p % 4 == 2 ? 0x1p-24
                                         : 0x1.000001p-11;
        a->values[p] = (double)(p % 3 + 1) + (double)(2 * (p % 7) + 1) * unit;
    }
    const spmm_csr_t view = {a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                             a->row_ptr, a->col_ind, SPMM_F64, a->values};
    assert_int_equal(spmm_matrix_from_csr(&view, &matrix, NULL), SPMM_OK);
    test_matrix_free(a);
    return matrix;
}

static spmm_plan_t *plan_for(const spmm_matrix_t *matrix, const spmm_dtype_t *types, size_t count)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    options.device = "cpu";
    options.ops = SPMM_OPS_N | SPMM_OPS_T;
    options.a_types = types;
    options.a_type_count = count;
    if (spmm_inspect(matrix, &options, &plan, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return plan;
}

/* Makes a plan of the same matrix for one type only, with the plan's values rounded to it. */
static spmm_plan_t *plan_of_rounded(const spmm_plan_t *plan, spmm_dtype_t type)
{
    spmm_csr_t view;
    spmm_matrix_t *matrix = NULL;
    assert_int_equal(spmm_plan_csr(plan, &view), SPMM_OK);
    assert_int_equal(spmm_matrix_from_csr(&view, &matrix, NULL), SPMM_OK);
    spmm_plan_t *rounded = plan_for(matrix, &type, 1);
    spmm_matrix_destroy(matrix);
    return rounded;
}

static spmm_executor_t *executor_of(const spmm_plan_t *plan, spmm_dtype_t type)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    options.a_type = type;
    if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

/* Returns C of a product with this executor. The caller frees it. */
static struct test_dense product_of(const spmm_plan_t *plan, spmm_executor_t *executor, spmm_dtype_t type,
                                    const struct test_product *product)
{
    const struct test_matrix shape = {"", plan->rows, plan->cols, plan->nnz, NULL, NULL, NULL};
    struct test_dense b = test_product_b(&shape, type, product), c = test_product_c(&shape, type, product);
    test_product_run(executor, product, &b, &c);
    test_dense_free(&b);
    return c;
}

static void same_products(const spmm_plan_t *plan, spmm_executor_t *a, spmm_executor_t *b, spmm_dtype_t type)
{
    static const int64_t widths[] = {1, 8, 33, 200};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (int kind = 0; kind < 4; kind++) {
            const struct test_product product = {.op = (spmm_op_t)(kind & 1),
                                                 .values = TEST_VALUES_REAL,
                                                 .alpha = 1.5,
                                                 .beta = 0.5,
                                                 .n = widths[i],
                                                 .b_layout = (spmm_layout_t)(kind >> 1),
                                                 .c_layout = (spmm_layout_t)(kind >> 1)};
            struct test_dense x = product_of(plan, a, type, &product),
                              y = product_of(plan, b, type, &product);
            assert_int_equal(x.block_bytes, y.block_bytes);
            assert_memory_equal(x.block, y.block, x.block_bytes);
            test_dense_free(&x);
            test_dense_free(&y);
        }
}

/* All pairs of a wide type and an equal or narrower one. */
static void a_narrower_type_has_the_bits_of_its_own_inspection(void **state)
{
    spmm_matrix_t *matrix = matrix_make();
    (void)state;
    for (size_t wide = 0; wide < 2; wide++) {
        spmm_plan_t *plan = plan_for(matrix, of_f64 + wide, 4 - wide);
        assert_int_equal(plan->dtype, of_f64[wide]);
        for (size_t narrow = wide; narrow < 4; narrow++) {
            const spmm_dtype_t type = of_f64[narrow];
            spmm_plan_t *rounded = plan_of_rounded(plan, type);
            spmm_executor_t *a = executor_of(plan, type), *b = executor_of(rounded, 0);
            same_products(plan, a, b, type);
            /* Setting the plan's rounded values does not change anything. */
            assert_int_equal(spmm_executor_set_values(a, rounded->values, NULL, NULL), SPMM_OK);
            same_products(plan, a, b, type);
            spmm_executor_destroy(b);
            spmm_executor_destroy(a);
            spmm_plan_destroy(rounded);
        }
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(matrix);
}

static void the_info_names_type_and_variant(void **state)
{
    spmm_matrix_t *matrix = matrix_make();
    spmm_plan_t *plan = plan_for(matrix, of_f64, 4);
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const spmm_dtype_t type = of_f64[i];
        const spmm_dense_t b = {NULL, plan->cols, 8, 8, SPMM_ROW_MAJOR, type};
        const spmm_dense_t c = {NULL, plan->rows, 8, 8, SPMM_ROW_MAJOR, type};
        spmm_executor_info_t info = {.struct_size = sizeof info};
        spmm_variant_info_t variant = {.struct_size = sizeof variant};
        spmm_executor_t *executor = executor_of(plan, i == 0 ? 0 : type);
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
        assert_int_equal(info.a_type, type);
        assert_int_equal(info.compute, 0);
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
        assert_int_equal(spmm_plan_variant(plan, (int)info.variant, &variant), SPMM_OK);
        assert_int_equal(variant.a_type, type);
        assert_int_equal(variant.compute, info.compute);
        assert_int_equal(variant.op, SPMM_OP_N);
        assert_int_equal(variant.target, 1);
        assert_false(info.fallback);
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

static void expect_refusal(const spmm_plan_t *plan, const spmm_executor_options_t *options,
                           spmm_status_t status, const char *text)
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, options, &executor, &diag), status);
    assert_null(executor);
    if (strstr(diag.text, text) == NULL)
        fail_msg("%s", diag.text);
}

static void types_that_the_plan_lacks_are_refused(void **state)
{
    spmm_matrix_t *matrix = matrix_make();
    spmm_plan_t *plan = plan_for(matrix, of_f64 + 1, 2);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    (void)state;
    options.a_type = SPMM_BF16;
    expect_refusal(
        plan, &options, SPMM_ERR_TYPE,
        "the plan has no variant for values of bf16, only for f32 and f16: inspect for these types");
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, NULL, NULL, NULL),
                     SPMM_ERR_TYPE);
    options.a_type = SPMM_F64; /* a wider type than the values */
    expect_refusal(plan, &options, SPMM_ERR_TYPE, "no variant for values of f64");
    options.a_type = (spmm_dtype_t)77;
    expect_refusal(plan, &options, SPMM_ERR_ARGUMENT, "a_type is 77, not a type");
    options.a_type = SPMM_F16;
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

/* A plan from another program may hold values that the inspector refuses. */
static void values_that_are_too_large_are_refused(void **state)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_executor_options_t narrow = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    (void)state;
    a->values[1] = 70000;
    spmm_plan_t *plan = test_plan_build(a, options);
    plan->variants[1] = plan->variants[0];
    plan->variants[1].compute = SPMM_COMPUTE_F16;
    plan->variant_count = 2;
    narrow.a_type = SPMM_F16;
    expect_refusal(plan, &narrow, SPMM_ERR_ARGUMENT,
                   "the value 70000 in row 1, column 2 (counted from 1) is too large");
    narrow.unit_values = 1; /* no values are read */
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &narrow, &executor, NULL), SPMM_OK);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* If all variants of a plan are narrower than its values, it has none for the type of its values. */
static void a_plan_may_lack_variants_of_its_own_type(void **state)
{
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, options);
    const spmm_dense_t b = {NULL, plan->cols, 8, 8, SPMM_ROW_MAJOR, SPMM_F64};
    const spmm_dense_t c = {NULL, plan->rows, 8, 8, SPMM_ROW_MAJOR, SPMM_F64};
    uint64_t bytes = 0;
    (void)state;
    plan->variants[0].compute = SPMM_COMPUTE_F32;
    spmm_executor_t *executor = executor_of(plan, 0);
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, NULL),
                     SPMM_ERR_NO_VARIANT);
    spmm_executor_destroy(executor);
    spmm_executor_destroy(executor_of(plan, SPMM_F32));
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static uint64_t host_bytes(const spmm_plan_t *plan, spmm_dtype_t type)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    uint64_t host = 0;
    options.a_type = type;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &host, NULL, NULL), SPMM_OK);
    return host;
}

/* The memory of rounded values counts only if the plan has values, and they have another type. */
static void rounded_values_are_counted(void **state)
{
    const struct test_plan_options with = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0},
                                   without = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 1};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *values = test_plan_build(a, with), *pattern = test_plan_build(a, without);
    (void)state;
    for (int i = 0; i < 2; i++) {
        spmm_plan_t *const plan = i == 0 ? values : pattern;
        plan->variants[1] = plan->variants[0];
        plan->variants[1].compute = SPMM_COMPUTE_F16;
        plan->variant_count = 2;
    }
    assert_int_equal(host_bytes(values, SPMM_F32), host_bytes(pattern, SPMM_F32));
    assert_int_equal(host_bytes(values, SPMM_F16), host_bytes(pattern, SPMM_F16) + (uint64_t)a->nnz * 2);
    spmm_plan_destroy(pattern);
    spmm_plan_destroy(values);
    test_matrix_free(a);
}

static void the_memory_is_foretold_and_short_memory_told(void **state)
{
    spmm_matrix_t *matrix = matrix_make();
    spmm_plan_t *plan = plan_for(matrix, of_f64, 4);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_status_t status = SPMM_ERR_MEMORY;
    uint64_t host = 0;
    (void)state;
    options.a_type = SPMM_F16;
    options.threads = 1;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &host, NULL, NULL), SPMM_OK);
    assert_true(host >= (uint64_t)plan->nnz * 2);
    options.host_budget_bytes = host - 1;
    expect_refusal(plan, &options, SPMM_ERR_PLAN_BUDGET, "bytes of host memory or more");
    options.host_budget_bytes = host;
    const int64_t live = spmmi_alloc_live();
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmmi_alloc_fail_at(k, 1);
        status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || (status == SPMM_ERR_MEMORY && spmmi_alloc_live() == live));
    }
    spmm_executor_destroy(executor);
    assert_int_equal(spmmi_alloc_live(), live);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

/* A certificate reads A from the plan and rounds it like the executor. */
static void certificates_hold_for_narrower_types(void **state)
{
    const struct test_product product = {
        .op = SPMM_OP_T, .values = TEST_VALUES_REAL, .alpha = 1, .n = 5, .b_layout = SPMM_ROW_MAJOR};
    spmm_matrix_t *matrix = matrix_make();
    spmm_plan_t *plan = plan_for(matrix, of_f64, 4);
    const struct test_matrix shape = {"", plan->rows, plan->cols, plan->nnz, NULL, NULL, NULL};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const spmm_dtype_t type = of_f64[i];
        spmm_certificate_t found = {.struct_size = sizeof found};
        spmm_certifier_t *certifier = NULL;
        spmm_executor_t *executor = executor_of(plan, type);
        struct test_dense b = test_product_b(&shape, type, &product),
                          c = test_product_c(&shape, type, &product);
        uint64_t bytes = 0;
        test_product_run(executor, &product, &b, &c);
        assert_int_equal(
            spmm_certifier_memory_bytes(executor, NULL, SPMM_OP_T, &b.view, &c.view, &bytes, NULL, NULL),
            SPMM_OK);
        spmmi_alloc_peak_reset();
        assert_int_equal(spmm_certifier_create(plan, executor, NULL, &certifier, NULL), SPMM_OK);
        assert_int_equal(spmm_certify(certifier, SPMM_OP_T, spmm_real(1), &b.view, spmm_real(0), NULL,
                                      &c.view, NULL, &found, NULL),
                         SPMM_OK);
        assert_true(found.passed);
        assert_true(spmmi_alloc_peak_bytes() <= bytes + 8192);
        test_value_set(type, c.view.data, 3, 1000);
        assert_int_equal(spmm_certify(certifier, SPMM_OP_T, spmm_real(1), &b.view, spmm_real(0), NULL,
                                      &c.view, NULL, &found, NULL),
                         SPMM_ERR_NOT_CERTIFIED);
        spmm_certifier_destroy(certifier);
        test_dense_free(&b);
        test_dense_free(&c);
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

/* The plan is of the same matrix, but its variants are different. */
static void a_certifier_of_another_plan_is_refused(void **state)
{
    spmm_matrix_t *matrix = matrix_make();
    spmm_plan_t *two = plan_for(matrix, of_f64, 2), *one = plan_for(matrix, of_f64, 1);
    spmm_executor_t *executor = executor_of(two, SPMM_F32);
    spmm_certifier_t *certifier = NULL;
    (void)state;
    assert_int_equal(spmm_certifier_create(one, executor, NULL, &certifier, NULL), SPMM_ERR_MISMATCH);
    assert_int_equal(spmm_certifier_create(two, executor, NULL, &certifier, NULL), SPMM_OK);
    spmm_certifier_destroy(certifier);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(one);
    spmm_plan_destroy(two);
    spmm_matrix_destroy(matrix);
}

/* The variants for the executor's type are equal, but the values are not. */
static void a_certifier_of_a_wider_plan_is_refused(void **state)
{
    const struct test_plan_options narrow = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0},
                                   wide = {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *own = test_plan_build(a, narrow), *other = test_plan_build(a, wide);
    spmm_certifier_t *certifier = NULL;
    (void)state;
    other->variants[0].compute = SPMM_COMPUTE_F32;
    test_plan_seal(own);
    test_plan_seal(other);
    spmm_executor_t *executor = executor_of(own, 0);
    assert_int_equal(spmm_certifier_create(other, executor, NULL, &certifier, NULL), SPMM_ERR_MISMATCH);
    assert_int_equal(spmm_certifier_create(own, executor, NULL, &certifier, NULL), SPMM_OK);
    spmm_certifier_destroy(certifier);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(other);
    spmm_plan_destroy(own);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrower_type_has_the_bits_of_its_own_inspection),
        cmocka_unit_test(the_info_names_type_and_variant),
        cmocka_unit_test(types_that_the_plan_lacks_are_refused),
        cmocka_unit_test(values_that_are_too_large_are_refused),
        cmocka_unit_test(a_plan_may_lack_variants_of_its_own_type),
        cmocka_unit_test(the_memory_is_foretold_and_short_memory_told),
        cmocka_unit_test(certificates_hold_for_narrower_types),
        cmocka_unit_test(a_certifier_of_another_plan_is_refused),
        cmocka_unit_test(a_certifier_of_a_wider_plan_is_refused),
        cmocka_unit_test(rounded_values_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
