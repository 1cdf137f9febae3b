/* SPDX-License-Identifier: Apache-2.0 */
/* See certify_table.h. */
#include "certify_table.h"

#include <float.h>

/* Returns the roundings of a factor in docs/accuracy.md; the sum type can represent the factor. */
static double factor_roundings(double factor)
{
    return factor == 0 || factor == 1 ? 0 : 1;
}

/* Sets u, K, d, s, e, eta and the range of sums. */
static void sums_of(const struct spmmi_certify_job *job, struct spmmi_certify_rule *rule)
{
    const spmm_compute_t compute = job->product.compute;
    const int is_f64 = compute == SPMM_COMPUTE_F64, is_f16 = compute == SPMM_COMPUTE_F16;
    const int is_split = compute == SPMM_COMPUTE_3XTF32,
              is_rounded = is_split || compute == SPMM_COMPUTE_TF32;
    const int cuts_off = job->is_tensor && !is_f64;
    rule->unit = is_f64 ? 0x1p-53 : cuts_off ? 0x1p-23 : 0x1p-24;
    rule->roundings = is_split ? 3 : 1;
    rule->growth = is_rounded ? 1 + 0x1p-8 : 1;
    rule->input = is_split ? 0x1p-21 + 0x1p-40 : is_rounded ? 0x1p-10 + 0x1p-22 : 0;
    rule->tiny = (is_rounded ? 0x1p-136 : 0) + (!cuts_off ? 0 : is_f16 ? 0x1p-32 : 0x1p-144);
    rule->eta = is_f64 ? 0x1p-1074 : cuts_off && is_f16 ? 0x1p-51 : 0x1p-149;
    rule->largest = is_f64 ? DBL_MAX : (double)FLT_MAX;
}

/* Sets v, h and the least magnitude that is stored as infinity. */
static void storing_of(spmm_dtype_t dtype, struct spmmi_certify_rule *rule)
{
    rule->infinity = (double)INFINITY;
    if (dtype == SPMM_F16) {
        rule->stored_unit = 0x1p-11;
        rule->stored_least = 0x1p-24;
        rule->infinity = 65520;
    } else if (dtype == SPMM_BF16) {
        rule->stored_unit = 0x1p-8;
        rule->stored_least = 0x1p-133;
        rule->infinity = 0x1.ffp127;
    }
}

struct spmmi_certify_rule spmmi_certify_rule_of(const struct spmmi_certify_job *job)
{
    const struct spmmi_product *p = &job->product;
    struct spmmi_certify_rule rule = {.n = p->b.cols,
                                      .alpha = p->alpha,
                                      .beta = p->beta,
                                      .alpha_roundings = factor_roundings(p->alpha),
                                      .beta_roundings = factor_roundings(p->beta),
                                      .is_compensated = p->a_type == SPMM_F64};
    sums_of(job, &rule);
    storing_of(p->c.type, &rule);
    return rule;
}
