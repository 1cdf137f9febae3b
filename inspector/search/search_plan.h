/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in the variants, parts and trace of a plan: one variant per decision, one part per configuration that
 * runs. */
#ifndef SPMMI_SEARCH_PLAN_H
#define SPMMI_SEARCH_PLAN_H

#include "format/plan.h"
#include "inspector/requests.h"
#include "search_fit.h"

/* Plans all requests. `plan` must hold its matrix and its statistics. *merges describes the ranges that had
 * to share a variant. Errors: ARGUMENT (more ops, devices and types than a plan can have variants), MEMORY,
 * MATRIX_TOO_LARGE. */
spmm_status_t spmmi_search_plan(const struct spmmi_requests *requests, spmm_plan_t *plan,
                                struct spmmi_merges *merges, spmm_diag_t *diag);

#endif
