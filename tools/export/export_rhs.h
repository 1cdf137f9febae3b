/* SPDX-License-Identifier: Apache-2.0 */
/* A right-hand side whose solution is known: b = A x for the x of ones, so b has the sums of the rows of A. */
#ifndef SPMM_TOOLS_EXPORT_RHS_H
#define SPMM_TOOLS_EXPORT_RHS_H

#include <stdbool.h>

#include <spmm/common.h>

/* Does the name end as export_rhs can write: .mtx, .mtx.gz, .mtx.zst or .npy? */
bool export_rhs_has_form(const char *path);

/* Write b, of f64 whatever the type of A: an array of Matrix Market, or of NumPy with one column. Each sum is made in
 * extended precision and rounded once; entries of a pattern count as 1. a as in export_matrix.h. threads: 0 as many as
 * the machine has. Errors: MEMORY, IO. */
spmm_status_t export_rhs(const char *path, const spmm_csr_t *a, int threads, spmm_diag_t *diag);

#endif
