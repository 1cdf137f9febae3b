/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of scattered writes to C, where the tiled family permutes rows. */
#ifndef SPMMI_TILED_PLAN_H
#define SPMMI_TILED_PLAN_H

#include "inspector/inspect_options.h"

/* Seconds that are added for a column-major C by the sector amplification of a permutation (tiled_analysis_plan.h).
 * Stores that fall into sectors of their own go at the rate of single values, in the last cache or beyond it, depending
 * on the bytes of C that are written at a time. */
double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double sector_amplification,
                             int64_t n);

#endif
