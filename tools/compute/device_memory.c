/* SPDX-License-Identifier: Apache-2.0 */
/* See device_memory.h. */
#include "device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"
#include "gpu.h"

#define ALIGNMENT 256u

static void *host_alloc(uint64_t bytes)
{
    if (bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    return aligned_alloc(ALIGNMENT, (size_t)(bytes / ALIGNMENT + 1) * ALIGNMENT);
}

spmm_status_t device_block_reserve(struct device_block *block, int device, uint64_t bytes, spmm_diag_t *diag)
{
    if (block->data != NULL && block->bytes >= bytes && block->device == device)
        return SPMM_OK;
    device_block_free(block);
    block->device = device;
    if (device >= 0) {
        const spmm_status_t status = gpu_alloc(&block->data, bytes, diag);
        if (status != SPMM_OK)
            return status;
    } else {
        block->data = host_alloc(bytes);
        if (block->data == NULL)
            return fail_memory(diag, bytes, "a block for B, C or the workspace");
    }
    block->bytes = bytes;
    return SPMM_OK;
}

void device_block_free(struct device_block *block)
{
    if (block->device >= 0)
        gpu_free(block->data);
    else
        free(block->data);
    *block = (struct device_block){0};
}

spmm_status_t staging_block_reserve(struct staging_block *block, int device, uint64_t bytes,
                                    spmm_diag_t *diag)
{
    if (block->data != NULL && block->bytes >= bytes)
        return SPMM_OK;
    staging_block_free(block);
    /* Pinned memory is only faster: if none is left, ordinary memory works too. */
    block->is_pinned = device >= 0 && gpu_alloc_pinned(&block->data, bytes, diag) == SPMM_OK;
    if (!block->is_pinned)
        block->data = host_alloc(bytes);
    if (block->data == NULL)
        return fail_memory(diag, bytes, "a staging block");
    block->bytes = bytes;
    return SPMM_OK;
}

void staging_block_free(struct staging_block *block)
{
    if (block->is_pinned)
        gpu_free_pinned(block->data);
    else
        free(block->data);
    *block = (struct staging_block){0};
}

spmm_status_t device_upload(const struct device_block *to, const void *from, uint64_t bytes,
                            spmm_diag_t *diag)
{
    if (to->device >= 0)
        return gpu_copy(to->data, from, bytes, diag);
    if (bytes > 0 && to->data != from)
        memcpy(to->data, from, bytes);
    return SPMM_OK;
}

spmm_status_t device_download(void *to, const struct device_block *from, uint64_t bytes, spmm_diag_t *diag)
{
    if (from->device >= 0)
        return gpu_copy(to, from->data, bytes, diag);
    if (bytes > 0 && to != from->data)
        memcpy(to, from->data, bytes);
    return SPMM_OK;
}

spmm_status_t device_fill(const struct device_block *block, int byte, uint64_t bytes, spmm_diag_t *diag)
{
    if (block->device >= 0)
        return gpu_fill(block->data, byte, bytes, diag);
    if (bytes > 0)
        memset(block->data, byte, bytes);
    return SPMM_OK;
}

spmm_status_t device_synchronize(int device, spmm_diag_t *diag)
{
    return device >= 0 ? gpu_synchronize(diag) : SPMM_OK;
}
