/* SPDX-License-Identifier: Apache-2.0 */
/* See roofline.h. */
#include "roofline.h"

#include <math.h>

struct spmmi_roofline spmmi_roofline_of(const spmm_matrix_stats_t *stats,
                                        const spmm_row_block_metrics_t *row_blocks, spmm_dtype_t dtype,
                                        double register_tile)
{
    struct spmmi_roofline s = {
        .b_t = (double)spmm_dtype_size(dtype),
        .b_is = 2,
        .b_i = 4,
        .delta = 8,
        .r = register_tile,
        .rho = 1,
        .z = 1,
        .mu = stats->row_mean,
        .mu_star = stats->row_mean,
        .c = 1,
        .l = 1,
    };
    if (row_blocks != NULL && row_blocks->block_rows > 0) {
        s.rho = row_blocks->rho;
        s.z = row_blocks->padding;
        s.mu_star = row_blocks->unit_mean;
        s.c = row_blocks->line_cost;
        s.l = row_blocks->l2_reuse;
    }
    return s;
}

/* Returns the intensity for a number of bytes per multiply-add. Without nonzeros, `bytes` is not finite and
 * the intensity is 0. */
static double intensity(double bytes)
{
    return isfinite(bytes) && bytes > 0 ? 2 / bytes : 0;
}

double spmmi_roofline_naive(const struct spmmi_roofline *s)
{
    return intensity((s->b_t + s->b_i) + s->b_t + (s->b_t + s->delta) / s->mu);
}

double spmmi_roofline_gamma(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound)
{
    if (bound == SPMMI_ROOFLINE_ALGORITHMIC)
        return 1;
    return bound == SPMMI_ROOFLINE_ALL_MISS ? s->c : s->c / s->l;
}

double spmmi_roofline_tiled(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound)
{
    return intensity((s->b_t + s->b_is) * s->z / s->r + s->b_t * spmmi_roofline_gamma(s, bound) / s->rho +
                     s->b_i / (s->rho * s->mu) + s->delta / (s->r * s->mu));
}

double spmmi_roofline_segmented(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound)
{
    return intensity((s->b_t + s->b_is) * s->z / s->r + s->b_t * spmmi_roofline_gamma(s, bound) / s->rho +
                     s->b_i / (s->rho * s->mu_star) + (s->b_i + s->delta) / (s->r * s->mu_star) +
                     s->b_t / s->mu);
}

double spmmi_roofline_throughput(const struct spmmi_device_profile *profile, double i)
{
    return fmin(profile->peak_flops, i * profile->peak_bandwidth);
}

double spmmi_roofline_seconds(const struct spmmi_device_profile *profile, double i, double nnz, double n)
{
    const double rate = spmmi_roofline_throughput(profile, i);
    return rate > 0 ? 2 * nnz * n / rate : 0;
}
