/* SPDX-License-Identifier: Apache-2.0 */
/* Row similarity, estimated from a sample of rows before a permutation of all is made: would row windows of similar
 * rows hold fewer columns? */
#ifndef SPMMI_ROW_SIMILARITY_H
#define SPMMI_ROW_SIMILARITY_H

#include <spmm/common.h>

/* Columns of windows whose rows have the same two min-hashes, over columns of the windows of 8 neighbouring rows that
 * those rows are in: 1 where nothing is gained, less where similar rows are not neighbours. The estimate is
 * conservative: rows that are only partly similar count as different. O(nnz) time, 12 bytes a row and 5 a column; where
 * columns are many for the nonzeros, these are sorted and columns without any cost nothing. Errors: MEMORY. */
spmm_status_t spmmi_row_similarity(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   int threads, double *ratio);

#endif
