/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds the values of a matrix to the value type of its plan. */
#ifndef SPMMI_INSPECT_VALUES_H
#define SPMMI_INSPECT_VALUES_H

#include "format/plan.h"
#include "matrix.h"

/* Allocates and fills plan->values; plan->dtype and plan->nnz must be set. Each value of a is rounded to
 * nearest, ties to even; a pattern gives values of 1. Values that round to zero are kept as stored zeros,
 * which stats.zeros of the plan counts. Errors: ARGUMENT (a finite value is too large for the type),
 * MEMORY. */
spmm_status_t spmmi_inspect_values(const spmm_matrix_t *a, int threads, spmm_plan_t *plan, spmm_diag_t *diag);

#endif
