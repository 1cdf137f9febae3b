/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a matrix, rounded to the value type of its plan. */
#ifndef SPMMI_INSPECT_VALUES_H
#define SPMMI_INSPECT_VALUES_H

#include "format/plan.h"
#include "matrix.h"

/* Allocate and fill plan->values, plan->dtype and plan->nnz being set: each value of a rounded to nearest, ties to
 * even, 1 in all of them for a pattern. Values that round to zero stay as stored zeros, which stats.zeros of the
 * plan counts. ARGUMENT when a finite value is too large for the type, MEMORY. */
spmm_status_t spmmi_inspect_values(const spmm_matrix_t *a, int threads, spmm_plan_t *plan, spmm_diag_t *diag);

#endif
