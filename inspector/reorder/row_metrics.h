/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the effects of a row permutation: blocks that hold nonzeros, and columns that rows share. */
#ifndef SPMMI_ROW_METRICS_H
#define SPMMI_ROW_METRICS_H

#include <spmm/inspector.h>

/* Sets the blocks, working sets and reuse of *metrics. permutation[rows]; NULL: the order of A. Columns must
 * ascend in each row. O(nnz + rows + cols) time. Each thread allocates 4 bytes per column plus 3 bytes per 4
 * columns; the number of threads is reduced if that is much compared with the nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_row_metrics_count(int64_t rows, int64_t cols, const int64_t *row_ptr,
                                      const int32_t *col_ind, const uint32_t *permutation, int threads,
                                      spmm_permutation_metrics_t *metrics);

#endif
