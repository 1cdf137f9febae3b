/* SPDX-License-Identifier: Apache-2.0 */
/* One order for rows and columns: PAP^T in place of A, for iterations that keep their vectors in that order. */
#ifndef SPMMI_SYMMETRIC_PERMUTATION_H
#define SPMMI_SYMMETRIC_PERMUTATION_H

#include "inspector/inspect_options.h"
#include "inspector/matrix/matrix.h"

#define SPMMI_SYMMETRIC_GAIN 0.1 /* auto: least part of the blocks of 16 x 16 that an order must save */

/* The order that the request names, or for auto the one of rcm and minhash with the fewest aligned blocks of 16 x 16 in
 * PAP^T, which tell both how much rows share and how near their columns are; both NULL where that is the order of the
 * matrix. The caller owns *order and *permuted. Errors: ARGUMENT (not square, or the kind does not fit), MEMORY. */
spmm_status_t spmmi_symmetric_permutation(const spmm_matrix_t *matrix, const struct spmmi_request *request,
                                          uint32_t **permutation, spmm_matrix_t **permuted,
                                          spmm_diag_t *diag);

#endif
