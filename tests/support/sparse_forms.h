/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of every shape and form, for tests that compare kernels. */
#ifndef TEST_SPARSE_FORMS_H
#define TEST_SPARSE_FORMS_H

#include "sparse_products.h"

typedef void (*test_sparse_visit)(struct test_sparse_product product);

/* A A^T and A^T A of every shape of matrix, integers and others, if C could have so many entries at most. */
void test_sparse_squares(int64_t entries_max, test_sparse_visit visit);
/* Two and three factors, transposes, lower triangles, diagonals. */
void test_sparse_forms(test_sparse_visit visit);

#endif
