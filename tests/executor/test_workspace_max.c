/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace for a range of n: it is enough for every n up to n_max, for every kernel, type, layout and op
 * of the CPU, even if a wider product needs less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/plan_build.h"
#include "tests/support/products.h"
#include "tests/support/workspaces.h"

#define N_MAX 300

static void is_enough_for_every_kernel_type_layout_and_op(void **state)
{
    (void)state;
    test_workspace_max_of_kernels("cpu", SPMM_DEVICE_CPU, N_MAX);
}

/* Makes a plan whose products need a workspace sum per nonzero up to n = 8 (segments of one nonzero), and no
 * sums for larger n (whole rows). */
static spmm_plan_t *shrinking_plan(const struct test_matrix *a)
{
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 1, 0, 0});
    const uint32_t first = plan->variant_count;
    test_plan_join(
        plan, test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}));
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        plan->variants[i].target = 1;
        if (i < first)
            plan->variants[i].n_max = 8;
        else
            plan->variants[i].n_min = 9;
    }
    return plan;
}

static uint64_t row_major_max(const spmm_executor_t *executor, int64_t n_max)
{
    uint64_t bytes = 0;
    assert_int_equal(
        spmm_executor_workspace_max(executor, SPMM_OP_N, n_max, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, &bytes, NULL),
        SPMM_OK);
    return bytes;
}

static void a_wider_product_that_needs_less_does_not_lower_it(void **state)
{
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    spmm_plan_t *plan = shrinking_plan(a);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    const spmm_dense_t b = {NULL, a->cols, 9, 9, SPMM_ROW_MAJOR, SPMM_F32},
                       c = {NULL, a->rows, 9, 9, SPMM_ROW_MAJOR, SPMM_F32};
    uint64_t bytes = 1;
    (void)state;
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, NULL), SPMM_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(row_major_max(executor, 0), 0);
    assert_true(row_major_max(executor, 8) > 0);
    assert_int_equal(row_major_max(executor, 9), row_major_max(executor, 8));
    assert_true(test_workspace_max_check(executor, a, SPMM_F32, SPMM_OP_N, 20) > 0);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Above some n, products run in several passes of columns, so that a wider product may need less. */
static void products_in_several_passes_are_within_it(void **state)
{
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_SEGMENTED, 1, 0, 0});
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    (void)state;
    assert_true(test_workspace_max_check(executor, a, SPMM_F64, SPMM_OP_N, 3000) > UINT64_C(32) << 20);
    assert_true(row_major_max(executor, SPMM_WORKSPACE_N_MAX) <= UINT64_C(64) << 20);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Panels of B have a limit in bytes. In f16 they have twice as many columns, whose sums are still f32. */
static void other_types_of_b_and_c_are_within_it(void **state)
{
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 0, 0});
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    const int64_t n = 1000;
    uint64_t same = 0, other = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        const spmm_dtype_t type = i == 0 ? SPMM_F32 : SPMM_F16;
        const spmm_dense_t b = {NULL, a->cols, n, n, SPMM_ROW_MAJOR, type},
                           c = {NULL, a->rows, n, n, SPMM_ROW_MAJOR, type};
        assert_int_equal(
            spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, i == 0 ? &same : &other, NULL),
            SPMM_OK);
    }
    assert_true(other > same);
    assert_int_equal(row_major_max(executor, n), other);
    assert_true(test_workspace_max_check(executor, a, SPMM_F32, SPMM_OP_N, n) >= other);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Blocks of columns that become narrower, as in a solver, use one workspace. */
static void serves_blocks_that_become_narrower(void **state)
{
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    spmm_plan_t *plan = shrinking_plan(a);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    const uint64_t bytes = row_major_max(executor, 12);
    void *workspace = aligned_alloc(256, (size_t)(bytes / 256 + 1) * 256);
    (void)state;
    for (int64_t n = 12; n > 0; n--) {
        const struct test_product product = {.n = n, .alpha = 1, .values = TEST_VALUES_REAL};
        struct test_dense b = test_product_b(a, SPMM_F32, &product),
                          c = test_product_c(a, SPMM_F32, &product);
        assert_int_equal(spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b.view, spmm_real(0), &c.view,
                                      workspace, bytes, NULL, NULL),
                         SPMM_OK);
        assert_true(test_judge(a, SPMM_OP_N, 1, &b, 0, &c, &c).ratio <= 1);
        test_dense_free(&b);
        test_dense_free(&c);
    }
    free(workspace);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void asserts_refused(const spmm_executor_t *executor, spmm_op_t op, int64_t n_max, int layout,
                            spmm_status_t expected)
{
    uint64_t bytes = 1;
    spmm_diag_t diag = {.text = ""};
    assert_int_equal(spmm_executor_workspace_max(executor, op, n_max, (spmm_layout_t)layout, SPMM_ROW_MAJOR,
                                                 &bytes, &diag),
                     expected);
    assert_int_equal(bytes, 0);
    assert_true(diag.status == expected && diag.text[0] != '\0');
}

static void refuses_what_it_does_not_take(void **state)
{
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0});
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    (void)state;
    asserts_refused(NULL, SPMM_OP_N, 1, 0, SPMM_ERR_ARGUMENT);
    asserts_refused(executor, SPMM_OP_N, -1, 0, SPMM_ERR_ARGUMENT);
    asserts_refused(executor, SPMM_OP_N, SPMM_WORKSPACE_N_MAX + 1, 0, SPMM_ERR_ARGUMENT);
    asserts_refused(executor, SPMM_OP_N, 0, 7, SPMM_ERR_ARGUMENT);
    asserts_refused(executor, (spmm_op_t)9, 1, 0, SPMM_ERR_ARGUMENT);
    asserts_refused(executor, SPMM_OP_T, 1, 0, SPMM_ERR_NO_VARIANT);
    assert_int_equal(
        spmm_executor_workspace_max(executor, SPMM_OP_N, 1, SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, NULL, NULL),
        SPMM_ERR_ARGUMENT);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_enough_for_every_kernel_type_layout_and_op),
                                       cmocka_unit_test(a_wider_product_that_needs_less_does_not_lower_it),
                                       cmocka_unit_test(products_in_several_passes_are_within_it),
                                       cmocka_unit_test(other_types_of_b_and_c_are_within_it),
                                       cmocka_unit_test(serves_blocks_that_become_narrower),
                                       cmocka_unit_test(refuses_what_it_does_not_take)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
