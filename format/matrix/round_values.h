/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a matrix, rounded to the value type of a plan. */
#ifndef SPMMI_ROUND_VALUES_H
#define SPMMI_ROUND_VALUES_H

#include "format/plan.h"

/* Allocate *values for the nonzeros of a, whose row pointers are int64 and columns int32: each value rounded to
 * nearest, ties to even, those of the same type bit by bit, 1 in all of them for a pattern. threads as spmmi_team.
 * ARGUMENT when a finite value is too large for the type, MEMORY. */
spmm_status_t spmmi_values_round(const spmm_csr_t *a, spmm_dtype_t type, int threads, void **values,
                                 spmm_diag_t *diag);

/* Do the plan's values, if it has any, fit these types too, a mask of SPMMI_TYPE_BIT? ARGUMENT when a finite value is
 * too large for one. */
spmm_status_t spmmi_values_fit(const spmm_plan_t *plan, uint32_t types, int threads, spmm_diag_t *diag);

#endif
