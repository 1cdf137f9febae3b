// SPDX-License-Identifier: Apache-2.0
// A chunk: as many products as a group has lanes, side by side, of any entries of the left factor.
#pragma once
#include "spgemm_arithmetic.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned EVERY_LANE = 0xffffffffu;

// Returns the maximum over the groups of a warp. With one group per warp, x is uniform and returned as it is.
template <int LANES> __device__ __forceinline__ uint32_t warp_max(uint32_t x)
{
    return LANES == 32 ? x : __reduce_max_sync(EVERY_LANE, x);
}

// Returns the bits of the group, shifted to bit 0, of a ballot of the warp.
template <int LANES> __device__ __forceinline__ unsigned group_bits(unsigned warp_bits)
{
    if (LANES == 32)
        return warp_bits;
    return warp_bits >> threadIdx.x % 32 / LANES * LANES & ((1u << LANES % 32) - 1);
}

// Flat items: number of list entries of a round, one per lane of a warp, and of products of a chunk, one per
// lane. Turns must be derived by a walk over the same chunks in which the products are added. With other
// chunks, two products of a chunk with the same place could have the same turn, and one of them would be
// lost.
constexpr int FLAT_ROUND = 32;

// The products of a lane's entry of the left factor: numbers begin .. begin + count - 1 of the `total`
// products of its group in the round.
struct Share {
    uint32_t begin, count, total;
};

// Numbers the products of a round. own: this lane's entry of the left factor: its value a, and start and
// length of the row of the right factor that it multiplies. The lengths of a group must add up to less than
// 2^32. steps: shared memory of the group with one element per lane; receives the entries that have products,
// with starts such that product i of the round multiplies element start + i of the right factor.
template <int LANES, typename Entry, typename Step>
__device__ __forceinline__ Share share_round(const Entry &own, Step *steps, uint32_t lane)
{
    uint32_t end = own.length; // end of this lane's products in the round
#pragma unroll
    for (int d = 1; d < LANES; d *= 2) {
        const uint32_t before = __shfl_up_sync(EVERY_LANE, end, d, LANES);
        end += lane >= (uint32_t)d ? before : 0;
    }
    const Share share = {end - own.length, own.length, __shfl_sync(EVERY_LANE, end, LANES - 1, LANES)};
    const unsigned entries = group_bits<LANES>(__ballot_sync(EVERY_LANE, share.count > 0));
    if (share.count > 0)
        steps[__popc(entries & ((1u << lane) - 1))] = {own.a, own.start - share.begin};
    __syncwarp();
    return share;
}

// Returns the lanes of the group whose product, in the chunk that begins with product `chunk`, is the first
// one of its entry.
template <int LANES>
__device__ __forceinline__ unsigned first_of_entries(const Share &share, uint32_t chunk, uint32_t lane)
{
    const unsigned first_lane = threadIdx.x % 32 - lane;
    const bool begins = share.count > 0 && share.begin - chunk < LANES; // a smaller begin wraps around
    return group_bits<LANES>(
        __reduce_or_sync(EVERY_LANE, begins ? 1u << (first_lane + (share.begin - chunk)) : 0u));
}

// Pulls: bit `lane` of a chunk is set if its product begins a run. Returns the last product with a set bit;
// `before` if there is none.
__device__ __forceinline__ uint32_t last_begin(unsigned begins, int chunk, uint32_t before)
{
    return begins != 0 ? 32 * chunk + 31 - __clz((int)begins) : before;
}

// Loads a position of 1 byte, or of 2.
__device__ __forceinline__ uint32_t load_position(const uint8_t *positions, uint32_t product, bool is_narrow)
{
    return is_narrow ? (uint32_t)__ldg(positions + product)
                     : (uint32_t)__ldg(reinterpret_cast<const uint16_t *>(positions) + product);
}

// If the products of a chunk belong to at most this many entries, the entries are added one after the other.
// Otherwise equal positions are searched for.
constexpr unsigned ENTRY_TURNS = 6;

// Adds products to sums, turn by turn. The products of one turn have different positions.
template <typename Real>
__device__ __forceinline__ void add_turns(Real a, Real b, uint32_t position, bool is_there, unsigned turn,
                                          unsigned last, Real *sums)
{
    for (unsigned t = 0; t <= last; t++) {
        if (is_there && turn == t)
            sums[position] = fused(a, b, sums[position]);
        __syncwarp();
    }
}

// Returns the number of lanes of the group with lower index that have the same position. Positions are below
// 2^16.
template <int LANES> __device__ __forceinline__ unsigned turn_of(uint32_t position, bool is_there)
{
    const unsigned warp_lane = threadIdx.x % 32;
    const unsigned key = is_there ? warp_lane / LANES << 16 | position : 0x80000000u | warp_lane;
    return __popc(__match_any_sync(EVERY_LANE, key) & ((1u << warp_lane) - 1));
}

// Adds the products of one chunk to sums. Products with equal positions are added in the order of lanes,
// which is by ascending k: bitwise repeatable. starts: lanes whose product is the first one of its entry. The
// positions of one entry differ, and all positions are below 2^16.
template <typename Real, int LANES>
__device__ __forceinline__ void add_chunk(Real a, Real b, uint32_t position, bool is_there, Real *sums,
                                          unsigned starts, unsigned below)
{
    unsigned turn = __popc(starts >> 1 & below), last = warp_max<LANES>(__popc(starts >> 1));
    if (last >= ENTRY_TURNS) {
        turn = turn_of<LANES>(position, is_there);
        last = __reduce_max_sync(EVERY_LANE, turn);
    }
    add_turns(a, b, position, is_there, turn, last, sums);
}

} // namespace spgemm
} // namespace spmmi
