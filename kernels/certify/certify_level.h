/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a certificate on the CPU, one table for each level of the processor. */
#ifndef SPMMI_CERTIFY_LEVEL_H
#define SPMMI_CERTIFY_LEVEL_H

#include "certify_rule.h"

struct spmmi_certify_level {
    /* sum += values[l] times the signs of column l, l from 0 to count - 1, for every lane; signs is count x lanes of 1
     * and -1. */
    void (*project)(const double *values, int64_t count, const double *signs, int64_t lanes, double *sum);
    /* sum += values[q] times the lanes of record columns[q], q from 0 to count - 1; rest takes what the roundings lose
     * where the records have rests. */
    void (*multiply)(const double *values, const int32_t *columns, int64_t count,
                     const struct spmmi_certify_projection *from, double *sum, double *rest);
};

extern const struct spmmi_certify_level spmmi_certify_portable, spmmi_certify_avx2;

#endif
