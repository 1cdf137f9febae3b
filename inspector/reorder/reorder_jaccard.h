/* SPDX-License-Identifier: Apache-2.0 */
/* Permutation of units by greedy clustering of similar patterns: the algorithm of Sylos Labini et al. as used
 * in Section IV-C of paper 003 (SMaT), which states neither tau nor delta. Exact; for matrices with few
 * rows. */
#ifndef SPMMI_REORDER_JACCARD_H
#define SPMMI_REORDER_JACCARD_H

#include <spmm/common.h>

#define SPMMI_JACCARD_UNITS_MAX 20000u

/* Writes the units to permutation[count], cluster by cluster. The first unit without a cluster starts one.
 * Then each later unit without a cluster, in ascending order, joins if the Jaccard distance between its
 * pattern and the pattern of the cluster (the union of its patterns so far) is less than tau. The distance is
 * 1 - |both| / |either|, and 0 for two empty patterns. Patterns consist of blocks of delta columns; the first
 * block starts at column 0. tau = 0 joins nothing and keeps the order of the matrix; with tau = 1 one common
 * block is enough. The nonzeros of unit u are unit_ptr[u] .. unit_ptr[u + 1], with ascending columns. Time:
 * O(count x clusters), plus for each column block its units x the clusters that hold it, on one thread.
 * Memory: 4 bytes per nonzero, 13 per unit, 20 per block. Errors: ARGUMENT (tau outside 0 .. 1, delta 0);
 * MATRIX_TOO_LARGE (more than SPMMI_JACCARD_UNITS_MAX units); MEMORY. permutation is not written after an
 * error. */
spmm_status_t spmmi_reorder_jaccard(uint64_t count, int64_t cols, const int64_t *unit_ptr,
                                    const int32_t *col_ind, double tau, uint32_t delta,
                                    uint32_t *permutation);

#endif
