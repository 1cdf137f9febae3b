/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of scattered writes to C if the tiled family permutes rows. */
#ifndef SPMMI_TILED_PLAN_H
#define SPMMI_TILED_PLAN_H

#include "inspector/inspect_options.h"

/* Returns the seconds that the sector amplification of a permutation (tiled_analysis_plan.h) adds for a
 * column-major C. Stores to separate sectors run at the rate of single values, in the L2 cache or beyond it,
 * depending on the bytes of C that are written at a time. */
double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double sector_amplification,
                             int64_t n);

#endif
