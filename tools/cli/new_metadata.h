/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan with changed metadata. */
#ifndef SPMM_TOOLS_NEW_METADATA_H
#define SPMM_TOOLS_NEW_METADATA_H

#include "metadata_input.h"

/* Adds the given pairs to the plan's metadata, replacing pairs with the same key. A given pair without a
 * value removes its key. The other pairs stay. Afterwards given holds all pairs of *updated. ARGUMENT,
 * MEMORY. */
spmm_status_t new_metadata_take(const spmm_plan_t *plan, struct metadata_input *given, spmm_plan_t **updated,
                                spmm_diag_t *diag);

#endif
