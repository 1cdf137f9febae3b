/* SPDX-License-Identifier: Apache-2.0 */
/* One product: its workspace, the kernel that runs it, and running it. Nothing here allocates or changes the
 * executor. Only families cache answers of the runtime: which kernels have their shared memory allowed
 * (allowed.h), and, in dense, the shapes that cuBLASLt has answered for. */
#include <stdio.h>
#include <string.h>

#include "executor_state.h"
#include "format/base/diag.h"
#include "format/base/options.h"

#define WORKSPACE_ALIGN 256u

spmm_status_t spmm_executor_workspace_bytes(const spmm_executor_t *executor, spmm_op_t op,
                                            const spmm_dense_t *b, const spmm_dense_t *c, uint64_t *bytes,
                                            spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_choice choice;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(bytes != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the bytes is NULL");
    *bytes = 0;
    SPMM_TRY(spmmi_product_check(executor, op, b, c, &choice, diag));
    const struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
    *bytes = spmmi_product_workspace(executor, choice.variant, &product);
cleanup:
    return status;
}

/* Checks size and alignment of the caller's workspace for this product. */
static spmm_status_t workspace_check(const spmm_executor_t *executor, int variant,
                                     const struct spmmi_product *product, const void *workspace,
                                     uint64_t workspace_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t needed = spmmi_product_workspace(executor, variant, product);
    if (needed == 0)
        return SPMM_OK;
    SPMM_REQUIRE(workspace != NULL && workspace_bytes >= needed, SPMM_ERR_WORKSPACE, diag,
                 "the workspace needs %llu bytes, found %llu%s", (unsigned long long)needed,
                 (unsigned long long)workspace_bytes, workspace == NULL ? " at NULL" : "");
    SPMM_REQUIRE((uintptr_t)workspace % WORKSPACE_ALIGN == 0, SPMM_ERR_WORKSPACE, diag,
                 "the workspace must begin at a multiple of %u bytes", WORKSPACE_ALIGN);
cleanup:
    return status;
}

spmm_status_t spmmi_factor_read(const spmm_executor_t *executor, const char *name, spmm_scalar_t factor,
                                double *real, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(factor.im == 0, SPMM_ERR_ARGUMENT, diag,
                 "the imaginary part of %s is %g, expected 0 for real values", name, factor.im);
    const volatile float rounded = (float)factor.re; /* volatile: GCC 12 from -O2 on drops both conversions */
    *real = executor->shape.dtype == SPMM_F64 ? factor.re : (double)rounded;
cleanup:
    return status;
}

/* Runs a product under the shared lock: the values do not change until it has run, on a
 * GPU until it is enqueued. */
static spmm_status_t run_with_values(const spmm_executor_t *executor, int variant,
                                     const struct spmmi_product *product, void *workspace, void *stream,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    (void)pthread_rwlock_rdlock(executor->values_lock);
    SPMM_REQUIRE(product->alpha == 0 || executor->shape.nnz == 0 || executor->has_values, SPMM_ERR_NO_VALUES,
                 diag, "the plan holds no values and none were set");
    const struct spmmi_jit_operator *const made =
        product->alpha != 0 ? spmmi_jit_find(executor->jit, product) : NULL;
    if (made != NULL)
        SPMM_TRY(spmmi_jit_run(executor->jit, made, product, stream, diag));
    else if (executor->cuda != NULL)
        SPMM_TRY(spmmi_cuda_execute(executor->cuda, variant, product, workspace, stream, diag));
    else
        SPMM_TRY(spmmi_cpu_execute(executor->cpu, variant, product, workspace, diag));
cleanup:
    (void)pthread_rwlock_unlock(executor->values_lock);
    return status;
}

spmm_status_t spmm_execute(const spmm_executor_t *executor, spmm_op_t op, spmm_scalar_t alpha,
                           const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c, void *workspace,
                           uint64_t workspace_bytes, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_choice choice;
    SPMM_TRY(spmmi_product_check(executor, op, b, c, &choice, diag));
    struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
    SPMM_TRY(spmmi_factor_read(executor, "alpha", alpha, &product.alpha, diag));
    SPMM_TRY(spmmi_factor_read(executor, "beta", beta, &product.beta, diag));
    SPMM_TRY(spmmi_product_data_check(b, c, product.alpha != 0, diag));
    if (c->rows == 0 || c->cols == 0)
        return SPMM_OK;
    SPMM_TRY(workspace_check(executor, choice.variant, &product, workspace, workspace_bytes, diag));
    SPMM_TRY(run_with_values(executor, choice.variant, &product, workspace, stream, diag));
cleanup:
    return status;
}

/* Writes the sentence on a fallback: what was asked for, and what runs. */
static void note_write(const spmm_executor_t *executor, int variant, const spmm_dense_t *b,
                       spmm_executor_info_t *info)
{
    const struct spmmi_variant *v = &executor->shape.variants[variant];
    char target[32];
    if (spmmi_is_given_up(executor, variant)) {
        (void)snprintf(
            info->note, sizeof info->note,
            "the memory budget excludes the plan's kernel for n = %lld, %s-major: another one runs",
            (long long)b->cols, spmm_layout_name(b->layout));
        return;
    }
    if (executor->cpu != NULL)
        (void)snprintf(target, sizeof target, "the CPU");
    else
        (void)snprintf(target, sizeof target, "compute capability %u.%u", executor->target / 10,
                       executor->target % 10);
    (void)snprintf(info->note, sizeof info->note,
                   "the plan has no variant for n = %lld, %s-major, %s; that for n = %lld to %lld runs",
                   (long long)b->cols, spmm_layout_name(b->layout), target, (long long)v->n_min,
                   (long long)v->n_max);
}

static void kernel_write(const spmm_executor_t *executor, int variant, const struct spmmi_product *product,
                         spmm_executor_info_t *info)
{
    (void)pthread_rwlock_rdlock(executor->values_lock);
    const bool is_prepared = spmmi_jit_find(executor->jit, product) != NULL;
    (void)pthread_rwlock_unlock(executor->values_lock);
    if (is_prepared)
        (void)snprintf(info->kernel, sizeof info->kernel, "%s", SPMMI_JIT_KERNEL);
    else if (executor->cuda != NULL)
        spmmi_cuda_kernel(executor->cuda, variant, product, info->kernel, sizeof info->kernel);
    else
        spmmi_cpu_kernel(executor->cpu, variant, product, info->kernel, sizeof info->kernel);
}

static void memory_write(const spmm_executor_t *executor, spmm_executor_info_t *info)
{
    info->csr_bytes = spmmi_csr_bytes(executor->shape.rows, executor->shape.nnz,
                                      executor->has_unit_values ? (spmm_dtype_t)0 : executor->shape.dtype);
    info->host_bytes = sizeof *executor + sizeof *executor->values_lock;
    if (executor->cpu != NULL)
        info->host_bytes += spmmi_cpu_host_bytes(executor->cpu);
    if (executor->cuda == NULL)
        return;
    const struct spmmi_cuda_bytes of = spmmi_cuda_bytes(executor->cuda);
    info->pool_bytes = of.pool;
    info->host_bytes += of.host;
    (void)pthread_rwlock_rdlock(executor->values_lock);
    info->host_bytes += spmmi_jit_host_bytes(executor->jit);
    info->device_bytes = of.held + spmmi_jit_device_bytes(executor->jit);
    info->peak_device_bytes = of.peak + spmmi_jit_peak_bytes(executor->jit);
    (void)pthread_rwlock_unlock(executor->values_lock);
}

spmm_status_t spmm_executor_info(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                 const spmm_dense_t *c, spmm_executor_info_t *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(executor != NULL && info != NULL, SPMM_ERR_ARGUMENT, diag, "the %s is NULL",
                 executor == NULL ? "executor" : "info");
    spmm_executor_info_t full;
    memset(&full, 0, sizeof full);
    full.device = executor->device;
    memcpy(full.device_name, executor->device_name, sizeof full.device_name);
    full.variant = -1;
    full.a_type = executor->shape.dtype;
    memory_write(executor, &full);
    if (b != NULL || c != NULL) {
        struct spmmi_choice choice;
        SPMM_TRY(spmmi_product_check(executor, op, b, c, &choice, diag));
        const struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
        kernel_write(executor, choice.variant, &product, &full);
        full.fallback = !choice.fits;
        full.variant = executor->variant_of[choice.variant];
        full.target = executor->shape.variants[choice.variant].target;
        full.compute = executor->shape.variants[choice.variant].compute;
        full.is_own_target = full.target == executor->target;
        if (full.fallback)
            note_write(executor, choice.variant, &product.b, &full);
    }
    SPMM_REQUIRE(spmmi_info_write(info, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "struct_size of the info is %zu: it was not initialised", info->struct_size);
cleanup:
    return status;
}
