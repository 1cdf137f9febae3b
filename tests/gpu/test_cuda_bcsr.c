/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperation of thread blocks of the bcsr family on the GPU: clusters that share the steps of an item
 * (3xtf32), persistent thread blocks with several items each (16-bit types), and turns of tiles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/bcsr/bcsr_shape.h"
#include "tcblock_cases.h"

#define REPEATS 10

/* Block-row groups with many steps. The last group has fewer steps than a cluster has thread blocks. */
TEST_PATTERN(long_groups, i < 128 ? (i + 2 * j) % 3 == 0 : j < 40)
static const struct test_pattern few_groups = {"long groups", 150, 1600, long_groups};
static const struct test_tcblock_case of_shares = {
    SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1000, 0};
/* The same groups with 60 % of the blocks, so few that warpgroups launch MMAs of half groups. */
TEST_PATTERN(long_gaps, (i / 16 + j / 8) % 5 < 3 && (i + 2 * j) % 3 == 0)
static const struct test_pattern few_gappy_groups = {"long groups with gaps", 150, 1600, long_gaps};
/* Two items per group. A second kernel adds their sums. */
static const struct test_tcblock_case of_cut_shares = {
    SPMM_F32, SPMM_COMPUTE_3XTF32, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 30, 0};
/* Widths that give clusters of 8 down to 2 thread blocks, and no cluster, on 132 multiprocessors. */
static const int64_t share_widths[] = {72, 132, 640, 768, 896, 1152, 1536, 2304, 3000};
#define SHARE_WIDTHS ((int)(sizeof share_widths / sizeof share_widths[0]))

/* One of each five groups is empty. */
TEST_PATTERN(gaps, (i + 5 * j) % 16 < 3 && i / 64 % 5 != 1)
static const struct {
    struct test_pattern pattern;
    int64_t n;
} several[] = {
    {{"few groups, many tiles", 200, 700, gaps}, 16040}, /* the last tile is not full; B takes two turns */
    {{"many groups, few tiles", 19200, 48, gaps}, 128},
};

/* Returns a product of each width, first row-major, then column-major, with columns of C that begin at a
 * multiple of 16 bytes for every other width. */
static struct test_product share_product(int w)
{
    struct test_product product = test_cuda_plain(share_widths[w % SHARE_WIDTHS], w < SHARE_WIDTHS ? 0 : 3);
    if (w >= SHARE_WIDTHS)
        product.c_gap = w % 2 == 0 ? (16 - few_groups.rows % 16) % 16 : 1;
    return product;
}

static void shares_of_an_item_meet_the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct test_matrix *a = test_matrix_of(i < 2 ? &few_groups : &few_gappy_groups, TEST_VALUES_REAL);
        struct test_cuda_pair pair =
            test_cuda_pair_make(test_tcblock_plan(a, i % 2 == 0 ? &of_shares : &of_cut_shares), NULL);
        for (int w = 0; w < 2 * SHARE_WIDTHS; w++) {
            struct test_product product = share_product(w);
            product.alpha = test_cuda_factors[w % TEST_CUDA_FACTORS].alpha;
            product.beta = test_cuda_factors[w % TEST_CUDA_FACTORS].beta;
            test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
        }
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* Returns A B, or A B - before if before is not NULL. */
static struct test_dense product_of(spmm_executor_t *executor, const struct test_matrix *a,
                                    spmm_dtype_t dtype, const struct test_dense *b,
                                    const struct test_dense *before)
{
    struct test_product product = test_cuda_plain(b->view.cols, 0);
    struct test_dense c = before != NULL ? test_dense_copy(before) : test_product_c(a, dtype, &product);
    product.beta = before != NULL ? -1 : 0;
    test_cuda_product_run(executor, &product, b, &c);
    return c;
}

/* Compares equal columns of B in a narrow and a wide product. In the narrow one, 6 thread blocks share
 * each item and add the sums of shares in another order, so that roundings differ. */
