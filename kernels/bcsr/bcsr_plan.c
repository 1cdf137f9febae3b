/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the bcsr family, block-row groups of 64 or 128 rows of aligned blocks: see
 * kernels/tcblock/tcblock_plan.h. */
#include "bcsr_cost.h"
#include "bcsr_shape.h"
#include "kernels/tcblock/tcblock_plan.h"

#define GROUPS_TALL 128u
#define GROUPS_LOW 64u
#define TARGET_HOPPER 90
#define SHARE_STEPS 32u /* 1,024 columns */
#define GROUPS_ENOUGH 2 /* a multiprocessor, which works on two at a time */

/* Tall ones where every multiprocessor still has enough of them. */
static uint32_t default_rows(const struct spmmi_search *s)
{
    const int64_t tall = s->pattern->rows / GROUPS_TALL + (s->pattern->rows % GROUPS_TALL != 0);
    return tall < (int64_t)GROUPS_ENOUGH * s->request->device.multiprocessors ? GROUPS_LOW : GROUPS_TALL;
}

/* Where clusters share items out, a share is no longer than an item that is cut elsewhere. */
static uint32_t uncut_steps(const struct spmmi_search *s, const struct spmmi_tcblock_counts *f)
{
    const struct spmmi_request *const r = s->request;
    const bool has_clusters = r->device.target == TARGET_HOPPER || r->device.target == SPMMI_TARGET_ANY;
    return has_clusters && r->tensor == SPMM_COMPUTE_3XTF32 && f->unit_rows == SPMMI_BCSR_GROUP_ROWS &&
                   spmmi_bcsr_fills_groups(f->blocks, f->steps)
               ? SHARE_STEPS * SPMMI_BCSR_SHARES_MAX
               : 0;
}

SPMMI_TCBLOCK_PLANNER(spmmi_bcsr_planner, SPMM_FAMILY_BCSR, spmmi_bcsr_cost, .first = SPMMI_TCBLOCK_BCSR_64,
                      .last = SPMMI_TCBLOCK_BCSR_128, .default_rows = default_rows,
                      .uncut_steps = uncut_steps);
