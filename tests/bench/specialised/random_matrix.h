/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of independent entries: each element is nonzero with the same probability, as in paper 001. */
#ifndef SPMM_TESTS_RANDOM_MATRIX_H
#define SPMM_TESTS_RANDOM_MATRIX_H

#include <spmm/inspector.h>

/* Makes a square matrix with values of f32; 0 < density < 1. The same arguments give the same matrix. */
spmm_status_t random_matrix(int64_t rows, double density, spmm_matrix_t **matrix, spmm_diag_t *diag);

#endif
