/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the rows family: two schedules, with rows in the order of A. A row split processes
 * neighbouring rows at the same time, so that rows of B hit the L1 cache, and its blocks share no row. But
 * the longest row is processed by one lane group, or by one team of groups. */
#include "rows_plan.h"

#include "format/base/diag.h"
#include "inspector/search/planner.h"
#include "rows_partition_plan.h"
#include "rows_stream_plan.h"

static spmm_status_t check_options(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *const o = &r->options;
    const spmm_tiled_options_t *const t = &r->tiled;
    const bool asks_units =
        t->balance != 0 || t->segment_length != 0 || t->block_rows != 0 || t->stage_slots != 0;
    const bool permutes = (o->reorder != 0 && !o->symmetric_permutation) || o->permute_output;
    SPMM_REQUIRE(!asks_units, SPMM_ERR_ARGUMENT, diag,
                 "the options in tiled apply to the tiled family only, but the named kernel is rows");
    SPMM_REQUIRE(
        !permutes, SPMM_ERR_ARGUMENT, diag,
        "the named kernel is rows, which supports neither reorder nor permute_output: choose another family");
cleanup:
    return status;
}

static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_schedule_t wanted = s->request->schedule;
    for (int schedule = SPMM_SCHEDULE_ROW_SPLIT; schedule <= SPMM_SCHEDULE_NONZERO_SPLIT; schedule++) {
        const bool is_wanted = wanted == 0 || wanted == (spmm_schedule_t)schedule;
        struct spmmi_candidate c = {
            .family = SPMM_FAMILY_ROWS,
            .schedule = (spmm_schedule_t)schedule,
            .item_size = SPMMI_ROWS_ITEM_SIZE,
            .is_default = is_wanted,
            .refused = spmmi_is_forced(s) && !is_wanted ? SPMMI_REASON_FORCED : (enum spmmi_reason)0,
        };
        SPMM_TRY(spmmi_search_emit(s, &c, diag));
    }
cleanup:
    return status;
}

static spmm_status_t build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    status =
        spmmi_partition(a->op, c->schedule, c->item_size, a->rows, a->row_ptr, s->request->threads, part);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the work items");
cleanup:
    return status;
}

const struct spmmi_planner spmmi_rows_planner = {.family = SPMM_FAMILY_ROWS,
                                                 .prices_cpu = true,
                                                 .check_options = check_options,
                                                 .propose = propose,
                                                 .cost = spmmi_rows_cost,
                                                 .build = build,
                                                 .stream = spmmi_rows_stream_of};
