/* SPDX-License-Identifier: Apache-2.0 */
/* Dense matrices of the tools: sizes and reproducible random values. */
#ifndef SPMM_TOOLS_DENSE_MATRIX_H
#define SPMM_TOOLS_DENSE_MATRIX_H

#include <spmm/common.h>

/* Return the smallest leading dimension, and the bytes that a matrix with this leading dimension occupies. */
int64_t dense_ld(spmm_layout_t layout, int64_t rows, int64_t cols);
spmm_status_t dense_bytes(const spmm_dense_t *dense, uint64_t *bytes, spmm_diag_t *diag);

/* Returns the random number at (i, j): uniform in (-1, 1) and exactly representable in the type. It depends
 * only on type, seed, i and j, so a narrower matrix is a prefix of a wider one in any layout. */
double dense_random(spmm_dtype_t type, uint64_t seed, int64_t i, int64_t j);
/* Fills host memory with dense_random. Rows from random_rows on are zero (padding that a peer may need). */
void dense_fill_random(const spmm_dense_t *dense, uint64_t seed, int64_t random_rows);

double dense_get(const spmm_dense_t *dense, int64_t i, int64_t j);
/* Copies element (i, j) to out[i * cols + j]. */
void dense_to_double(const spmm_dense_t *dense, double *out);

#endif
