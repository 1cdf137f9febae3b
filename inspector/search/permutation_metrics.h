/* SPDX-License-Identifier: Apache-2.0 */
/* What the orders did that a choice looked at: metrics for the plan (docs/plan-format.md section 6.12). */
#ifndef SPMMI_PERMUTATION_METRICS_H
#define SPMMI_PERMUTATION_METRICS_H

#include "inspector/search/search.h"

/* Add the exact metrics of every order of the op's rows or units that is not op(A)'s own, and before them of that one,
 * to those of the plan; nothing where there is none. Errors: MEMORY. */
spmm_status_t spmmi_permutation_metrics_add(const struct spmmi_op *op, spmm_plan_t *plan, spmm_diag_t *diag);

#endif
