/* SPDX-License-Identifier: Apache-2.0 */
/* Reports how executors on GPUs store op(A) for a variant: see spmm_plan_stream. */
#include <string.h>

#include <spmm/inspector.h>

#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/matrix/equal_values.h"
#include "format/plan.h"
#include "planner.h"

static spmm_status_t fill(const spmm_plan_t *plan, const spmm_variant_info_t *variant, uint64_t budget,
                          spmm_stream_info_t *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_part *const part = &plan->parts[variant->part_first];
    const struct spmmi_planner *const planner = spmmi_planner_of(part->family);
    const int has_one_column = variant->n_min <= 1;
    if (variant->target == SPMMI_TARGET_CPU || planner->stream == NULL)
        return SPMM_OK;
    SPMM_TRY(planner->stream(plan, part, variant->a_type, has_one_column, budget, info, diag));
    info->has_uniform_values = spmmi_plan_has_equal_values(plan, 1);
cleanup:
    return status;
}

spmm_status_t spmm_plan_stream(const spmm_plan_t *plan, int variant, uint64_t budget_bytes,
                               spmm_stream_info_t *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_variant_info_t of = {.struct_size = sizeof of};
    spmm_stream_info_t full;
    memset(&full, 0, sizeof full);
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(spmmi_info_write(info, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "info is NULL or without struct_size");
    SPMM_REQUIRE(plan != NULL && spmm_plan_variant(plan, variant, &of) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "plan is NULL, or has no variant %d", variant);
    SPMM_TRY(fill(plan, &of, budget_bytes, &full, diag));
    SPMM_TRY(spmmi_info_write(info, &full, sizeof full));
cleanup:
    return status;
}
