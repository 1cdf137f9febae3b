/* SPDX-License-Identifier: Apache-2.0 */
/* run_only PLAN: links only the executor. */
#include "check_product.h"

int main(int argc, char **argv)
{
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    if (argc != 2)
        return 2;
    if (spmm_plan_load(argv[1], NULL, &plan, &diag) != SPMM_OK) {
        fprintf(stderr, "%s: %s\n", spmm_status_name(diag.status), diag.text);
        return 1;
    }
    const int bad = check_product(plan);
    spmm_plan_destroy(plan);
    return bad;
}
