/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile arguments of a sparse product without a plan. */
#ifndef TEST_CONTENT_ONCE_H
#define TEST_CONTENT_ONCE_H

#include <spmm/product.h>

/* A A of these arrays, or A B with a B of few columns that fits, on the CPU: refused with a sentence, or the entries
 * and values of a plan. matrix: what a reader made of the arrays; NULL: it refused them, as the product must. Aborts
 * where that does not hold. */
void test_content_once(const spmm_csr_t *a, const spmm_matrix_t *matrix);

#endif
