/* SPDX-License-Identifier: Apache-2.0 */
/* See solver.h: all calls of spmm that a solver makes after its plan is loaded. */
#include "solver.h"

/* Allocates one workspace for all widths: the larger one of both ops. */
static void workspace_ask(struct solver *solver, spmm_op_t op)
{
    spmm_diag_t diag = {.text = ""};
    uint64_t bytes = 0;
    solver_require(spmm_executor_workspace_max(solver->executor, op, SOLVER_COLUMNS_MAX, SPMM_ROW_MAJOR,
                                               SPMM_ROW_MAJOR, &bytes, &diag),
                   &diag);
    if (bytes > solver->workspace_bytes)
        solver->workspace_bytes = bytes;
}

void product_open(struct solver *solver, int number, int ops)
{
    spmm_diag_t diag = {.text = ""};
    solver_require(spmm_executor_create(solver->plan, number, NULL, &solver->executor, &diag), &diag);
    workspace_ask(solver, SPMM_OP_N);
    if (ops > 1)
        workspace_ask(solver, SPMM_OP_T);
    solver->workspace = solver->device->allocate(solver->workspace_bytes);
}

void product_close(struct solver *solver)
{
    solver->device->release(solver->workspace);
    spmm_executor_destroy(solver->executor);
}

void solver_set_values(const struct solver *solver, const double *values)
{
    spmm_diag_t diag = {.text = ""};
    solver_require(spmm_executor_set_values(solver->executor, values, NULL, &diag), &diag);
}

void solver_multiply(const struct solver *solver, spmm_op_t op, double alpha, const struct block *x,
                     double beta, const struct block *y)
{
    spmm_diag_t diag = {.text = ""};
    const spmm_dense_t b = {x->data, x->rows, x->cols, x->ld, SPMM_ROW_MAJOR, SPMM_F64};
    const spmm_dense_t c = {y->data, y->rows, y->cols, y->ld, SPMM_ROW_MAJOR, SPMM_F64};
    solver_require(spmm_execute(solver->executor, op, spmm_real(alpha), &b, spmm_real(beta), &c,
                                solver->workspace, solver->workspace_bytes, NULL, &diag),
                   &diag);
}
