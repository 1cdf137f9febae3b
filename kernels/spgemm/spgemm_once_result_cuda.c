/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_once_result.h. */
#include "spgemm_once_result.h"

#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_memory.h"
#include "executor/spgemm/spgemm_gpu.h"
#include "format/base/diag.h"

struct spmmi_once_result spmmi_once_result_of(int64_t rows, uint64_t nnz, spmm_dtype_t dtype)
{
    const uint64_t values = spmmi_once_aligned(((uint64_t)rows + 1) * sizeof(int64_t)),
                   columns = values + spmmi_once_aligned(nnz * spmm_dtype_size(dtype));
    return (struct spmmi_once_result){values, columns, columns + nnz * sizeof(int32_t) + 1};
}

int spmmi_spgemm_gpu_owns(const void *block)
{
    struct cudaPointerAttributes attributes;
    if (block == NULL)
        return 0;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, block);
    if (error == cudaSuccess)
        return attributes.type == cudaMemoryTypeDevice;
    (void)cudaGetLastError();
    return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 0 : -1;
}

void spmmi_spgemm_gpu_release(const void *block)
{
    (void)cudaFree((void *)(uintptr_t)block);
}

spmm_status_t spmmi_spgemm_gpu_give_back(const spmm_csr_t *c, const spmm_device_allocator_t *allocator,
                                         int device, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_device_memory memory;
    SPMM_TRY(spmmi_device_memory_open(allocator, device, &memory, diag));
    const uint64_t bytes = spmmi_once_result_of(c->rows, (uint64_t)c->nnz, c->value_type).bytes;
    struct spmmi_device_block block = {(void *)(uintptr_t)c->row_ptr, (size_t)bytes, stream, 0, &memory};
    spmmi_device_release(&block);
cleanup:
    return status;
}
