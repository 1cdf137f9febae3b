/* SPDX-License-Identifier: Apache-2.0 */
/* See stored_product.h: makes and writes the plan of a product. */
#include "solver.h"
#include "stored_product.h"

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