static void shares_of_an_item_are_added(void **state)
{
    int major = 0;
    (void)state;
    TEST_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major != 9) /* other compute capabilities have no such kernel */
        skip();
    for (int i = 0; i < 2; i++) {
        struct test_matrix *a = test_matrix_of(i == 0 ? &few_groups : &few_gappy_groups, TEST_VALUES_REAL);
        spmm_executor_t *executor = test_tcblock_executor(a, &of_shares);
        const struct test_product narrow = test_cuda_plain(640, 0), wide = test_cuda_plain(3200, 0);
        struct test_dense b = test_product_b(a, SPMM_F32, &narrow);
        struct test_dense wide_b = test_product_b(a, SPMM_F32, &wide);
        for (int64_t k = 0; k < b.view.rows; k++)
            for (int64_t j = 0; j < wide_b.view.cols; j++)
                test_dense_set(&wide_b, k, j, test_dense_get(&b, k, j % b.view.cols));
        struct test_dense c = product_of(executor, a, SPMM_F32, &b, NULL);
        struct test_dense wide_c = product_of(executor, a, SPMM_F32, &wide_b, NULL);
        int64_t others = 0;
        for (int64_t r = 0; r < c.view.rows; r++)
            for (int64_t j = 0; j < c.view.cols; j++)
                others += test_dense_get(&c, r, j) != test_dense_get(&wide_c, r, j);
        assert_true(others > 0);
        test_dense_free(&wide_c);
        test_dense_free(&c);
        test_dense_free(&wide_b);
        test_dense_free(&b);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

static void shares_of_an_item_keep_nan_in_its_rows(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&few_groups, TEST_VALUES_REAL);
    spmm_executor_t *executor = test_tcblock_executor(a, &of_shares);
    for (int64_t column = 1; column < a->cols; column += 311)
        for (int w = 0; w < 2 * SHARE_WIDTHS; w += 5) {
            const struct test_product product = share_product(w);
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
    for (int w = 0; w < 2 * SHARE_WIDTHS; w += 2) {
        const struct test_product product = share_product(w);
        test_cuda_product_repeat(executor, a, SPMM_F32, &product, REPEATS);
        test_cuda_product_graph(executor, a, SPMM_F32, &product, REPEATS);
    }
    spmm_executor_destroy(executor);
    test_matrix_free(a);
}

/* The last tile is not full and has no columns for part of the shared memory. That part still holds
 * columns of an earlier tile, one of them with NaN. The last tile must keep its bits, since the sums of
 * its columns are not computed again. The rounding error that remains in C shows the bits of the sums. */
static void tiles_before_leave_nothing_behind(void **state)
{
    enum { TILE = 128, LAST = 16000 }; /* LAST: first column of the last tile, which has 40 columns */
    (void)state;
    for (int i = 0; i < 4; i++) {
        const spmm_dtype_t dtype = i % 2 == 0 ? SPMM_F16 : SPMM_BF16;
        const struct test_tcblock_case of = {dtype,
                                             i % 2 == 0 ? SPMM_COMPUTE_F16 : SPMM_COMPUTE_BF16,
                                             SPMM_FAMILY_BCSR,
                                             SPMM_SCHEDULE_DENSE,
                                             i < 2 ? 64 : 128,
                                             1000,
                                             0};
        struct test_matrix *a = test_matrix_of(&several[0].pattern, TEST_VALUES_REAL);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        const struct test_product product = test_cuda_plain(several[0].n, 0);
        struct test_dense b = test_product_b(a, dtype, &product);
        struct test_dense rounded = product_of(executor, a, dtype, &b, NULL);
        struct test_dense c = product_of(executor, a, dtype, &b, &rounded);
        for (int64_t k = 0; k < b.view.rows; k++)
            for (int64_t j = several[0].n - LAST; j < LAST; j += TILE)
                test_dense_set(&b, k, j, (double)NAN);
        struct test_dense spoilt = product_of(executor, a, dtype, &b, &rounded);
        for (int64_t r = 0; r < c.view.rows; r++)
            for (int64_t j = LAST; j < several[0].n; j++)
                assert_true(test_dense_get(&spoilt, r, j) == test_dense_get(&c, r, j));
        test_dense_free(&spoilt);
        test_dense_free(&rounded);
        test_dense_free(&c);
        test_dense_free(&b);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

static void persistent_thread_blocks_meet_the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * 4; i++) {
        struct test_matrix *a = test_matrix_of(&several[i / 4].pattern, TEST_VALUES_REAL);
        const struct test_tcblock_case of = {i % 2 == 0 ? SPMM_F16 : SPMM_BF16,
                                             i % 2 == 0 ? SPMM_COMPUTE_F16 : SPMM_COMPUTE_BF16,
                                             SPMM_FAMILY_BCSR,
                                             SPMM_SCHEDULE_DENSE,
                                             i % 4 < 2 ? 64 : 128,
                                             i % 3 == 0 ? 2 : 1000,
                                             0};
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        struct test_product product = test_cuda_plain(several[i / 4].n, 0);
        product.beta = i % 2;
        test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        test_cuda_product_canary(executor, a, of.dtype, &product, 7);
        product.beta = 0;
        test_cuda_product_repeat(executor, a, of.dtype, &product, 2);
        product.alpha = 0;
        test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        spmm_executor_destroy(executor);
        test_matrix_free(a);
    }
}

/* Returns true if tiles of 128 columns, or 64 for f64, take turns on this device. Three of four groups use
 * all columns of A. */
static int has_turns(uint32_t n, uint64_t value_bytes)
{
    int l2_bytes = 0;
    TEST_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
    const uint64_t rows = (uint64_t)several[0].pattern.rows, cols = (uint64_t)several[0].pattern.cols;
    const struct spmmi_bcsr_order order =
        spmmi_bcsr_order_of(n, value_bytes == 8 ? 64 : 128, cols * 3 / 4 * value_bytes,
                            rows * cols * value_bytes, (uint64_t)l2_bytes);
    return order.turn < order.tiles;
}

/* B has the same number of bytes in all types; row-major and column-major operands. */
static void tiles_that_take_turns_meet_the_bound(void **state)
{
    static const struct {
        spmm_dtype_t dtype;
        spmm_compute_t compute;
    } types[] = {{SPMM_F16, SPMM_COMPUTE_F16},
                 {SPMM_F32, SPMM_COMPUTE_TF32},
                 {SPMM_F32, SPMM_COMPUTE_3XTF32},
                 {SPMM_F64, SPMM_COMPUTE_F64}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const size_t bytes = spmm_dtype_size(types[i].dtype);
        const int64_t n = several[0].n * 2 / (int64_t)bytes;
        const struct test_tcblock_case of = {
            types[i].dtype, types[i].compute, SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1000, 0};
        if (!has_turns((uint32_t)n, bytes)) /* the L2 cache is larger than on the devices of this test */
            skip();
        struct test_matrix *a = test_matrix_of(&several[0].pattern, TEST_VALUES_REAL);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int layouts = 0; layouts < 4; layouts += 3) {
            const struct test_product product = test_cuda_plain(n, layouts);
            test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        }
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
        cmocka_unit_test(shares_of_an_item_are_added),
        cmocka_unit_test(persistent_thread_blocks_meet_the_bound),
        cmocka_unit_test(tiles_before_leave_nothing_behind),
        cmocka_unit_test(tiles_that_take_turns_meet_the_bound),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
