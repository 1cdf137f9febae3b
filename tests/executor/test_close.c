/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the function that judges products. Above all it must not let NaN pass. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/close.h"
#include "tests/support/reference.h"

static const struct {
    double got;
    long double want, bound;
    int passes;
} cases[] = {
    {1, 1, 0, 1},
    {0, 0, 0, 1},
    {-0.0, 0, 0, 1},
    {1.5, 1, 0.5, 1},
    {1.5, 1, 0.49L, 0},
    {1e-300, 0, 0, 0},
    {NAN, 1, 1e300L, 0},
    {1, NAN, 1e300L, 0},
    {NAN, NAN, 0, 1},
    {INFINITY, 1, 1e300L, 0},
    {1, INFINITY, 1e300L, 0},
    {INFINITY, INFINITY, 0, 1},
    {-INFINITY, INFINITY, 1e300L, 0},
    {NAN, INFINITY, 1e300L, 0},
    {INFINITY, NAN, 1e300L, 0},
};

static void ratio_passes_what_it_should_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double ratio = test_ratio(cases[i].got, cases[i].want, cases[i].bound);
        if ((ratio <= 1) != cases[i].passes)
            fail_msg("case %zu: ratio %g", i, ratio);
    }
}

static void bound_grows_with_the_count_and_the_magnitude(void **state)
{
    (void)state;
    assert_true(test_bound(SPMM_F32, 0, 1) == 0);
    assert_true(test_bound(SPMM_F32, 1, 1) >= 0x1p-24L && test_bound(SPMM_F32, 1, 1) < 0x1.01p-24L);
    assert_true(test_bound(SPMM_F64, 1, 1) >= 0x1p-53L && test_bound(SPMM_F64, 1, 1) < 0x1.01p-53L);
    assert_true(test_bound(SPMM_F32, 100, 2) > 150 * test_bound(SPMM_F32, 1, 1));
    assert_true(test_bound(SPMM_F32, 3, 0) == 3 * 0x1p-149L);
}

static void the_name_of_a_kernel_says_how_exactly_it_computes(void **state)
{
    (void)state;
    static const struct {
        spmm_dtype_t dtype;
        const char *kernel;
        long double minimum, maximum; /* limits of the bound of the product 1 * 1 */
    } kernels[] = {
        {SPMM_F32, "cpu/rows/row-split", 0x1p-24L, 0x1.01p-24L},
        {SPMM_F16, "cuda/tiled/whole/p256/r16", 0x1p-24L, 0x1.01p-24L},
        {SPMM_F16, "cuda/window/packed/f16", 0x1p-23L, 0x1.01p-23L},
        {SPMM_F16, "cpu/window/packed/f16", 0x1p-24L, 0x1.01p-24L},
        {SPMM_BF16, "cuda/bcsr/dense/p64/bf16", 0x1p-23L, 0x1.01p-23L},
        {SPMM_F64, "cuda/panel/dense/p64/f64", 0x1p-53L, 0x1.01p-53L},
        {SPMM_F32, "cpu/panel/dense/p128/tf32", 0x1p-10L, 0x1.01p-10L},
        {SPMM_F32, "cuda/window/dense/tf32", 0x1p-10L, 0x1.01p-10L},
        {SPMM_F32, "cpu/window/packed/3xtf32", 0x1.6p-21L, 0x1.7p-21L},  /* 2^-21 + 3 * 2^-24 */
        {SPMM_F32, "cuda/window/packed/3xtf32", 0x1.bp-21L, 0x1.dp-21L}, /* 2^-21 + 3 * 2^-23 */
    };
    const struct test_terms terms = {.count = 1, .alpha = 1, .product = 1};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const struct test_accuracy accuracy = test_accuracy_of(kernels[i].dtype, kernels[i].kernel);
        const long double bound = test_terms_bound_of(&accuracy, &terms);
        if (!(bound >= kernels[i].minimum && bound <= kernels[i].maximum))
            fail_msg("%s: %Lg", kernels[i].kernel, bound);
    }
}

