/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the rows family start before the preceding work of their stream has ended. They must find
 * their B complete directly after a kernel, copy or memset that writes it, in streams and in graphs. The
 * same holds after the conversion of a column-major B, and for the conversion of C after the product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_chain.h"
#include "tests/support/plan_build.h"

static const int64_t widths[] = {1, 2, 3, 5, 7, 8, 16, 33, 64};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static const struct {
    spmm_schedule_t schedule;
    uint32_t item_size;
} shapes[] = {
    {SPMM_SCHEDULE_ROW_SPLIT, 8}, {SPMM_SCHEDULE_NONZERO_SPLIT, 8}, {SPMM_SCHEDULE_NONZERO_SPLIT, 64}};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

typedef void (*chain_check)(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                            int64_t n, int layouts);

/* Checks every type, schedule and width with every step-th pair of layouts. Without long rows, products of
 * one column use slices. */
static void all_check(chain_check check, int step, int has_long_rows)
{
    struct test_matrix *a = test_chain_matrix(TEST_CHAIN_ROWS, has_long_rows);
    for (int i = 0; i < 4 * SHAPE_COUNT; i++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + i % 4);
        const struct test_plan_options options = {dtype, shapes[i / 4].schedule, shapes[i / 4].item_size, 0,
                                                  0};
        spmm_plan_t *plan = test_plan_build(a, options);
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        for (int w = 0; w < WIDTH_COUNT; w++)
            for (int layouts = 0; layouts < 4; layouts += step)
                check(executor, a, dtype, widths[w], layouts);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void a_product_behind_a_product_finds_its_result(void **state)
{
    (void)state;
    all_check(test_chain_check, 3, 1);
    all_check(test_chain_check, 3, 0);
}

static void a_product_behind_a_copy_finds_what_was_copied(void **state)
{
    (void)state;
    all_check(test_chain_check_copies, 1, 1);
    all_check(test_chain_check_copies, 1, 0);
}

/* Converted operands are stored in the workspace, which holds NaN before the product. Long rows keep their
 * kernel running while the dependent kernel has already started. With an odd number of rows, columns are
 * not aligned. */
static void columns_that_are_not_aligned_are_written_behind_the_product(void **state)
{
    (void)state;
    struct test_matrix *a = test_chain_matrix(TEST_CHAIN_ROWS + 1, 1);
    for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++) {
        const struct test_plan_options options = {(spmm_dtype_t)dtype, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
        const struct test_product product = test_cuda_plain(33, 3);
        spmm_plan_t *plan = test_plan_build(a, options);
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        test_cuda_product_check(executor, NULL, a, (spmm_dtype_t)dtype, &product);
        test_chain_check(executor, a, (spmm_dtype_t)dtype, 33, 3);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void a_product_behind_new_values_reads_them(void **state)
{
    (void)state;
    struct test_matrix *a = test_chain_matrix(TEST_CHAIN_ROWS, 1);
    for (int i = 0; i < 4 * SHAPE_COUNT; i++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + i % 4);
        const struct test_plan_options of_plan = {dtype, shapes[i / 4].schedule, shapes[i / 4].item_size, 0,
                                                  0};
        spmm_plan_t *plan = test_plan_build(a, of_plan);
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_executor_t *executor = NULL;
        options.new_values = 1;
        assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
        for (int w = 0; w < WIDTH_COUNT; w++)
            test_chain_check_values(executor, a, dtype, widths[w], w % 2 ? 3 : 0);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_behind_a_product_finds_its_result),
        cmocka_unit_test(a_product_behind_a_copy_finds_what_was_copied),
        cmocka_unit_test(a_product_behind_new_values_reads_them),
        cmocka_unit_test(columns_that_are_not_aligned_are_written_behind_the_product),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
