// SPDX-License-Identifier: Apache-2.0
// The sums of a row that was cut: its pieces are added one after the other, for each entry in the order of k.
//
// block   JOIN_THREADS threads; for up to as many entries at a time it copies tiles of pieces into shared memory, all
//         loads of a tile at once, and a thread adds those of its entry. Added from where they lie, 8,000 pieces of few
//         entries wait for memory 2,000 times.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {
namespace spgemm {

constexpr uint32_t JOIN_THREADS = 256, JOIN_ROOM = 2048; // sums of a tile

// Entry e of piece p is from[p * stride + e]; store(e, sum) takes each sum. One piece at least.
template <typename Real, typename Store>
__device__ __forceinline__ void add_pieces(const Real *from, uint64_t stride, uint32_t pieces, uint32_t count,
                                           Store store)
{
    __shared__ Real tile[JOIN_ROOM];
    for (uint32_t base = 0; base < count; base += JOIN_THREADS) {
        const uint32_t entries = min(count - base, JOIN_THREADS), most = JOIN_ROOM / entries;
        const bool is_mine = threadIdx.x < entries;
        Real sum = Real(0);
        for (uint32_t first = 0; first < pieces; first += most) {
            const uint32_t some = min(most, pieces - first);
            __syncthreads(); // the tile before this one is added
#pragma unroll 8
            for (uint32_t t = threadIdx.x; t < some * entries; t += JOIN_THREADS)
                tile[t] = from[(first + t / entries) * stride + base + t % entries];
            __syncthreads();
            if (first == 0 && is_mine)
                sum = tile[threadIdx.x];
#pragma unroll 8
            for (uint32_t p = first == 0 ? 1 : 0; p < some; p++)
                if (is_mine)
                    sum += tile[p * entries + threadIdx.x];
        }
        if (is_mine)
            store(base + threadIdx.x, sum);
    }
}

} // namespace spgemm
} // namespace spmmi
