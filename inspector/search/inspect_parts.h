/* SPDX-License-Identifier: Apache-2.0 */
/* Variants, parts and trace of a plan: one variant for each decision, one part for each configuration that runs. */
#ifndef SPMMI_INSPECT_PARTS_H
#define SPMMI_INSPECT_PARTS_H

#include "format/plan.h"
#include "inspector/inspect_options.h"

/* The plan holds its matrix and its statistics. Errors: MEMORY, MATRIX_TOO_LARGE. */
spmm_status_t spmmi_inspect_parts(const struct spmmi_request *request, spmm_plan_t *plan, spmm_diag_t *diag);

#endif
