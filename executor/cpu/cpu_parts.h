/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts a CPU executor runs: the plan's own, of which it prefers rows, and those that it makes where a kernel is
 * forced or where the plan has rows parts of a 16-bit type, for which the rows family has no code. */
#ifndef SPMMI_CPU_PARTS_H
#define SPMMI_CPU_PARTS_H

#include <stdbool.h>

#include "format/plan.h"

/* Slots: parts by their number in the plan; then those made here, by op. */
enum { SPMMI_CPU_PARTS_MADE = SPMMI_PART_MAX, SPMMI_CPU_PART_SLOTS = SPMMI_CPU_PARTS_MADE + 2 };
#define SPMMI_CPU_MADE_GRANULE 1024u /* of the rows parts made here */

/* force_kernel is a catalogue name or NULL throughout. */

/* Can every variant run? Errors: UNSUPPORTED: no code for the type; ARGUMENT: the plan has no part for the forced
 * kernel, or the part that would run leaves C in another order than the variant's own. */
spmm_status_t spmmi_cpu_parts_check(const spmm_plan_t *plan, const char *force_kernel, spmm_diag_t *diag);

/* The slot of the part that runs a variant: its own; where that is none of rows and the plan has rows parts of the op
 * too, one of those; the plan's first part of a forced kernel of another family. */
uint32_t spmmi_cpu_slot_of(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                           const char *force_kernel);

/* What is in the slot, without items where it is made here. */
struct spmmi_part spmmi_cpu_part_in(const spmm_plan_t *plan, uint32_t slot, const char *force_kernel);

/* Does any variant run the part in this slot? */
bool spmmi_cpu_slot_is_used(const spmm_plan_t *plan, uint32_t slot, const char *force_kernel);

/* Does any variant of this op run a rows part? */
bool spmmi_cpu_has_rows_part(const spmm_plan_t *plan, spmm_op_t op, const char *force_kernel);

#endif
