/* SPDX-License-Identifier: Apache-2.0 */
/* Row similarity: estimates from a sample of rows, before any permutation is computed, whether row windows of
 * similar rows would have fewer columns. */
#ifndef SPMMI_ROW_SIMILARITY_H
#define SPMMI_ROW_SIMILARITY_H

#include <spmm/common.h>

/* Sets *ratio to the columns of windows whose rows have the same two min-hashes, divided by the columns of
 * the windows of 8 neighbouring rows that contain those rows. 1 means no gain; less than 1 means that similar
 * rows are not neighbours. The estimate is conservative: partly similar rows count as different. O(nnz) time;
 * 12 bytes per row and 5 per column. If there are many columns for the nonzeros, the columns are sorted and
 * empty ones cost nothing. Errors: MEMORY. */
spmm_status_t spmmi_row_similarity(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   int threads, double *ratio);

#endif
