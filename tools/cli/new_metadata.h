/* SPDX-License-Identifier: Apache-2.0 */
/* Other metadata for a plan. */
#ifndef SPMM_TOOLS_NEW_METADATA_H
#define SPMM_TOOLS_NEW_METADATA_H

#include "metadata_input.h"

/* Pairs that were given are new, or in place of those with their keys; one without a value takes that of its key out.
 * Others of the plan stay. given has all pairs of *updated then. ARGUMENT, MEMORY. */
spmm_status_t new_metadata_take(const spmm_plan_t *plan, struct metadata_input *given, spmm_plan_t **updated,
                                spmm_diag_t *diag);

#endif
