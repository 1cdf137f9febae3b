/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of finite elements, the kind of matrix for which GiMMiK makes kernels: codes for flows multiply
 * one of them by a matrix B that has a column for each element and variable. */
#ifndef SPMM_TESTS_OPERATOR_MATRIX_H
#define SPMM_TESTS_OPERATOR_MATRIX_H

#include <spmm/inspector.h>

#define OPERATOR_DEGREE_MAX 8

/* Returns 1 if the name is KIND:DEGREE with a degree from 1 to OPERATOR_DEGREE_MAX. */
int operator_matrix_is(const char *name);

/* Makes the operator of polynomials of this degree.
 *   quad, hex: derivatives along 2 or 3 axes at all points of a grid of Gauss points; a row has an entry for
 *              each point of a line, so most of the matrix is zero
 *   tri, tet:  values at points of all edges or faces, from those at points inside; no zeros
 * Errors: ARGUMENT (no such operator), MEMORY. */
spmm_status_t operator_matrix(const char *name, spmm_matrix_t **matrix, spmm_diag_t *diag);

#endif
