/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation of units by the similarity of their patterns: those that share many columns come to the same row block.
 * It takes time nearly linear in the nonzeros. The similarity of two sets is |intersection| / |union| (Jaccard); it is
 * estimated by min-hashes: two sets share the same fraction of them, on average. */
#ifndef SPMMI_REORDER_MINHASH_H
#define SPMMI_REORDER_MINHASH_H

#include <spmm/common.h>

/* order[count]: the units, each once. Units of one pattern are neighbours, ascending, unless more than eight patterns
 * share a hash of 32 bits; units without nonzeros come last, ascending. The nonzeros of unit u are
 * unit_ptr[u] .. unit_ptr[u + 1], ascending and unique columns; count is below UINT32_MAX. The same at any number of
 * threads, at least 1. Nearly O(nnz + count) time: a unit is compared with at most a fixed number of others, none of
 * them more than a fixed factor longer. Memory: up to 210 bytes a distinct pattern, 4 a unit, and 16 a unit for each
 * thread (at most eight of them); 1 a column for each thread unless columns are more than 4 nnz + 65536. Errors:
 * MEMORY. */
spmm_status_t spmmi_reorder_minhash(uint64_t count, int64_t cols, const int64_t *unit_ptr,
                                    const int32_t *col_ind, int threads, uint32_t *permutation);

#endif
