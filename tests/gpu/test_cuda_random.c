/* SPDX-License-Identifier: Apache-2.0 */
/* Random small matrices of integers: the products of the GPU, of the CPU and of the CSR arrays are equal.
 * Each matrix runs one kernel, in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/exact.h"
#include "tests/support/kernel_plans.h"
#include "tests/support/scale.h"

#define MATRICES 500    /* by default: many runs of each kernel with each type */
#define PROMISED 10000u /* number that the scorecard promises */
#define LONGEST 160u    /* maximum of rows and of columns */
#define WIDEST 70u      /* maximum of columns of B */

static uint64_t seed; /* seed of the current matrix */

/* Returns true with a probability that depends on the seed. Some rows and columns are always empty, some
 * rows full. */
static bool stores(const struct test_pattern *pattern, int64_t i, int64_t j)
{
    (void)pattern;
    const uint64_t sparsity = 1 + test_hash(seed, 3) % 40;
    const int is_empty =
        test_hash(seed, 7 + (uint64_t)i) % 5 == 0 || test_hash(seed, 1000 + (uint64_t)j) % 9 == 0;
    const int is_full = test_hash(seed, 2000 + (uint64_t)i) % 50 == 0;
    return is_full || (!is_empty && test_hash(seed + (uint64_t)i, (uint64_t)j) % sparsity == 0);
}

static int64_t size_of(uint64_t salt)
{
    return (int64_t)(test_hash(seed, salt) % (test_hash(seed, 5) % LONGEST + 1)) + 1;
}

static void check(const spmm_kernel_info_t *kernel, spmm_dtype_t dtype, const struct test_matrix *a)
{
    const int turn = (int)(test_hash(seed, 11) % 1000);
    struct test_cuda_pair pair = test_cuda_pair_make(test_kernel_plan(kernel, a, dtype, turn), NULL);
    const struct test_product product =
        test_cuda_turn(1 + (int64_t)(test_hash(seed, 13) % WIDEST), turn / 7, turn, TEST_VALUES_INTEGER);
    struct test_dense b = test_product_b(a, dtype, &product), before = test_product_c(a, dtype, &product);
    struct test_dense on_gpu = test_dense_copy(&before), on_cpu = test_dense_copy(&before);
    test_cuda_product_run(pair.gpu, &product, &b, &on_gpu);
    test_product_run(pair.cpu, &product, &b, &on_cpu);
    test_exact_check(a, &product, &b, &before, &on_gpu, kernel->name);
    test_exact_check(a, &product, &b, &before, &on_cpu, "CPU");
    test_dense_free(&on_cpu);
    test_dense_free(&on_gpu);
    test_dense_free(&before);
    test_dense_free(&b);
    test_cuda_pair_free(&pair);
}

static void gpu_cpu_and_csr_agree_on_random_matrices(void **state)
{
    (void)state;
    spmm_kernel_info_t kernels[TEST_KERNELS_MAX];
    const size_t count = (size_t)test_kernels_of("cuda", kernels), matrices = scaled(MATRICES);
    for (size_t i = 0; i < matrices; i++) {
        const spmm_kernel_info_t *kernel = &kernels[i % count];
        seed = test_hash(i, 77);
        const struct test_pattern pattern = {"random", size_of(1), size_of(2), stores};
        struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_INTEGER);
        check(kernel, test_kernel_type(kernel, (int)(i / count % 4)), a);
        test_matrix_free(a);
    }
    printf("%zu random matrices: GPU, CPU and CSR agree\n", matrices);
    if (matrices >= PROMISED)
        printf("scorecard: E19 %zu random integer matrices, products of GPU, CPU and CSR equal\n", matrices);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gpu_cpu_and_csr_agree_on_random_matrices)};
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
