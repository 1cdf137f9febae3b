/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of many shapes and forms, for tests that compare kernels. */
#ifndef TEST_SPARSE_FORMS_H
#define TEST_SPARSE_FORMS_H

#include "sparse_products.h"

typedef void (*test_sparse_visit)(struct test_sparse_product product);

/* Visits A A^T and A^T A for every test matrix, with integer and other values, if C has at most entries_max
 * elements. */
void test_sparse_squares(int64_t entries_max, test_sparse_visit visit);
/* Visits products with two and three factors, transposes, lower triangles and diagonals. */
void test_sparse_forms(test_sparse_visit visit);
/* Visits products with long entries of C among others, in whole rows and in pieces, with and without gaps.
 * Each product sets its piece size. */
void test_sparse_long_entries(test_sparse_visit visit);
/* Makes a product whose C has 9,000 rows: most have 3 or 7 entries, and some have 40, one of which is cut
 * into pieces. One row of 3 entries has 300 entries in the left factor. The rules for GPUs choose masks on 4
 * and 8 lanes, positions, pulls and joined pieces, so kernels of every kind run one after another. */
struct test_sparse_product test_sparse_mixed_rows(spmm_dtype_t dtype);
void test_sparse_mixed_rows_free(const struct test_sparse_product *product);

#endif
