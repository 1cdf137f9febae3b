/* SPDX-License-Identifier: Apache-2.0 */
/* Products built against the error bounds of docs/accuracy.md: in each row the same sum, up to its sign, of products
 * that a way to compute loses something of. */
#ifndef TEST_ADVERSARY_H
#define TEST_ADVERSARY_H

#include "plan_build.h"
#include "products.h"

#define TEST_ADVERSARY_ROWS 64

/* How a kernel computes that is to be put to the test: numbers of factors, and bits behind the first that a sum keeps
 * of smaller ones, rounding to nearest: 24 and 53, cutting off: 23. */
struct test_adversary_target {
    spmm_dtype_t dtype;
    int sum_bits;
};

int test_adversary_count(void);
int test_adversary_named(const char *name);
/* A of TEST_ADVERSARY_ROWS rows, with the adversary's name; free with test_matrix_free. */
struct test_matrix *test_adversary_matrix(int index, const struct test_adversary_target *target);

/* Columns of B of a usual product. */
#define TEST_ADVERSARY_COLUMNS 9
/* The product of that matrix with n columns by an executor on it: the largest error as a share of the bound. */
double test_adversary_share(int index, const struct test_adversary_target *target,
                            const struct test_matrix *a, spmm_executor_t *executor, int64_t n,
                            test_product_runner run);

#endif
