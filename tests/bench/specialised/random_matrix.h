/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of independent entries: each is there with the same probability, as paper 001 has them. */
#ifndef SPMM_TESTS_RANDOM_MATRIX_H
#define SPMM_TESTS_RANDOM_MATRIX_H

#include <spmm/inspector.h>

/* Square, with values of f32. density is above 0 and below 1. The same arguments give the same matrix. */
spmm_status_t random_matrix(int64_t rows, double density, spmm_matrix_t **matrix, spmm_diag_t *diag);

#endif
