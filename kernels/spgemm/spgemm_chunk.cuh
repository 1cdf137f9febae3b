// SPDX-License-Identifier: Apache-2.0
// A chunk: as many products as a group has lanes, side by side, of any entries of the left factor.
#pragma once
#include "spgemm_arithmetic.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned EVERY_LANE = 0xffffffffu;

// The most of a warp's groups; of one group x itself, which is uniform then.
template <int LANES> __device__ __forceinline__ uint32_t warp_max(uint32_t x)
{
    return LANES == 32 ? x : __reduce_max_sync(EVERY_LANE, x);
}

// Turns that the entries of a chunk may take, one after the other, before equal positions are looked for.
constexpr unsigned ENTRY_TURNS = 3;

// Products of one chunk into sums, in the order of lanes where positions are equal, which is by ascending k: bitwise
// repeatable. starts: lanes whose product is the first of its entry; those of one entry have different positions, all
// below 2^16.
template <typename Real, int LANES>
__device__ __forceinline__ void add_chunk(Real a, Real b, uint32_t position, bool is_there, Real *sums,
                                          unsigned starts, unsigned below)
{
    unsigned turn = __popc(starts >> 1 & below), last = warp_max<LANES>(__popc(starts >> 1));
    if (last >= ENTRY_TURNS) {
        const unsigned warp_lane = threadIdx.x % 32;
        const unsigned key = is_there ? warp_lane / LANES << 16 | position : 0x80000000u | warp_lane;
        turn = __popc(__match_any_sync(EVERY_LANE, key) & ((1u << warp_lane) - 1));
        last = __reduce_max_sync(EVERY_LANE, turn);
    }
    for (unsigned t = 0; t <= last; t++) {
        if (is_there && turn == t)
            sums[position] = fused(a, b, sums[position]);
        __syncwarp();
    }
}

} // namespace spgemm
} // namespace spmmi
