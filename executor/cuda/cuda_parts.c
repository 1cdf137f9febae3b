/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_parts.h. */
#include "cuda_parts.h"

#include "format/base/diag.h"

static const struct spmmi_part *own_of(const spmm_plan_t *plan, uint32_t variant)
{
    return &plan->parts[plan->variants[variant].part_first];
}

static int has_op(const spmm_plan_t *plan, spmm_op_t op)
{
    for (uint32_t i = 0; i < plan->part_count; i++)
        if (plan->parts[i].op == op)
            return 1;
    return 0;
}

/* The plan's first part of this kernel; SPMMI_PART_MADE: it has none. */
static uint32_t part_of_kernel(const spmm_plan_t *plan, spmm_op_t op, const struct spmmi_kernel *kernel)
{
    for (uint32_t i = 0; i < plan->part_count; i++)
        if (plan->parts[i].op == op && spmmi_kernel_is_of(kernel, &plan->parts[i]))
            return i;
    return SPMMI_PART_MADE;
}

/* Would the forced kernel run a variant with another part, where either permutes the rows of C? */
static int reorders(const spmm_plan_t *plan, const int *reached, const struct spmmi_kernel *forced)
{
    uint32_t flags = 0;
    int is_replaced = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        is_replaced |= reached[i] && !spmmi_kernel_is_of(forced, own_of(plan, i));
        flags |= reached[i] ? own_of(plan, i)->flags : 0;
    }
    for (uint32_t i = 0; i < plan->part_count; i++)
        flags |= spmmi_kernel_is_of(forced, &plan->parts[i]) ? plan->parts[i].flags : 0;
    return is_replaced && (flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
}

static spmm_status_t force(const spmm_plan_t *plan, const int *reached, const char *force_kernel,
                           const struct spmmi_kernel **forced, const char **suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *forced = NULL;
    if (force_kernel == NULL)
        goto cleanup;
    *forced = spmmi_kernel_find(spmmi_cuda_kernels, force_kernel, suffix);
    SPMM_REQUIRE(*forced != NULL, SPMM_ERR_ARGUMENT, diag, "there is no GPU kernel named %.60s",
                 force_kernel);
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++)
        SPMM_REQUIRE(
            !has_op(plan, (spmm_op_t)op) || part_of_kernel(plan, (spmm_op_t)op, *forced) != SPMMI_PART_MADE,
            SPMM_ERR_ARGUMENT, diag, "the plan has no part for %.60s and op %s: inspect with that schedule",
            force_kernel, spmm_op_name((spmm_op_t)op));
    SPMM_REQUIRE(!reorders(plan, reached, *forced), SPMM_ERR_ARGUMENT, diag,
                 "the plan permutes the rows of C, and \"%.60s\" would change that", force_kernel);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_parts_choose(const spmm_plan_t *plan, uint32_t target, const char *force_kernel,
                                      struct spmmi_parts **parts, const char **suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_kernel *forced = NULL;
    int reached[SPMMI_VARIANT_MAX];
    *suffix = "";
    *parts = NULL;
    spmmi_parts_reach(plan, target, reached);
    SPMM_TRY(force(plan, reached, force_kernel, &forced, suffix, diag));
    SPMM_TRY_ALLOC(*parts = spmmi_parts_new(plan), diag);
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        uint32_t index = plan->variants[i].part_first;
        if (!reached[i])
            continue;
        if (forced != NULL && !spmmi_kernel_is_of(forced, &plan->parts[index]))
            index = part_of_kernel(plan, plan->variants[i].op, forced);
        spmmi_parts_add(*parts, i, &plan->parts[index], index,
                        spmmi_kernel_of(spmmi_cuda_kernels, &plan->parts[index])->backend);
    }
cleanup:
    return status;
}
