/* SPDX-License-Identifier: Apache-2.0 */
/* Plans whose rows of B or C are in a different order from the rows of A, and conversion between the two
 * orders. */
#ifndef SPMM_TOOLS_PERMUTED_ROWS_H
#define SPMM_TOOLS_PERMUTED_ROWS_H

#include <spmm/plan.h>

/* Position i of the plan's order holds row order[i] of A's order; NULL: the order of A. Both arrays live as
 * long as the plan. */
struct permuted_rows {
    const uint32_t *b, *c;
};
/* Returns the orders for products with op. b has one entry per row of B, and c one per row of C. A plan of
 * PAP^T changes the order of both; a plan with permuted output changes only the order of C. */
struct permuted_rows permuted_rows_of(const spmm_plan_t *plan, spmm_op_t op);

/* Move the rows of a matrix in host memory from the order of A to the order of the plan (make) or back
 * (undo). order may be NULL: nothing changes. */
spmm_status_t permuted_rows_make(const spmm_dense_t *dense, const uint32_t *order, spmm_diag_t *diag);
spmm_status_t permuted_rows_undo(const spmm_dense_t *dense, const uint32_t *order, spmm_diag_t *diag);

#endif
