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

SPMMI_FRAGMENT_PLANNER(spmmi_panel_planner, SPMM_FAMILY_PANEL, spmmi_panel_cost, .first = SPMMI_FRAGMENT_64,
                       .last = SPMMI_FRAGMENT_256, .free_rows = PANEL_ROWS_FREE,
                       .default_rows = default_rows);
