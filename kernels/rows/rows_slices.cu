// SPDX-License-Identifier: Apache-2.0
// rows: copies values of A into slices of rows (rows_slices_shape.h).
//
// block     8 warps that own one slice; a lane owns a row, a warp every eighth word of the row
// bounds    entries and nonzeros read from tables are clamped to what there is (docs/decisions/0037)
#include <cuda_runtime.h>

#include "kernels/shared/launch.cuh"
#include "kernels/shared/vector.cuh"
#include "rows_slices_kernel.h"

namespace spmmi {

// Returns a value of a row. Past the end it returns 0, because the padding of a word is read.
template <typename Bits>
__device__ __forceinline__ Bits value_of(const struct spmmi_slices_fill &a, uint32_t begin, uint32_t length,
                                         uint32_t e)
{
    return e < length ? static_cast<const Bits *>(a.from)[begin + e] : Bits(0);
}

template <typename Bits, int CHUNK> __global__ void slices_kernel(const struct spmmi_slices_fill a)
{
    constexpr uint32_t WARPS = SPMMI_ROWS_THREADS / 32;
    const uint32_t lane = threadIdx.x % 32, rank = min(blockIdx.x * SPMMI_SLICE_ROWS + lane, a.ranks - 1);
    const uint32_t begin = min(a.rank_start[rank], a.nnz);
    const uint32_t start = min(a.slices[blockIdx.x].start, a.entries) / SPMMI_SLICE_ROWS * SPMMI_SLICE_ROWS;
    const uint32_t end = min(max(a.slices[blockIdx.x + 1].start, start), a.entries);
    const uint32_t width = (end - start) / SPMMI_SLICE_ROWS, batch = spmmi_slice_batch(a.index);
    const uint32_t length = min(min(max(a.rank_start[rank + 1], begin), a.nnz) - begin, width);
    const uint32_t whole = width / batch * batch;
    Bits *const to = static_cast<Bits *>(a.to) + start;
    if (blockIdx.x * SPMMI_SLICE_ROWS + lane >= a.ranks)
        return;
    for (uint32_t e = threadIdx.x / 32 * CHUNK; e < min(length, whole); e += WARPS * CHUNK) {
        Vector<Bits, CHUNK> word;
#pragma unroll
        for (int i = 0; i < CHUNK; i++)
            word.x[i] = value_of<Bits>(a, begin, length, e + i);
        store_vector<Bits, CHUNK>(to + spmmi_slice_at(whole, e, lane, CHUNK), word);
    }
    for (uint32_t e = whole + threadIdx.x / 32; e < length; e += WARPS)
        to[spmmi_slice_at(whole, e, lane, CHUNK)] = value_of<Bits>(a, begin, length, e);
}

template <typename Bits, enum spmmi_slice_index INDEX> int launch_chunks(const struct spmmi_slices_fill *a)
{
    constexpr int CHUNK = spmmi_slice_chunk(INDEX, sizeof(Bits));
    return launch_kernel(slices_kernel<Bits, CHUNK>, dim3(spmmi_slices_count(a->ranks)), SPMMI_ROWS_THREADS,
                         0, a->cuda_stream, false, *a);
}

template <typename Bits> int launch_slices(const struct spmmi_slices_fill *a)
{
    return spmmi_slice_run(a->index) > 1 ? launch_chunks<Bits, SPMMI_INDEX_RUNS_16>(a)
                                         : launch_chunks<Bits, SPMMI_INDEX_16>(a);
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
