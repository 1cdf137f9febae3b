/* SPDX-License-Identifier: Apache-2.0 */
/* Where a draft has more variants than a plan has room for: which become one. */
#ifndef SPMMI_SEARCH_FIT_H
#define SPMMI_SEARCH_FIT_H

#include "search_draft.h"

/* Variants that became one with a neighbour of another kernel, and the most that a range of n loses by that: a share of
 * its least time; INFINITY: not known. */
struct spmmi_merges {
    int count;
    double loss;
};
/* A sentence about them, which metadata of the plan have under this key. */
#define SPMMI_MERGES_KEY "merged-ranges"
void spmmi_merges_text(const struct spmmi_merges *merges, char *text, size_t room);

/* Until a plan has room for all variants and parts: gaps between ranges of n are closed on all devices, variants that
 * all GPUs have become one for any device, unless the plan has such variants already; then ranges of n that touch, or
 * the two layouts of one range, of the same op, device and type are merged, the least loss first. Measured decisions
 * lose more than SPMMI_SHARE_LOSS only where nothing else is left. ARGUMENT: there are too many ops, devices, types. */
spmm_status_t spmmi_draft_fit(struct spmmi_draft *draft, struct spmmi_merges *merges, spmm_diag_t *diag);

#endif
