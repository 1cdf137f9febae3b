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
/* Long entries, in whole rows and in pieces, with and without gaps, beside others; pieces are those of each product. */
void test_sparse_long_entries(test_sparse_visit visit);
/* 9,000 rows of C of 3 and of 7 entries; some of 40, of which one is cut; a list of 300 for one of 3. By rule a GPU has
 * masks on 4 and 8 lanes, positions, pulls and pieces to join: kernels of every kind follow each other. */
struct test_sparse_product test_sparse_mixed_rows(spmm_dtype_t dtype);
void test_sparse_mixed_rows_free(const struct test_sparse_product *product);

#endif
