/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the GPU on every edge matrix, with every value type, compared exactly. Launches are few
 * and products small, so that compute-sanitizer can check all of them (tests/gpu/sanitize).
 *
 *   test_cuda_edges [--shard K/N] [--quick]
 *
 * K/N: only every N-th pair of kernel and matrix, from the K-th on, counted from 0; --quick: one product
 * per executor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tests/support/edges.h"
#include "tests/support/exact.h"
#include "tests/support/kernel_plans.h"

/* 6, 10, 18, 34 and 130 are pairs of columns of f32. The number of widths is prime and so coprime to the
 * strides of turns, layouts, gaps and factors: each width meets all of them. */
static const int64_t widths[] = {1, 8, 33, 64, 5, 130, 16, 2, 6, 34, 10, 18, 3, 68, 72, 132, 256};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))
_Static_assert(WIDTH_COUNT == 17, "a prime number of widths, or turns leave some out");
#define PRODUCTS 3 /* per executor */

static struct {
    int shard, shards, products;
} settings = {0, 1, PRODUCTS};

static void check(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                  const struct test_product *product, const char *kernel)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct test_dense before = test_dense_copy(&c);
    test_cuda_product_run(executor, product, &b, &c);
    test_exact_check(a, product, &b, &before, &c, kernel);
    test_dense_free(&before);
    test_dense_free(&c);
    test_dense_free(&b);
}

/* Returns the number of checked products. */
static int check_kernel(const spmm_kernel_info_t *kernel, const struct test_matrix *a, spmm_dtype_t dtype,
                        int turn)
{
    spmm_plan_t *plan = test_kernel_plan(kernel, a, dtype, turn);
    spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
    for (int i = 0; i < settings.products; i++) {
        const int mixed = 5 * turn + 3 * i;
        const struct test_product product =
            test_cuda_turn(widths[mixed % WIDTH_COUNT], mixed / 2, mixed, TEST_VALUES_INTEGER);
        check(executor, a, dtype, &product, kernel->name);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    return settings.products;
}

static void every_kernel_is_exact_on_every_edge(void **state)
{
    (void)state;
    spmm_kernel_info_t kernels[TEST_KERNELS_MAX];
    const int count = test_kernels_of("cuda", kernels);
    int pairs = 0, products = 0;
    for (int m = 0; m < TEST_EDGES; m++) {
        struct test_matrix *a = test_edge_make(m, TEST_VALUES_INTEGER);
        for (int k = 0; k < count; k++, pairs++)
            for (int type = SPMM_F32; type <= SPMM_BF16 && pairs % settings.shards == settings.shard; type++)
                if (test_kernel_takes(&kernels[k], (spmm_dtype_t)type))
                    products += check_kernel(&kernels[k], a, (spmm_dtype_t)type, m + 3 * k + type);
        test_matrix_free(a);
    }
    printf("%d kernels, %d matrices, %d products\n", count, TEST_EDGES, products);
}

static int settings_read(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            settings.products = 1;
        else if (strcmp(argv[i], "--shard") != 0 || i + 1 == argc ||
                 sscanf(argv[++i], "%d/%d", &settings.shard, &settings.shards) != 2 || settings.shard < 0 ||
                 settings.shard >= settings.shards)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_is_exact_on_every_edge)};
    if (!settings_read(argc, argv)) {
        fprintf(stderr, "usage: test_cuda_edges [--shard K/N] [--quick]\n");
        return 2;
    }
    if (!test_cuda_begin(1, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
