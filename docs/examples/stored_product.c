/* SPDX-License-Identifier: Apache-2.0 */
/* See stored_product.h. */
#include "stored_product.h"

#include <stdio.h>
#include <string.h>

#include "solver.h"

int stored_product_open(struct stored_product *p, const char *path, const spmm_csr_t *operands, int count)
{
    spmm_diag_t diag = {.text = ""};
    memset(p, 0, sizeof *p);
    const spmm_status_t status = spmm_plan_load(path, NULL, &p->plan, &diag);
    if (status == SPMM_ERR_IO)
        return 0;
    solver_require(status, &diag);
    spmm_plan_info_t info = {.struct_size = sizeof info};
    solver_require(spmm_plan_info(p->plan, &info), &diag);
    if (info.a_type != SPMM_F64)
        solver_fail("the plan of the product must be of f64: spmm-inspect --dtype f64");
    for (int i = 0; i < count; i++)
        solver_require(spmm_plan_operand_matches(p->plan, i, &operands[i], &diag), &diag);
    solver_require(spmm_product_create(p->plan, SPMM_DEVICE_CPU, NULL, &p->product, &diag), &diag);
    solver_require(spmm_product_workspace_bytes(p->product, &p->workspace_bytes), &diag);
    solver_require(spmm_plan_csr(p->plan, &p->c), &diag);
    p->workspace = device_cpu.allocate(p->workspace_bytes);
    p->values = device_cpu.allocate((uint64_t)p->c.nnz * sizeof *p->values);
    p->c.values = p->values;
    return 1;
}

void stored_product_close(struct stored_product *p)
{
    device_cpu.release(p->values);
    device_cpu.release(p->workspace);
    spmm_product_destroy(p->product);
    spmm_plan_destroy(p->plan);
}

void stored_product_inspect(const char *path, const spmm_csr_t *operands, const struct stored_factor *given,
                            int count)
{
    spmm_diag_t diag = {.text = ""};
    spmm_matrix_t *matrices[SPMM_PRODUCT_FACTORS] = {NULL};
    spmm_product_factor_t factors[SPMM_PRODUCT_FACTORS] = {{NULL, SPMM_OP_N}};
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    options.dtype = SPMM_F64;
    for (int f = 0; f < count; f++) {
        spmm_matrix_t **matrix = &matrices[given[f].operand];
        if (*matrix == NULL)
            solver_require(spmm_matrix_from_csr(&operands[given[f].operand], matrix, &diag), &diag);
        factors[f] = (spmm_product_factor_t){*matrix, given[f].op};
    }
    solver_require(spmm_product_inspect(factors, count, &options, &plan, &diag), &diag);
    solver_require(spmm_plan_save(plan, path, NULL, &diag), &diag);
    spmm_plan_destroy(plan);
    for (int i = 0; i < count; i++)
        spmm_matrix_destroy(matrices[i]);
}

void stored_product_run(struct stored_product *p, const double *const *values, const double *diagonal)
{
    spmm_diag_t diag = {.text = ""};
    solver_require(spmm_product_execute(p->product, spmm_real(1), (const void *const *)values, diagonal,
                                        spmm_real(0), p->values, p->workspace, p->workspace_bytes, NULL,
                                        &diag),
                   &diag);
}
