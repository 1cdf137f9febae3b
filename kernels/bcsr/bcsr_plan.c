/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the bcsr family: block-row groups of 64 or 128 rows with aligned blocks
 * (kernels/tcblock/tcblock_plan.h). */
#include <math.h>

#include "bcsr_cost.h"
#include "bcsr_shape.h"
#include "kernels/tcblock/tcblock_plan.h"

#define GROUPS_TALL 128u
#define GROUPS_LOW 64u
#define GROUPS_ENOUGH 2     /* groups per multiprocessor, which processes two at a time */
#define GROUPS_SIMILAR 1.25 /* maximum steps of the longest group over those of the mean one */
#define SHARES_BUSY 0.5     /* least part of the multiprocessors for shares of similar groups */

/* Returns tall groups if every multiprocessor still has enough of them. */
static uint32_t default_rows(const struct spmmi_search *s)
{
    const int64_t tall = s->pattern->rows / GROUPS_TALL + (s->pattern->rows % GROUPS_TALL != 0);
    return tall < (int64_t)GROUPS_ENOUGH * s->request->device.multiprocessors ? GROUPS_LOW : GROUPS_TALL;
}

/* Returns the steps up to which no group is split into items, since thread blocks are enough without that: if
 * clusters certainly share the steps of a group, where a share is no longer than an item of a split group
 * elsewhere; or if all groups are similar, and whole groups or shares of them keep enough multiprocessors busy.
 * 0: no such limit. Executors split the groups again on other devices (spmmi_bcsr_item_size). */
static uint32_t uncut_steps(const struct spmmi_search *s, const struct spmmi_tcblock_counts *f)
{
    const struct spmmi_request *const r = s->request;
    const int is_columns = s->layout == SPMM_LAYOUTS_COL_MAJOR; /* B is aligned, or read by words */
    const int has_wgmma = r->device.target == SPMMI_BCSR_GROUP_TARGET || r->device.target == SPMMI_TARGET_ANY;
    const struct spmmi_bcsr_shape shape = spmmi_bcsr_split_shape(is_columns);
    const struct spmmi_bcsr_operands operands = {
        .n = (uint32_t)s->n,
        .value_bytes = sizeof(float),
        .is_wide = is_columns || s->n * (int64_t)sizeof(float) % 16 == 0,
        .is_split = r->tensor == SPMM_COMPUTE_3XTF32 && spmmi_bcsr_fills_groups(f->blocks, f->steps)};
    const double units = fmax(f->units, 1), blocks = units * ceil((double)s->n / shape.columns);
    if (!spmmi_bcsr_has_split(&operands, f->unit_rows, has_wgmma))
        return 0;
    const uint32_t shares =
        spmmi_bcsr_shares(blocks, f->steps / units, r->device.multiprocessors, SPMMI_BCSR_CLUSTER_MAX);
    const double busy = shares * blocks / r->device.multiprocessors;
    const double similar =
        busy >= (shares > 1 ? SHARES_BUSY : SPMMI_BCSR_CLUSTER_ROOM) ? GROUPS_SIMILAR * f->steps / units : 0;
    const double shared = shares > 1 ? shares * SPMMI_BCSR_CLUSTER_STEPS_MAX : 0;
    return (uint32_t)fmin(fmax(shared, similar), SPMMI_STEPS_MAX);
}

SPMMI_TCBLOCK_PLANNER(spmmi_bcsr_planner, SPMM_FAMILY_BCSR, spmmi_bcsr_cost, .first = SPMMI_TCBLOCK_BCSR_64,
                      .last = SPMMI_TCBLOCK_BCSR_128, .default_rows = default_rows,
                      .uncut_steps = uncut_steps);
