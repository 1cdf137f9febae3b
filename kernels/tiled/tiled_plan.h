/* SPDX-License-Identifier: Apache-2.0 */
/* What the tiled family's planner tells others: what writing C in another order than that of its rows adds. */
#ifndef SPMMI_TILED_PLAN_H
#define SPMMI_TILED_PLAN_H

#include "inspector/inspect_options.h"

/* Of a column-major C, for the spread of that order (tiled_analysis_plan.h): stores that fall into sectors of their own
 * go at the rate of single numbers, in the last cache or beyond it, as many rows of as many columns of C as are written
 * at a time. */
double spmmi_scatter_seconds(const struct spmmi_request *r, int64_t rows, double spread, int64_t n);

#endif
