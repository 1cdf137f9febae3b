/* SPDX-License-Identifier: Apache-2.0 */
/* Dense matrices between guard bands, in either layout, with any gap after each row or column. */
#ifndef TEST_DENSE_H
#define TEST_DENSE_H

#include <spmm/common.h>

/* Read and write element `at` of an array, and round a number to the type: to nearest, ties to even. */
double test_value_get(spmm_dtype_t dtype, const void *array, int64_t at);
void test_value_set(spmm_dtype_t dtype, void *array, int64_t at, double x);
double test_value_round(spmm_dtype_t dtype, double x);

struct test_dense {
    spmm_dense_t view;
    char *block; /* guard, matrix, guard */
    size_t block_bytes;
};

struct test_dense_shape {
    int64_t rows, cols;
    spmm_layout_t layout;
    spmm_dtype_t dtype;
    int64_t gap;   /* ld minus the smallest possible ld */
    int64_t shift; /* offset of the first element from a multiple of 64 bytes, in elements */
};

/* Makes a matrix. All bytes, including guards and gaps, are canaries, which are NaN as numbers. */
struct test_dense test_dense_make(struct test_dense_shape shape);
struct test_dense test_dense_copy(const struct test_dense *from);
void test_dense_free(struct test_dense *dense);

double test_dense_get(const struct test_dense *dense, int64_t i, int64_t j);
void test_dense_set(struct test_dense *dense, int64_t i, int64_t j, double x);

/* Returns 1 if all bytes that belong to no element are equal in both. */
int test_dense_same_gaps(const struct test_dense *a, const struct test_dense *b);

#endif
