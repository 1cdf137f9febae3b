/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of products for the tiled family on the GPU: NaN and infinity stay in their rows; repeats and
 * graphs give the same bits; new values; permuted output; products wider than a launch; the widest stages;
 * executors of two threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/tiled/tiled_kernel.h"
#include "tests/support/plan_build.h"

#define REPEATS 100

/* Without a kernel the matrices of these tests have so few threads that R is 1 or 2. */
static const struct shape {
    spmm_schedule_t schedule;
    uint32_t item_size, block_rows, stage_slots;
    const char *kernel;
} shapes[] = {
    {SPMM_SCHEDULE_WHOLE, 0, 32, 32, "cuda/tiled/whole/r16"},
    {SPMM_SCHEDULE_WHOLE, 0, 256, 447, NULL},
    {SPMM_SCHEDULE_SEGMENTED, 3, 64, 40, NULL},
    {SPMM_SCHEDULE_SEGMENTED, 50, 128, 447, "cuda/tiled/segmented/r8"},
};
#define SHAPE_COUNT 4

static spmm_plan_t *plan_make(const struct test_matrix *a, spmm_dtype_t dtype, const struct shape *shape)
{
    const struct test_plan_options options = {dtype, shape->schedule, shape->item_size, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        plan->parts[i].block_rows = shape->block_rows;
        plan->parts[i].stage_slots = shape->stage_slots;
    }
    test_plan_reorder(plan, 11, 0);
    return plan;
}

static spmm_executor_t *executor_make(const struct test_matrix *a, spmm_dtype_t dtype,
                                      const struct shape *shape)
{
    spmm_plan_t *plan = plan_make(a, dtype, shape);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, shape->kernel);
    spmm_plan_destroy(plan);
    return executor;
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 4, 5, 33};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + s);
        spmm_executor_t *executor = executor_make(a, dtype, &shapes[s]);
        for (int64_t column = 0; column < a->cols; column++) {
            const struct test_product product = test_cuda_plain(widths[column % 4], (int)(column / 4));
            test_cuda_product_canary(executor, a, dtype, &product, column);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void repeats_give_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 0; s < 2 * SHAPE_COUNT; s++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + s % 4);
        const struct test_product product = test_cuda_plain(41, s);
        spmm_executor_t *executor = executor_make(a, dtype, &shapes[(s + s / 4) % SHAPE_COUNT]);
        test_cuda_product_repeat(executor, a, dtype, &product, REPEATS);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void new_values_reach_both_ops_from_host_and_device(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("lower triangle", TEST_VALUES_INTEGER);
    for (int turn = 0; turn < 8; turn++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + turn % 4);
        spmm_executor_t *executor = executor_make(a, dtype, &shapes[turn % SHAPE_COUNT]);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = test_integer((uint64_t)p, (uint64_t)turn + 7);
        void *values = test_values_of(a, dtype), *device = NULL;
        const size_t bytes = (size_t)a->nnz * spmm_dtype_size(dtype);
        if (turn >= 4) {
            TEST_CUDA(cudaMalloc(&device, bytes));
            TEST_CUDA(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice));
        }
        assert_int_equal(spmm_executor_set_values(executor, device != NULL ? device : values, NULL, NULL),
                         SPMM_OK);
        for (int op = 0; op < 2; op++) {
            struct test_product product = test_cuda_plain(12, turn);
            product.op = (spmm_op_t)op;
            product.values = TEST_VALUES_INTEGER;
            test_cuda_product_check(executor, NULL, a, dtype, &product);
        }
        free(values);
        TEST_CUDA(cudaFree(device));
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void a_permuted_output_has_its_rows_in_the_order(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int t = 0; t < 8; t++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + t % 4);
        const struct test_product product = test_cuda_plain(9, t / 2);
        spmm_plan_t *plan = plan_make(a, dtype, &shapes[0]);
        test_cuda_permuted_output_check(plan, a, dtype, &product);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void products_wider_than_a_launch_meet_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int turn = 0; turn < 4; turn++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + turn);
        const struct test_product product = test_cuda_plain(SPMMI_TILED_COLUMNS_MAX + 5, turn);
        spmm_executor_t *executor = executor_make(a, dtype, &shapes[turn % 2 * 2]);
        test_cuda_product_check(executor, NULL, a, dtype, &product);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Row blocks with one stage of 6,000 slots and with three stages of 3,000. R is the largest that leaves room
 * for them. */
static void the_widest_stages_meet_the_bound(void **state)
{
    (void)state;
    static const char *const largest[] = {"cuda/tiled/whole/r4", "cuda/tiled/whole/r2", "cuda/tiled/whole/r8",
                                          "cuda/tiled/whole/r8"};
    static const char *const names[] = {"2 x 6000 short-fat", "1 x 9000 dense"};
    for (int turn = 0; turn < 8; turn++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + turn / 2);
        const struct test_product product = test_cuda_plain(33, turn);
        struct test_matrix *a = test_matrix_named(names[turn % 2], TEST_VALUES_REAL);
        const struct shape widest = {SPMM_SCHEDULE_WHOLE, 0, 32, SPMMI_STAGE_SLOTS_MAX, largest[turn / 2]};
        spmm_executor_t *executor = executor_make(a, dtype, &widest);
        test_cuda_product_check(executor, NULL, a, dtype, &product);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

static void a_graph_replays_the_product(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const struct test_product product = test_cuda_plain(40, 3);
        spmm_executor_t *executor = executor_make(a, SPMM_F32, &shapes[s]);
        test_cuda_product_graph(executor, a, SPMM_F32, &product, 20);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* One kernel with two amounts of shared memory, both above the limit without an attribute. */
static void executors_of_two_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    static const struct shape wide[2] = {{SPMM_SCHEDULE_WHOLE, 0, 32, 447, "cuda/tiled/whole/r16"},
                                         {SPMM_SCHEDULE_WHOLE, 0, 32, 600, "cuda/tiled/whole/r16"}};
    struct test_matrix *a = test_matrix_named("1 x 9000 dense", TEST_VALUES_REAL);
    const struct test_product product = test_cuda_plain(40, 3);
    spmm_executor_t *executors[2];
    for (int t = 0; t < 2; t++)
        executors[t] = executor_make(a, SPMM_F32, &wide[t]);
    test_cuda_product_threads(executors, a, SPMM_F32, &product, 2000);
    for (int t = 0; t < 2; t++)
        spmm_executor_destroy(executors[t]);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(repeats_give_the_same_bits),
        cmocka_unit_test(new_values_reach_both_ops_from_host_and_device),
        cmocka_unit_test(a_permuted_output_has_its_rows_in_the_order),
        cmocka_unit_test(products_wider_than_a_launch_meet_the_bound),
        cmocka_unit_test(the_widest_stages_meet_the_bound),
        cmocka_unit_test(a_graph_replays_the_product),
        cmocka_unit_test(executors_of_two_threads_do_not_disturb_each_other),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
