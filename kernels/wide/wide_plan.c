/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of the wide family: one candidate, whose part has the rows in their own order. */
#include "inspector/search/planner.h"
#include "wide_cost.h"
#include "wide_shape.h"

static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    struct spmmi_candidate c = {
        .family = SPMMI_WIDE, .schedule = SPMMI_WIDE_COLUMN_PANELS, .is_default = true};
    return spmmi_search_emit(s, &c, diag);
}

static spmm_status_t build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag)
{
    (void)c;
    return spmmi_part_set_items(part, (uint64_t)s->pattern->rows, NULL, diag);
}

const struct spmmi_planner spmmi_wide_planner = {.family = SPMMI_WIDE,
                                                 .nonzeros_min = SPMMI_NONZEROS_MEASURED,
                                                 .propose = propose,
                                                 .cost = spmmi_wide_cost,
                                                 .build = build};
