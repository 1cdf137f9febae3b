/* SPDX-License-Identifier: Apache-2.0 */
/* See close.h. */
#include "close.h"

#include <float.h>
#include <math.h>
#include <string.h>

static long double eta_of(spmm_dtype_t dtype)
{
    return dtype == SPMM_F64 ? 0x1p-1074L : 0x1p-149L;
}

static long double unit_of(spmm_dtype_t dtype)
{
    return dtype == SPMM_F64 ? 0x1p-53L : 0x1p-24L;
}

static long double gamma_of(long double unit, int64_t count)
{
    const long double ku = (long double)count * unit;
    return ku < 0.5L ? ku / (1 - ku) : 1;
}

long double test_bound(spmm_dtype_t dtype, int64_t count, long double magnitude)
{
    return gamma_of(unit_of(dtype), count) * magnitude + (long double)count * eta_of(dtype);
}

long double test_small_factors(spmm_dtype_t dtype, long double a, long double b)
{
    static const long double minimum[] = {
        [SPMM_F32] = 0x1p-113L, [SPMM_F64] = 0, [SPMM_F16] = 0x1p-14L, [SPMM_BF16] = 0x1p-126L};
    const int is_small = fabsl(a) < minimum[dtype] || fabsl(b) < minimum[dtype];
    return is_small && a != 0 && b != 0 ? fabsl(a) + fabsl(b) : 0;
}

/* Factors rounded to tf32 keep 11 significant bits. Split factors lose 2^-23 each, and the product of their
 * low halves. Below 2^-126 both are multiples of 2^-136. Tensor cores truncate sums instead of rounding them,
 * and align terms to subnormal factors as if these were the smallest normal number. */
struct test_accuracy test_accuracy_of(spmm_dtype_t dtype, const char *kernel)
{
    const int is_tensor = strncmp(kernel, "cpu/", 4) != 0 &&
                          (strstr(kernel, "/window/") != NULL || strstr(kernel, "/panel/") != NULL ||
                           strstr(kernel, "/bcsr/") != NULL || strstr(kernel, "/tensor") != NULL ||
                           strstr(kernel, "/gemm/") != NULL);
    struct test_accuracy accuracy = {unit_of(dtype), 1, 0, 0, eta_of(dtype), dtype};
    if (is_tensor && dtype != SPMM_F64) {
        accuracy.unit = 0x1p-23L;
        accuracy.tiny = dtype == SPMM_F16 ? 0x1p-32L : 0x1p-144L;
        accuracy.eta = dtype == SPMM_F16 ? 0x1p-51L : accuracy.eta;
    }
    if (strstr(kernel, "/3xtf32") != NULL) {
        accuracy.roundings = 3;
        accuracy.input = 0x1p-21L + 0x1p-40L;
        accuracy.tiny += 0x1p-136L;
    } else if (strstr(kernel, "/tf32") != NULL) {
        accuracy.input = 0x1p-10L + 0x1p-22L;
        accuracy.tiny += 0x1p-136L;
    }
    return accuracy;
}

/* Returns the roundings of a factor: the multiplication, and the conversion to the type if it is inexact. */
static int64_t factor_roundings(spmm_dtype_t dtype, double factor)
{
    if (factor == 0 || factor == 1)
        return 0;
    return dtype == SPMM_F64 || (double)(float)factor == factor ? 1 : 2;
}

long double test_terms_bound_of(const struct test_accuracy *a, const struct test_terms *terms)
{
    const int64_t count = terms->alpha != 0 ? terms->count : 0;
    const int64_t of_alpha = count > 0 ? factor_roundings(a->dtype, terms->alpha) : 0;
    const int64_t of_beta = factor_roundings(a->dtype, terms->beta);
    const int64_t additions = terms->beta == 0 ? 0 : count < 2 ? count : 2;
    const long double alpha = fabsl((long double)terms->alpha);
    const long double underflows =
        (long double)(a->roundings * count) * fmaxl(1, alpha) + (long double)of_alpha + (long double)of_beta;
    long double bound = underflows * a->eta;
    if (terms->alpha != 0) {
        const long double input = a->input * terms->product + a->tiny * terms->factors;
        const long double rounding = gamma_of(a->unit, a->roundings * count + of_alpha + (additions > 0));
        /* The terms of the sum may exceed the product by the low halves of split factors. */
        bound += alpha * (input + rounding * (a->input > 0 ? 1 + 0x1p-8L : 1) * terms->product);
    }
    if (terms->beta != 0)
        bound += gamma_of(a->unit, of_beta + additions) * fabsl((long double)terms->beta) * terms->before;
    return bound;
}

long double test_terms_bound(spmm_dtype_t dtype, const struct test_terms *terms)
{
    const struct test_accuracy accuracy = test_accuracy_of(dtype, "");
    return test_terms_bound_of(&accuracy, terms);
}

long double test_stored_bound(spmm_dtype_t dtype, long double want, long double bound)
{
    const long double farthest = fabsl(want) + bound;
    if ((dtype != SPMM_F16 && dtype != SPMM_BF16) || farthest == 0)
        return bound;
    return dtype == SPMM_F16 ? bound + 0x1p-11L * farthest + 0x1p-25L
                             : bound + 0x1p-8L * farthest + 0x1p-134L;
}

int test_stored_overflow(spmm_dtype_t dtype, long double want, long double bound)
{
    const long double farthest = fabsl(want) + bound;
    return (dtype == SPMM_F16 && farthest >= 65520) || (dtype == SPMM_BF16 && farthest >= 0x1.ffp127L);
}

int test_terms_overflow(const struct test_accuracy *a, const struct test_terms *terms)
{
    const long double largest = a->dtype == SPMM_F64 ? (long double)DBL_MAX : (long double)FLT_MAX;
    long double sum = 0, total = 0;
    if (terms->alpha != 0) {
        sum = terms->product;
        total = fabsl((long double)terms->alpha) * terms->product;
    }
    if (terms->beta != 0)
        total += fabsl((long double)terms->beta) * terms->before;
    return fmaxl(sum, total) * (1 + a->input) * (1 + gamma_of(a->unit, a->roundings * terms->count + 3)) >
           largest;
}

double test_ratio(double got, long double want, long double bound)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (isinf(got) || isinf(want))
        return (long double)got == want ? 0 : INFINITY;
    const long double error = fabsl((long double)got - want);
    if (error == 0)
        return 0;
    return bound > 0 ? (double)(error / bound) : INFINITY;
}
