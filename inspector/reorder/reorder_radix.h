/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation of units by their patterns, so that units that share columns come to the same row block: Section 4.2 of
 * "Optimizing Tiled Sparse Matrix Multiplication with Performance Modeling on GPUs". A unit is read as a binary number
 * of cols bits, column 0 being the most significant one, and 1 where it holds a nonzero. */
#ifndef SPMMI_REORDER_RADIX_H
#define SPMMI_REORDER_RADIX_H

#include <spmm/common.h>

/* order[count]: the units by descending number, equal ones by ascending unit; units that begin in column 0 come
 * first and those without nonzeros last, so that a banded matrix nearly keeps its order. The nonzeros of unit u are
 * unit_ptr[u] .. unit_ptr[u + 1], ascending columns. O(nnz log count) time; the same at any number of threads.
 * Errors: MEMORY (32 bytes a unit). */
spmm_status_t spmmi_reorder_radix(uint64_t count, const int64_t *unit_ptr, const int32_t *col_ind,
                                  int threads, uint32_t *permutation);

#endif
