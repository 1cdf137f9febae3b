/* SPDX-License-Identifier: Apache-2.0 */
/* Column-major B and C of bcsr and panel: aligned and unaligned columns, tiles that n does not fill,
 * numbers of rows that are no multiple of 16 bytes, factors, non-finite values, equality with row-major
 * products, and scratch memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "kernels/tcblock/tcblock_passes_shape.h"
#include "tcblock_cases.h"

static const int64_t widths[] = {1, 3, 8, 9, 16, 17, 24, 32, 33, 40, 64, 65, 72, 100, 128, 130, 256, 300};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))
static const char *const names[] = {"band", "dense", "power law", "sparse", "one a row", "arrow"};
#define NAME_COUNT ((int)(sizeof names / sizeof names[0]))

/* Returns a product whose gaps give B and C a leading dimension of `align` modulo 16 values. In some turns
 * that of C is one value more. */
static struct test_product product_of(const struct test_matrix *a, int64_t n, int turn)
{
    struct test_product product = test_cuda_plain(n, 3);
    const int64_t align = turn % 3 == 0 ? 0 : turn % 16;
    product.op = (spmm_op_t)(turn / 3 % 2);
    product.b_gap = (align + 16 - (product.op == SPMM_OP_N ? a->cols : a->rows) % 16) % 16;
    product.c_gap = (align + 16 - (product.op == SPMM_OP_N ? a->rows : a->cols) % 16) % 16 + turn / 7 % 2;
    product.shift = turn % 7 == 1 ? turn % 8 : 0;
    product.alpha = test_cuda_factors[turn / 2 % TEST_CUDA_FACTORS].alpha;
    product.beta = test_cuda_factors[turn / 2 % TEST_CUDA_FACTORS].beta;
    return product;
}

static const struct {
    spmm_family_t family;
    spmm_schedule_t schedule;
} kernels[] = {{SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE},
               {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE},
               {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED}};
#define KERNEL_COUNT ((int)(sizeof kernels / sizeof kernels[0]))

/* Calls check for each type with uncut units of both heights, in natural and in permuted order: for bcsr
 * and for one schedule of panel in turn. Checks of all widths use every other case. */
static void each_case(void (*check)(const struct test_matrix *a, const struct test_tcblock_case *of,
                                    int turn))
{
    for (int m = 0; m < NAME_COUNT; m++) {
        struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
        for (int i = 0; i < 4 * TEST_TCBLOCK_TYPES; i++)
            for (int k = 0; k < KERNEL_COUNT; k++) {
                const struct test_tcblock_case type = test_tcblock_case(i / 4);
                const struct test_tcblock_case of = {
                    type.dtype, type.compute, kernels[k].family, kernels[k].schedule, i % 2 == 0 ? 64 : 128,
                    1000,       i % 4 == 3};
                if (k == 0 || k == 1 + (m + i / 2) % 2)
                    check(a, &of, 7 * m + i + k);
            }
        test_matrix_free(a);
    }
}

static void check_bound(const struct test_matrix *a, const struct test_tcblock_case *of, int turn)
{
    struct test_cuda_pair pair = test_cuda_pair_make(test_tcblock_plan(a, of), NULL);
    for (int w = turn / 2 % 2; w < WIDTH_COUNT; w += 2) {
        const struct test_product product = product_of(a, widths[w], turn + w);
        test_cuda_product_check(pair.gpu, pair.cpu, a, of->dtype, &product);
    }
    test_cuda_pair_free(&pair);
}

static void every_column_meets_the_error_bound(void **state)
{
    (void)state;
    each_case(check_bound);
}

/* Checks sums that are added to C and stored in words of 16 bytes, for all cases, whichever of them
 * each_case reaches. */
static void aligned_columns_are_added_to(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    for (int i = 0; i < 4 * TEST_TCBLOCK_TYPES; i++) {
        const struct test_tcblock_case type = test_tcblock_case(i / 4);
        const struct test_tcblock_case of = {type.dtype,
                                             type.compute,
                                             SPMM_FAMILY_PANEL,
                                             kernels[1 + i / 2 % 2].schedule,
                                             i % 2 == 0 ? 64 : 128,
                                             1000,
                                             0};
        struct test_cuda_pair pair = test_cuda_pair_make(test_tcblock_plan(a, &of), NULL);
        struct test_product product = test_cuda_plain(128, 3);
        product.b_gap = (16 - a->cols % 16) % 16;
        product.c_gap = (16 - a->rows % 16) % 16;
        product.alpha = 2;
        product.beta = -0.5;
        test_cuda_product_check(pair.gpu, pair.cpu, a, of.dtype, &product);
        test_cuda_pair_free(&pair);
    }
    test_matrix_free(a);
}

/* Returns the scratch bytes of column-major products with n columns: for B, and for C if it is converted.
 * Operands are not read. */
static uint64_t scratch_of(const struct test_matrix *a, const struct test_tcblock_case *of, int64_t n,
                           int converts_c)
{
    const size_t value_bytes = spmm_dtype_size(of->dtype);
    const int64_t wide = 16 / (int64_t)value_bytes;
    const int64_t columns = spmmi_tcblock_converted_columns(n, a->rows, a->cols, converts_c, value_bytes);
    const uint64_t row = (uint64_t)((columns + wide - 1) / wide * wide) * value_bytes;
    const uint64_t b = ((uint64_t)a->cols * row + 255) / 256 * 256,
                   c = ((uint64_t)a->rows * row + 255) / 256 * 256;
    return b + (converts_c ? c : 0);
}

