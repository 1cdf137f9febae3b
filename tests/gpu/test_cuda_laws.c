/* SPDX-License-Identifier: Apache-2.0 */
/* Laws that every kernel of the GPU obeys: rows of A without nonzeros give beta C, repeats give the same
 * bits, and NaN and infinity in a row of B reach exactly the rows of C whose row of A stores that column. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/edges.h"
#include "tests/support/kernel_plans.h"
#include "tests/support/laws.h"
#include "tests/support/scale.h"

#define REPEATS 50 /* by default */
#define PROMISED_REPEATS 1000u
#define COLUMN_SHARE 20u /* by default, 1 of 20 columns is tried; all columns from this scale on */
#define CANARY_COLUMNS 300

static spmm_kernel_info_t kernels[TEST_KERNELS_MAX];
static int kernel_count;

static spmm_executor_t *executor_make(const spmm_kernel_info_t *kernel, const struct test_matrix *a,
                                      spmm_dtype_t dtype, int turn)
{
    spmm_plan_t *plan = test_kernel_plan(kernel, a, dtype, turn);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    spmm_plan_destroy(plan);
    return executor;
}

/* An alpha of 1e300 becomes infinite in f32 arithmetic. */
static void empty_rows_give_beta_times_c_whatever_alpha_is(void **state)
{
    (void)state;
    static const double alphas[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, 2};
    static const char *const names[] = {"first rows empty", "middle rows empty", "last rows empty",
                                        "odd rows empty"};
    for (int turn = 0; turn < 80 * kernel_count; turn++) {
        const spmm_kernel_info_t *kernel = &kernels[turn % kernel_count];
        const int at = turn / kernel_count;
        const spmm_dtype_t dtype = test_kernel_type(kernel, at / 20);
        struct test_matrix *a = test_matrix_named(names[at % 4], TEST_VALUES_REAL);
        spmm_executor_t *executor = executor_make(kernel, a, dtype, at);
        struct test_product product = test_cuda_plain(at % 3 == 0 ? 1 : 7 + at % 32, at / 4);
        product.alpha = alphas[at / 4 % 5];
        product.beta = at / 8 % 2 == 0 ? 0 : -0.5;
        test_law_empty_rows(test_cuda_product_run, executor, a, dtype, &product);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

static void repeats_give_the_same_bits(void **state)
{
    (void)state;
    static const int64_t widths[] = {41, 64, 1, 24};
    const size_t repeats = scaled(REPEATS);
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int k = 0; k < kernel_count; k++)
        for (int type = 0; type < 4; type++) {
            const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + type);
            const struct test_product product = test_cuda_plain(widths[(k + type) % 4], k + type);
            if (!test_kernel_takes(&kernels[k], dtype))
                continue;
            spmm_executor_t *executor = executor_make(&kernels[k], a, dtype, 3 * k + type);
            test_cuda_product_repeat(executor, a, dtype, &product, (int)repeats);
            spmm_executor_destroy(executor);
        }
    test_matrix_free(a);
    if (repeats >= PROMISED_REPEATS)
        printf("scorecard: E16 %zu of %zu repeats have the same bits, on each of %d GPU kernels and type\n",
               repeats, repeats, kernel_count);
}

/* Returns the number of columns that were tried. */
static int canaries_of(const struct test_matrix *a, int matrix, size_t share)
{
    int count = 0;
    for (int k = 0; k < kernel_count; k++) {
        const spmm_dtype_t dtype = test_kernel_type(&kernels[k], matrix);
        spmm_executor_t *executor = executor_make(&kernels[k], a, dtype, matrix + k);
        for (int64_t column = 0; column < a->cols; column++) {
            const struct test_product product =
                test_cuda_plain(1 + (column + 8 * matrix) % 40, (int)column % 3 == 0 ? 3 : 0);
            if (((size_t)column + (size_t)matrix) % share != 0)
                continue;
            test_cuda_product_canary(executor, a, dtype, &product, column);
            count++;
        }
        spmm_executor_destroy(executor);
    }
    return count;
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    const size_t scale = scaled(1), share = scale >= COLUMN_SHARE ? 1 : COLUMN_SHARE / scale;
    int matrices = 0, columns = 0;
    for (int m = 0; m < TEST_EDGES; m++) {
        struct test_matrix *a = test_edge_make(m, TEST_VALUES_REAL);
        if (a->rows > 0 && a->cols > 0 && a->cols <= CANARY_COLUMNS) {
            columns += canaries_of(a, m, share);
            matrices++;
        }
        test_matrix_free(a);
    }
    assert_true(matrices >= 30);
    if (share == 1)
        printf(
            "scorecard: E18 NaN or infinity in each row of B on %d matrices x %d GPU kernels, %d products, "
            "reached exactly the rows that store the column\n",
            matrices, kernel_count, columns);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_rows_give_beta_times_c_whatever_alpha_is),
        cmocka_unit_test(repeats_give_the_same_bits),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    kernel_count = test_kernels_of("cuda", kernels);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
