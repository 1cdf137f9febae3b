/* SPDX-License-Identifier: Apache-2.0 */
/* See laws.h. */
#include "laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "plan_build.h"

#define ROUNDING 4096u /* extra bytes of arrays that are rounded up to cache lines */

static const struct {
    double alpha, beta;
} factors[] = {{1, 0}, {1, 1}, {-0.5, 0}, {2, -0.5}, {0, 0}, {0, 1}, {0, 2}, {1.5, 3}};
#define FACTOR_COUNT (sizeof factors / sizeof factors[0])
_Static_assert(TEST_TURNS == 4 * FACTOR_COUNT, "two orders of B, two of C");

struct test_product test_product_of_turn(spmm_op_t op, int64_t n, int turn, enum test_values values)
{
    const int64_t gap = turn % 3 == 0 ? 0 : turn % 5;
    return (struct test_product){op,
                                 n,
                                 (spmm_layout_t)(turn & 1),
                                 (spmm_layout_t)(turn >> 1 & 1),
                                 gap,
                                 (gap * 2) % 5,
                                 turn % 4,
                                 factors[(size_t)(turn / 4) % FACTOR_COUNT].alpha,
                                 factors[(size_t)(turn / 4) % FACTOR_COUNT].beta,
                                 values};
}

void test_law_turns(const struct test_matrix *a, const spmm_plan_t *plan)
{
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    for (int turn = 0; turn < TEST_TURNS; turn++) {
        const struct test_product product =
            test_product_of_turn(SPMM_OP_N, 2 * turn % 70 + 1, turn, TEST_VALUES_REAL);
        test_product_check(executor, a, plan->dtype, &product);
    }
    spmm_executor_destroy(executor);
}

void test_law_widths(const struct test_matrix *a, const spmm_plan_t *plan, enum test_values values,
                     int64_t first, int64_t step, int *turn)
{
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    for (int64_t n = first; n <= 70; n += step, ++*turn) {
        const struct test_product product =
            test_product_of_turn((spmm_op_t)(*turn / 3 % 2), n, *turn, values);
        test_product_check(executor, a, plan->dtype, &product);
    }
    spmm_executor_destroy(executor);
}

void test_law_threads(const struct test_matrix *a, const spmm_plan_t *plan,
                      const struct test_product *product)
{
    static const int threads[] = {1, 2, 3, 8, 8};
    struct test_dense b = test_product_b(a, plan->dtype, product), first = {.block = NULL};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, threads[t], NULL);
        struct test_dense c = test_product_c(a, plan->dtype, product);
        test_product_run(executor, product, &b, &c);
        if (t == 0)
            first = test_dense_copy(&c);
        assert_memory_equal(c.block, first.block, c.block_bytes);
        test_dense_free(&c);
        spmm_executor_destroy(executor);
    }
    test_dense_free(&first);
    test_dense_free(&b);
}

void test_law_new_values(struct test_matrix *a, const spmm_plan_t *plan, const struct test_product *product)
{
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    for (int64_t p = 0; p < a->nnz; p++)
        a->values[p] = product->values == TEST_VALUES_INTEGER ? test_integer((uint64_t)p, 99)
                                                              : test_real((uint64_t)p, 99);
    void *values = test_values_of(a, plan->dtype);
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    free(values);
    for (int op = 0; op < 2; op++) {
        struct test_product of_op = *product;
        of_op.op = (spmm_op_t)op;
        test_product_check(executor, a, plan->dtype, &of_op);
    }
    spmm_executor_destroy(executor);
}

void test_law_empty_rows(test_product_runner run, spmm_executor_t *executor, const struct test_matrix *a,
                         spmm_dtype_t dtype, const struct test_product *product)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct test_dense before = test_dense_copy(&c), exact = test_dense_copy(&c);
    run(executor, product, &b, &c);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; a->row_ptr[i] == a->row_ptr[i + 1] && j < product->n; j++) {
            test_dense_set(&exact, i, j,
                           product->beta == 0 ? 0 : product->beta * test_dense_get(&before, i, j));
            assert_true(test_dense_get(&c, i, j) == test_dense_get(&exact, i, j));
        }
    test_dense_free(&exact);
    test_dense_free(&before);
    test_dense_free(&c);
    test_dense_free(&b);
}

void test_law_memory_report(const spmm_plan_t *plan, const char *force_kernel)
{
    spmm_executor_options_t settings = SPMM_EXECUTOR_OPTIONS_INIT;
    settings.force_kernel = force_kernel;
    uint64_t host = 0;
    spmmi_alloc_peak_reset();
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &settings, &host, NULL, NULL),
                     SPMM_OK);
    assert_true(spmmi_alloc_peak_bytes() <= host + ROUNDING);
    spmmi_alloc_peak_reset();
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, force_kernel);
    assert_true(spmmi_alloc_peak_bytes() <= host + ROUNDING);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_true(info.host_bytes <= host);
    spmm_executor_destroy(executor);
}

void test_law_permuted_output(const struct test_matrix *a, spmm_plan_t *plan,
                              const struct test_product *product)
{
    spmm_executor_t *in_rows = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    plan->parts[0].flags |= SPMMI_PART_PERMUTES_OUTPUT;
    spmm_executor_t *in_order = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    struct test_dense b = test_product_b(a, plan->dtype, product);
    struct test_dense c = test_product_c(a, plan->dtype, product), d = test_dense_copy(&c);
    test_product_run(in_rows, product, &b, &c);
    test_product_run(in_order, product, &b, &d);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < product->n; j++)
            assert_true(test_dense_get(&d, i, j) == test_dense_get(&c, plan->parts[0].items[i], j));
    test_dense_free(&d);
    test_dense_free(&c);
    test_dense_free(&b);
    spmm_executor_destroy(in_order);
    spmm_executor_destroy(in_rows);
}
