/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_parts.h. */
#include "cuda_parts.h"

#include "executor/forced_kernel.h"
#include "executor/wanted.h"
#include "format/base/diag.h"
#include "format/base/log.h"
#include "format/family.h"

static const struct spmmi_backend *backend_of(const spmm_plan_t *plan, uint32_t index)
{
    return spmmi_kernel_of(spmmi_cuda_kernels, &plan->parts[index])->backend;
}

static int is_supported(const spmm_plan_t *plan, const struct spmmi_device *device, uint32_t index)
{
    const struct spmmi_backend *backend = backend_of(plan, index);
    const struct spmmi_part_source source = {
        .plan = plan, .part = &plan->parts[index], .suffix = "", .device = device, .backend = backend};
    return backend->supports == NULL || backend->supports(&source, &spmmi_diag_unheard) == SPMM_OK;
}

/* Returns the index of the part that runs in place of a part that this device cannot run: a part of
 * the first family, which every GPU runs. If the plan has none, returns the part itself; create
 * then reports what is wrong. */
static uint32_t part_that_runs(const spmm_plan_t *plan, const struct spmmi_device *device, uint32_t index)
{
    const struct spmmi_part *own = &plan->parts[index];
    uint32_t i = 0;
    if ((own->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0 || is_supported(plan, device, index))
        return index;
    while (i < plan->part_count &&
           (plan->parts[i].op != own->op || plan->parts[i].family != spmmi_family_at(0)->id ||
            (plan->parts[i].flags & SPMMI_PART_LONG_ROWS) != 0))
        i++;
    if (i == plan->part_count)
        return index;
    spmmi_log(
        SPMM_LOG_WARNING,
        "this GPU cannot run the plan's part of %s, one of %s runs instead: force the kernel to see why",
        spmm_family_name(own->family), spmm_family_name(plan->parts[i].family));
    return i;
}

/* Chooses the part that a variant runs: its own, or a part with the forced kernel. */
static spmm_status_t choose(const spmm_plan_t *plan, const struct spmmi_device *device,
                            const struct spmmi_variant *variant, const struct spmmi_forced *forced,
                            uint32_t *index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t own = *index = variant->part_first;
    if (forced->kernel == NULL) {
        *index = part_that_runs(plan, device, own);
        return SPMM_OK;
    }
    *index = spmmi_forced_part(forced, plan, variant, UINT32_MAX);
    SPMM_REQUIRE(*index != SPMMI_PART_MADE, SPMM_ERR_ARGUMENT, diag,
                 "the plan has no part for \"%.60s\" and op %s: inspect with that kernel", forced->name,
                 spmm_op_name(variant->op));
    const uint32_t flags = plan->parts[own].flags | plan->parts[*index].flags;
    SPMM_REQUIRE(*index == own || (flags & SPMMI_PART_PERMUTES_OUTPUT) == 0, SPMM_ERR_ARGUMENT, diag,
                 "the plan permutes the rows of C, and \"%.60s\" would change that", forced->name);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_parts_choose(const spmm_plan_t *plan, const struct spmmi_device *device,
                                      const char *force_kernel, struct spmmi_parts **parts,
                                      const char **suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_forced forced;
    int reached[SPMMI_VARIANT_MAX];
    spmmi_forced_read(spmmi_cuda_kernels, force_kernel, &forced);
    *suffix = forced.suffix;
    *parts = NULL;
    spmmi_wanted_reach(plan, device->target, &spmmi_wanted_all, reached);
    SPMM_TRY_ALLOC(*parts = spmmi_parts_new(plan), diag);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        uint32_t index;
        if (!reached[i])
            continue;
        SPMM_TRY(choose(plan, device, &plan->variants[i], &forced, &index, diag));
        spmmi_parts_add(*parts, i, &plan->parts[index], index, backend_of(plan, index));
    }
    SPMM_TRY(spmmi_forced_check(&forced, plan, *parts, diag));
cleanup:
    return status;
}
