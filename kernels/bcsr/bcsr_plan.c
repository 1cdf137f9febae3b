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

static const struct spmmi_fragment_rules rules = {
    .family = SPMM_FAMILY_BCSR,
    .first = SPMMI_FRAGMENT_BCSR_64,
    .last = SPMMI_FRAGMENT_BCSR_128,
    .default_rows = default_rows,
};

static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    return spmmi_fragment_propose(s, &rules, diag);
}

static spmm_status_t refine(struct spmmi_search *s, spmm_diag_t *diag)
{
    return spmmi_fragment_refine(s, &rules, diag);
}

const struct spmmi_planner spmmi_bcsr_planner = {
    .family = SPMM_FAMILY_BCSR,
    .nonzeros_least = SPMMI_NONZEROS_MEASURED,
    .permutes_output = 1,
    .check_options = spmmi_fragment_check_options,
    .propose = propose,
    .refine = refine,
    .cost = spmmi_bcsr_cost,
    .build = spmmi_fragment_build,
};
