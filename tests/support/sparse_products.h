/* SPDX-License-Identifier: Apache-2.0 */
/* Products of sparse matrices: their plans, and what comes out by plain loops over dense arrays. */
#ifndef TEST_SPARSE_PRODUCTS_H
#define TEST_SPARSE_PRODUCTS_H

#include <spmm/product.h>

#include "matrices.h"

/* A product of test matrices; a factor that names the same matrix as one before it is the same operand. */
struct test_sparse_product {
    int count;
    const struct test_matrix *factor[SPMM_PRODUCT_FACTORS];
    spmm_op_t op[SPMM_PRODUCT_FACTORS];
    int lower, diagonal;
    int64_t piece_products;
    spmm_dtype_t dtype;
};

/* Stops the test where that fails. Free with spmm_plan_destroy. */
spmm_plan_t *test_sparse_plan(const struct test_sparse_product *product);
spmm_matrix_t *test_sparse_matrix(const struct test_matrix *a);

/* Values of the operands in the type of the product, in the order of the plan, and of the diagonal, which has small
 * integers; all NULL beyond the last one. */
struct test_sparse_values {
    void *operand[SPMM_PRODUCT_FACTORS];
    void *diagonal;
};
struct test_sparse_values test_sparse_values(const struct test_sparse_product *product);
void test_sparse_values_free(struct test_sparse_values *values);

/* C by the rules of the format, one operation after the other: the sums of two factors by ascending k with fma, cut in
 * k as the plan says. All arrays are rows * cols; has: is there an entry? */
struct test_sparse_result {
    int64_t rows, cols;
    char *has;
    double *value; /* each rounded to the type of the product as a kernel rounds it */
};
struct test_sparse_result test_sparse_reference(const struct test_sparse_product *product,
                                                const struct test_sparse_values *values);
void test_sparse_result_free(struct test_sparse_result *result);

/* Number of entries of the result. */
int64_t test_sparse_result_nnz(const struct test_sparse_result *result);

#endif
