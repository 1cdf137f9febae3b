/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_parts.h. */
#include "cuda_parts.h"

#include "executor/forced_kernel.h"
#include "format/base/diag.h"

/* The part that a variant runs: its own, or that of a forced kernel. */
static spmm_status_t choose(const spmm_plan_t *plan, const struct spmmi_variant *variant,
                            const struct spmmi_forced *forced, uint32_t *index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t own = *index = variant->part_first;
    if (forced->kernel == NULL)
        return SPMM_OK;
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

spmm_status_t spmmi_cuda_parts_choose(const spmm_plan_t *plan, uint32_t target, const char *force_kernel,
                                      struct spmmi_parts **parts, const char **suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_forced forced;
    int reached[SPMMI_VARIANT_MAX];
    spmmi_forced_read(spmmi_cuda_kernels, force_kernel, &forced);
    *suffix = forced.suffix;
    *parts = NULL;
    spmmi_parts_reach(plan, target, reached);
    SPMM_TRY_ALLOC(*parts = spmmi_parts_new(plan), diag);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        uint32_t index;
        if (!reached[i])
            continue;
        SPMM_TRY(choose(plan, &plan->variants[i], &forced, &index, diag));
        spmmi_parts_add(*parts, i, &plan->parts[index], index,
                        spmmi_kernel_of(spmmi_cuda_kernels, &plan->parts[index])->backend);
    }
    SPMM_TRY(spmmi_forced_check(&forced, plan, *parts, diag));
cleanup:
    return status;
}
