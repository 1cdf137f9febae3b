/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of a certificate: what docs/accuracy.md promises of the kernel that computed the product. */
#ifndef SPMMI_CERTIFY_TABLE_H
#define SPMMI_CERTIFY_TABLE_H

#include "certify_rule.h"
#include "executor/certify/certify_side.h"

struct spmmi_certify_rule spmmi_certify_rule_of(const struct spmmi_certify_job *job);

/* Vectors that are computed: those of the job, rounded up. */
static inline int spmmi_certify_lanes(const struct spmmi_certify_job *job)
{
    return (job->vectors + SPMMI_CERTIFY_LANES - 1) / SPMMI_CERTIFY_LANES * SPMMI_CERTIFY_LANES;
}

#endif
