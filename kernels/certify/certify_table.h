/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of a certificate: the bounds of docs/accuracy.md for the kernel that computed the product. */
#ifndef SPMMI_CERTIFY_TABLE_H
#define SPMMI_CERTIFY_TABLE_H

#include "certify_rule.h"
#include "executor/certify/certify_side.h"

struct spmmi_certify_rule spmmi_certify_rule_of(const struct spmmi_certify_job *job);

/* Returns the number of vectors that are computed: the job's vectors, rounded up to whole groups. */
static inline int spmmi_certify_lanes(const struct spmmi_certify_job *job)
{
    return (job->vectors + SPMMI_CERTIFY_LANES - 1) / SPMMI_CERTIFY_LANES * SPMMI_CERTIFY_LANES;
}

#endif
