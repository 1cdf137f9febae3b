/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two plans. */
#ifndef SPMM_TOOLS_PLAN_DIFF_H
#define SPMM_TOOLS_PLAN_DIFF_H

#include <spmm/plan.h>
#include <stdio.h>

/* Prints one or more lines for each difference in matrix, values, names, variants and sections. out may be
 * NULL. *differs becomes 0 if saving both plans with equal options gives the same bytes. Errors: MEMORY. */
spmm_status_t plan_diff(FILE *out, const spmm_plan_t *a, const spmm_plan_t *b, int *differs,
                        spmm_diag_t *diag);

#endif
