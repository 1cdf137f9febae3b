/* SPDX-License-Identifier: Apache-2.0 */
/* Plans whose rows of B or C are in another order than those of A, and rows moved between both. */
#ifndef SPMM_TOOLS_PERMUTED_ROWS_H
#define SPMM_TOOLS_PERMUTED_ROWS_H

#include <spmm/plan.h>

/* Position i of the plan's order holds row order[i] of A's; NULL: the order of A. Both live as long as the plan. */
struct permuted_rows {
    const uint32_t *b, *c;
};
/* Of products with op: b has as many entries as B has rows, c as C. A plan of PAP^T has another order of both, one that
 * permutes its output of C. */
struct permuted_rows permuted_rows_of(const spmm_plan_t *plan, spmm_op_t op);

/* Move the rows of a matrix in host memory from the order of A into that of the plan, or back. order may be NULL. */
spmm_status_t permuted_rows_make(const spmm_dense_t *dense, const uint32_t *order, spmm_diag_t *diag);
spmm_status_t permuted_rows_undo(const spmm_dense_t *dense, const uint32_t *order, spmm_diag_t *diag);

#endif
