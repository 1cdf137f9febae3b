/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of the values of a matrix to the value type of a plan. */
#ifndef SPMMI_ROUND_VALUES_H
#define SPMMI_ROUND_VALUES_H

#include "format/plan.h"

/* Allocates *values and stores the values of a in it, rounded to nearest with ties to
 * even. Values of the same type are copied bit by bit. If a is a pattern, all values
 * are 1. The row pointers of a are int64 and its columns int32. threads is passed to
 * spmmi_team. Errors: ARGUMENT if a finite value is too large for the type, MEMORY. */
spmm_status_t spmmi_values_round(const spmm_csr_t *a, spmm_dtype_t type, int threads, void **values,
                                 spmm_diag_t *diag);

/* Checks that the values of the plan, if it has any, are in the range of all types of a mask of
 * SPMMI_TYPE_BIT. Errors: ARGUMENT if a finite value is too large for one of them. */
spmm_status_t spmmi_values_fit(const spmm_plan_t *plan, uint32_t types, int threads, spmm_diag_t *diag);

#endif
