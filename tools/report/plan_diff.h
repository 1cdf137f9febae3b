/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two plans. */
#ifndef SPMM_TOOLS_PLAN_DIFF_H
#define SPMM_TOOLS_PLAN_DIFF_H

#include <spmm/plan.h>
#include <stdio.h>

/* A line or more for each of matrix, values, names, variants and sections that differ; out may be NULL. *differs is 0
 * where saving both with equal options gives the same bytes. Errors: MEMORY. */
spmm_status_t plan_diff(FILE *out, const spmm_plan_t *a, const spmm_plan_t *b, int *differs,
                        spmm_diag_t *diag);

#endif
