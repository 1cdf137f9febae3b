/* SPDX-License-Identifier: Apache-2.0 */
/* The wide family on the GPU against the long double reference and the CPU twin: matrices with many
 * panels, and with enough rows for two per lane group; one column tile and several, with the TMA and
 * without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/wide/wide_shape.h"
#include "tests/support/plan_build.h"

static const int64_t widths[] = {1, 31, 64, 65, 130, 256, 600};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

TEST_PATTERN(thin, test_chance(i, j, 20))
TEST_PATTERN(dense, true)
TEST_PATTERN(skewed, test_chance(i, j, j < cols / 8 ? 2 : 90))
static const struct test_pattern patterns[] = {{"thin", 150, 3000, thin},
                                               {"dense", 70, 700, dense},
                                               {"skewed", 90, 2500, skewed},
                                               {"many rows", 1100, 800, thin}};
#define PATTERN_COUNT ((int)(sizeof patterns / sizeof patterns[0]))

static struct test_cuda_pair pair_make(const struct test_matrix *a)
{
    const struct test_plan_options options = {SPMM_F32, SPMMI_WIDE_COLUMN_PANELS, 0, 1, 0};
    return test_cuda_pair_make(test_plan_build(a, options), NULL);
}

/* Checks every width aligned, and with varying gaps and shifts. */
static void widths_meet_the_bound(const struct test_matrix *a, int turn)
{
    struct test_cuda_pair pair = pair_make(a);
    for (int w = 0; w < WIDTH_COUNT; w++, turn++) {
        const struct test_product plain = test_cuda_plain(widths[w], 0);
        const struct test_product product = test_cuda_turn(widths[w], turn % 4, turn, TEST_VALUES_REAL);
        test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &plain);
        test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
    }
    test_cuda_pair_free(&pair);
}

static void every_matrix_meets_the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < PATTERN_COUNT + test_matrix_count(); i++) {
        struct test_matrix *a = i < PATTERN_COUNT ? test_matrix_of(&patterns[i], TEST_VALUES_REAL)
                                                  : test_matrix_make(i - PATTERN_COUNT, TEST_VALUES_REAL);
        widths_meet_the_bound(a, i * WIDTH_COUNT);
        test_matrix_free(a);
    }
}

/* Uses more columns than a pass converts. */
static void column_major_products_take_several_passes(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[0], TEST_VALUES_REAL);
    struct test_cuda_pair pair = pair_make(a);
    const struct test_product product = test_cuda_plain(2700, 3);
    test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

static void results_repeat_and_graphs_replay(void **state)
{
    (void)state;
    for (int i = 0; i < PATTERN_COUNT; i++) {
        struct test_matrix *a = test_matrix_of(&patterns[i], TEST_VALUES_REAL);
        struct test_cuda_pair pair = pair_make(a);
        const struct test_product product = test_cuda_plain(256, 0);
        test_cuda_product_repeat(pair.gpu, a, SPMM_F32, &product, 5);
        test_cuda_product_graph(pair.gpu, a, SPMM_F32, &product, 5);
        test_cuda_product_canary(pair.gpu, a, SPMM_F32, &product, a->cols / 2);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_meets_the_bound),
        cmocka_unit_test(column_major_products_take_several_passes),
        cmocka_unit_test(results_repeat_and_graphs_replay),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
