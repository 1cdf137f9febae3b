/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline of a plan (spmm_plan_roofline). */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <spmm/inspector.h>

#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/plan.h"
#include "roofline.h"

static_assert(sizeof((spmm_roofline_t *)0)->device == SPMMI_PROFILE_NAME_BYTES, "the name of a profile fits");

/* Returns the op of the part that the row-block metrics describe.
 * The record has no op, so the part is found by its schedule. */
static spmm_op_t op_of_row_blocks(const spmm_plan_t *plan)
{
    const spmm_row_block_metrics_t *s = &plan->row_block_metrics;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *p = &plan->parts[i];
        const bool is_reordered = (p->flags & SPMMI_PART_REORDERED) != 0;
        /* Parts of families without row-block metrics have stage_slots = 0, so they do not match. */
        if (p->block_rows == s->block_rows && p->stage_slots == s->stage_slots &&
            p->item_size == s->segment && (int64_t)p->item_count == s->units &&
            is_reordered == (s->is_reordered != 0))
            return p->op;
    }
    return SPMM_OP_N;
}

/* Returns the mean nonzeros per row of op(A). */
static double mean_of(const spmm_plan_t *plan, spmm_op_t op)
{
    if (op == SPMM_OP_N)
        return plan->stats.row_mean;
    return plan->cols > 0 ? (double)plan->nnz / (double)plan->cols : 0;
}

static spmm_roofline_point_t point_of(const struct spmmi_device_profile *profile, double intensity)
{
    return (spmm_roofline_point_t){
        intensity, profile == NULL ? 0 : 1e-9 * spmmi_roofline_throughput(profile, intensity)};
}

static void fill(const spmm_plan_t *plan, const struct spmmi_device_profile *profile, spmm_roofline_t *result)
{
    const spmm_row_block_metrics_t *row_blocks = &plan->row_block_metrics;
    const bool has_row_blocks = row_blocks->block_rows > 0;
    const spmm_matrix_stats_t stats = {
        .row_mean = mean_of(plan, has_row_blocks ? op_of_row_blocks(plan) : SPMM_OP_N)};
    const struct spmmi_roofline s = spmmi_roofline_of(&stats, has_row_blocks ? row_blocks : NULL, plan->dtype,
                                                      (double)row_blocks->register_tile);
    if (profile != NULL) {
        memcpy(result->device, profile->name, sizeof result->device);
        result->peak_gbs = 1e-9 * profile->peak_bandwidth;
        result->peak_gflops = 1e-9 * profile->peak_flops;
    }
    result->naive = point_of(profile, spmmi_roofline_naive(&s));
    if (!has_row_blocks)
        return;
    double (*const bound)(const struct spmmi_roofline *, enum spmmi_roofline_bound) =
        row_blocks->segment > 0 ? spmmi_roofline_segmented : spmmi_roofline_tiled;
    result->equation = row_blocks->segment > 0 ? 6 : 3;
    result->algorithmic = point_of(profile, bound(&s, SPMMI_ROOFLINE_ALGORITHMIC));
    result->all_miss = point_of(profile, bound(&s, SPMMI_ROOFLINE_ALL_MISS));
    result->cold_miss = point_of(profile, bound(&s, SPMMI_ROOFLINE_COLD_MISS));
}

spmm_status_t spmm_plan_roofline(const spmm_plan_t *plan, const char *device, spmm_roofline_t *roofline,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_device_profile profile;
    spmm_roofline_t full;
    memset(&full, 0, sizeof full);
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(spmmi_info_write(roofline, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "roofline is NULL or without struct_size");
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    if (device != NULL)
        SPMM_TRY(spmmi_device_profile_open(device, &profile, diag));
    fill(plan, device != NULL ? &profile : NULL, &full);
    SPMM_TRY(spmmi_info_write(roofline, &full, sizeof full));
cleanup:
    return status;
}
