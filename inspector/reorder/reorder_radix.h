/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation of units by their patterns, so that units that share columns move to the same row block:
 * Section 4.2 of paper 000 (docs/style.md). A unit is read as a binary number of cols bits. Column 0 is the
 * most significant bit, and a bit is 1 if the unit has a nonzero in that column. */
#ifndef SPMMI_REORDER_RADIX_H
#define SPMMI_REORDER_RADIX_H

#include <spmm/common.h>

/* Writes the units to permutation[count] by descending number, equal numbers by ascending unit. Units that
 * begin in column 0 come first and units without nonzeros last, so a banded matrix nearly keeps its order.
 * The nonzeros of unit u are unit_ptr[u] .. unit_ptr[u + 1], with ascending columns. O(nnz log count) time;
 * the result is the same for any number of threads. Errors: MEMORY (32 bytes per unit). */
spmm_status_t spmmi_reorder_radix(uint64_t count, const int64_t *unit_ptr, const int32_t *col_ind,
                                  int threads, uint32_t *permutation);

#endif
