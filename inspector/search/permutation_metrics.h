/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of the permutations that a search considered, for the plan (docs/plan-format.md section 6.12). */
#ifndef SPMMI_PERMUTATION_METRICS_H
#define SPMMI_PERMUTATION_METRICS_H

#include "inspector/search/search.h"

/* Adds exact metrics to the plan for every permutation of the op's rows or units, each preceded by the
 * metrics of the order of op(A). Adds nothing if the op has no permutations. Errors: MEMORY. */
spmm_status_t spmmi_permutation_metrics_add(const struct spmmi_op *op, spmm_plan_t *plan, spmm_diag_t *diag);

#endif
