/* SPDX-License-Identifier: Apache-2.0 */
/* Products of integers, whose sums are exact whatever their order: results must be equal, not near. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include "products.h"

/* Is every element of c that of alpha * op(A) * B + beta * c_before from A's CSR arrays, rounded once to its type? All
 * numbers are integers that f32 holds, and so are the sums. Else fails the test and says where; what: whose result. */
void test_exact_check(const struct test_matrix *a, const struct test_product *product,
                      const struct test_dense *b, const struct test_dense *c_before,
                      const struct test_dense *c, const char *what);

#endif
