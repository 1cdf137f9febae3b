/* SPDX-License-Identifier: Apache-2.0 */
/* See model_paper.h. */
#include "model_paper.h"

#include <math.h>

struct spmmi_paper spmmi_paper_of(const spmm_stats_t *stats, const spmm_panel_stats_t *panels,
                                  spmm_dtype_t dtype, double register_tile)
{
    struct spmmi_paper s = {
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
    if (panels != NULL && panels->panel_rows > 0) {
        s.rho = panels->rho;
        s.z = panels->padding;
        s.mu_star = panels->unit_mean;
        s.c = panels->line_cost;
        s.l = panels->l2_reuse;
    }
    return s;
}

/* Without nonzeros there is nothing to compute: intensity 0. */
static double intensity(double bytes)
{
    return isfinite(bytes) && bytes > 0 ? 2 / bytes : 0;
}

double spmmi_paper_naive(const struct spmmi_paper *s)
{
    return intensity((s->b_t + s->b_i) + s->b_t + (s->b_t + s->delta) / s->mu);
}

double spmmi_paper_gamma(const struct spmmi_paper *s, enum spmmi_paper_bound bound)
{
    if (bound == SPMMI_PAPER_ALGORITHMIC)
        return 1;
    return bound == SPMMI_PAPER_ALL_MISS ? s->c : s->c / s->l;
}

double spmmi_paper_tiled(const struct spmmi_paper *s, enum spmmi_paper_bound bound)
{
    return intensity((s->b_t + s->b_is) * s->z / s->r + s->b_t * spmmi_paper_gamma(s, bound) / s->rho +
                     s->b_i / (s->rho * s->mu) + s->delta / (s->r * s->mu));
}

double spmmi_paper_segmented(const struct spmmi_paper *s, enum spmmi_paper_bound bound)
{
    return intensity((s->b_t + s->b_is) * s->z / s->r + s->b_t * spmmi_paper_gamma(s, bound) / s->rho +
                     s->b_i / (s->rho * s->mu_star) + (s->b_i + s->delta) / (s->r * s->mu_star) +
                     s->b_t / s->mu);
}

double spmmi_paper_throughput(const struct spmmi_device_profile *profile, double i)
{
    return fmin(profile->peak_flops, i * profile->peak_bandwidth);
}

double spmmi_paper_seconds(const struct spmmi_device_profile *profile, double i, double nnz, double n)
{
    const double rate = spmmi_paper_throughput(profile, i);
    return rate > 0 ? 2 * nnz * n / rate : 0;
}
