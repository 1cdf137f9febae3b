/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses parts to give up if all parts of a plan need more memory than allowed. */
#ifndef SPMMI_GIVE_UP_H
#define SPMMI_GIVE_UP_H

#include <stdbool.h>

#include "typed_plan.h"

#define SPMMI_TOO_LARGE UINT64_MAX /* bytes of a part that exceeds the memory by itself */

/* Gives up one part: its variants run by another part of their op. A part that is too large goes first; then
 * the part whose variants lose least time per byte of it, by the times in the plan's trace. bytes has the
 * bytes of each part of the plan that is the first part of a variant. Sets the bits of the affected variants
 * in *given_up. Returns false if no part can be given up: the last part of an op stays, and so does a part
 * that permutes the rows of C. */
bool spmmi_plan_give_up(struct spmmi_typed_plan *typed, const uint64_t bytes[SPMMI_PART_MAX],
                        uint64_t *given_up);

#endif
