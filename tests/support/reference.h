/* SPDX-License-Identifier: Apache-2.0 */
/* The product in long double, with simple loops, and the error of a result. Large products use OpenMP; each
 * thread has its own columns or rows, so sums do not depend on the number of threads. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "close.h"
#include "dense.h"
#include "matrices.h"

struct test_judgement {
    double ratio;     /* maximum of error / bound; at most 1 passes */
    int is_exact;     /* every element equals the reference rounded to its type */
    int64_t row, col; /* the worst element */
    double got, want;
};

/* The terms of alpha * op(A) * B + beta * C0. A and B are not read if alpha is 0, and C0 is not read if beta
 * is 0. */
struct test_sums {
    double alpha, beta;
    const struct test_dense *c_before;
    int64_t n;
    long double *value, *magnitude, *factors; /* row-major: op(A) B, |op(A)| |B|, small factors */
    int64_t *count;                           /* nonzeros per row */
};
struct test_sums test_sums_make(const struct test_matrix *a, spmm_op_t op, double alpha,
                                const struct test_dense *b, double beta, const struct test_dense *c_before);
/* The same if the values of A have another type than B. */
struct test_sums test_sums_of_type(const struct test_matrix *a, spmm_dtype_t a_type, spmm_op_t op,
                                   double alpha, const struct test_dense *b, double beta,
                                   const struct test_dense *c_before);
void test_sums_free(struct test_sums *sums);
/* Returns the terms of element (i, j), and its value in *want. */
struct test_terms test_sums_terms(const struct test_sums *sums, int64_t i, int64_t j, long double *want);

/* Compares c with the sums, by the bound of test_terms_bound_of. Infinity or NaN may replace a finite number
 * only if the sum can overflow. */
struct test_judgement test_judge_sums(const struct test_accuracy *accuracy, const struct test_sums *sums,
                                      const struct test_dense *c);
/* Computes the sums and compares c with them. */
struct test_judgement test_judge_of(const struct test_accuracy *accuracy, const struct test_matrix *a,
                                    spmm_op_t op, double alpha, const struct test_dense *b, double beta,
                                    const struct test_dense *c_before, const struct test_dense *c);
/* The same with the bound of test_terms_bound. */
struct test_judgement test_judge(const struct test_matrix *a, spmm_op_t op, double alpha,
                                 const struct test_dense *b, double beta, const struct test_dense *c_before,
                                 const struct test_dense *c);

#endif
