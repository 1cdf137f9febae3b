/* SPDX-License-Identifier: Apache-2.0 */
/* One permutation of rows and columns: PAP^T instead of A, for iterations that keep their vectors permuted. */
#ifndef SPMMI_SYMMETRIC_PERMUTATION_H
#define SPMMI_SYMMETRIC_PERMUTATION_H

#include "inspector/inspect_options.h"
#include "inspector/matrix/matrix.h"

#define SPMMI_SYMMETRIC_GAIN 0.1 /* auto: minimum gain, the share of the blocks of 16 x 16 to save */

/* The permutation that the request names, or for auto the one of rcm and minhash with the fewest aligned blocks of 16 x
 * 16 in PAP^T, a measure of both shared columns and locality; both NULL where that is the order of A. The caller owns
 * *order and *permuted. Errors: ARGUMENT (not square, or the kind does not fit), MEMORY. */
spmm_status_t spmmi_symmetric_permutation(const spmm_matrix_t *matrix, const struct spmmi_request *request,
                                          uint32_t **permutation, spmm_matrix_t **permuted,
                                          spmm_diag_t *diag);

#endif
