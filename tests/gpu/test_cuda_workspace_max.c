/* SPDX-License-Identifier: Apache-2.0 */
/* A workspace that is asked for once is enough for every n, type, layout and op of every kernel of the GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/kernel_plans.h"
#include "tests/support/workspaces.h"

#define N_MAX 600
#define TURNS 8

static void is_enough_for_every_kernel_type_layout_and_op(void **state)
{
    static const char *const names[] = {"power law", "dense row among sparse", "2 x 6000 short-fat"};
    spmm_kernel_info_t kernels[TEST_KERNELS_MAX];
    const int count = test_kernels_of("cuda", kernels);
    int with_workspace = 0;
    (void)state;
    for (int turn = 0; turn < TURNS * count; turn++) {
        const spmm_kernel_info_t *kernel = &kernels[turn % count];
        const int at = turn / count;
        const spmm_dtype_t dtype =
            test_kernel_takes(kernel, (spmm_dtype_t)(1 + at % 4)) ? (spmm_dtype_t)(1 + at % 4) : SPMM_F64;
        struct test_matrix *a = test_matrix_named(names[at % 3], TEST_VALUES_REAL);
        spmm_plan_t *plan = test_kernel_plan(kernel, a, dtype, at);
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        with_workspace += test_workspace_max_check(executor, a, dtype, (spmm_op_t)(at / 4), N_MAX) > 0;
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    assert_true(with_workspace > count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_enough_for_every_kernel_type_layout_and_op)};
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
