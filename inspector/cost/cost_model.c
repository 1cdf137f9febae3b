/* SPDX-License-Identifier: Apache-2.0 */
/* See cost_model.h: combines the terms of a family to a time, and computes hit rates for all families. */
#include "cost_model.h"

#include <math.h>

#include "format/family.h"

double spmmi_model_reuse_distance(const struct spmmi_model_locality *locality, double window)
{
    if (window < 1)
        return 0;
    const double at = fmin(log2(window), SPMMI_REUSE_BINS - 1.0);
    const int low = (int)at < SPMMI_REUSE_BINS - 1 ? (int)at : SPMMI_REUSE_BINS - 2;
    return locality->near[low] + (locality->near[low + 1] - locality->near[low]) * (at - low);
}

struct spmmi_model_hit spmmi_model_hits(const struct spmmi_model_matrix *matrix,
                                        const struct spmmi_model_locality *locality, double columns,
                                        double others)
{
    struct spmmi_model_hit hit = {0, 0};
    int b = 0;
    if (columns < 1)
        return hit;
    if (columns >= matrix->cols_used + others * matrix->nnz) {
        hit.window = matrix->nnz;
        hit.share = locality->near[SPMMI_REUSE_BINS - 1];
        return hit;
    }
    while (b < SPMMI_REUSE_BINS - 2 && locality->working_set[b + 1] + others * ldexp(1, b + 1) <= columns)
        b++;
    const double low = locality->working_set[b] + others * ldexp(1, b);
    const double high = locality->working_set[b + 1] + others * ldexp(1, b + 1);
    const double part = high > low ? fmin(fmax((columns - low) / (high - low), 0), 1) : 0;
    hit.window = ldexp(1 + part, b);
    hit.share = spmmi_model_reuse_distance(locality, hit.window);
    return hit;
}

double spmmi_model_combine(const struct spmmi_model_constants *constants, const double term[SPMMI_TERMS],
                           double launch_s, double launches)
{
    const double norm = constants->norm > 0 ? constants->norm : SPMMI_MODEL_NORM;
    double most = 0;
    double sum = 0;
    for (int i = 0; i < SPMMI_TERM_CONVERT; i++)
        most = fmax(most, constants->factor[i] * term[i]);
    for (int i = 0; i < SPMMI_TERM_CONVERT && most > 0; i++)
        sum += pow(constants->factor[i] * term[i] / most, norm);
    return launch_s + 1e-6 * (constants->start_us + launches * constants->launch_us) +
           most * pow(sum, 1 / norm) + constants->factor[SPMMI_TERM_CONVERT] * term[SPMMI_TERM_CONVERT];
}

enum spmmi_model_type spmmi_model_type_of(spmm_family_t family, spmm_compute_t compute, spmm_dtype_t dtype)
{
    const struct spmmi_family *row = spmmi_family_of(family);
    const int is_tensor = row != NULL && (row->compute == SPMMI_COMPUTE_TENSOR ||
                                          (row->compute == SPMMI_COMPUTE_EITHER && spmmi_is_tf32(compute)));
    if (dtype == SPMM_F64)
        return SPMMI_MODEL_F64;
    if (dtype != SPMM_F32)
        return SPMMI_MODEL_F16;
    if (!is_tensor)
        return SPMMI_MODEL_F32;
    return compute == SPMM_COMPUTE_TF32 ? SPMMI_MODEL_TF32 : SPMMI_MODEL_3XTF32;
}

/* Returns the index of the profile's constants for a candidate. */
static int kernel_of(const struct spmmi_device_profile *profile, const struct spmmi_model_candidate *c,
                     enum spmmi_model_type type, int is_shared)
{
    const int shared = SPMMI_PROFILE_KERNELS + SPMMI_PROFILE_SHARED;
    return is_shared && profile->is_fitted[shared][type] != 0
               ? shared
               : spmmi_profile_kernel(profile, c->family, c->schedule, type);
}

struct spmmi_prediction spmmi_model_predict(spmmi_cost_fn *cost, const struct spmmi_device_profile *profile,
                                            const struct spmmi_model_matrix *matrix,
                                            const struct spmmi_model_candidate *candidate, int64_t n,
                                            uint32_t layout, spmm_dtype_t dtype)
{
    struct spmmi_prediction p = {0};
    const struct spmmi_model_candidate *c = candidate;
    const struct spmmi_model_query q = {
        .profile = profile,
        .matrix = matrix,
        .candidate = c,
        .n = (double)n,
        .value_bytes = (double)spmm_dtype_size(dtype),
        .is_col_major =
            layout == SPMM_LAYOUTS_COL_MAJOR && n > 1, /* a single column has the same form in both layouts */
    };
    if (!cost(&q, &p))
        return p;
    const enum spmmi_model_type type = spmmi_model_type_of(c->family, c->compute, dtype);
    p.kernel = kernel_of(profile, c, type, p.is_shared);
    const struct spmmi_model_constants *constants = p.own != NULL ? p.own : &profile->model[p.kernel][type];
    p.seconds = spmmi_model_combine(constants, p.term, profile->launch_s - p.early_s, p.launches);
    for (int i = 1; i < SPMMI_TERMS; i++) {
        if (constants->factor[i] * p.term[i] > constants->factor[p.binding] * p.term[p.binding])
            p.binding = (enum spmmi_model_term)i;
    }
    return p;
}
