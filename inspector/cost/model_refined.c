/* SPDX-License-Identifier: Apache-2.0 */
/* See model_refined.h: how the terms of a family become a time, and what the families share. */
#include "model_refined.h"

#include <math.h>

#include "format/plan.h"
#include "kernels/tiled/tiled_shape.h"

double spmmi_model_near(const struct spmmi_model_matrix *matrix, double window)
{
    if (window < 1)
        return 0;
    const double at = fmin(log2(window), SPMMI_REUSE_BINS - 1.0);
    const int low = (int)at < SPMMI_REUSE_BINS - 1 ? (int)at : SPMMI_REUSE_BINS - 2;
    return matrix->near[low] + (matrix->near[low + 1] - matrix->near[low]) * (at - low);
}

struct spmmi_model_hit spmmi_model_hits(const struct spmmi_model_matrix *matrix, double columns)
{
    struct spmmi_model_hit hit = {0, 0};
    int b = 0;
    if (columns < 1)
        return hit;
    if (columns >= matrix->cols_used) {
        hit.window = matrix->nnz;
        hit.share = matrix->near[SPMMI_REUSE_BINS - 1];
        return hit;
    }
    while (b < SPMMI_REUSE_BINS - 2 && matrix->footprint[b + 1] <= columns)
        b++;
    const double low = matrix->footprint[b];
    const double high = matrix->footprint[b + 1];
    const double part = high > low ? fmin(fmax((columns - low) / (high - low), 0), 1) : 0;
    hit.window = ldexp(1 + part, b);
    hit.share = spmmi_model_near(matrix, hit.window);
    return hit;
}

uint32_t spmmi_model_register_tile(int64_t n, spmm_dtype_t dtype)
{
    return spmmi_tiled_register_tile(n, (uint32_t)spmm_dtype_size(dtype), 0, 0);
}

double spmmi_model_combine(const struct spmmi_model_constants *constants, const double term[SPMMI_TERMS],
                           double launch_s, double launches)
{
    double most = 0;
    double sum = 0;
    for (int i = 0; i < SPMMI_TERM_CONVERT; i++)
        most = fmax(most, constants->factor[i] * term[i]);
    for (int i = 0; i < SPMMI_TERM_CONVERT && most > 0; i++)
        sum += pow(constants->factor[i] * term[i] / most, SPMMI_MODEL_P);
    return launch_s + 1e-6 * (constants->start_us + launches * constants->launch_us) +
           most * pow(sum, 1 / SPMMI_MODEL_P) +
           constants->factor[SPMMI_TERM_CONVERT] * term[SPMMI_TERM_CONVERT];
}

enum spmmi_model_kernel spmmi_model_kernel_of(const struct spmmi_model_candidate *candidate)
{
    if (candidate->family == SPMM_FAMILY_TILED)
        return SPMMI_MODEL_TILED;
    if (candidate->family == SPMM_FAMILY_BCSR)
        return SPMMI_MODEL_BCSR;
    if (spmmi_is_fragments(candidate->family))
        return candidate->family == SPMM_FAMILY_WINDOW ? SPMMI_MODEL_WINDOW : SPMMI_MODEL_PANEL;
    return candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT ? SPMMI_MODEL_ROW_SPLIT : SPMMI_MODEL_NONZERO_SPLIT;
}

enum spmmi_model_type spmmi_model_type_of(const struct spmmi_model_candidate *candidate, spmm_dtype_t dtype)
{
    if (dtype == SPMM_F64 || !spmmi_is_fragments(candidate->family))
        return dtype == SPMM_F64 ? SPMMI_MODEL_F64 : SPMMI_MODEL_F32;
    if (dtype != SPMM_F32)
        return SPMMI_MODEL_F16;
    return candidate->compute == SPMM_COMPUTE_TF32 ? SPMMI_MODEL_TF32 : SPMMI_MODEL_3XTF32;
}

struct spmmi_prediction spmmi_model_predict(const struct spmmi_device_profile *profile,
                                            const struct spmmi_model_matrix *matrix,
                                            const struct spmmi_model_candidate *candidate, int64_t n,
                                            uint32_t layout, spmm_dtype_t dtype)
{
    struct spmmi_prediction p = {0};
    struct spmmi_model_candidate c = *candidate;
    if (c.register_tile == 0)
        c.register_tile = spmmi_model_register_tile(n, dtype);
    const struct spmmi_model_query q = {
        .profile = profile,
        .matrix = matrix,
        .candidate = &c,
        .n = (double)n,
        .number_bytes = (double)spmm_dtype_size(dtype),
        .is_col_major = layout == SPMM_LAYOUT_COL_MAJOR && n > 1, /* one column is the same in both */
    };
    if (profile->target == SPMMI_TARGET_CPU)
        spmmi_model_rows_cpu(&q, &p);
    else if (c.family == SPMM_FAMILY_TILED)
        spmmi_model_tiled(&q, &p);
    else if (spmmi_is_fragments(c.family))
        spmmi_model_fragment(&q, &p);
    else
        spmmi_model_rows(&q, &p);

    const struct spmmi_model_constants *constants =
        &profile->model[spmmi_model_kernel_of(&c)][spmmi_model_type_of(&c, dtype)];
    p.seconds = spmmi_model_combine(constants, p.term, profile->launch_s, p.launches);
    for (int i = 1; i < SPMMI_TERMS; i++) {
        if (constants->factor[i] * p.term[i] > constants->factor[p.binding] * p.term[p.binding])
            p.binding = (enum spmmi_model_term)i;
    }
    return p;
}
