/* SPDX-License-Identifier: Apache-2.0 */
/* Variants, parts and trace of a plan: one variant for each decision, one part for each configuration that runs. */
#ifndef SPMMI_SEARCH_PLAN_H
#define SPMMI_SEARCH_PLAN_H

#include "format/plan.h"
#include "inspector/inspect_options.h"

/* The plan holds its matrix and its statistics. Errors: MEMORY, MATRIX_TOO_LARGE. */
spmm_status_t spmmi_search_plan(const struct spmmi_request *request, spmm_plan_t *plan, spmm_diag_t *diag);

#endif
