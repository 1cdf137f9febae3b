/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that an executor gives up where all of a plan are more than its memory may take. */
#ifndef SPMMI_GIVE_UP_H
#define SPMMI_GIVE_UP_H

#include <stdbool.h>

#include "typed_plan.h"

#define SPMMI_TOO_LARGE UINT64_MAX /* bytes of a part that does not fit alone */

/* Gives up one part: its variants run by another part of their op. It is the one whose variants lose least for each of
 * its bytes, by the times in the plan's trace; before all others one that is too large. bytes: of each part of the plan
 * that variants have first. *given_up gets the bits of its variants. False: none can be given up. The last part of an
 * op stays, and one whose rows of C are in an order of its own. */
bool spmmi_plan_give_up(struct spmmi_typed_plan *typed, const uint64_t bytes[SPMMI_PART_MAX],
                        uint64_t *given_up);

#endif