/* Checks the scratch of a width of one pass and of a width of several passes. */
static void check_scratch(const struct test_matrix *a, const struct test_tcblock_case *of, int turn)
{
    static const int64_t of_passes[] = {72, 30000};
    if (of->family != SPMM_FAMILY_PANEL)
        return;
    spmm_executor_t *executor = test_tcblock_executor(a, of);
    for (int i = 0; i < 2; i++) {
        const int64_t n = of_passes[i];
        void *const data = (void *)(uintptr_t)256;
        const spmm_dense_t b = {data, a->cols, n, a->cols, SPMM_COL_MAJOR, of->dtype};
        const spmm_dense_t c = {data, a->rows, n, a->rows, SPMM_COL_MAJOR, of->dtype};
        uint64_t bytes = 0;
        assert_int_equal(spmm_executor_workspace_bytes(executor, SPMM_OP_N, &b, &c, &bytes, NULL), SPMM_OK);
        if (of->is_reordered)
            assert_true(bytes >= scratch_of(a, of, n, 1));
        else
            assert_int_equal(bytes, scratch_of(a, of, n, 0));
    }
    (void)turn;
    spmm_executor_destroy(executor);
}

static void panel_has_scratch_for_b_alone(void **state)
{
    (void)state;
    each_case(check_scratch);
}

/* Returns true if the product adds in another order than a row-major one: bcsr in 3xtf32 with more than 64
 * columns runs warpgroups, whose clusters share items (decision 0085), but not if rows of B do not fill
 * whole words of 16 bytes. */
static bool adds_in_another_order(const struct test_tcblock_case *of, int64_t n)
{
    return of->family == SPMM_FAMILY_BCSR && of->compute == SPMM_COMPUTE_3XTF32 && n > 64 && n % 4 != 0;
}

/* Checks that column-major products have the bits of row-major ones. All sums are finite: for non-finite
 * sums, 4-byte types compute other sums again in other layouts. */
static void check_bits(const struct test_matrix *a, const struct test_tcblock_case *of, int turn)
{
    spmm_executor_t *executor = test_tcblock_executor(a, of);
    for (int w = turn / 2 % 2; w < WIDTH_COUNT; w += 2) {
        if (adds_in_another_order(of, widths[w]))
            continue;
        const struct test_product columns = product_of(a, widths[w], turn + w);
        test_cuda_product_layouts(executor, a, of->dtype, &columns);
    }
    spmm_executor_destroy(executor);
}

static void columns_have_the_bits_of_rows(void **state)
{
    (void)state;
    each_case(check_bits);
}

static void check_canary(const struct test_matrix *a, const struct test_tcblock_case *of, int turn)
{
    spmm_executor_t *executor = test_tcblock_executor(a, of);
    for (int w = 0; w < 6; w++) {
        struct test_product product = product_of(a, widths[(turn + w) % WIDTH_COUNT], turn + w);
        product.op = SPMM_OP_N;
        product.b_gap = w % 2 == 0 ? (16 - a->cols % 16) % 16 : w;
        product.alpha = 1;
        product.beta = 0;
        test_cuda_product_canary(executor, a, of->dtype, &product, w * (a->cols - 1) / 5);
    }
    spmm_executor_destroy(executor);
}

static void values_that_are_not_finite_stay_where_they_are_met(void **state)
{
    (void)state;
    each_case(check_canary);
}

static void check_repeat(const struct test_matrix *a, const struct test_tcblock_case *of, int turn)
{
    spmm_executor_t *executor = test_tcblock_executor(a, of);
    for (int w = 0; w < 2; w++) {
        struct test_product product = product_of(a, widths[(turn + 5 * w) % WIDTH_COUNT], turn + w);
        product.op = SPMM_OP_N;
        product.b_gap = w == 0 ? (16 - a->cols % 16) % 16 : 1;
        test_cuda_product_repeat(executor, a, of->dtype, &product, 3);
        test_cuda_product_graph(executor, a, of->dtype, &product, 3);
    }
    spmm_executor_destroy(executor);
}

static void repeats_and_graphs_give_the_same_bits(void **state)
{
    (void)state;
    each_case(check_repeat);
}

/* Checks permuted C, in which the rows of a block-row group are adjacent. */
static void check_permuted(const struct test_matrix *a, const struct test_tcblock_case *of, int turn)
{
    struct test_product product = product_of(a, widths[turn % WIDTH_COUNT], turn);
    if (!of->is_reordered)
        return;
    product.op = SPMM_OP_N;
    product.alpha = 1;
    product.beta = 0;
    spmm_plan_t *plan = test_tcblock_plan(a, of);
    test_cuda_permuted_output_check(plan, a, of->dtype, &product);
    spmm_plan_destroy(plan);
}

static void permuted_columns_are_those_of_rows_in_order(void **state)
{
    (void)state;
    each_case(check_permuted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_meets_the_error_bound),
        cmocka_unit_test(aligned_columns_are_added_to),
        cmocka_unit_test(panel_has_scratch_for_b_alone),
        cmocka_unit_test(columns_have_the_bits_of_rows),
        cmocka_unit_test(values_that_are_not_finite_stay_where_they_are_met),
        cmocka_unit_test(repeats_and_graphs_give_the_same_bits),
        cmocka_unit_test(permuted_columns_are_those_of_rows_in_order),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
