/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a certificate on the CPU, one table for each SIMD level of the processor. */
#ifndef SPMMI_CERTIFY_LEVEL_H
#define SPMMI_CERTIFY_LEVEL_H

#include "certify_rule.h"

struct spmmi_certify_level {
    /* sum += values[l] * signs of column l, for l = 0 .. count - 1 and every lane. signs has count x lanes
     * values, each 1 or -1. */
    void (*project)(const double *values, int64_t count, const double *signs, int64_t lanes, double *sum);
    /* sum += values[q] * lanes of record columns[q], for q = 0 .. count - 1. rest receives what the roundings
     * lose, if the records have rests. */
    void (*multiply)(const double *values, const int32_t *columns, int64_t count,
                     const struct spmmi_certify_projection *from, double *sum, double *rest);
};

extern const struct spmmi_certify_level spmmi_certify_portable, spmmi_certify_avx2;

#endif
