/* SPDX-License-Identifier: Apache-2.0 */
/* A right-hand side with a known solution: b = A x for the vector x of ones, so b has the row sums of A. */
#ifndef SPMM_TOOLS_EXPORT_RHS_H
#define SPMM_TOOLS_EXPORT_RHS_H

#include <stdbool.h>

#include <spmm/common.h>

/* Returns true if the name has an ending that export_rhs can write: .mtx, .mtx.gz, .mtx.zst or .npy. */
bool export_rhs_has_form(const char *path);

/* Writes b in f64, whatever the type of A is, as an array of Matrix Market or of NumPy with one column. Each
 * sum is computed in extended precision and rounded once. Entries of a pattern count as 1. The arrays of a
 * have the types of export_matrix.h. threads: 0 for all of the machine. Errors: MEMORY, IO. */
spmm_status_t export_rhs(const char *path, const spmm_csr_t *a, int threads, spmm_diag_t *diag);

#endif
