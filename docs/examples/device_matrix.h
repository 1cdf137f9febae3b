/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices in the memory of a device: 32-bit row pointers and columns, values in doubles. */
#ifndef EXAMPLE_DEVICE_MATRIX_H
#define EXAMPLE_DEVICE_MATRIX_H

#include "solver.h"

/* Copies the pattern of a host matrix with 64-bit row pointers, without values. */
spmm_csr_t device_matrix(const struct device *device, const spmm_csr_t *host);
/* Makes the pattern of its transpose, with memory for values. from: for each of these values its index in the matrix.
 */
spmm_csr_t device_matrix_transposed(const struct device *device, const spmm_csr_t *host, int32_t **from);
/* Releases the pattern, but not the values. */
void device_matrix_free(const struct device *device, const spmm_csr_t *matrix);

#endif
