/* SPDX-License-Identifier: Apache-2.0 */
/* One product through the public API with guard bands and with poisoned C and workspace, and the check of its
 * result. */
#ifndef TEST_PRODUCT_H
#define TEST_PRODUCT_H

#include <spmm/executor.h>

#include "reference.h"

struct test_product {
    spmm_op_t op;
    int64_t n;
    spmm_layout_t b_layout, c_layout;
    int64_t b_gap, c_gap, shift;
    double alpha, beta;
    enum test_values values;
};

/* Makes an executor, or fails the test with the diagnostics. threads, force_kernel: as in the options. */
spmm_executor_t *test_executor_make(const spmm_plan_t *plan, int device, int threads,
                                    const char *force_kernel);

/* Makes B of this product; its values depend only on row and column. */
struct test_dense test_product_b(const struct test_matrix *a, spmm_dtype_t dtype,
                                 const struct test_product *product);
/* Makes C before this product: NaN if beta = 0, else values. */
struct test_dense test_product_c(const struct test_matrix *a, spmm_dtype_t dtype,
                                 const struct test_product *product);

/* Runs the product and checks what must hold for every product: the status is OK, B and all gaps and guards
 * are unchanged, and no byte after the workspace is written. c must come from test_product_c. */
void test_product_run(spmm_executor_t *executor, const struct test_product *product,
                      const struct test_dense *b, struct test_dense *c);

/* test_product_run, or a similar function for another device. */
typedef void (*test_product_runner)(spmm_executor_t *executor, const struct test_product *product,
                                    const struct test_dense *b, struct test_dense *c);

/* Returns the accuracy of the kernel that runs this product. */
struct test_accuracy test_product_accuracy(const spmm_executor_t *executor,
                                           const struct test_product *product, const struct test_dense *b,
                                           const struct test_dense *c);

/* Makes B and C with these types, runs the product and fails the test if the error exceeds its bound. Integer
 * values must be exact. */
void test_product_check_types(spmm_executor_t *executor, const struct test_matrix *a,
                              const spmm_types_info_t *types, const struct test_product *product);
/* The same with one type for A, B and C. */
void test_product_check(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                        const struct test_product *product);

/* Checks C of a product whose B is not finite in row j: C must be not finite exactly in the rows of A with an
 * entry in column j. */
void test_product_check_canary(const struct test_matrix *a, int64_t j, const struct test_dense *c);

#endif
