/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the bcsr family, strips of 64 or 128 rows of aligned blocks: see kernels/tcblock/fragment_plan.h. */
#include "bcsr_cost.h"
#include "kernels/tcblock/fragment_plan.h"

#define STRIPS_TALL 128u
#define STRIPS_LOW 64u
#define STRIPS_ENOUGH 2 /* a multiprocessor, which works on two at a time */

/* Tall ones where every multiprocessor still has enough of them. */
static uint32_t default_rows(const struct spmmi_search *s)
{
    const int64_t tall = s->pattern->rows / STRIPS_TALL + (s->pattern->rows % STRIPS_TALL != 0);
    return tall < (int64_t)STRIPS_ENOUGH * s->request->device.multiprocessors ? STRIPS_LOW : STRIPS_TALL;
}

SPMMI_FRAGMENT_PLANNER(spmmi_bcsr_planner, SPMM_FAMILY_BCSR, spmmi_bcsr_cost, .first = SPMMI_FRAGMENT_BCSR_64,
                       .last = SPMMI_FRAGMENT_BCSR_128, .default_rows = default_rows);
