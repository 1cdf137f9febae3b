/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a plan as it was inspected: the permutation of a plan of PAP^T is undone. */
#ifndef SPMM_TOOLS_ORIGINAL_MATRIX_H
#define SPMM_TOOLS_ORIGINAL_MATRIX_H

#include <spmm/plan.h>

struct original_matrix {
    spmm_csr_t csr;    /* as spmm_plan_csr, but in the order of A; valid while the plan lives */
    int64_t *position; /* nonzero q of csr is nonzero position[q] of the plan; NULL: the same number */
    int64_t *row_ptr;  /* owned, as are the next two; NULL: the arrays of the plan are used */
    int32_t *col_ind;
    void *values;
};

/* The caller always calls original_matrix_free afterwards, even after a failure. */
spmm_status_t original_matrix_of(const spmm_plan_t *plan, struct original_matrix *original,
                                 spmm_diag_t *diag);
void original_matrix_free(struct original_matrix *original);

#endif
