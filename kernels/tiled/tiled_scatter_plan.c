/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of scattered writes to C (tiled_plan.h). */
#include <math.h>

#include "tiled_cost.h"
#include "tiled_plan.h"

#define SECTOR_BYTES 32.0
/* Scattered stores with a working set of up to SCATTER_CACHED times the L2 cache run at the
 * rate of single values in it. From SCATTER_UNCACHED times on they run at the rate of single
 * values in DRAM. Fitted to an H200. */
#define SCATTER_CACHED 0.05
#define SCATTER_UNCACHED 8.0

double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double sector_amplification,
                             int64_t n)
{
    const struct spmmi_device_profile *d = &r->device;
    const double bytes = (double)spmm_dtype_size(r->options.a_type);
    const double share = (sector_amplification - 1) / (SECTOR_BYTES / bytes - 1);
    const double columns =
        fmin((double)n, spmmi_model_register_tile(n, (uint64_t)rows, r->options.a_type, d->multiprocessors));
    const double set = columns * (double)rows * bytes;
    const double cached = spmmi_profile_curve_at(&d->strided, bytes);
    const double uncached = fmin(spmmi_profile_curve_at(&d->scatter, bytes), cached);
    if (set <= 0 || uncached <= 0)
        return 0;
    const double beyond = log(set / (SCATTER_CACHED * d->l2_bytes)) / log(SCATTER_UNCACHED / SCATTER_CACHED);
    const double rate = cached * pow(uncached / cached, fmin(fmax(beyond, 0), 1));
    return share * (double)rows * (double)n * bytes / rate;
}
