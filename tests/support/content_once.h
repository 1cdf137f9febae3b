/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile arguments of a sparse product without a plan. */
#ifndef TEST_CONTENT_ONCE_H
#define TEST_CONTENT_ONCE_H

#include <spmm/product.h>

/* Computes A A of these arrays, or A B with a small B, on the CPU, without a plan. Checks that the product is
 * refused with a sentence, or equals the product of a plan in entries and values. matrix: the matrix that was
 * made from the arrays, or NULL if they were refused; then the product must be refused too. Aborts if a check
 * fails. */
void test_content_once(const spmm_csr_t *a, const spmm_matrix_t *matrix);

#endif
