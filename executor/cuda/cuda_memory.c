/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_memory.h. */
#include "cuda_memory.h"

#include <stdatomic.h>

#include "cuda_call.h"
#include "cuda_pool.h"

/* Calls the caller's release. Clears CUDA's last error, which belongs to the caller's
 * function, not to our launches. */
static void user_release(struct spmmi_device_block *block)
{
    const struct spmmi_device_memory *from = block->from;
    struct spmmi_cuda_scope scope;
    (void)spmmi_cuda_enter(from->device, &scope);
    from->user.release(from->user.context, block->memory, block->bytes, from->device, block->stream);
    (void)cudaGetLastError();
    spmmi_cuda_leave(scope);
}

static spmm_status_t user_take(struct spmmi_device_block *block, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_device_memory *from = block->from;
    block->memory = from->user.allocate(from->user.context, block->bytes, from->device, block->stream);
    (void)cudaGetLastError();
    SPMM_REQUIRE(block->memory != NULL, SPMM_ERR_DEVICE_MEMORY, diag,
                 "the caller's device allocator refused %zu bytes of GPU %d", block->bytes, from->device);
    SPMM_REQUIRE((uintptr_t)block->memory % SPMMI_DEVICE_ALIGN == 0, SPMM_ERR_ARGUMENT, diag,
                 "the caller's device allocator gave the address %p, expected a multiple of %u",
                 block->memory, SPMMI_DEVICE_ALIGN);
cleanup:
    if (status != SPMM_OK && block->memory != NULL)
        user_release(block);
    return status;
}

static void count_taken(struct spmmi_device_count *count, uint64_t bytes)
{
    if (count == NULL)
        return;
    const uint64_t held = atomic_fetch_add(&count->held, bytes) + bytes;
    uint64_t peak = atomic_load(&count->peak);
    while (held > peak && !atomic_compare_exchange_weak(&count->peak, &peak, held))
        ;
}

/* Checks the budget. Making an executor was checked before; only new values can exceed it here. */
static spmm_status_t budget_check(const struct spmmi_device_memory *from, uint64_t bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t held = from->count != NULL ? atomic_load(&from->count->held) : 0;
    SPMM_REQUIRE(from->count == NULL || from->budget == 0 || held + bytes <= from->budget,
                 SPMM_ERR_PLAN_BUDGET, diag,
                 "%llu bytes more than %llu of device memory are needed, %llu are allowed in all",
                 (unsigned long long)bytes, (unsigned long long)held, (unsigned long long)from->budget);
cleanup:
    return status;
}

static spmm_status_t take(struct spmmi_device_block wanted, struct spmmi_device_block *block,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *block = (struct spmmi_device_block){.memory = NULL};
    if (wanted.bytes == 0)
        return SPMM_OK;
    SPMM_TRY(budget_check(wanted.from, wanted.bytes, diag));
    if (wanted.from->user.allocate != NULL)
        SPMM_TRY(user_take(&wanted, diag));
    else if (wanted.is_scratch)
        SPMM_TRY(spmmi_pool_take(wanted.bytes, wanted.stream, &wanted.memory, diag));
    else
        SPMM_TRY(spmmi_pool_take_plain(wanted.bytes, wanted.stream, &wanted.memory, diag));
    *block = wanted;
    count_taken(wanted.from->count, wanted.bytes);
cleanup:
    return status;
}

spmm_status_t spmmi_device_take(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                struct spmmi_device_block *block, spmm_diag_t *diag)
{
    return take((struct spmmi_device_block){NULL, (size_t)bytes, stream, 0, from}, block, diag);
}

spmm_status_t spmmi_device_take_scratch(const struct spmmi_device_memory *from, uint64_t bytes, void *stream,
                                        struct spmmi_device_block *block, spmm_diag_t *diag)
{
    return take((struct spmmi_device_block){NULL, (size_t)bytes, stream, 1, from}, block, diag);
}

void spmmi_device_release(struct spmmi_device_block *block)
{
    if (block->memory != NULL && block->from->count != NULL)
        (void)atomic_fetch_sub(&block->from->count->held, block->bytes);
    if (block->memory != NULL && block->from->user.release != NULL)
        user_release(block);
    else if (block->memory != NULL && block->is_scratch)
        spmmi_pool_free(block->memory, block->bytes, block->stream);
    else if (block->memory != NULL)
        (void)cudaFree(block->memory);
    *block = (struct spmmi_device_block){.memory = NULL};
}
