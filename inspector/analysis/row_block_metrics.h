/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of a tiled schedule, see docs/statistics.md: what the row blocks share, what padding costs, how B is read. */
#ifndef SPMMI_ROW_BLOCK_METRICS_H
#define SPMMI_ROW_BLOCK_METRICS_H

#include "row_block_input.h"

/* All metrics. O(nnz + units) time; each thread holds 4 bytes and 1 bit a column, and there are fewer threads where
 * columns are many for their nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_row_block_metrics(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out);

/* The same from at most row_blocks_max + 1 row blocks (docs/statistics.md "Sampled metrics"): sums are estimates,
 * maxima those of the sample, working set[], reuse[], column_count[] and column_sum[] zero. Exact where no more than
 * row_blocks_max row blocks hold nonzeros. columns_used: as the caller knows it. O(units) time and what the sample
 * holds. Errors: MEMORY. */
spmm_status_t spmmi_row_block_estimate(const struct spmmi_row_block_input *in, int64_t columns_used,
                                       int64_t row_blocks_max, spmm_row_block_metrics_t *out);

#endif
