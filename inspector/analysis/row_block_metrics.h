/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of a tiled schedule (docs/statistics.md): reuse in row blocks, cost of padding, access to B. */
#ifndef SPMMI_ROW_BLOCK_METRICS_H
#define SPMMI_ROW_BLOCK_METRICS_H

#include "row_block_input.h"

/* Computes all metrics exactly, in O(nnz + units) time. Each thread needs 4 bytes and 1 bit per column. If a
 * matrix has many columns for its nonzeros, fewer threads are used. Errors: MEMORY. */
spmm_status_t spmmi_row_block_metrics(const struct spmmi_row_block_input *in, spmm_row_block_metrics_t *out);

/* Estimates the metrics from a sample of at most row_blocks_max + 1 row blocks
 * (docs/statistics.md "Sampled metrics"). Sums are estimates, maxima are those of the sample,
 * and working_set[], reuse[], column_count[] and column_sum[] are zero. The result is exact
 * if at most row_blocks_max row blocks have nonzeros. The caller supplies columns_used. Takes
 * time linear in units and in the nonzeros of the sample. Errors: MEMORY. */
spmm_status_t spmmi_row_block_estimate(const struct spmmi_row_block_input *in, int64_t columns_used,
                                       int64_t row_blocks_max, spmm_row_block_metrics_t *out);

#endif
