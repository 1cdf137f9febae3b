/* SPDX-License-Identifier: Apache-2.0 */
/* both SPEC: inspects and runs in one process, without a file. */
#include <spmm/spmm.h>

#include "check_product.h"

static int check_matrix_info(const spmm_matrix_t *matrix)
{
    unsigned char *block = guarded_new(sizeof(spmm_matrix_info_t));
    spmm_matrix_info_t *info = (spmm_matrix_info_t *)(void *)block;
    const int bad = spmm_matrix_info(matrix, info) != SPMM_OK || info->nnz <= 0 || info->format[0] != 'g' ||
                    !guard_is_whole(block, sizeof *info);
    free(block);
    return bad;
}

/* Inspects with the default value of every option struct. The result must be the same as without options
 * (NULL). */
static spmm_status_t inspect(const spmm_matrix_t *matrix, spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    const spmm_tiled_options_t tiled = SPMM_TILED_OPTIONS_INIT;
    const spmm_tcblock_options_t tcblock = SPMM_TCBLOCK_OPTIONS_INIT;
    options.tiled = &tiled;
    options.tcblock = &tcblock;
    return spmm_inspect(matrix, &options, plan, diag);
}

int main(int argc, char **argv)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    if (argc != 2)
        return 2;
    int bad =
        spmm_matrix_generate(argv[1], &matrix, &diag) != SPMM_OK || inspect(matrix, &plan, &diag) != SPMM_OK;
    if (bad)
        fprintf(stderr, "%s: %s\n", spmm_status_name(diag.status), diag.text);
    else
        bad = check_matrix_info(matrix) || check_product(plan);
    bad = bad || spmm_version() < SPMM_VERSION_NUMBER; /* tests/abi compiles this with older headers */
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
    return bad;
}
