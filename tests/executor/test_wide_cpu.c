/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a wide B on the CPU: the workspace is bounded for any number of columns, and products in
 * several passes of columns are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/plan_build.h"
#include "tests/support/products.h"

#define WORKSPACE_MAX (UINT64_C(64) << 20)

/* Segments of one nonzero and items of one step, each of which stores a sum in the workspace. */
static const struct test_plan_options options[] = {{SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 1, 1, 0},
                                                   {SPMM_F64, SPMM_SCHEDULE_SEGMENTED, 1, 1, 0},
                                                   {SPMM_F32, SPMM_SCHEDULE_PACKED, 1, 1, 0},
                                                   {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 4, 1, 0}};
#define OPTION_COUNT (sizeof options / sizeof *options)

static uint64_t workspace_of(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n)
{
    const spmm_dense_t b = {NULL, a->cols, n, n, SPMM_ROW_MAJOR, dtype},
                       c = {NULL, a->rows, n, n, SPMM_ROW_MAJOR, dtype};
    uint64_t bytes = 0;
    assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, NULL), SPMM_OK);
    return bytes;
}

static void the_workspace_is_bounded_for_any_n(void **state)
{
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    (void)state;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        spmm_plan_t *plan = test_plan_build(a, options[i]);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
        for (int64_t n = 1; n < INT32_MAX; n = 2 * n + 1)
            assert_true(workspace_of(executor, a, plan->dtype, n) <= WORKSPACE_MAX);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void products_of_several_passes_are_right(void **state)
{
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        spmm_plan_t *plan = test_plan_build(a, options[turn % 2]);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
        const struct test_product product = {.op = (spmm_op_t)(turn / 2),
                                             .n = 1601,
                                             .b_layout = (spmm_layout_t)(turn % 2),
                                             .c_layout = (spmm_layout_t)(turn / 2),
                                             .b_gap = 3,
                                             .c_gap = turn,
                                             .alpha = 1.5,
                                             .beta = turn % 2 - 0.5,
                                             .values = TEST_VALUES_REAL};
        test_product_check(executor, a, plan->dtype, &product);
        assert_true(workspace_of(executor, a, plan->dtype, product.n) < (uint64_t)(a->nnz * product.n * 4));
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_workspace_is_bounded_for_any_n),
                                       cmocka_unit_test(products_of_several_passes_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
