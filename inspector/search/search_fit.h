/* SPDX-License-Identifier: Apache-2.0 */
/* Merges variants when a draft has more of them than a plan can hold. */
#ifndef SPMMI_SEARCH_FIT_H
#define SPMMI_SEARCH_FIT_H

#include "search_draft.h"

/* The number of merges of variants with different kernels, and the largest loss of any range of n by a merge:
 * a fraction of the range's least time. INFINITY: not known. */
struct spmmi_merges {
    int count;
    double loss;
};
/* Writes a sentence about the merges. The plan stores it as metadata under this key. */
#define SPMMI_MERGES_KEY "merged-ranges"
void spmmi_merges_text(const struct spmmi_merges *merges, char *text, size_t room);

/* Reduces a draft until a plan can hold its variants and parts. First closes the gaps between ranges of n on
 * all devices. Then merges variants that all GPUs have into one for any device, unless the draft has such
 * variants already. Then merges adjacent ranges of n, or the two layouts of a range, within an op, device and
 * type, the least loss first. A measured decision loses more than SPMMI_SHARE_LOSS only if no other merge is
 * left. Errors: ARGUMENT (too many ops, devices and types). */
spmm_status_t spmmi_draft_fit(struct spmmi_draft *draft, struct spmmi_merges *merges, spmm_diag_t *diag);

#endif
