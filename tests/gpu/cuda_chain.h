/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of products, in which each product multiplies the result of the previous one. They show whether a
 * kernel that starts before its predecessor has ended reads too early. */
#ifndef TEST_CUDA_CHAIN_H
#define TEST_CUDA_CHAIN_H

#include "cuda_product.h"

/* Makes a square matrix with three entries per row. If has_long_rows, a few rows are dense, so that the
 * kernel of the long rows outlasts the other kernels. The values keep the sums small. */
struct test_matrix *test_chain_matrix(int64_t rows, int has_long_rows);
#define TEST_CHAIN_ROWS 3000 /* columns with this number of values are aligned */

/* Checks that a chain of products with n columns has the same bits in a stream and in a graph as with the
 * host waiting for each product. layouts: as `turn` of test_cuda_plain, with equal layouts of B and C. */
void test_chain_check(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                      int64_t n, int layouts);

/* Checks the same for a product, in any layouts, after a copy or a memset that writes its B directly
 * before it. */
void test_chain_check_copies(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n, int layouts);

/* Checks the same for a product directly after new values of A. The executor must accept new values. */
void test_chain_check_values(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n, int layouts);

#endif
