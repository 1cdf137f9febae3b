/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices in the memory of a device: row pointers and columns of 32 bits, values in doubles. */
#ifndef EXAMPLE_DEVICE_MATRIX_H
#define EXAMPLE_DEVICE_MATRIX_H

#include "solver.h"

/* The pattern of a host matrix with row pointers of 64 bits, without values. */
spmm_csr_t device_matrix(const struct device *device, const spmm_csr_t *host);
/* That of its transpose, with room for values, and from: which value of the matrix each of these is. */
spmm_csr_t device_matrix_transposed(const struct device *device, const spmm_csr_t *host, int32_t **from);
/* Takes the pattern back, but no values. */
void device_matrix_free(const struct device *device, const spmm_csr_t *matrix);

#endif
