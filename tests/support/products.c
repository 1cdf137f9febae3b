/* SPDX-License-Identifier: Apache-2.0 */
/* See products.h. */
#include "products.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORKSPACE_GUARD 256
#define LARGE 50000 /* with more elements, threads are worth their start */

spmm_executor_t *test_executor_make(const spmm_plan_t *plan, int device, int threads,
                                    const char *force_kernel)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.threads = threads;
    options.force_kernel = force_kernel;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag = {.text = ""};
    if (spmm_executor_create(plan, device, &options, &executor, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return executor;
}

static double value_at(const struct test_product *product, int64_t i, int64_t j, uint64_t salt)
{
    const uint64_t key = (uint64_t)i * 1000003u + (uint64_t)j;
    return product->values == TEST_VALUES_INTEGER ? test_integer(key, salt) : test_real(key, salt);
}

static void fill(struct test_dense *dense, const struct test_product *product, uint64_t salt)
{
#pragma omp parallel for if (dense->view.rows * dense->view.cols > LARGE)
    for (int64_t i = 0; i < dense->view.rows; i++)
        for (int64_t j = 0; j < dense->view.cols; j++)
            test_dense_set(dense, i, j, value_at(product, i, j, salt));
}

struct test_dense test_product_b(const struct test_matrix *a, spmm_dtype_t dtype,
                                 const struct test_product *product)
{
    const int64_t k = product->op == SPMM_OP_N ? a->cols : a->rows;
    struct test_dense b = test_dense_make(
        (struct test_dense_shape){k, product->n, product->b_layout, dtype, product->b_gap, product->shift});
    fill(&b, product, 2);
    return b;
}

struct test_dense test_product_c(const struct test_matrix *a, spmm_dtype_t dtype,
                                 const struct test_product *product)
{
    const int64_t m = product->op == SPMM_OP_N ? a->rows : a->cols;
    struct test_dense c = test_dense_make(
        (struct test_dense_shape){m, product->n, product->c_layout, dtype, product->c_gap, product->shift});
    if (product->beta != 0)
        fill(&c, product, 3);
    return c;
}

void test_product_run(spmm_executor_t *executor, const struct test_product *product,
                      const struct test_dense *b, struct test_dense *c)
{
    uint64_t bytes = 1;
    assert_int_equal(spmm_executor_workspace_bytes(executor, product->op, &b->view, &c->view, &bytes, NULL),
                     SPMM_OK);
    const size_t block_bytes = ((size_t)bytes + WORKSPACE_GUARD + 255) / 256 * 256;
    char *workspace = aligned_alloc(256, block_bytes);
    assert_non_null(workspace);
    memset(workspace, 0xff, block_bytes);
    struct test_dense b_before = test_dense_copy(b);
    struct test_dense c_before = test_dense_copy(c);
    assert_int_equal(spmm_execute(executor, product->op, spmm_real(product->alpha), &b->view,
                                  spmm_real(product->beta), &c->view, workspace, bytes, NULL, NULL),
                     SPMM_OK);
    assert_memory_equal(b->block, b_before.block, b->block_bytes);
    assert_true(test_dense_same_gaps(&c_before, c));
    for (size_t i = (size_t)bytes; i < block_bytes; i++)
        assert_int_equal((unsigned char)workspace[i], 0xff);
    test_dense_free(&b_before);
    test_dense_free(&c_before);
    free(workspace);
}

struct test_accuracy test_product_accuracy(const spmm_executor_t *executor,
                                           const struct test_product *product, const struct test_dense *b,
                                           const struct test_dense *c)
{
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, product->op, &b->view, &c->view, &info, NULL), SPMM_OK);
    return test_accuracy_of(b->view.type, info.kernel);
}

void test_product_check(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                        const struct test_product *product)
{
    const spmm_types_info_t types = {.a_type = dtype, .b_type = dtype, .c_type = dtype};
    test_product_check_types(executor, a, &types, product);
}

void test_product_check_types(spmm_executor_t *executor, const struct test_matrix *a,
                              const spmm_types_info_t *types, const struct test_product *product)
{
    struct test_dense b = test_product_b(a, types->b_type, product);
    struct test_dense c = test_product_c(a, types->c_type, product);
    struct test_dense c_before = test_dense_copy(&c);
    test_product_run(executor, product, &b, &c);
    const struct test_accuracy accuracy = test_product_accuracy(executor, product, &b, &c);
    struct test_sums sums =
        test_sums_of_type(a, types->a_type, product->op, product->alpha, &b, product->beta, &c_before);
    const struct test_judgement j = test_judge_sums(&accuracy, &sums, &c);
    test_sums_free(&sums);
    const int exact_fails = product->values == TEST_VALUES_INTEGER && !j.is_exact;
    if (!(j.ratio <= 1) || exact_fails)
        fail_msg("%s A %s, B %s, C %s op %s n %lld B %s C %s alpha %g beta %g: element (%lld, %lld) is "
                 "%.17g, expected "
                 "%.17g, ratio %g",
                 a->name, spmm_dtype_name(types->a_type), spmm_dtype_name(types->b_type),
                 spmm_dtype_name(types->c_type), spmm_op_name(product->op), (long long)product->n,
                 spmm_layout_name(product->b_layout), spmm_layout_name(product->c_layout), product->alpha,
                 product->beta, (long long)j.row, (long long)j.col, j.got, j.want, j.ratio);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&c_before);
}

void test_product_check_canary(const struct test_matrix *a, int64_t j, const struct test_dense *c)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = 0; q < c->view.cols; q++)
            if ((isfinite(test_dense_get(c, i, q)) != 0) == test_matrix_stores(a, i, j))
                fail_msg("%s: column %lld, element (%lld, %lld)", a->name, (long long)j, (long long)i,
                         (long long)q);
}
