/* SPDX-License-Identifier: Apache-2.0 */
/* One product: its workspace, what would run it, and running it. Nothing here allocates. */
#include <stdio.h>
#include <string.h>

#include "executor_state.h"
#include "format/base/options.h"

#define WORKSPACE_ALIGN 256u

spmm_status_t spmm_executor_workspace_bytes(const spmm_executor_t *executor, spmm_op_t op,
                                            const spmm_dense_t *b, const spmm_dense_t *c, uint64_t *bytes)
{
    if (bytes == NULL)
        return SPMM_ERR_ARGUMENT;
    *bytes = 0;
    struct spmmi_choice choice;
    const spmm_status_t status = spmmi_product_check(executor, op, b, c, &choice);
    if (status != SPMM_OK)
        return status;
    const struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
    *bytes = spmmi_product_workspace(executor, choice.variant, &product);
    return SPMM_OK;
}

/* Is the caller's workspace good for this product? */
static spmm_status_t workspace_check(const spmm_executor_t *executor, int variant,
                                     const struct spmmi_product *product, const void *workspace,
                                     uint64_t workspace_bytes)
{
    const uint64_t needed = spmmi_product_workspace(executor, variant, product);
    const bool fits =
        workspace != NULL && workspace_bytes >= needed && (uintptr_t)workspace % WORKSPACE_ALIGN == 0;
    return needed == 0 || fits ? SPMM_OK : SPMM_ERR_WORKSPACE;
}

/* What is 0 in the type of sums is 0 for every kernel; that of f64 is double, of the others float. Compared and not
 * converted there and back: GCC 12 drops the two conversions from -O2 on. */
static double factor_of(const spmm_executor_t *executor, double factor)
{
    return executor->shape.dtype != SPMM_F64 && (float)factor == 0 ? 0 : factor;
}

spmm_status_t spmm_execute(spmm_executor_t *executor, spmm_op_t op, double alpha, const spmm_dense_t *b,
                           double beta, const spmm_dense_t *c, void *workspace, uint64_t workspace_bytes,
                           void *stream)
{
    struct spmmi_choice choice;
    spmm_status_t status = spmmi_product_check(executor, op, b, c, &choice);
    if (status != SPMM_OK)
        return status;
    alpha = factor_of(executor, alpha);
    beta = factor_of(executor, beta);
    status = spmmi_product_data_check(b, c, alpha != 0);
    if (status != SPMM_OK)
        return status;
    if (c->rows == 0 || c->cols == 0)
        return SPMM_OK;
    if (alpha != 0 && executor->shape.nnz > 0 && !executor->has_values)
        return SPMM_ERR_NO_VALUES;
    struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
    product.alpha = alpha;
    product.beta = beta;
    status = workspace_check(executor, choice.variant, &product, workspace, workspace_bytes);
    if (status != SPMM_OK)
        return status;
    return executor->cuda != NULL
               ? spmmi_cuda_execute(executor->cuda, choice.variant, &product, workspace, stream)
               : spmmi_cpu_execute(executor->cpu, choice.variant, &product, workspace);
}

/* The sentence on a fallback: what was asked for, and what runs. */
static void note_write(const spmm_executor_t *executor, int variant, const spmm_dense_t *b,
                       spmm_executor_info_t *info)
{
    const struct spmmi_variant *v = &executor->shape.variants[variant];
    char target[32];
    if (executor->cpu != NULL)
        (void)snprintf(target, sizeof target, "the CPU");
    else
        (void)snprintf(target, sizeof target, "compute capability %u.%u", executor->target / 10,
                       executor->target % 10);
    (void)snprintf(info->note, sizeof info->note,
                   "the plan has no variant for n = %lld, %s-major, %s; the nearest (n = %lld to %lld) runs",
                   (long long)b->cols, spmm_layout_name(b->layout), target, (long long)v->n_min,
                   (long long)v->n_max);
}

spmm_status_t spmm_executor_info(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                 const spmm_dense_t *c, spmm_executor_info_t *info)
{
    if (executor == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_executor_info_t full;
    memset(&full, 0, sizeof full);
    full.device = executor->device;
    memcpy(full.device_name, executor->device_name, sizeof full.device_name);
    full.host_bytes = sizeof *executor + (executor->cpu != NULL ? spmmi_cpu_host_bytes(executor->cpu) : 0);
    full.device_bytes = executor->cuda != NULL ? spmmi_cuda_device_bytes(executor->cuda) : 0;
    if (b != NULL || c != NULL) {
        struct spmmi_choice choice;
        const spmm_status_t status = spmmi_product_check(executor, op, b, c, &choice);
        if (status != SPMM_OK)
            return status;
        const struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
        if (executor->cuda != NULL)
            spmmi_cuda_kernel(executor->cuda, choice.variant, &product, full.kernel, sizeof full.kernel);
        else
            spmmi_cpu_kernel(executor->cpu, choice.variant, &product, full.kernel, sizeof full.kernel);
        full.fallback = !choice.fits;
        if (full.fallback)
            note_write(executor, choice.variant, b, &full);
    }
    return spmmi_info_write(info, &full, sizeof full);
}
