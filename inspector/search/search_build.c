/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the parts of a candidate (search.h). */
#include <string.h>

#include "format/base/diag.h"
#include "search.h"

spmm_status_t spmmi_search_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                 struct spmmi_part parts[2], uint32_t *count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *count = c->long_rows != NULL ? 2 : 1;
    memset(parts, 0, *count * sizeof *parts);
    parts[0] = (struct spmmi_part){.op = s->pattern->op,
                                   .family = c->family,
                                   .schedule = c->schedule,
                                   .item_size = c->item_size,
                                   .block_rows = c->unit_rows,
                                   .stage_slots = c->stage_slots,
                                   .flags = c->flags};
    SPMM_TRY(spmmi_planner_of(c->family)->build(s, c, parts, diag));
cleanup:
    return status;
}
