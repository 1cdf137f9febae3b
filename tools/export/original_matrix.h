/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a plan as it was inspected: where the plan is of PAP^T, its permutation is undone. */
#ifndef SPMM_TOOLS_ORIGINAL_MATRIX_H
#define SPMM_TOOLS_ORIGINAL_MATRIX_H

#include <spmm/plan.h>

struct original_matrix {
    spmm_csr_t csr;    /* as spmm_plan_csr, in the order of A; valid while the plan lives */
    int64_t *position; /* nonzero q of csr is nonzero position[q] of the plan; NULL: nonzero q */
    int64_t *row_ptr;  /* owned, as what follows; NULL: those of the plan */
    int32_t *col_ind;
    void *values;
};

/* original_matrix_free always follows. */
spmm_status_t original_matrix_of(const spmm_plan_t *plan, struct original_matrix *original,
                                 spmm_diag_t *diag);
void original_matrix_free(struct original_matrix *original);

#endif
