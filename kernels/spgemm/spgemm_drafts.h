/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the items of a sparse product on a GPU: bins of items that one launch runs in the same way. */
#ifndef SPMMI_SPGEMM_DRAFTS_H
#define SPMMI_SPGEMM_DRAFTS_H

#include "spgemm_items.h"
#include "spgemm_walk.h"

/* Sorts the items->count drafts into the order of bins, and fills the bins and groups of items. *drafts is
 * freed and replaced. Errors: TOO_LARGE, MEMORY. */
spmm_status_t spmmi_spgemm_drafts_sort(struct spgemm_draft **drafts, struct spmmi_spgemm_items *items,
                                       spmm_diag_t *diag);

#ifdef SPMM_TEST_HOOKS
extern uint64_t spmmi_spgemm_mask_warps; /* warps of items with masks; more items take turns */
#endif

/* Returns the number of products of the sorted items that have masks. */
uint64_t spmmi_spgemm_drafts_masked(const struct spgemm_draft *drafts,
                                    const struct spmmi_spgemm_items *items);

#endif
