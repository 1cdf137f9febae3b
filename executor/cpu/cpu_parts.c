/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_parts.h. */
#include "cpu_parts.h"

#include <string.h>

#include "cpu_backend.h"
#include "kernels/tiled/tiled_host_cpu.h"
#include "format/base/diag.h"

static const struct kernel {
    const char *name;
    spmm_family_t family;
    spmm_schedule_t schedule;
} kernels[] = {
    {"cpu/rows/row-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT},
    {"cpu/rows/nonzero-split", SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT},
    {"cpu/tiled/whole", SPMM_FAMILY_TILED, SPMM_SCHEDULE_WHOLE},
    {"cpu/tiled/segmented", SPMM_FAMILY_TILED, SPMM_SCHEDULE_SEGMENTED},
    {"cpu/window/dense", SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE},
    {"cpu/window/packed", SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED},
    {"cpu/panel/dense", SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE},
    {"cpu/panel/packed", SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED},
    {"cpu/bcsr/dense", SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE},
};

int spmmi_cpu_kernel_count(void)
{
    return (int)(sizeof kernels / sizeof kernels[0]);
}

const char *spmmi_cpu_kernel_name(int index)
{
    return index >= 0 && index < spmmi_cpu_kernel_count() ? kernels[index].name : NULL;
}

/* The rows kernels have no code for the 16-bit types. */
static bool is_narrow(const spmm_plan_t *plan)
{
    return spmm_dtype_size(plan->dtype) == 2;
}

/* The kernel that a catalogue name stands for; that of the parts that are made here where nothing is forced. */
static const struct kernel *forced_kernel(const char *force_kernel)
{
    int index = SPMM_SCHEDULE_WHOLE - 1;
    for (int i = 0; force_kernel != NULL && i < spmmi_cpu_kernel_count(); i++)
        if (strcmp(force_kernel, kernels[i].name) == 0)
            index = i;
    return &kernels[index];
}

static bool is_of(const struct spmmi_part *part, const struct kernel *kernel)
{
    return part->family == kernel->family && part->schedule == kernel->schedule;
}

/* Tiled staging and fragments are for GPUs: on the CPU the plan's rows part is up to twice as fast as tiled, and more
 * accurate than tf32. Row split before nonzero split, which the plan may hold for one column only. Without such a part:
 * that of the variant. */
static uint32_t preferred_slot(const spmm_plan_t *plan, const struct spmmi_variant *variant)
{
    const struct spmmi_part *own = &plan->parts[variant->part_first];
    uint32_t slot = variant->part_first;
    if (own->family == SPMM_FAMILY_ROWS || (own->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 || is_narrow(plan))
        return slot;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *part = &plan->parts[i];
        if (part->op == variant->op && part->family == SPMM_FAMILY_ROWS &&
            (part->flags & SPMMI_PART_PEELED) == 0 &&
            (slot == variant->part_first || part->schedule == SPMM_SCHEDULE_ROW_SPLIT))
            slot = i;
    }
    return slot;
}

uint32_t spmmi_cpu_slot_of(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                           const char *force_kernel)
{
    const struct kernel *kernel = forced_kernel(force_kernel);
    const bool must_replace = is_narrow(plan) && plan->parts[variant->part_first].family == SPMM_FAMILY_ROWS;
    if (force_kernel == NULL && !must_replace)
        return preferred_slot(plan, variant);
    if (kernel->family != SPMM_FAMILY_ROWS && is_of(&plan->parts[variant->part_first], kernel))
        return variant->part_first;
    for (uint32_t i = 0; kernel->family != SPMM_FAMILY_ROWS && i < plan->part_count; i++)
        if (plan->parts[i].op == variant->op && is_of(&plan->parts[i], kernel))
            return i;
    return SPMMI_CPU_PARTS_MADE + (uint32_t)variant->op;
}

struct spmmi_part spmmi_cpu_part_in(const spmm_plan_t *plan, uint32_t slot, const char *force_kernel)
{
    if (slot < SPMMI_CPU_PARTS_MADE)
        return plan->parts[slot];
    const spmm_op_t op = (spmm_op_t)(slot - SPMMI_CPU_PARTS_MADE);
    const struct kernel *kernel = forced_kernel(force_kernel);
    if (kernel->family == SPMM_FAMILY_TILED)
        return spmmi_cpu_tiled_default(plan, op, kernel->schedule);
    return (struct spmmi_part){
        .op = op, .family = kernel->family, .schedule = kernel->schedule, .granule = SPMMI_CPU_MADE_GRANULE};
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

/* Is the part that runs a variant another one than its own, and either of them leaves C in an order of its own? */
static bool reorders(const spmm_plan_t *plan, const struct spmmi_variant *variant, const char *force_kernel)
{
    const uint32_t slot = spmmi_cpu_slot_of(plan, variant, force_kernel);
    const uint32_t flags =
        plan->parts[variant->part_first].flags | spmmi_cpu_part_in(plan, slot, force_kernel).flags;
    return slot != variant->part_first && (flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
}

spmm_status_t spmmi_cpu_parts_check(const spmm_plan_t *plan, const char *force_kernel, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct kernel *forced = forced_kernel(force_kernel);
    SPMM_REQUIRE(!is_narrow(plan) || forced->family != SPMM_FAMILY_ROWS, SPMM_ERR_UNSUPPORTED, diag,
                 "\"%s\" has no code for %s", force_kernel, spmm_dtype_name(plan->dtype));
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *variant = &plan->variants[i];
        SPMM_REQUIRE(spmmi_cpu_slot_of(plan, variant, force_kernel) < SPMMI_CPU_PARTS_MADE ||
                         !spmmi_is_fragments(forced->family),
                     SPMM_ERR_ARGUMENT, diag,
                     "the plan has no %s part of schedule %s for op %s: inspect with that",
                     spmm_family_name(forced->family), spmm_schedule_name(forced->schedule),
                     spmm_op_name(variant->op));
        SPMM_REQUIRE(!reorders(plan, variant, force_kernel), SPMM_ERR_ARGUMENT, diag,
                     "the plan leaves C in an order of its own, which \"%s\" would change", force_kernel);
    }
cleanup:
    return status;
}
