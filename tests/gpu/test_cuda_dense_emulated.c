/* SPDX-License-Identifier: Apache-2.0 */
/* f64 products of the dense family if the environment allows cuBLASLt to emulate f64 with fixed-point
 * numbers. The error bound must still hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/dense/dense_shape.h"
#include "tests/support/kernel_plans.h"

static const spmm_kernel_info_t kernel = {.family = SPMMI_DENSE, .schedule = SPMMI_DENSE_GEMM};
static const int64_t widths[] = {64, 512, 2048};
#define PRODUCTS 6 /* each width with all operands row-major, then with all column-major */

static struct test_product product_at(int i)
{
    return test_cuda_plain(widths[i / 2], i % 2 == 0 ? 0 : 3);
}

static struct test_cuda_pair pair_of(const struct test_matrix *a)
{
    return test_cuda_pair_make(test_kernel_plan(&kernel, a, SPMM_F64, 0), NULL);
}

static void f64_meets_its_bound(void **state)
{
    static const char *const names[] = {"dense", "band", "power law"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_of(a);
        for (int i = 0; i < PRODUCTS; i++) {
            const struct test_product product = product_at(i);
            test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F64, &product);
        }
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* Large values of A meet zeros of B. Fixed-point numbers with a common scale per row could lose the small
 * values beside them. */
static void f64_keeps_small_values_beside_large_ones(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense", TEST_VALUES_REAL);
    for (int64_t i = 0; i < a->nnz; i++)
        a->values[i] *= a->col_ind[i] % 2 == 0 ? 1 : 1e40;
    struct test_cuda_pair pair = pair_of(a);
    for (int i = 0; i < PRODUCTS; i++) {
        const struct test_product product = product_at(i);
        struct test_dense b = test_product_b(a, SPMM_F64, &product);
        struct test_dense c = test_product_c(a, SPMM_F64, &product);
        struct test_dense before = test_dense_copy(&c);
        for (int64_t k = 1; k < b.view.rows; k += 2)
            for (int64_t j = 0; j < b.view.cols; j++)
                test_dense_set(&b, k, j, 0);
        test_cuda_product_run(pair.gpu, &product, &b, &c);
        const struct test_accuracy accuracy = test_product_accuracy(pair.gpu, &product, &b, &c);
        struct test_sums sums = test_sums_of_type(a, SPMM_F64, product.op, 1, &b, 0, &before);
        const struct test_judgement j = test_judge_sums(&accuracy, &sums, &c);
        if (!(j.ratio <= 1))
            fail_msg("(%lld, %lld) is %.17g, expected %.17g", (long long)j.row, (long long)j.col, j.got,
                     j.want);
        test_sums_free(&sums);
        test_dense_free(&before);
        test_dense_free(&c);
        test_dense_free(&b);
    }
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f64_meets_its_bound),
        cmocka_unit_test(f64_keeps_small_values_beside_large_ones),
    };
    /* The variables must be set before the library is loaded, because it reads them then. */
    if (setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "1", 1) != 0 ||
        setenv("CUBLAS_EMULATION_STRATEGY", "eager", 1) != 0)
        return EXIT_FAILURE;
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
