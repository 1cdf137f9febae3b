/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of products: a componentwise error bound, never an absolute tolerance, and strict on NaN. */
#ifndef TEST_CLOSE_H
#define TEST_CLOSE_H

#include <stdint.h>

#include <spmm/common.h>

/* Bound of |C_ij - exact| for count roundings on terms whose magnitudes sum to magnitude:
 *   gamma(count) * magnitude + count * eta, gamma(c) = c u / (1 - c u), at most 1. */
long double test_bound(spmm_dtype_t dtype, int64_t count, long double magnitude);

/* What an element of alpha * op(A) * B + beta * C is made of. */
struct test_terms {
    int64_t count;               /* entries of the row */
    double alpha, beta;          /* 0: the term takes no part */
    long double product, before; /* sum of |a b|; |c| */
    long double factors;         /* sum of test_small_factors */
};
/* |a| + |b| where one of them is so small, but not 0, that rounding it, or aligning other products to theirs, costs
 * more than its size suggests (docs/accuracy.md); else 0. */
long double test_small_factors(spmm_dtype_t dtype, long double a, long double b);
/* The bound of docs/accuracy.md, of kernels that multiply the numbers as they are with fused multiply-adds. */
long double test_terms_bound(spmm_dtype_t dtype, const struct test_terms *terms);

/* How exactly a kernel computes: docs/accuracy.md. */
struct test_accuracy {
    long double unit;  /* u: unit roundoff of sums */
    int64_t roundings; /* K: of each entry of a row */
    long double input; /* d: relative error of a product whose factors are rounded */
    long double tiny;  /* e: absolute error of a factor that is too small for a relative one */
    long double eta;   /* eta: absolute error of a rounding */
    spmm_dtype_t dtype;
};
/* By the name that spmm_executor_info gives the kernel. */
struct test_accuracy test_accuracy_of(spmm_dtype_t dtype, const char *kernel);
long double test_terms_bound_of(const struct test_accuracy *accuracy, const struct test_terms *terms);

/* f16 and bf16: bound and want are those of the f32 sum; storing it rounds once more. The same bound for f32 and f64.
 * See docs/accuracy.md. */
long double test_stored_bound(spmm_dtype_t dtype, long double want, long double bound);
/* Can storing round the sum to the infinity of its sign? Never for f32 and f64. */
int test_stored_overflow(spmm_dtype_t dtype, long double want, long double bound);
/* Can the sum leave the range of the type, so that infinity and NaN are right too? */
int test_terms_overflow(const struct test_accuracy *accuracy, const struct test_terms *terms);

/* |got - want| / bound. 0 when both are NaN or both the same infinity, infinite when only one is;
 * where the bound is 0, 0 for equal numbers and infinite else. At most 1 is a pass. */
double test_ratio(double got, long double want, long double bound);

#endif
