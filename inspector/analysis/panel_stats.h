/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a tiled schedule, see docs/statistics.md: what the panels share, what padding costs, how B is read. */
#ifndef SPMMI_PANEL_STATS_H
#define SPMMI_PANEL_STATS_H

#include "panel_input.h"

/* All figures. O(nnz + units) time; each thread holds 4 bytes and 1 bit a column, and there are fewer threads where
 * columns are many for their nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_panel_stats(const struct spmmi_panel_input *in, spmm_panel_stats_t *out);

/* The same from at most panels_most + 1 panels (docs/statistics.md "Sampled figures"): sums are estimates, maxima those
 * of the sample, footprint[], reuse[], column_count[] and column_sum[] zero. Exact where no more than panels_most
 * panels hold nonzeros. columns_used: as the caller knows it. O(units) time and what the sample holds.
 * Errors: MEMORY. */
spmm_status_t spmmi_panel_estimate(const struct spmmi_panel_input *in, int64_t columns_used,
                                   int64_t panels_most, spmm_panel_stats_t *out);

#endif
