/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what an order of the rows does: blocks that hold nonzeros, and columns that rows share. */
#ifndef SPMMI_ROW_FIGURES_H
#define SPMMI_ROW_FIGURES_H

#include <spmm/inspector.h>

/* blocks, footprint and reuse of figures. order[rows]; NULL: as they are. Columns ascend in each row.
 * O(nnz + rows + cols) time; each thread holds 4 bytes a column and 3 for every 4 columns, and there are fewer threads
 * where that is much for the nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_row_figures_count(int64_t rows, int64_t cols, const int64_t *row_ptr,
                                      const int32_t *col_ind, const uint32_t *order, int threads,
                                      spmm_order_figures_t *figures);

#endif
