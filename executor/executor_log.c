/* SPDX-License-Identifier: Apache-2.0 */
/* Log entries about a new executor; see executor_state.h. */
#include <stdio.h>

#include "executor_state.h"
#include "format/base/log.h"
#include "parts.h"

#define NAMES_BYTES 128

/* Writes the families of the loaded parts, each once: "rows, tiled". */
static void list_families(const struct spmmi_parts *parts, char names[NAMES_BYTES])
{
    size_t used = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < parts->count; i++) {
        const spmm_family_t family = parts->list[i].part.family;
        uint32_t first = 0;
        while (parts->list[first].part.family != family)
            first++;
        if (first < i || used >= NAMES_BYTES)
            continue;
        used += (size_t)snprintf(names + used, NAMES_BYTES - used, "%s%s", used > 0 ? ", " : "",
                                 spmm_family_name(family));
    }
}

/* Returns true if a variant was made for this device, or for any, and for operands of a layout
 * in mask (0: any layout). */
static bool has_variant(const spmm_executor_t *executor, spmm_op_t op, uint32_t mask)
{
    for (uint32_t i = 0; i < executor->shape.variant_count; i++) {
        const struct spmmi_variant *const v = &executor->shape.variants[i];
        if (v->op == op && (v->target == 0 || v->target == executor->target) &&
            (mask == 0 || (v->layouts & mask) != 0))
            return true;
    }
    return false;
}

static bool has_op(const spmm_executor_t *executor, spmm_op_t op)
{
    for (uint32_t i = 0; i < executor->shape.variant_count; i++)
        if (executor->shape.variants[i].op == op)
            return true;
    return false;
}

static void log_missing(const spmm_executor_t *executor, spmm_op_t op)
{
    const char *const name = executor->device_name;
    if (!has_variant(executor, op, 0)) {
        spmmi_log(SPMM_LOG_WARNING, "the plan has no variant of op %s for %s: one for another device runs",
                  spmm_op_name(op), name);
        return;
    }
    if (!has_variant(executor, op, SPMM_LAYOUTS_ROW_MAJOR))
        spmmi_log(SPMM_LOG_INFO, "the plan has no variant of op %s for row-major operands on %s",
                  spmm_op_name(op), name);
    if (!has_variant(executor, op, SPMM_LAYOUTS_COL_MAJOR))
        spmmi_log(SPMM_LOG_INFO, "the plan has no variant of op %s for column-major operands on %s",
                  spmm_op_name(op), name);
}

void spmmi_executor_log(const spmm_executor_t *executor)
{
    const spmm_op_t ops[] = {SPMM_OP_N, SPMM_OP_T};
    spmm_executor_info_t info = {.struct_size = sizeof info};
    char names[NAMES_BYTES];
    if (!spmmi_log_on(SPMM_LOG_WARNING))
        return;
    if (executor->given_up != 0)
        spmmi_log(SPMM_LOG_WARNING,
                  "the memory budget is too small for all kernels of the plan: %d of its %u variants run "
                  "other kernels",
                  __builtin_popcountll(executor->given_up), executor->shape.variant_count);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (has_op(executor, ops[i]))
            log_missing(executor, ops[i]);
    list_families(executor->cuda != NULL ? spmmi_cuda_parts(executor->cuda) : spmmi_cpu_parts(executor->cpu),
                  names);
    (void)spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL);
    spmmi_log(SPMM_LOG_INFO, "executor on %s (device %d): %llu host bytes, %llu device bytes, kernels of %s",
              info.device_name, info.device, (unsigned long long)info.host_bytes,
              (unsigned long long)info.device_bytes, names);
}
