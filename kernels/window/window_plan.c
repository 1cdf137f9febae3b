/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the window family: row windows of 8 rows (kernels/tcblock/tcblock_plan.h). */
#include "window_cost.h"
#include "kernels/tcblock/tcblock_plan.h"

/* All row windows have 8 rows. */
static uint32_t default_rows(const struct spmmi_search *s)
{
    (void)s;
    return SPMMI_WINDOW_ROWS;
}

SPMMI_TCBLOCK_PLANNER(spmmi_window_planner, SPMM_FAMILY_WINDOW, spmmi_window_cost, .first = SPMMI_TCBLOCK_8,
                      .last = SPMMI_TCBLOCK_8, .default_rows = default_rows);
