/* SPDX-License-Identifier: Apache-2.0 */
/* The check of products: a componentwise error bound instead of an absolute tolerance, and strict about
 * NaN. */
#ifndef TEST_CLOSE_H
#define TEST_CLOSE_H

#include <stdint.h>

#include <spmm/common.h>

/* Returns a bound of |C_ij - exact| for count roundings of terms whose magnitudes sum to magnitude:
 *   gamma(count) * magnitude + count * eta, gamma(c) = c u / (1 - c u), at most 1. */
long double test_bound(spmm_dtype_t dtype, int64_t count, long double magnitude);

/* The terms of an element of alpha * op(A) * B + beta * C. */
struct test_terms {
    int64_t count;               /* number of entries in the row */
    double alpha, beta;          /* 0: the term is omitted */
    long double product, before; /* sum of |a b|; |c| before the product */
    long double factors;         /* sum of test_small_factors */
};
/* Returns |a| + |b| if one of them is nonzero and so small that rounding it, or aligning other products to
 * it, costs more than its relative error (docs/accuracy.md); else 0. */
long double test_small_factors(spmm_dtype_t dtype, long double a, long double b);
/* Returns the bound of docs/accuracy.md for kernels that multiply unrounded factors with fused
 * multiply-adds. */
long double test_terms_bound(spmm_dtype_t dtype, const struct test_terms *terms);

/* The constants of the bound for one kernel: docs/accuracy.md. */
struct test_accuracy {
    long double unit;  /* u: unit roundoff of sums */
    int64_t roundings; /* K: roundings per entry of a row */
    long double input; /* d: relative error of a product whose factors are rounded */
    long double tiny;  /* e: absolute error of a factor that is too small for a relative bound */
    long double eta;   /* eta: absolute error of a rounding (underflow) */
    spmm_dtype_t dtype;
};
/* Returns the constants by the kernel's name in spmm_executor_info. */
struct test_accuracy test_accuracy_of(spmm_dtype_t dtype, const char *kernel);
long double test_terms_bound_of(const struct test_accuracy *accuracy, const struct test_terms *terms);

/* Returns the bound of a stored element. For f16 and bf16, bound and want refer to the f32 sum, and storing
 * it rounds once more. For f32 and f64, returns bound. See docs/accuracy.md. */
long double test_stored_bound(spmm_dtype_t dtype, long double want, long double bound);
/* Returns 1 if storing may round the sum to infinity. Always 0 for f32 and f64. */
int test_stored_overflow(spmm_dtype_t dtype, long double want, long double bound);
/* Returns 1 if the sum may leave the range of the type, so that infinity and NaN are also right. */
int test_terms_overflow(const struct test_accuracy *accuracy, const struct test_terms *terms);

/* Returns |got - want| / bound; at most 1 passes. Returns 0 if both are NaN or the same infinity, and
 * infinity if only one is. If bound is 0, returns 0 for equal numbers, else infinity. */
double test_ratio(double got, long double want, long double bound);

#endif
