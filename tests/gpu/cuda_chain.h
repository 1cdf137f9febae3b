/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of products, each of which multiplies what the one before it wrote: kernels that start before it has ended
 * must not read too early. */
#ifndef TEST_CUDA_CHAIN_H
#define TEST_CUDA_CHAIN_H

#include "cuda_product.h"

/* Square, with three entries a row and, if asked for, a few dense rows, whose kernel outlasts the others'; sums stay
 * small. */
struct test_matrix *test_chain_matrix(int64_t rows, int has_long_rows);
#define TEST_CHAIN_ROWS 3000 /* columns of so many values are aligned */

/* A chain of n columns in these orders (as of test_cuda_plain, those of B and C the same) has the same bits in a stream
 * and in a graph as when the host waits for each product. */
void test_chain_check(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                      int64_t n, int layouts);

/* So has a product, in any orders, whose B a copy or a memset writes right before it. */
void test_chain_check_copies(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n, int layouts);

/* So has a product right behind new values; the executor takes them. */
void test_chain_check_values(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                             int64_t n, int layouts);

#endif
