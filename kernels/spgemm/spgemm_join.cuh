// SPDX-License-Identifier: Apache-2.0
// The sums of a row that was cut: its pieces are added one after the other, for each entry in the order of k.
//
// block   JOIN_THREADS threads for a slice of the entries. It copies a tile of their pieces into shared memory, all
//         copies in flight at once, and a thread adds those of its entry. Slices are so small that one tile has all
//         pieces, up to 1,024. Added from where they lie, 8,000 pieces of few entries wait for memory 2,000 times.
#pragma once
#include "kernels/shared/async.cuh"
#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

constexpr uint32_t JOIN_THREADS = SPMMI_SPGEMM_JOIN_ENTRIES;

// Entries [base, base + count) of a row; count is at most width, which spmmi_spgemm_join_width tells. Entry e of piece
// p is from[p * stride + e]; store(e, sum) takes each sum. One piece at least.
template <typename Real, typename Store>
__device__ __forceinline__ void add_pieces(const Real *from, uint64_t stride, uint32_t pieces, uint32_t base,
                                           uint32_t count, uint32_t width, Store store)
{
    __shared__ Real tile[SPMMI_SPGEMM_JOIN_ROOM];
    const uint32_t most = SPMMI_SPGEMM_JOIN_ROOM / width, turn = JOIN_THREADS / width; // pieces
    const uint32_t e = threadIdx.x % width, own = threadIdx.x / width;
    Real sum = Real(0);
    for (uint32_t first = 0; first < pieces; first += most) {
        const uint32_t some = min(most, pieces - first);
        __syncthreads(); // the tile before this one is added
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
