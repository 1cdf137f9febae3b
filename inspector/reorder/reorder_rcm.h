/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse Cuthill-McKee: a permutation of the rows of a square matrix that brings its nonzeros near the diagonal when
 * columns take the same order, so that rows that follow one another share columns even where those keep theirs. */
#ifndef SPMMI_REORDER_RCM_H
#define SPMMI_REORDER_RCM_H

#include <spmm/common.h>

#define SPMMI_RCM_SEARCHES 8 /* maximum searches for a pseudo-peripheral row */

/* order[rows]: the rows of the graph of A + A^T, whose diagonal does not count. Components come by their smallest row,
 * so that rows without neighbours stay between those they lie between. In each, the search for a pseudo-peripheral row
 * (George and Liu) begins at the smallest row and goes on from the row of least degree in the last level, until levels
 * grow no more; from there on breadth first, neighbours by ascending degree, and all of it reversed. Of rows of equal
 * degree the greater one is taken first: a band, or a diagonal block, keeps its order. Columns ascend in each row.
 * O(nnz log rows) time on one thread; 21 bytes a row and 4 a nonzero whose mirror image is not stored. Errors: ARGUMENT
 * when the matrix is not square; MEMORY. order is not touched then. */
spmm_status_t spmmi_reorder_rcm(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                uint32_t *permutation);

#endif
