/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a permutation of the rows does: blocks that hold nonzeros, and columns that rows share. */
#ifndef SPMMI_ROW_METRICS_H
#define SPMMI_ROW_METRICS_H

#include <spmm/inspector.h>

/* Blocks, working set and reuse of metrics. permutation[rows]; NULL: as they are. Columns ascend in each row.
 * O(nnz + rows + cols) time; each thread holds 4 bytes a column and 3 for every 4 columns, and there are fewer threads
 * where that is much for the nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_row_metrics_count(int64_t rows, int64_t cols, const int64_t *row_ptr,
                                      const int32_t *col_ind, const uint32_t *permutation, int threads,
                                      spmm_permutation_metrics_t *metrics);

#endif
