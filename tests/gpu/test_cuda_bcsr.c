/* SPDX-License-Identifier: Apache-2.0 */
/* How thread blocks of the bcsr family on the GPU work together: clusters that share out the steps of an item (3xtf32),
 * and thread blocks that take turns with items (16-bit types). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tcblock_cases.h"

#define REPEATS 10

/* Block-row groups of many steps, of which the last one has less than a cluster has thread blocks. */
TEST_PATTERN(long_groups, i < 128 ? (i + 2 * j) % 3 == 0 : j < 40)
static const struct test_pattern few_groups = {"long groups", 150, 1600, long_groups};
static const struct test_tcblock_case of_shares = {
    SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1000, 0};
/* Two items a group, whose sums another kernel adds. */
static const struct test_tcblock_case of_cut_shares = {
    SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 30, 0};
/* Clusters of 8 to 2 thread blocks, and none, on 132 multiprocessors. */
static const int64_t share_widths[] = {72, 132, 640, 768, 896, 1152, 1536, 2304, 3000};
#define SHARE_WIDTHS ((int)(sizeof share_widths / sizeof share_widths[0]))

/* A group is empty. */
TEST_PATTERN(gaps, (i + 5 * j) % 16 < 3 && i / 64 % 5 != 1)
static const struct {
    struct test_pattern pattern;
    int64_t n;
} turns[] = {
    {{"few groups, many tiles", 200, 300, gaps}, 12840}, /* the last tile is not full */
    {{"many groups, few tiles", 19200, 48, gaps}, 128},
};

static void shares_of_an_item_meet_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&few_groups, TEST_VALUES_REAL);
    for (int i = 0; i < 2; i++) {
        struct test_cuda_pair pair =
            test_cuda_pair_make(test_tcblock_plan(a, i == 0 ? &of_shares : &of_cut_shares), NULL);
        for (int w = 0; w < SHARE_WIDTHS; w++) {
            struct test_product product = test_cuda_plain(share_widths[w], 0);
            product.alpha = test_cuda_factors[w % TEST_CUDA_FACTORS].alpha;
            product.beta = test_cuda_factors[w % TEST_CUDA_FACTORS].beta;
            test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
        }
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

static void shares_of_an_item_keep_nan_in_its_rows(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&few_groups, TEST_VALUES_REAL);
    spmm_executor_t *executor = test_tcblock_executor(a, &of_shares);
    for (int64_t column = 1; column < a->cols; column += 311)
        for (int w = 0; w < 6; w += 5) {
            const struct test_product product = test_cuda_plain(share_widths[w], 0);
            test_cuda_product_canary(executor, a, SPMM_F32, &product, column);
        }
    spmm_executor_destroy(executor);
    test_matrix_free(a);
}

static void shares_of_an_item_have_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&few_groups, TEST_VALUES_REAL);
    spmm_executor_t *executor = test_tcblock_executor(a, &of_shares);
    for (int w = 0; w < SHARE_WIDTHS; w += 2) {
        const struct test_product product = test_cuda_plain(share_widths[w], 0);
        test_cuda_product_repeat(executor, a, SPMM_F32, &product, REPEATS);
        test_cuda_product_graph(executor, a, SPMM_F32, &product, REPEATS);
    }
    spmm_executor_destroy(executor);
    test_matrix_free(a);
}

static void turns_meet_the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * 4; i++) {
        struct test_matrix *a = test_matrix_of(&turns[i / 4].pattern, TEST_VALUES_REAL);
        const struct test_tcblock_case of = {i % 2 == 0 ? SPMM_F16 : SPMM_BF16,
                                             i % 2 == 0 ? SPMM_COMPUTE_F16 : SPMM_COMPUTE_BF16,
                                             SPMM_FAMILY_BCSR,
                                             SPMM_SCHEDULE_DENSE,
                                             i % 4 < 2 ? 64 : 128,
                                             i % 3 == 0 ? 2 : 1000,
                                             0};
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        struct test_product product = test_cuda_plain(turns[i / 4].n, 0);
        product.beta = i % 2;
        test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        test_cuda_product_canary(executor, a, of.dtype, &product, 7);
        product.beta = 0;
        test_cuda_product_repeat(executor, a, of.dtype, &product, 2);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_of_an_item_meet_the_bound),
        cmocka_unit_test(shares_of_an_item_keep_nan_in_its_rows),
        cmocka_unit_test(shares_of_an_item_have_the_same_bits),
        cmocka_unit_test(turns_meet_the_bound),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
