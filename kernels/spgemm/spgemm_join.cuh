// SPDX-License-Identifier: Apache-2.0
// Joins the rows that were cut: adds the sums of the pieces one after the other, for each entry in the order
// of k.
//
// block     JOIN_THREADS threads for a slice of the entries. The block copies a tile of their pieces to
//           shared memory, with all copies in flight at once; then each thread adds the pieces of its entry.
//           Slices are so small that one tile holds all pieces, up to 1,024. Without tiles, 8,000 pieces of
//           few entries would wait for memory 2,000 times.
#pragma once
#include "kernels/shared/async.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr uint32_t JOIN_THREADS = SPMMI_SPGEMM_JOIN_ENTRIES;

// Adds the pieces of the entries [base, base + count) of a row; count is at most `width`, the result of
// spmmi_spgemm_join_width. Entry e of piece p is from[p * stride + e]; there is at least one piece. Calls
// store(e, sum) for each sum.
template <typename Real, typename Store>
__device__ __forceinline__ void add_pieces(const Real *from, uint64_t stride, uint32_t pieces, uint32_t base,
                                           uint32_t count, uint32_t width, Store store)
{
    __shared__ Real tile[SPMMI_SPGEMM_JOIN_ROOM];
    const uint32_t most = SPMMI_SPGEMM_JOIN_ROOM / width, turn = JOIN_THREADS / width; // in pieces
    const uint32_t e = threadIdx.x % width, own = threadIdx.x / width;
    Real sum = Real(0);
    for (uint32_t first = 0; first < pieces; first += most) {
        const uint32_t some = min(most, pieces - first);
        __syncthreads(); // the previous tile has been added
        for (uint32_t p = own; p < some && e < count; p += turn)
            copy_async(tile + p * width + e, from + (first + p) * stride + base + e);
        commit_copies();
        wait_for_copies<0>();
        __syncthreads();
        if (threadIdx.x >= count)
            continue;
        if (first == 0)
            sum = tile[threadIdx.x];
#pragma unroll 16
        for (uint32_t p = first == 0 ? 1 : 0; p < some; p++)
            sum += tile[p * width + threadIdx.x];
    }
    if (threadIdx.x < count)
        store(base + threadIdx.x, sum);
}

} // namespace spgemm
} // namespace spmmi
