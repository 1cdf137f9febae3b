/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the panel family: row blocks of 64 to 256 rows (kernels/tcblock/tcblock_plan.h). */
#include "panel_cost.h"
#include "kernels/tcblock/tcblock_plan.h"

#define BLOCK_ROWS_FREE 128u

#define BLOCK_ROWS_PLAIN 64u /* the minimum height, which gives the most row blocks */

static uint32_t default_rows(const struct spmmi_search *s)
{
    (void)s;
    return BLOCK_ROWS_PLAIN;
}

SPMMI_TCBLOCK_PLANNER(spmmi_panel_planner, SPMM_FAMILY_PANEL, spmmi_panel_cost, .first = SPMMI_TCBLOCK_64,
                      .last = SPMMI_TCBLOCK_256, .free_rows = BLOCK_ROWS_FREE, .default_rows = default_rows);
