/* SPDX-License-Identifier: Apache-2.0 */
/* See close.h. */
#include "close.h"

#include <math.h>

long double test_bound(spmm_dtype_t dtype, int64_t count, long double magnitude)
{
    const long double u = dtype == SPMM_F32 ? 0x1p-24L : 0x1p-53L;
    const long double eta = dtype == SPMM_F32 ? 0x1p-149L : 0x1p-1074L;
    const long double c = (long double)count;
    return c * u / (1 - c * u) * magnitude + c * eta;
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
