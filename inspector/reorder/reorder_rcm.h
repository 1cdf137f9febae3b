/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse Cuthill-McKee: a permutation of the rows of a square matrix. If columns are permuted in the same
 * way, it moves the nonzeros close to the diagonal. Consecutive rows therefore share columns, even if the
 * columns keep their order. */
#ifndef SPMMI_REORDER_RCM_H
#define SPMMI_REORDER_RCM_H

#include <spmm/common.h>

#define SPMMI_RCM_SEARCHES 8 /* maximum number of searches for a pseudo-peripheral row */

/* Writes the permutation to permutation[rows]. It is computed on the graph of A + A^T without the diagonal.
 * Components are ordered by their smallest row, so that isolated rows stay between their neighbours in the
 * order of A. Within a component, the search for a pseudo-peripheral row (George and Liu) starts at the
 * smallest row and continues from the row of least degree in the last level until the number of levels stops
 * growing. A breadth-first search from there visits neighbours by ascending degree, and its order is
 * reversed. Among rows of equal degree the larger row number goes first, so that a band or a diagonal block
 * keeps its order. Columns must ascend in each row. O(nnz log rows) time on one thread; 21 bytes per row and
 * 4 per nonzero whose mirror image is not stored. Errors: ARGUMENT (not square), MEMORY; permutation is not
 * written after an error. */
spmm_status_t spmmi_reorder_rcm(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                uint32_t *permutation);

#endif
