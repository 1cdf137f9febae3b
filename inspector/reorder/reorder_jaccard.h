/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation of units by greedy clustering of similar patterns: the algorithm of Sylos Labini et al. as Section IV-C
 * of the paper on SMaT (Okanovic et al.) uses it, which states neither tau nor delta. Exact, for matrices of few
 * rows. */
#ifndef SPMMI_REORDER_JACCARD_H
#define SPMMI_REORDER_JACCARD_H

#include <spmm/common.h>

#define SPMMI_JACCARD_UNITS_MAX 20000u

/* order[count]: cluster by cluster. The first unit that is in none begins a cluster; then every later one that is in
 * none, by ascending unit, joins it if the Jaccard distance of its pattern to that of the cluster, the union of the
 * patterns so far, is below tau: 1 - |both| / |either|, and 0 for two that are empty. Patterns are of blocks of delta
 * columns, of which the first begins at column 0. tau = 0 joins nothing and keeps the order of the matrix; at tau = 1
 * one common block is enough. The nonzeros of unit u are unit_ptr[u] .. unit_ptr[u + 1], ascending columns.
 * O(count clusters) time, and for each column block that of its units times the clusters that hold it; 4 bytes a
 * nonzero, 13 a unit, 20 a block. One thread.
 * Errors: ARGUMENT (tau outside 0 .. 1, delta 0); MATRIX_TOO_LARGE (more than SPMMI_JACCARD_UNITS_MAX units); MEMORY.
 * order is not touched then. */
spmm_status_t spmmi_reorder_jaccard(uint64_t count, int64_t cols, const int64_t *unit_ptr,
                                    const int32_t *col_ind, double tau, uint32_t delta,
                                    uint32_t *permutation);

#endif
