/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of test matrices: their plans, and a reference by simple loops over dense arrays. */
#ifndef TEST_SPARSE_PRODUCTS_H
#define TEST_SPARSE_PRODUCTS_H

#include <spmm/product.h>

#include "matrices.h"

/* A product of test matrices. Factors with the same matrix are the same operand. */
struct test_sparse_product {
    int count;
    const struct test_matrix *factor[SPMM_PRODUCT_FACTORS];
    spmm_op_t op[SPMM_PRODUCT_FACTORS];
    int lower, diagonal;
    int64_t piece_products;
    spmm_dtype_t dtype;
};

/* Makes the plan. Aborts the test on failure. Free it with spmm_plan_destroy. */
spmm_plan_t *test_sparse_plan(const struct test_sparse_product *product);
spmm_matrix_t *test_sparse_matrix(const struct test_matrix *a);

/* Values of the operands, in the type of the product and the order of the plan, and of the diagonal, which
 * has small integers. Unused pointers are NULL. */
struct test_sparse_values {
    void *operand[SPMM_PRODUCT_FACTORS];
    void *diagonal;
};
struct test_sparse_values test_sparse_values(const struct test_sparse_product *product);
void test_sparse_values_free(struct test_sparse_values *values);

/* C computed by the rules of the format, one operation after the other: the sums of two factors run over
 * ascending k with fma, in pieces as the plan cuts them. All arrays have rows * cols elements. */
struct test_sparse_result {
    int64_t rows, cols;
    char *has;     /* whether there is an entry */
    double *value; /* rounded to the type of the product after each operation, like in a kernel */
};
struct test_sparse_result test_sparse_reference(const struct test_sparse_product *product,
                                                const struct test_sparse_values *values);
void test_sparse_result_free(struct test_sparse_result *result);

/* Returns the number of entries of the result. */
int64_t test_sparse_result_nnz(const struct test_sparse_result *result);

/* Returns 1 if the bits are equal, or both are NaNs, whose bits depend on the machine. */
int test_same_bits(double a, double b);

/* Fails unless C, in CSR, has the entries and the bits of the result. what: names its kernel in the message. */
void test_sparse_result_check(const struct test_sparse_result *result, const struct test_sparse_product *p,
                              const int64_t *row_ptr, const int64_t *col_ind, const void *c,
                              const char *what);

#endif
