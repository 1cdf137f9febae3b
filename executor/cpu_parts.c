/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_parts.h. */
#include "cpu_parts.h"

#include <string.h>

#include "cpu_backend.h"
#include "cpu_tiled.h"

static const char *const kernel_names[] = {"cpu/rows/row-split", "cpu/rows/nonzero-split", "cpu/tiled/whole",
                                           "cpu/tiled/segmented"}; /* by schedule - 1 */

int spmmi_cpu_kernel_count(void)
{
    return (int)(sizeof kernel_names / sizeof kernel_names[0]);
}

const char *spmmi_cpu_kernel_name(int index)
{
    return index >= 0 && index < spmmi_cpu_kernel_count() ? kernel_names[index] : NULL;
}

/* The rows kernels have no code for the 16-bit types. */
static bool is_narrow(const spmm_plan_t *plan)
{
    return spmm_dtype_size(plan->dtype) == 2;
}

static spmm_family_t family_of(spmm_schedule_t schedule)
{
    return schedule <= SPMM_SCHEDULE_NONZERO_SPLIT ? SPMM_FAMILY_ROWS : SPMM_FAMILY_TILED;
}

/* The schedule of the parts that are made here: the one that a catalogue name stands for. */
static spmm_schedule_t made_schedule(const char *force_kernel)
{
    int schedule = SPMM_SCHEDULE_WHOLE;
    for (int i = 0; force_kernel != NULL && i < spmmi_cpu_kernel_count(); i++)
        if (strcmp(force_kernel, kernel_names[i]) == 0)
            schedule = i + 1;
    return (spmm_schedule_t)schedule;
}

/* Tiled staging is for GPUs: on the CPU the plan's rows part is up to twice as fast. Row split before nonzero split,
 * which the plan may hold for one column only. Without such a part: that of the variant. */
static uint32_t preferred_slot(const spmm_plan_t *plan, const struct spmmi_variant *variant)
{
    const struct spmmi_part *own = &plan->parts[variant->part_first];
    uint32_t slot = variant->part_first;
    if (own->family != SPMM_FAMILY_TILED || (own->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 || is_narrow(plan))
        return slot;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *part = &plan->parts[i];
        if (part->op == variant->op && part->family == SPMM_FAMILY_ROWS &&
            (slot == variant->part_first || part->schedule == SPMM_SCHEDULE_ROW_SPLIT))
            slot = i;
    }
    return slot;
}

uint32_t spmmi_cpu_slot_of(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                           const char *force_kernel)
{
    const spmm_schedule_t schedule = made_schedule(force_kernel);
    const bool must_replace = is_narrow(plan) && plan->parts[variant->part_first].family == SPMM_FAMILY_ROWS;
    if (force_kernel == NULL && !must_replace)
        return preferred_slot(plan, variant);
    for (uint32_t i = 0; family_of(schedule) == SPMM_FAMILY_TILED && i < plan->part_count; i++)
        if (plan->parts[i].op == variant->op && plan->parts[i].schedule == schedule)
            return i;
    return SPMMI_CPU_PARTS_MADE + (uint32_t)variant->op;
}

struct spmmi_part spmmi_cpu_part_in(const spmm_plan_t *plan, uint32_t slot, const char *force_kernel)
{
    if (slot < SPMMI_CPU_PARTS_MADE)
        return plan->parts[slot];
    const spmm_op_t op = (spmm_op_t)(slot - SPMMI_CPU_PARTS_MADE);
    const spmm_schedule_t schedule = made_schedule(force_kernel);
    if (family_of(schedule) == SPMM_FAMILY_TILED)
        return spmmi_cpu_tiled_default(plan, op, schedule);
    return (struct spmmi_part){
        .op = op, .family = SPMM_FAMILY_ROWS, .schedule = schedule, .granule = SPMMI_CPU_MADE_GRANULE};
}

bool spmmi_cpu_reorders(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                        const char *force_kernel)
{
    const uint32_t slot = spmmi_cpu_slot_of(plan, variant, force_kernel);
    const uint32_t flags =
        plan->parts[variant->part_first].flags | spmmi_cpu_part_in(plan, slot, force_kernel).flags;
    return slot != variant->part_first && (flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
}

bool spmmi_cpu_slot_is_used(const spmm_plan_t *plan, uint32_t slot, const char *force_kernel)
{
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (spmmi_cpu_slot_of(plan, &plan->variants[i], force_kernel) == slot)
            return true;
    return false;
}

bool spmmi_cpu_has_rows_part(const spmm_plan_t *plan, spmm_op_t op, const char *force_kernel)
{
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const uint32_t slot = spmmi_cpu_slot_of(plan, &plan->variants[i], force_kernel);
        if (plan->variants[i].op == op &&
            spmmi_cpu_part_in(plan, slot, force_kernel).family == SPMM_FAMILY_ROWS)
            return true;
    }
    return false;
}

bool spmmi_cpu_kernel_takes(const char *force_kernel, spmm_dtype_t dtype)
{
    return spmm_dtype_size(dtype) != 2 || family_of(made_schedule(force_kernel)) == SPMM_FAMILY_TILED;
}