/* Only small factors have the error e, and a product with 0 has none. */
static void small_factors_have_an_error_of_their_own(void **state)
{
    (void)state;
    assert_true(test_small_factors(SPMM_F16, 0x1p-15L, -3) == 3 + 0x1p-15L);
    assert_true(test_small_factors(SPMM_F16, 3, 0x1p-15L) == 3 + 0x1p-15L);
    assert_true(test_small_factors(SPMM_F16, 3, 0x1p-14L) == 0);
    assert_true(test_small_factors(SPMM_F16, 0, 3) == 0 && test_small_factors(SPMM_F16, 0x1p-15L, 0) == 0);
    assert_true(test_small_factors(SPMM_BF16, 0x1p-126L, 1) == 0 &&
                test_small_factors(SPMM_BF16, 0x1p-127L, 1) >= 1);
    assert_true(test_small_factors(SPMM_F32, 0x1p-113L, 1) == 0 &&
                test_small_factors(SPMM_F32, 0x1p-114L, 1) >= 1);
    assert_true(test_small_factors(SPMM_F64, 0x1p-1074L, 1) == 0);
    const struct test_accuracy accuracy = test_accuracy_of(SPMM_F16, "cuda/bcsr/dense/p64/f16");
    const struct test_terms terms = {.count = 1, .alpha = 2, .factors = 3};
    assert_true(test_terms_bound_of(&accuracy, &terms) == 2 * 3 * 0x1p-32L + 3 * 0x1p-51L);
}

/* A right product fails as soon as one element is off by a few units in the last place, missing, or NaN. */
static void judge_finds_one_wrong_element(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    const struct test_dense_shape shape = {a->cols, 3, SPMM_ROW_MAJOR, SPMM_F64, 0, 0};
    struct test_dense b = test_dense_make(shape), c = test_dense_make(shape);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < 3; j++)
            test_dense_set(&b, i, j, test_real((uint64_t)(i * 3 + j), 2));
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < 3; j++) {
            double sum = 0;
            for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++)
                sum += a->values[p] * test_dense_get(&b, a->col_ind[p], j);
            test_dense_set(&c, i, j, sum);
        }
    assert_true(test_judge(a, SPMM_OP_N, 1, &b, 0, &c, &c).ratio <= 1);
    const double right = test_dense_get(&c, 7, 2);
    const double wrong[] = {right * (1 + 0x1p-46), 0, NAN, -right, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        test_dense_set(&c, 7, 2, wrong[i]);
        const struct test_judgement j = test_judge(a, SPMM_OP_N, 1, &b, 0, &c, &c);
        assert_false(j.ratio <= 1);
        assert_int_equal(j.row, 7);
        assert_int_equal(j.col, 2);
    }
    test_dense_free(&b);
    test_dense_free(&c);
    test_matrix_free(a);
}

static void gaps_that_changed_are_seen(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        struct test_dense a =
            test_dense_make((struct test_dense_shape){5, 4, (spmm_layout_t)layout, SPMM_F32, 2, 1});
        struct test_dense b = test_dense_copy(&a);
        test_dense_set(&b, 4, 3, 1);
        assert_true(test_dense_same_gaps(&a, &b));
        const int64_t gap = layout == SPMM_ROW_MAJOR ? 4 : 5;
        ((float *)b.view.data)[gap] = 1;
        assert_false(test_dense_same_gaps(&a, &b));
        test_dense_free(&b);
        b = test_dense_copy(&a);
        ((char *)b.view.data)[-1] = 0;
        assert_false(test_dense_same_gaps(&a, &b));
        test_dense_free(&b);
        test_dense_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_passes_what_it_should_and_nothing_else),
        cmocka_unit_test(bound_grows_with_the_count_and_the_magnitude),
        cmocka_unit_test(the_name_of_a_kernel_says_how_exactly_it_computes),
        cmocka_unit_test(small_factors_have_an_error_of_their_own),
        cmocka_unit_test(judge_finds_one_wrong_element),
        cmocka_unit_test(gaps_that_changed_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
