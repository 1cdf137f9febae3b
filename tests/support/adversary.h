/* SPDX-License-Identifier: Apache-2.0 */
/* Adversarial products for the error bounds of docs/accuracy.md. Up to the sign, every row has the same sum.
 * Its products are chosen so that a certain way of computing loses as much as possible. */
#ifndef TEST_ADVERSARY_H
#define TEST_ADVERSARY_H

#include "plan_build.h"
#include "products.h"

#define TEST_ADVERSARY_ROWS 64

/* The arithmetic that an adversary attacks: the type of the factors, and the number of bits after its leading
 * bit that a sum keeps of smaller terms. Rounding to nearest: 24 for f32, 53 for f64; truncation: 23. */
struct test_adversary_target {
    spmm_dtype_t dtype;
    int sum_bits;
};

int test_adversary_count(void);
int test_adversary_named(const char *name);
/* Makes a matrix A with TEST_ADVERSARY_ROWS rows and the adversary's name. Free it with test_matrix_free. */
struct test_matrix *test_adversary_matrix(int index, const struct test_adversary_target *target);

/* The usual number of columns of B. */
#define TEST_ADVERSARY_COLUMNS 9
/* Runs the product of that matrix with n columns by an executor. Returns the largest error / bound. */
double test_adversary_share(int index, const struct test_adversary_target *target,
                            const struct test_matrix *a, spmm_executor_t *executor, int64_t n,
                            test_product_runner run);

#endif
