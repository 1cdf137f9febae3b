/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric permutations: the plan is made for PAP^T instead of A, for iterations that keep their vectors
 * permuted. */
#ifndef SPMMI_SYMMETRIC_PERMUTATION_H
#define SPMMI_SYMMETRIC_PERMUTATION_H

#include "inspector/inspect_options.h"
#include "inspector/matrix/matrix.h"

/* Auto: minimum gain, as the fraction of 16 x 16 blocks that must be saved. */
#define SPMMI_SYMMETRIC_GAIN 0.1

/* Computes the permutation that the request names. For auto, chooses between rcm and minhash the one with
 * fewer aligned 16 x 16 blocks in PAP^T, a measure of both shared columns and locality. *permutation and
 * *permuted are owned by the caller; both are NULL if the order of A is best. Errors: ARGUMENT (not square,
 * or the pattern violates the limits of the kind), MEMORY. */
spmm_status_t spmmi_symmetric_permutation(const spmm_matrix_t *matrix, const struct spmmi_request *request,
                                          uint32_t **permutation, spmm_matrix_t **permuted,
                                          spmm_diag_t *diag);

#endif
