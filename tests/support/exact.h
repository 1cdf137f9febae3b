/* SPDX-License-Identifier: Apache-2.0 */
/* Products of integers. Their sums are exact in any order, so results must be equal. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include "products.h"

/* Checks that every element of c equals the element of alpha * op(A) * B + beta * c_before, rounded once to
 * the type of c. All numbers and sums must be integers that f32 represents exactly. Otherwise fails the test
 * and reports the element; what names the result. */
void test_exact_check(const struct test_matrix *a, const struct test_product *product,
                      const struct test_dense *b, const struct test_dense *c_before,
                      const struct test_dense *c, const char *what);

#endif
