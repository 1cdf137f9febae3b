// SPDX-License-Identifier: Apache-2.0
// rows: values of A into slices of rows (rows_slices_shape.h).
//
// block     8 warps that own one slice; a lane owns a row, a warp every eighth of its entries
// bounds    entries and nonzeros that come out of tables are cut off at what there is (docs/decisions/0037)
#include <cuda_runtime.h>

#include "kernels/shared/launch.cuh"
#include "rows_slices_kernel.h"

namespace spmmi {

template <typename Bits> __global__ void slices_kernel(const struct spmmi_slices_fill a)
{
    constexpr uint32_t WARPS = SPMMI_ROWS_THREADS / 32;
    const uint32_t rank = min(blockIdx.x * SPMMI_SLICE_ROWS + threadIdx.x % 32, a.ranks - 1);
    const uint32_t begin = min(a.rank_start[rank], a.nnz);
    const uint32_t length = min(max(a.rank_start[rank + 1], begin), a.nnz) - begin;
    const uint32_t start = a.slices[blockIdx.x].start + threadIdx.x % 32;
    if (blockIdx.x * SPMMI_SLICE_ROWS + threadIdx.x % 32 >= a.ranks)
        return;
    for (uint32_t e = threadIdx.x / 32; e < length; e += WARPS) {
        const uint64_t entry = start + (uint64_t)e * SPMMI_SLICE_ROWS;
        if (entry < a.entries)
            static_cast<Bits *>(a.to)[entry] = static_cast<const Bits *>(a.from)[begin + e];
    }
}

template <typename Bits> int launch_slices(const struct spmmi_slices_fill *a)
{
    return launch_kernel(slices_kernel<Bits>, dim3(spmmi_slices_count(a->ranks)), SPMMI_ROWS_THREADS, 0,
                         a->cuda_stream, false, *a);
}

} // namespace spmmi

int spmmi_slices_fill_cuda(const struct spmmi_slices_fill *args, uint32_t value_bytes)
{
    switch (value_bytes) {
    case 2:
        return spmmi::launch_slices<uint16_t>(args);
    case 4:
        return spmmi::launch_slices<uint32_t>(args);
    case 8:
        return spmmi::launch_slices<uint64_t>(args);
    default:
        return cudaErrorInvalidValue;
    }
}
