/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a family, rows or tiled, for each range of n and each layout of one op. */
#ifndef SPMMI_CHOOSE_FAMILY_H
#define SPMMI_CHOOSE_FAMILY_H

#include "kernels/tcblock/fragment_plan.h"
#include "kernels/long_rows/peel_plan.h"
#include "kernels/tiled/tiled_study_plan.h"

#define SPMMI_FAMILY_DECISION_MAX (2 * SPMMI_DECISION_MAX) /* two layouts */

struct spmmi_family_choice {
    struct spmmi_decision decisions[SPMMI_FAMILY_DECISION_MAX];
    int count;
    spmm_panel_stats_t
        panel_stats; /* exact, of the first tiled configuration that runs, column-major before row-major; zero: none */
};

/* What was looked at; decisions refer to it. All zero before. */
struct spmmi_studies {
    struct spmmi_tiled_studies tiled;
    struct spmmi_fragment_studies fragments;
    struct spmmi_peels peels;
};

/* Errors: MEMORY, MATRIX_TOO_LARGE. */
spmm_status_t spmmi_choose_family(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                  struct spmmi_studies *studies, struct spmmi_family_choice *choice,
                                  spmm_diag_t *diag);

#endif
