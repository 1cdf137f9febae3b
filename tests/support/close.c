/* SPDX-License-Identifier: Apache-2.0 */
/* See close.h. */
#include "close.h"

#include <float.h>
#include <math.h>

static long double eta_of(spmm_dtype_t dtype)
{
    return dtype == SPMM_F64 ? 0x1p-1074L : 0x1p-149L;
}

static long double gamma_of(spmm_dtype_t dtype, int64_t count)
{
    const long double ku = (long double)count * (dtype == SPMM_F64 ? 0x1p-53L : 0x1p-24L);
    return ku < 0.5L ? ku / (1 - ku) : 1;
}

long double test_bound(spmm_dtype_t dtype, int64_t count, long double magnitude)
{
    return gamma_of(dtype, count) * magnitude + (long double)count * eta_of(dtype);
}

/* Roundings of a factor: the multiplication, and the conversion to the type where that is inexact. */
static int64_t factor_roundings(spmm_dtype_t dtype, double factor)
{
    if (factor == 0 || factor == 1)
        return 0;
    return dtype == SPMM_F64 || (double)(float)factor == factor ? 1 : 2;
}

long double test_terms_bound(spmm_dtype_t dtype, const struct test_terms *terms)
{
    const int64_t count = terms->alpha != 0 ? terms->count : 0;
    const int64_t of_alpha = count > 0 ? factor_roundings(dtype, terms->alpha) : 0;
    const int64_t of_beta = factor_roundings(dtype, terms->beta);
    const int64_t additions = terms->beta == 0 ? 0 : count < 2 ? count : 2;
    const long double alpha = fabsl((long double)terms->alpha);
    const long double underflows =
        (long double)count * fmaxl(1, alpha) + (long double)of_alpha + (long double)of_beta;
    long double bound = underflows * eta_of(dtype);
    if (terms->alpha != 0)
        bound += gamma_of(dtype, count + of_alpha + (additions > 0)) * alpha * terms->product;
    if (terms->beta != 0)
        bound += gamma_of(dtype, of_beta + additions) * fabsl((long double)terms->beta) * terms->before;
    return bound;
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

int test_terms_overflow(spmm_dtype_t dtype, const struct test_terms *terms)
{
    const long double largest = dtype == SPMM_F64 ? (long double)DBL_MAX : (long double)FLT_MAX;
    long double sum = 0, total = 0;
    if (terms->alpha != 0) {
        sum = terms->product;
        total = fabsl((long double)terms->alpha) * terms->product;
    }
    if (terms->beta != 0)
        total += fabsl((long double)terms->beta) * terms->before;
    return fmaxl(sum, total) * (1 + gamma_of(dtype, terms->count + 3)) > largest;
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
