/* SPDX-License-Identifier: Apache-2.0 */
/* What writing C in another order than that of its rows adds (tiled_plan.h). */
#include <math.h>

#include "tiled_cost.h"
#include "tiled_plan.h"

#define SECTOR_BYTES 32.0
/* Scattered stores: up to this share of the last cache, other data being there too, they go at the rate of single
 * numbers in it; from so many times it on, at the rate of single numbers anywhere. Fitted to an H200. */
#define SCATTER_CACHED 0.05
#define SCATTER_APART 8.0

double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double spread, int64_t n)
{
    const struct spmmi_device_profile *d = &r->device;
    const double bytes = (double)spmm_dtype_size(r->options.a_type);
    const double share = (spread - 1) / (SECTOR_BYTES / bytes - 1);
    const double columns = fmin((double)n, spmmi_model_register_tile(n, r->options.a_type));
    const double set = columns * (double)rows * bytes;
    const double cached = spmmi_profile_curve_at(&d->strided, bytes);
    const double apart = fmin(spmmi_profile_curve_at(&d->scatter, bytes), cached);
    if (set <= 0 || apart <= 0)
        return 0;
    const double beyond = log(set / (SCATTER_CACHED * d->l2_bytes)) / log(SCATTER_APART / SCATTER_CACHED);
    const double rate = cached * pow(apart / cached, fmin(fmax(beyond, 0), 1));
    return share * (double)rows * (double)n * bytes / rate;
}
