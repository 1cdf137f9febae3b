/* SPDX-License-Identifier: Apache-2.0 */
/* See settle.h. */
#include "settle.h"

#include "executor_state.h"
#include "format/base/diag.h"
#include "format/matrix/equal_values.h"
#include "give_up.h"
#include "pack/pack_threads.h"
#include "parts.h"

uint32_t spmmi_device_target(int device)
{
    return device == SPMM_DEVICE_CPU ? SPMMI_TARGET_CPU : spmmi_cuda_target(device);
}

spmm_status_t spmmi_plan_settle(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_settled_plan *settled, uint64_t *hash, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_wanted wanted = {options->n_min, options->n_max, options->ops, options->layouts};
    SPMM_TRY(spmmi_typed_plan(plan, options->a_type, &settled->typed, diag));
    settled->given_up = 0;
    if (hash != NULL)
        *hash = spmmi_parts_hash(&settled->typed.plan);
    /* The words of a forced kernel may be those of any variant, so keep all. */
    if (spmmi_wanted_is_all(&wanted) || options->force_kernel != NULL)
        return SPMM_OK;
    spmmi_typed_plan_want(&settled->typed, spmmi_device_target(device), &wanted);
    SPMM_REQUIRE(settled->typed.plan.variant_count > 0, SPMM_ERR_NO_VARIANT, diag,
                 "the plan has no variant for the ops of the options");
cleanup:
    return status;
}

struct spmmi_first_values spmmi_values_look(const spmm_plan_t *plan, int device,
                                            const spmm_executor_options_t *options)
{
    const int are_there = plan->values != NULL || options->unit_values;
    if (options->unit_values || device == SPMM_DEVICE_CPU || spmmi_cuda_device_count() == 0)
        return (struct spmmi_first_values){are_there, options->unit_values};
    const int threads = spmmi_pack_threads((uint64_t)plan->nnz * spmm_dtype_size(plan->dtype));
    return (struct spmmi_first_values){are_there, spmmi_plan_has_equal_values(plan, threads)};
}

/* Counts all memory that create takes for these variants. PLAN_BUDGET: more than the options allow. */
static spmm_status_t needs_count(const spmm_plan_t *plan, const struct spmmi_typed_plan *typed, int device,
                                 const spmm_executor_options_t *options, struct spmmi_first_values first,
                                 struct spmmi_needs *needs, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_dtype_t type = typed->plan.dtype;
    *needs = spmmi_needs_new(options->host_budget_bytes, options->device_budget_bytes);
    needs->host = sizeof(spmm_executor_t) + sizeof(pthread_rwlock_t);
    if (options->unit_values && device == SPMM_DEVICE_CPU)
        needs->host += (uint64_t)plan->nnz * spmm_dtype_size(type);
    else if (!options->unit_values)
        needs->host += spmmi_typed_values_bytes(plan, type);
    needs->host += device == SPMM_DEVICE_CPU ? 0 : spmmi_jit_bytes(&typed->plan, options->jit);
    if (device == SPMM_DEVICE_CPU)
        SPMM_TRY(spmmi_cpu_needs(&typed->plan, options->force_kernel, needs, diag));
    else
        SPMM_TRY(spmmi_cuda_needs(&typed->plan, device, options, first, needs, diag));
    SPMM_TRY(spmmi_needs_check(needs, 0, diag));
cleanup:
    return status;
}

/* Counts the memory of an executor with the variants of this part alone; SPMMI_TOO_LARGE
 * if it exceeds a budget. */
static spmm_status_t count_part(const spmm_plan_t *plan, const struct spmmi_typed_plan *typed, uint32_t part,
                                int device, const spmm_executor_options_t *options,
                                struct spmmi_first_values first, uint64_t *bytes, spmm_diag_t *diag)
{
    struct spmmi_needs needs;
    struct spmmi_typed_plan one = *typed;
    one.plan.variant_count = 0;
    for (uint32_t i = 0; i < typed->plan.variant_count; i++)
        if (typed->plan.variants[i].part_first == part)
            one.plan.variants[one.plan.variant_count++] = typed->plan.variants[i];
    const spmm_status_t status = needs_count(plan, &one, device, options, first, &needs, diag);
    *bytes = device == SPMM_DEVICE_CPU ? needs.host : needs.device + needs.for_values.device;
    if (status != SPMM_ERR_PLAN_BUDGET)
        return status;
    spmmi_diag_clear(diag);
    *bytes = SPMMI_TOO_LARGE;
    return SPMM_OK;
}

/* Gives up parts until the others fit. If no more can be given up, returns the error
 * for the remaining ones. */
static spmm_status_t fit(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                         struct spmmi_first_values first, struct spmmi_settled_plan *settled,
                         spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_typed_plan *const typed = &settled->typed;
    uint64_t bytes[SPMMI_PART_MAX] = {0};
    bool was_given_up;
    spmmi_typed_plan_want(typed, spmmi_device_target(device), &spmmi_wanted_all);
    for (uint32_t i = 0; i < typed->plan.variant_count; i++) {
        const uint32_t part = typed->plan.variants[i].part_first;
        if (bytes[part] == 0)
            SPMM_TRY(count_part(plan, typed, part, device, options, first, &bytes[part], diag));
    }
    do {
        spmmi_diag_clear(diag);
        was_given_up = spmmi_plan_give_up(typed, bytes, &settled->given_up);
        status = needs_count(plan, typed, device, options, first, &settled->needs, diag);
    } while (status == SPMM_ERR_PLAN_BUDGET && was_given_up);
cleanup:
    return status;
}

spmm_status_t spmmi_plan_settle_counted(const spmm_plan_t *plan, int device,
                                        const spmm_executor_options_t *options,
                                        struct spmmi_first_values first, struct spmmi_settled_plan *settled,
                                        uint64_t *hash, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_plan_settle(plan, device, options, settled, hash, diag));
    status = needs_count(plan, &settled->typed, device, options, first, &settled->needs, diag);
    if (status == SPMM_ERR_PLAN_BUDGET && options->force_kernel == NULL)
        status = fit(plan, device, options, first, settled, diag);
cleanup:
    return status;
}
