/* SPDX-License-Identifier: Apache-2.0 */
/* The check of products whose factors are so small that the bound has a term for them. The bound must be
 * equal to that of the tests' own check. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/close.h"
#include "tools/compute/check.h"
#include "tools/cli/number.h"

/* Checks one product a b in which one factor is below, at or above the limit w of docs/accuracy.md. */
static void small_factors_have_the_bound_of_the_other_tests(void **state)
{
    static const struct {
        spmm_dtype_t dtype;
        double small;
        const char *kernel;
    } cases[] = {
        {SPMM_F16, 0x1p-16, "cuda/bcsr/dense/p64/f16"},
        {SPMM_F16, 0x1p-14, "cuda/bcsr/dense/p64/f16"},
        {SPMM_F16, 0x1p-16, "cpu/bcsr/dense/p64/f16"},
        {SPMM_BF16, 0x1p-130, "cuda/window/packed/bf16"},
        {SPMM_F32, 0x1p-120, "cuda/panel/packed/p64/3xtf32"},
        {SPMM_F32, 0x1p-120, "cpu/window/packed/tf32"},
        {SPMM_F32, 0x1p-113, "cuda/window/packed/tf32"},
        {SPMM_F64, 0x1p-1060, "cuda/window/packed/f64"},
    };
    static const int64_t starts[2] = {0, 1};
    static const int32_t column = 0;
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const spmm_dtype_t dtype = cases[i / 2].dtype;
        const double of_a = i % 2 == 0 ? cases[i / 2].small : 3.0,
                     of_b = i % 2 == 0 ? 3.0 : cases[i / 2].small;
        const spmm_csr_t view = {1, 1, 1, SPMM_I64, SPMM_I32, starts, &column, SPMM_F64, &of_a};
        struct host_csr a;
        spmm_diag_t diag;
        struct check_result result;
        double c_value = 0;
        const spmm_dense_t c = {&c_value, 1, 1, 1, SPMM_ROW_MAJOR, dtype};
        assert_int_equal(host_csr_make(&view, dtype, &a, &diag), SPMM_OK);
        const struct check_input input = {.a = &a,
                                          .b = &of_b,
                                          .n = 1,
                                          .alpha = 1.0,
                                          .arithmetic = arithmetic_of_kernel(cases[i / 2].kernel, dtype)};
        value_set(dtype, &c_value, 0, 4 * of_a * of_b);
        assert_int_equal(check_product(&input, &c, &result, &diag), SPMM_OK);
        const long double want = (long double)of_a * (long double)of_b;
        const struct test_accuracy accuracy = test_accuracy_of(dtype, cases[i / 2].kernel);
        const struct test_terms terms = {.count = 1,
                                         .alpha = 1,
                                         .product = want,
                                         .factors =
                                             test_small_factors(dtype, (long double)of_a, (long double)of_b)};
        const double expected = test_ratio(
            4 * of_a * of_b, want, test_stored_bound(dtype, want, test_terms_bound_of(&accuracy, &terms)));
        assert_true(fabs(result.ratio - expected) <= 1e-9 * expected);
        host_csr_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_factors_have_the_bound_of_the_other_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
