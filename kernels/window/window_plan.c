/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the window family, windows of 8 rows: see kernels/tcblock/fragment_plan.h. */
#include "window_cost.h"
#include "kernels/tcblock/fragment_plan.h"

/* Windows have one height. */
static uint32_t default_rows(const struct spmmi_search *s)
{
    (void)s;
    return SPMMI_WINDOW_ROWS;
}

static const struct spmmi_fragment_rules rules = {
    .family = SPMM_FAMILY_WINDOW,
    .first = SPMMI_FRAGMENT_8,
    .last = SPMMI_FRAGMENT_8,
    .default_rows = default_rows,
};

static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    return spmmi_fragment_propose(s, &rules, diag);
}

static spmm_status_t refine(struct spmmi_search *s, spmm_diag_t *diag)
{
    return spmmi_fragment_refine(s, &rules, diag);
}

const struct spmmi_planner spmmi_window_planner = {
    .family = SPMM_FAMILY_WINDOW,
    .nonzeros_least = SPMMI_NONZEROS_MEASURED,
    .permutes_output = 1,
    .check_options = spmmi_fragment_check_options,
    .propose = propose,
    .refine = refine,
    .cost = spmmi_window_cost,
    .build = spmmi_fragment_build,
};
