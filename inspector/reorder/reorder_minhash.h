/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation of units by the similarity of their patterns: units that share many columns move to the same
 * row block. The time is nearly linear in the nonzeros. The similarity of two sets is |intersection| /
 * |union| (Jaccard). It is estimated by min-hashes: on average, two sets have this fraction of their
 * min-hashes in common. */
#ifndef SPMMI_REORDER_MINHASH_H
#define SPMMI_REORDER_MINHASH_H

#include <spmm/common.h>

/* Writes the permutation to permutation[count]. Units with equal patterns are neighbours in ascending order,
 * unless more than eight patterns share a 32-bit hash. Units without nonzeros come last, in ascending order.
 * The nonzeros of unit u are unit_ptr[u] .. unit_ptr[u + 1]; their columns are unique and ascending. count is
 * less than UINT32_MAX. The result is the same for any number of threads, at least 1. Nearly O(nnz + count)
 * time: a unit is compared with at most a fixed number of other units, none of them longer by more than a
 * fixed factor. Memory: up to 210 bytes per distinct pattern, 4 per unit, and 16 per unit and thread (at most
 * eight threads); 1 per column and thread unless there are more than 4 nnz + 65536 columns. Errors:
 * MEMORY. */
spmm_status_t spmmi_reorder_minhash(uint64_t count, int64_t cols, const int64_t *unit_ptr,
                                    const int32_t *col_ind, int threads, uint32_t *permutation);

#endif
