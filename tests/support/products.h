/* SPDX-License-Identifier: Apache-2.0 */
/* One product through the public API between guard bands, with poisoned C and workspace, and its judgement. */
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

/* Fails the test with what the executor says. threads, force_kernel: as in its options. */
spmm_executor_t *test_executor_make(const spmm_plan_t *plan, int device, int threads,
                                    const char *force_kernel);

/* B for this product: values from the keys of (row, column). */
struct test_dense test_product_b(const struct test_matrix *a, spmm_dtype_t dtype,
                                 const struct test_product *product);
/* C before this product: NaN where beta = 0, else values. */
struct test_dense test_product_c(const struct test_matrix *a, spmm_dtype_t dtype,
                                 const struct test_product *product);

/* Run and check everything that holds for every product: status OK, B and all gaps and guards untouched, no
 * byte past the workspace written. c must come from test_product_c. */
void test_product_run(spmm_executor_t *executor, const struct test_product *product,
                      const struct test_dense *b, struct test_dense *c);

/* That function, or one like it for another device. */
typedef void (*test_product_runner)(spmm_executor_t *executor, const struct test_product *product,
                                    const struct test_dense *b, struct test_dense *c);

/* How exactly the kernel computes that runs this product. */
struct test_accuracy test_product_accuracy(const spmm_executor_t *executor,
                                           const struct test_product *product, const struct test_dense *b,
                                           const struct test_dense *c);

/* All of it with these types of A, B and C, and fail the test when the judgement is over the bound; integer values must
 * be exact. */
void test_product_check_types(spmm_executor_t *executor, const struct test_matrix *a,
                              const spmm_types_info_t *types, const struct test_product *product);
/* The same with one type. */
void test_product_check(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                        const struct test_product *product);

/* C of a product whose row j of B is not finite: just the rows of C that store column j are not either. */
void test_product_check_canary(const struct test_matrix *a, int64_t j, const struct test_dense *c);

#endif
