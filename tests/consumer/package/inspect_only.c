/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_only SPEC PLAN: links only the inspector. */
#include <spmm/inspector.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    if (argc != 3)
        return 2;
    const int bad = spmm_matrix_generate(argv[1], &matrix, &diag) != SPMM_OK ||
                    spmm_inspect(matrix, NULL, &plan, &diag) != SPMM_OK ||
                    spmm_plan_save(plan, argv[2], NULL, &diag) != SPMM_OK;
    if (bad)
        fprintf(stderr, "%s: %s\n", spmm_status_name(diag.status), diag.text);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    return bad;
}
