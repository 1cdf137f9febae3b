/* SPDX-License-Identifier: Apache-2.0 */
/* The product in long double, the plain way, and how far a result is from it. */
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

/* Compare c with alpha * op(A) * B + beta * c_before. The bound is that of test_terms_bound_of; infinity
 * and NaN stand for a finite number only where the sum can overflow. */
struct test_judgement test_judge_of(const struct test_accuracy *accuracy, const struct test_matrix *a,
                                    spmm_op_t op, double alpha, const struct test_dense *b, double beta,
                                    const struct test_dense *c_before, const struct test_dense *c);
/* The same with the bound of test_terms_bound. */
struct test_judgement test_judge(const struct test_matrix *a, spmm_op_t op, double alpha,
                                 const struct test_dense *b, double beta, const struct test_dense *c_before,
                                 const struct test_dense *c);

#endif
