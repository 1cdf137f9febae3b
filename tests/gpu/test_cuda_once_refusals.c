/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products without a plan on the GPU refuse matrices that violate the rules of CSR, and impossible
 * methods, devices, budgets and sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <spmm/product.h>

#include "cuda_product.h"
#include "sparse_arrays.h"

/* Returns the status of a product with a damaged matrix as the right or the left factor. */
static spmm_status_t status_of(const struct test_matrix *a, int is_right)
{
    struct test_matrix *right = test_matrix_named("arrow", TEST_VALUES_REAL);
    struct sparse_arrays bad = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I64, 1),
                         good = sparse_arrays_of(right, SPMM_F64, SPMM_I32, SPMM_I32, 1);
    spmm_csr_t c;
    spmm_diag_t diag = {.status = SPMM_OK};
    const spmm_status_t status = spmm_product_once(is_right ? &good.view : &bad.view,
                                                   is_right ? &bad.view : &good.view, 0, NULL, &c, &diag);
    if (status == SPMM_ERR_CSR)
        assert_non_null(strstr(diag.text, is_right ? "of B" : "of A"));
    assert_null(c.values);
    sparse_arrays_free(&bad);
    sparse_arrays_free(&good);
    test_matrix_free(right);
    return status;
}

static void what_breaks_the_rules_of_csr_is_refused(void **state)
{
    (void)state;
    enum { LAST = 3 * 130 - 3, ROWS = 130 }; /* of the arrow */
    static const struct {
        /* Number of a row pointer and its new value; row is -1 if a column is damaged. */
        int64_t row, row_value;
        int64_t at; /* otherwise: number of the damaged column index */
        int32_t column;
    } damages[] = {{-1, 0, LAST, 130}, {-1, 0, LAST, -1}, {-1, 0, 5, 4},      {0, 1, 0, 0},
                   {ROWS, LAST, 0, 0}, {7, -3, 0, 0},     {7, 1000000, 0, 0}, {7, 147, 0, 0}};
    for (size_t d = 0; d < sizeof damages / sizeof damages[0]; d++)
        for (int is_right = 0; is_right < 2; is_right++) {
            struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
            assert_true(a->rows == ROWS && a->nnz == LAST + 1);
            if (damages[d].row >= 0)
                a->row_ptr[damages[d].row] = damages[d].row_value;
            else
                a->col_ind[damages[d].at] = damages[d].column;
            assert_int_equal(status_of(a, is_right), SPMM_ERR_CSR);
            test_matrix_free(a);
        }
}

static void methods_and_budgets_are_checked(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    struct sparse_arrays of_gpu = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 1),
                         of_host = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 0);
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    o.force_method = "sort";
    assert_int_equal(spmm_product_once(&of_gpu.view, &of_gpu.view, 0, &o, &c, NULL), SPMM_ERR_ARGUMENT);
    o.force_method = "hash";
    assert_int_equal(spmm_product_once(&of_host.view, &of_host.view, SPMM_DEVICE_CPU, &o, &c, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_product_once(&of_gpu.view, &of_gpu.view, 99, &o, &c, NULL), SPMM_ERR_NO_DEVICE);
    const uint64_t result = 17000 * (sizeof(double) + sizeof(int32_t));
    for (o.device_budget_bytes = 1; o.device_budget_bytes < result; o.device_budget_bytes *= 2)
        assert_int_equal(spmm_product_once(&of_gpu.view, &of_gpu.view, 0, &o, &c, NULL),
                         SPMM_ERR_PLAN_BUDGET);
    spmm_csr_t no_rows = of_gpu.view;
    no_rows.rows = 0;
    assert_int_equal(spmm_product_once(&no_rows, &of_gpu.view, 0, NULL, &c, NULL), SPMM_ERR_CSR);
    spmm_csr_t huge = of_gpu.view; /* claims more entries than its arrays have */
    huge.nnz = INT64_C(1) << 32;
    assert_int_equal(spmm_product_once(&of_gpu.view, &huge, 0, NULL, &c, NULL), SPMM_ERR_TOO_LARGE);
    sparse_arrays_free(&of_gpu);
    sparse_arrays_free(&of_host);
    test_matrix_free(a);
}

static void *allocate(void *context, size_t bytes, int device, void *stream)
{
    void *block = NULL;
    (void)device, (void)stream;
    if (cudaMalloc(&block, bytes) != cudaSuccess)
        return NULL;
    ++*(int *)context;
    return block;
}

static void release(void *context, void *block, size_t bytes, int device, void *stream)
{
    (void)bytes, (void)device, (void)stream;
    (void)cudaFree(block); /* no function of an allocator may leave by longjmp */
    --*(int *)context;
}

/* A refusal keeps C, so that it can be given back once more. */
static void what_is_given_back_is_checked(void **state)
{
    int held = 0;
    const spmm_device_allocator_t allocator = {sizeof allocator, allocate, release, &held},
                                  no_release = {sizeof allocator, allocate, NULL, &held};
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    struct sparse_arrays of_gpu = sparse_arrays_of(a, SPMM_F64, SPMM_I64, SPMM_I32, 1);
    spmm_product_once_options_t o = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
    spmm_csr_t c;
    (void)state;
    o.allocator = &allocator;
    assert_int_equal(spmm_product_once(&of_gpu.view, &of_gpu.view, 0, &o, &c, NULL), SPMM_OK);
    assert_int_equal(held, 1);
    assert_int_equal(spmm_product_once_give_back(&c, &no_release, 0, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_product_once_give_back(&c, &allocator, 99, NULL, NULL), SPMM_ERR_NO_DEVICE);
    assert_non_null(c.row_ptr);
    for (int turn = 0; turn < 2; turn++) { /* the second time nothing is left */
        assert_int_equal(spmm_product_once_give_back(&c, &allocator, 0, NULL, NULL), SPMM_OK);
        assert_null(c.row_ptr);
        assert_int_equal(held, 0);
    }
    sparse_arrays_free(&of_gpu);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_breaks_the_rules_of_csr_is_refused),
        cmocka_unit_test(what_is_given_back_is_checked),
        cmocka_unit_test(methods_and_budgets_are_checked),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
