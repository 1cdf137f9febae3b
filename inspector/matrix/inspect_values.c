/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_values.h. */
#include "inspect_values.h"

#include "format/matrix/round_values.h"

spmm_status_t spmmi_inspect_values(const spmm_matrix_t *a, int threads, spmm_plan_t *plan, spmm_diag_t *diag)
{
    const spmm_csr_t view = {a->rows,    a->cols,    a->nnz,   SPMM_I64, SPMM_I32,
                             a->row_ptr, a->col_ind, SPMM_F64, a->values};
    return spmmi_values_round(&view, plan->dtype, threads, &plan->values, diag);
}
