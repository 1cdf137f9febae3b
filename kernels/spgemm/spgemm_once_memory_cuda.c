/* SPDX-License-Identifier: Apache-2.0 */
/* A product without a plan on a GPU: allocates memory within its budget, and reads counts to the host. */
#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_call.h"
#include "spgemm_limits.h"
#include "spgemm_once_cuda.h"
#include "spgemm_once_result.h"

spmm_status_t spmmi_once_require_left(struct spmmi_once *o, uint64_t bytes)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_spgemm_budget(o->in->device_left, o->used, bytes, o->diag));
    o->used += bytes;
cleanup:
    return status;
}

spmm_status_t spmmi_once_take_scratch(struct spmmi_once *o, uint64_t bytes, void **out)
{
    spmm_status_t status = SPMM_OK;
    bytes = spmmi_once_aligned(bytes + 1);
    SPMM_TRY(spmmi_once_require_left(o, bytes));
    struct spmmi_device_block *const block = &o->blocks[o->block_count];
    SPMM_TRY(spmmi_device_take_scratch(&o->memory, bytes, o->in->stream, block, o->diag));
    o->block_count++;
    *out = block->memory;
cleanup:
    return status;
}

spmm_status_t spmmi_once_read_counts(struct spmmi_once *o, struct spmmi_once_counts *counts)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_CUDA(
        cudaMemcpyAsync(counts, o->work.counts, sizeof *counts, cudaMemcpyDeviceToHost, o->in->stream),
        o->diag);
    SPMM_TRY_CUDA(cudaStreamSynchronize(o->in->stream), o->diag);
cleanup:
    return status;
}
