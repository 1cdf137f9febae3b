/* SPDX-License-Identifier: Apache-2.0 */
/* Dense matrices of the tools: sizes and reproducible random contents. */
#ifndef SPMM_TOOLS_DENSE_MATRIX_H
#define SPMM_TOOLS_DENSE_MATRIX_H

#include <spmm/common.h>

/* The least leading dimension, and bytes from the first to the last element with this one. */
int64_t dense_ld(spmm_layout_t layout, int64_t rows, int64_t cols);
spmm_status_t dense_bytes(const spmm_dense_t *dense, uint64_t *bytes, spmm_diag_t *diag);

/* The random number at (i, j): uniform in (-1, 1) and exactly a number of the type. It depends on seed, i and
 * j alone, so that a narrower matrix is a prefix of a wider one in any layout. */
double dense_random(spmm_dtype_t type, uint64_t seed, int64_t i, int64_t j);
/* Fill host memory with it; rows from random_rows on are zero (a peer may need padding). */
void dense_fill_random(const spmm_dense_t *dense, uint64_t seed, int64_t random_rows);

double dense_get(const spmm_dense_t *dense, int64_t i, int64_t j);
/* out[i * cols + j] = element (i, j). */
void dense_to_double(const spmm_dense_t *dense, double *out);

#endif
