/* SPDX-License-Identifier: Apache-2.0 */
/* Would windows of like rows hold fewer columns? A quick look at some rows, before an order of all is made. */
#ifndef SPMMI_ROW_SIMILARITY_H
#define SPMMI_ROW_SIMILARITY_H

#include <spmm/common.h>

/* Columns of windows whose rows have the same two min-hashes, over columns of the windows of 8 neighbouring rows that
 * those rows are in: 1 where nothing is gained, less where like rows are apart. An estimate, on the cautious side, as
 * rows that are only somewhat alike count for nothing. O(nnz) time, 12 bytes a row. Errors: MEMORY. */
spmm_status_t spmmi_row_similarity(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                   int threads, double *ratio);

#endif
