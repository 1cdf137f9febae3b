/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of products for the window, panel and bcsr families on the GPU: NaN and infinity stay in their
 * rows; repeats, graphs and two threads give the same bits; new values; permuted output; B is not read if
 * alpha = 0. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tcblock_cases.h"

#define REPEATS 50

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 8, 5, 33, 64, 72, 132};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int64_t column = 0; column < a->cols; column++) {
            const struct test_product product = test_cuda_plain(widths[column % 7], column % 3 == 0 ? 3 : 0);
            test_cuda_product_canary(executor, a, of.dtype, &product, column);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Rounding to 11 bits would make these numbers infinite, so kernels must multiply them unrounded. */
static void the_largest_numbers_stay_finite(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("diagonal", TEST_VALUES_INTEGER);
    for (int64_t p = 0; p < a->nnz; p++)
        a->values[p] = 1;
    for (int i = 0; i < 2 * TEST_TCBLOCK_CASES; i++) { // 72 columns: also with warpgroups
        const struct test_product product = test_cuda_plain(i % 2 == 0 ? 40 : 72, 0);
        const struct test_tcblock_case of = test_tcblock_case(i / 2);
        if (of.dtype != SPMM_F32)
            continue;
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        struct test_dense b = test_product_b(a, SPMM_F32, &product),
                          c = test_product_c(a, SPMM_F32, &product);
        for (int64_t j = 0; j < product.n; j++)
            test_dense_set(&b, 0, j, (double)FLT_MAX);
        test_cuda_product_run(executor, &product, &b, &c);
        for (int64_t j = 0; j < product.n; j++)
            assert_true(test_dense_get(&c, 0, j) == (double)FLT_MAX);
        test_dense_free(&b);
        test_dense_free(&c);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Widths for single values of B, for words of 16 bytes, for full tiles (also with warpgroups) and for a
 * partial tile. */
static void repeats_give_the_same_bits(void **state)
{
    (void)state;
    static const int64_t few[] = {41, 24, 64, 136};
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int w = 0; w < 4; w++) {
            const struct test_product product = test_cuda_plain(few[w], i);
            test_cuda_product_repeat(executor, a, of.dtype, &product, REPEATS);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void a_graph_replays_the_product(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        const struct test_product product = test_cuda_plain(40, i);
        const struct test_product of_map =
            test_cuda_plain(136, 0); /* 16-bit bcsr: the tensor map is a kernel argument too */
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        test_cuda_product_graph(executor, a, of.dtype, &product, 10);
        test_cuda_product_graph(executor, a, of.dtype, &of_map, 2);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Two executors use the same kernel with different amounts of shared memory: steps have many blocks in one
 * row order and few in the other. */
static void executors_of_two_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    const struct test_product product = test_cuda_plain(64, 0);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case plain = test_tcblock_case(i);
        struct test_tcblock_case other = plain;
        spmm_executor_t *executors[2];
        other.is_reordered = !plain.is_reordered;
        executors[0] = test_tcblock_executor(a, &plain);
        executors[1] = test_tcblock_executor(a, &other);
        test_cuda_product_threads(executors, a, plain.dtype, &product, 200);
        for (int t = 0; t < 2; t++)
            spmm_executor_destroy(executors[t]);
    }
    test_matrix_free(a);
}

static void new_values_reach_both_ops(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("lower triangle", TEST_VALUES_INTEGER);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int64_t p = 0; p < a->nnz; p++)
            a->values[p] = test_integer((uint64_t)p, (uint64_t)i + 7);
        void *values = test_values_of(a, of.dtype), *device = NULL;
        const size_t bytes = (size_t)a->nnz * spmm_dtype_size(of.dtype);
        if (i % 2 == 1) {
            TEST_CUDA(cudaMalloc(&device, bytes));
            TEST_CUDA(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice));
        }
        assert_int_equal(spmm_executor_set_values(executor, device != NULL ? device : values, NULL, NULL),
                         SPMM_OK);
        for (int op = 0; op < 2; op++) {
            struct test_product product = test_cuda_plain(12, i);
            product.op = (spmm_op_t)op;
            product.values = TEST_VALUES_INTEGER;
            test_cuda_product_check(executor, NULL, a, of.dtype, &product);
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
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        const struct test_product product = test_cuda_plain(9, i);
        spmm_plan_t *plan = test_tcblock_plan(a, &of);
        test_plan_reorder(plan, 5, 0);
        test_cuda_permuted_output_check(plan, a, of.dtype, &product);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

/* Checks C = beta C with alpha = 0 in both layouts. beta = 0 overwrites a C of NaN. */
static void without_b(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype, int turn)
{
    struct test_product product = test_cuda_plain(20, turn);
    product.beta = turn / 4 % 2 == 0 ? 2 : 0;
    product.values = TEST_VALUES_INTEGER;
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    struct test_dense after = test_dense_copy(&c);
    struct test_cuda_dense device_c = test_cuda_dense_make(&c);
    uint64_t bytes = 0;
    b.view.data = NULL;
    assert_int_equal(
        spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b.view, &device_c.view, &bytes, NULL), SPMM_OK);
    struct test_cuda_workspace workspace = test_cuda_workspace_make(bytes);
    assert_int_equal(spmm_execute(executor, SPMM_OP_N, spmm_real(0), &b.view, spmm_real(product.beta),
                                  &device_c.view, workspace.data, bytes, NULL, NULL),
                     SPMM_OK);
    TEST_CUDA(cudaDeviceSynchronize());
    test_cuda_dense_read(&device_c, &after);
    assert_true(test_dense_same_gaps(&c, &after));
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < product.n; j++) {
            const double want = product.beta == 0 ? 0 : product.beta * test_dense_get(&c, i, j);
            assert_true(test_dense_get(&after, i, j) == want);
        }
    test_cuda_workspace_free(&workspace);
    test_cuda_dense_free(&device_c);
    test_dense_free(&after);
    test_dense_free(&c);
    test_dense_free(&b);
}

static void alpha_zero_needs_no_b(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_INTEGER);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int turn = 0; turn < 8; turn++)
            without_b(executor, a, of.dtype, turn);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(the_largest_numbers_stay_finite),
        cmocka_unit_test(repeats_give_the_same_bits),
        cmocka_unit_test(a_graph_replays_the_product),
        cmocka_unit_test(executors_of_two_threads_do_not_disturb_each_other),
        cmocka_unit_test(new_values_reach_both_ops),
        cmocka_unit_test(a_permuted_output_has_its_rows_in_the_order),
        cmocka_unit_test(alpha_zero_needs_no_b),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
