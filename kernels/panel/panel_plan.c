/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the panel family, panels of 64 to 256 rows: see kernels/tcblock/fragment_plan.h. */
#include "panel_cost.h"
#include "kernels/tcblock/fragment_plan.h"

#define PANEL_ROWS_FREE 128u /* taller ones have no kernel on a GPU */

#define PANEL_ROWS_PLAIN 64u /* the least, so that there are most */

static uint32_t default_rows(const struct spmmi_search *s)
{
    (void)s;
    return PANEL_ROWS_PLAIN;
}

static const struct spmmi_fragment_rules rules = {
    .family = SPMM_FAMILY_PANEL,
    .first = SPMMI_FRAGMENT_64,
    .last = SPMMI_FRAGMENT_256,
    .free_rows = PANEL_ROWS_FREE,
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

const struct spmmi_planner spmmi_panel_planner = {
    .family = SPMM_FAMILY_PANEL,
    .nonzeros_least = SPMMI_NONZEROS_MEASURED,
    .permutes_output = 1,
    .check_options = spmmi_fragment_check_options,
    .propose = propose,
    .refine = refine,
    .cost = spmmi_panel_cost,
    .build = spmmi_fragment_build,
};
