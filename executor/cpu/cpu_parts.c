/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_parts.h. */
#include "cpu_parts.h"

#include "executor/forced_kernel.h"
#include "executor/wanted.h"
#include "format/base/diag.h"
#include "format/family.h"

struct choice {
    uint32_t index; /* index in the plan, or SPMMI_PART_MADE */
    struct spmmi_part part;
};

static int has_code(const spmm_plan_t *plan, spmm_family_t family)
{
    return (spmmi_family_of(family)->types & SPMMI_TYPE_BIT(plan->dtype)) != 0;
}

/* Returns UNSUPPORTED, with the types that the family has code for, unless `has` is true. */
static spmm_status_t code_require(const spmm_plan_t *plan, spmm_family_t family, int has, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char types[SPMMI_TYPE_NAMES_BYTES];
    spmmi_type_names(spmmi_family_of(family)->types, types);
    SPMM_REQUIRE(has, SPMM_ERR_UNSUPPORTED, diag,
                 "the CPU kernels of family %s have no code for %s, only for %s", spmm_family_name(family),
                 spmm_dtype_name(plan->dtype), types);
cleanup:
    return status;
}

static struct choice choice_of(const spmm_plan_t *plan, uint32_t index)
{
    return (struct choice){index, plan->parts[index]};
}

/* Returns the part that runs a variant. A plan without variants for the CPU was made for a GPU alone: its
 * families stage B in shared memory or use tensor cores. On the CPU a part of the first family is up to twice
 * as fast, and more accurate than tf32, so it runs instead if the plan has one for this op. Parts of the
 * first schedule come first, since the plan may hold the others for a single column only. Otherwise the
 * variant's own part runs. */
static uint32_t part_of_gpu_plan(const spmm_plan_t *plan, const struct spmmi_variant *variant)
{
    const uint32_t own = variant->part_first;
    const struct spmmi_schedule *first = spmmi_schedule_at(0);
    uint32_t found = own;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        if (plan->variants[i].op == variant->op && plan->variants[i].target == SPMMI_TARGET_CPU)
            return own;
    if (plan->parts[own].family == first->family || !has_code(plan, first->family) ||
        (plan->parts[own].flags & SPMMI_PART_PERMUTES_OUTPUT) != 0)
        return own;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *part = &plan->parts[i];
        if (part->op == variant->op && part->family == first->family &&
            (part->flags & SPMMI_PART_LONG_ROWS) == 0 && (found == own || part->schedule == first->id))
            found = i;
    }
    return found;
}

/* Returns a part with this kernel: the best fit in the plan with flags among `allowed`, or a part that its
 * family makes. If there is none, index is SPMMI_PART_MADE and the family is 0. */
static struct choice part_of_kernel(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                                    const struct spmmi_forced *forced, uint32_t allowed)
{
    const struct spmmi_backend *backend = forced->kernel->backend;
    const uint32_t found = spmmi_forced_part(forced, plan, variant, allowed);
    const int is_found = found != SPMMI_PART_MADE;
    const spmm_schedule_t schedule =
        is_found && !forced->has_schedule ? plan->parts[found].schedule : forced->kernel->schedule;
    struct choice made = {SPMMI_PART_MADE, {.op = variant->op}};
    if (backend->default_part != NULL)
        made.part = backend->default_part(plan, variant->op, schedule);
    if (!is_found || backend->prefers_default ||
        spmmi_forced_fit(forced, plan, &made.part, SPMMI_PART_MADE) >
            spmmi_forced_fit(forced, plan, &plan->parts[found], found))
        return made;
    return choice_of(plan, found);
}

/* Returns the part that replaces a part whose family has no code for the type: a part of the first kernel
 * with code that has default parts. It does not permute the rows of C. */
static struct choice part_with_code(const spmm_plan_t *plan, const struct spmmi_variant *variant)
{
    const struct spmmi_kernel *kernel = spmmi_cpu_kernels;
    while (kernel->name != NULL && (kernel->backend->default_part == NULL || !has_code(plan, kernel->family)))
        kernel++;
    if (kernel->name == NULL)
        return choice_of(plan, variant->part_first);
    const struct spmmi_forced any = {.kernel = kernel, .has_schedule = 1, .words = "", .suffix = ""};
    return part_of_kernel(plan, variant, &any, SPMMI_PART_REORDERED);
}

static spmm_status_t forced_check(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                                  const struct spmmi_forced *forced, const struct choice *choice,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t flags = plan->parts[variant->part_first].flags | choice->part.flags;
    SPMM_REQUIRE(choice->part.family != 0, SPMM_ERR_ARGUMENT, diag,
                 "the plan has no part for \"%.60s\" and op %s: inspect with that kernel", forced->name,
                 spmm_op_name(variant->op));
    SPMM_REQUIRE(choice->index == variant->part_first || (flags & SPMMI_PART_PERMUTES_OUTPUT) == 0,
                 SPMM_ERR_ARGUMENT, diag, "the plan permutes the rows of C, and \"%.60s\" would change that",
                 forced->name);
cleanup:
    return status;
}

static spmm_status_t choose(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                            const struct spmmi_forced *forced, struct choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_part *own = &plan->parts[variant->part_first];
    if (forced->kernel != NULL) {
        *choice = part_of_kernel(plan, variant, forced, UINT32_MAX);
        SPMM_TRY(forced_check(plan, variant, forced, choice, diag));
    } else if (has_code(plan, own->family)) {
        *choice = choice_of(plan, part_of_gpu_plan(plan, variant));
    } else {
        *choice = part_with_code(plan, variant);
        SPMM_TRY(code_require(
            plan, own->family,
            has_code(plan, choice->part.family) && (own->flags & SPMMI_PART_PERMUTES_OUTPUT) == 0, diag));
    }
cleanup:
    return status;
}

spmm_status_t spmmi_cpu_parts_choose(const spmm_plan_t *plan, const char *force_kernel,
                                     struct spmmi_parts **parts, const char **suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_forced forced;
    int reached[SPMMI_VARIANT_MAX];
    spmmi_forced_read(spmmi_cpu_kernels, force_kernel, &forced);
    *suffix = forced.suffix;
    *parts = NULL;
    if (forced.kernel != NULL)
        SPMM_TRY(code_require(plan, forced.kernel->family, has_code(plan, forced.kernel->family), diag));
    SPMM_TRY_ALLOC(*parts = spmmi_parts_new(plan), diag);
    spmmi_wanted_reach(plan, SPMMI_TARGET_CPU, &spmmi_wanted_all, reached);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        struct choice choice;
        if (!reached[i])
            continue;
        SPMM_TRY(choose(plan, &plan->variants[i], &forced, &choice, diag));
        spmmi_parts_add(*parts, i, &choice.part, choice.index,
                        spmmi_kernel_of(spmmi_cpu_kernels, &choice.part)->backend);
    }
    SPMM_TRY(spmmi_forced_check(&forced, plan, *parts, diag));
cleanup:
    if (status != SPMM_OK) {
        spmmi_parts_destroy(*parts);
        *parts = NULL;
    }
    return status;
}
