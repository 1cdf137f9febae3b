/* SPDX-License-Identifier: Apache-2.0 */
/* both_cxx SPEC: does the same as both.c in C++, with handles that destroy their objects. */
#include <spmm/spmm.h>

#include <cstdio>
#include <memory>

#include "check_product.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    spmm_diag_t diag;
    spmm_matrix_t *raw_matrix = nullptr;
    if (spmm_matrix_generate(argv[1], &raw_matrix, &diag) != SPMM_OK)
        return 1;
    const std::unique_ptr<spmm_matrix_t, decltype(&spmm_matrix_destroy)> matrix(raw_matrix,
                                                                                spmm_matrix_destroy);
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.a_type = SPMM_F32;
    spmm_plan_t *raw_plan = nullptr;
    if (spmm_inspect(matrix.get(), &options, &raw_plan, &diag) != SPMM_OK)
        return 1;
    const std::unique_ptr<spmm_plan_t, decltype(&spmm_plan_destroy)> plan(raw_plan, spmm_plan_destroy);
    return check_product(plan.get());
}
