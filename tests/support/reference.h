/* SPDX-License-Identifier: Apache-2.0 */
/* The product in long double, the plain way, and how far a result is from it. Large ones take OpenMP's threads: each
 * has its own columns or rows, so that no sum depends on how many there are. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "close.h"
#include "dense.h"
#include "matrices.h"

struct test_judgement {
    double ratio;     /* worst error over bound; at most 1 is a pass */
    int is_exact;     /* every element equals the reference rounded to the type */
    int64_t row, col; /* of the worst element */
    double got, want;
};

/* alpha * op(A) * B + beta * C before it. Neither A nor B is read where alpha is 0, nor C where beta is. */
struct test_sums {
    double alpha, beta;
    const struct test_dense *c_before;
    int64_t n;
    long double *value, *magnitude, *factors; /* of op(A) * B, row-major; the last of test_small_factors */
    int64_t *count;                           /* nonzeros of each row */
};
struct test_sums test_sums_make(const struct test_matrix *a, spmm_op_t op, double alpha,
                                const struct test_dense *b, double beta, const struct test_dense *c_before);
/* The same with values of A of another type than B's. */
struct test_sums test_sums_of_type(const struct test_matrix *a, spmm_dtype_t a_type, spmm_op_t op,
                                   double alpha, const struct test_dense *b, double beta,
                                   const struct test_dense *c_before);
void test_sums_free(struct test_sums *sums);
/* What element (i, j) is made of, and its value. */
struct test_terms test_sums_terms(const struct test_sums *sums, int64_t i, int64_t j, long double *want);

/* Compare c with them. The bound is that of test_terms_bound_of; infinity and NaN stand for a finite number only where
 * the sum can overflow. */
struct test_judgement test_judge_sums(const struct test_accuracy *accuracy, const struct test_sums *sums,
                                      const struct test_dense *c);
/* The same for sums that nobody else needs. */
struct test_judgement test_judge_of(const struct test_accuracy *accuracy, const struct test_matrix *a,
                                    spmm_op_t op, double alpha, const struct test_dense *b, double beta,
                                    const struct test_dense *c_before, const struct test_dense *c);
/* The same with the bound of test_terms_bound. */
struct test_judgement test_judge(const struct test_matrix *a, spmm_op_t op, double alpha,
                                 const struct test_dense *b, double beta, const struct test_dense *c_before,
                                 const struct test_dense *c);

#endif
