/* SPDX-License-Identifier: Apache-2.0 */
/* The memory and time that a plan predicts for its product, compared with the product on the CPU. For a GPU,
 * tests/gpu/sparse_twin.c compares them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "tests/support/sparse_forms.h"

/* A A^T; with three factors A A^T A. */
static const struct test_sparse_product square = {
    .count = 2, .op = {SPMM_OP_N, SPMM_OP_T, SPMM_OP_N}, .dtype = SPMM_F64};

static spmm_plan_t *plan_of(const char *name, struct test_sparse_product p)
{
    struct test_matrix *a = test_matrix_named(name, TEST_VALUES_REAL);
    for (int f = 0; f < p.count; f++)
        p.factor[f] = a;
    spmm_plan_t *const plan = test_sparse_plan(&p);
    test_matrix_free(a);
    return plan;
}

static spmm_product_costs_t costs_of(const char *name, struct test_sparse_product p)
{
    spmm_plan_t *const plan = plan_of(name, p);
    spmm_product_costs_t costs = {.struct_size = sizeof costs};
    assert_int_equal(spmm_plan_product_costs(plan, 0, &costs, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    return costs;
}

/* Makes the product and returns its information. kernel NULL: the default choice. */
static spmm_product_info_t info_of(const spmm_plan_t *plan, const char *kernel)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_product_info_t info = {.struct_size = sizeof info};
    spmm_product_t *product = NULL;
    options.force_kernel = kernel;
    assert_int_equal(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL), SPMM_OK);
    assert_int_equal(spmm_product_info(product, &info), SPMM_OK);
    spmm_product_destroy(product);
    return info;
}

static uint64_t host_bytes_of(const spmm_plan_t *plan, const char *kernel)
{
    return info_of(plan, kernel).host_bytes;
}

static void expect_bounds(struct test_sparse_product p)
{
    static const int64_t pieces[] = {0, INT64_MAX, 1, 60};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        p.piece_products = pieces[i];
        spmm_plan_t *const plan = test_sparse_plan(&p);
        spmm_product_costs_t costs = {.struct_size = sizeof costs};
        assert_int_equal(spmm_plan_product_costs(plan, 0, &costs, NULL), SPMM_OK);
        const spmm_product_info_t rule = info_of(plan, NULL);
        assert_int_equal(costs.products, rule.products);
        assert_in_range(rule.host_bytes, costs.host_bytes, costs.host_bytes_max);
        assert_in_range(host_bytes_of(plan, "columns"), costs.host_bytes, costs.host_bytes_max);
        spmm_plan_destroy(plan);
    }
}

static void every_product_keeps_within(void **state)
{
    (void)state;
    test_sparse_forms(expect_bounds);
    test_sparse_squares(400000, expect_bounds);
    test_sparse_long_entries(expect_bounds);
}

/* The minimum is the memory of kernel columns without its units. Streams may need as much again. */
static void bounds_are_near(void **state)
{
    (void)state;
    struct test_sparse_product p = square;
    p.piece_products = INT64_MAX; /* few units */
    spmm_plan_t *const plan = plan_of("power law", p);
    spmm_product_costs_t costs = {.struct_size = sizeof costs};
    assert_int_equal(spmm_plan_product_costs(plan, 0, &costs, NULL), SPMM_OK);
    const uint64_t columns = host_bytes_of(plan, "columns"), positions = host_bytes_of(plan, "positions");
    assert_in_range(columns, costs.host_bytes, costs.host_bytes + 4096);
    assert_in_range(costs.host_bytes_max, positions, 2 * columns + columns / 4 + 8192);
    spmm_plan_destroy(plan);
}

/* Values of one operand and of C: f32 needs half of the bytes of f64. A triangle has fewer products. */
static void values_and_products_are_counted(void **state)
{
    (void)state;
    struct test_sparse_product p = square;
    const spmm_product_costs_t whole = costs_of("dense", p);
    p.dtype = SPMM_F32;
    assert_int_equal(2 * costs_of("dense", p).value_bytes, whole.value_bytes);
    p.dtype = SPMM_F64;
    p.lower = 1;
    const spmm_product_costs_t lower = costs_of("dense", p);
    assert_true(2 * lower.products > whole.products && lower.products < whole.products);
    assert_true(lower.value_bytes < whole.value_bytes);
}

/* Checks the times of decision 0131. products, entries of C and left (entries of the left factors) are sums
 * over the stages. */
static void expect_times(const spmm_product_costs_t *costs, int stages, double products, double entries,
                         double left)
{
    const double h100 = stages * 14.3e-3 + 1e-9 * (1.36 * products + 6.4 * entries);
    const double thread = 1e-6 * (0.033 * products + 0.78 * entries + 4.17 * left);
    assert_true(fabs(costs->gpu_ms - h100) < 1e-9);
    assert_true(fabs(costs->cpu_thread_ms - thread) < 1e-9);
}

/* A dense m x n matrix: A A^T, and A (A^T A). */
static void times_are_those_of_the_model(void **state)
{
    (void)state;
    struct test_sparse_product p = square;
    struct test_matrix *const a = test_matrix_named("dense", TEST_VALUES_REAL);
    const double m = (double)a->rows, n = (double)a->cols;
    test_matrix_free(a);
    spmm_product_costs_t costs = costs_of("dense", p);
    expect_times(&costs, 1, m * m * n, m * m, m * n);
    assert_in_range(costs.device_columns_bytes, (uint64_t)(2 * m * m + 4 * m * n),
                    (uint64_t)(2 * (2 * m * m + 4 * m * n)) + 65536);
    p.count = 3;
    costs = costs_of("dense", p);
    expect_times(&costs, 2, 2 * m * n * n, n * n + m * n, 2 * m * n);
}

static void errors_are_reported_and_outputs_are_zero(void **state)
{
    (void)state;
    spmm_plan_t *const plan = plan_of("dense", square);
    spmm_product_costs_t costs = {.struct_size = sizeof costs, .products = 9};
    spmm_diag_t diag;
    assert_int_equal(spmm_plan_product_costs(NULL, 0, &costs, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(costs.products, 0);
    assert_int_equal(spmm_plan_product_costs(plan, 0, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_product_costs(plan, 1, &costs, &diag), SPMM_ERR_PLAN_BUDGET);
    costs.struct_size = 0;
    assert_int_equal(spmm_plan_product_costs(plan, 0, &costs, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "without struct_size"));
    spmm_plan_destroy(plan);
}

/* A transpose needs memory. Each of its allocations fails once. */
static void memory_may_end(void **state)
{
    (void)state;
    spmm_plan_t *const plan = plan_of("arrow", square);
    spmm_product_costs_t costs = {.struct_size = sizeof costs};
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t at = 0;
    for (; status != SPMM_OK; at++) {
        assert_int_equal(status, SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(at, 1);
        status = spmm_plan_product_costs(plan, 0, &costs, NULL);
        spmmi_alloc_fail_at(-1, 0);
    }
    assert_true(at > 3);
    spmm_plan_destroy(plan);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_product_keeps_within),
        cmocka_unit_test(bounds_are_near),
        cmocka_unit_test(values_and_products_are_counted),
        cmocka_unit_test(times_are_those_of_the_model),
        cmocka_unit_test(errors_are_reported_and_outputs_are_zero),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
