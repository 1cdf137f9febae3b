// SPDX-License-Identifier: Apache-2.0
// Computes rows of C by tables of their columns: hash tables in shared memory, and a walk over the products
// of a row, side by side.
//
// A round processes as many entries of the left factor as a group has lanes, one per lane, and numbers their
// products. A chunk is LANES products with consecutive numbers, of any entries. IN_FLIGHT chunks are loaded
// together, and a sink receives them one after the other. Control is uniform in a warp, so groups of fewer
// than 32 lanes take as many steps as the longest of their warp.
#pragma once
#include "spgemm_chunk.cuh"

namespace spmmi {
namespace spgemm {

constexpr int32_t NO_COLUMN = -1;

// Multipliers of the hash function: SCATTERED sends columns to any slots, IN_ORDER sends columns below SLOTS
// to the slots of their own numbers.
constexpr uint32_t SCATTERED = 0x9e3779b1u, IN_ORDER = 1u << 16;

// A hash table of columns. SLOTS is a power of two up to 2^16. If columns are scattered, at most half of the
// slots are used.
template <int SLOTS> struct Table {
    int32_t *keys;
    uint32_t multiplier = SCATTERED;

    __device__ __forceinline__ void clear(uint32_t lane, uint32_t lanes)
    {
        for (uint32_t s = lane; s < SLOTS; s += lanes)
            keys[s] = NO_COLUMN;
    }

    __device__ __forceinline__ uint32_t first_slot(int32_t column) const
    {
        return ((uint32_t)column * multiplier >> 16) & (SLOTS - 1);
    }

    // Inserts a column. Returns true if it is new. *slot: its slot.
    __device__ __forceinline__ bool insert(int32_t column, uint32_t *slot)
    {
        for (uint32_t s = first_slot(column);; s = (s + 1) & (SLOTS - 1)) {
            int32_t before = *const_cast<volatile int32_t *>(keys + s);
            if (before == NO_COLUMN)
                before = atomicCAS(keys + s, NO_COLUMN, column);
            *slot = s;
            if (before == NO_COLUMN || before == column)
                return before == NO_COLUMN;
        }
    }

    // Returns the slot of a column that is in the table.
    __device__ __forceinline__ uint32_t find(int32_t column) const
    {
        uint32_t s = first_slot(column);
        while (keys[s] != column)
            s = (s + 1) & (SLOTS - 1);
        return s;
    }
};

// Padding after the memory of a group, which has BYTES without it: the groups of a warp then begin an odd
// multiple of LANES banks apart. Without padding, all groups of 8 lanes meet in the same banks:
// gen:poisson2:1024:1024 took 592 us on an H200, and 518 with it. A group that is a warp meets no other
// group: it gets the smallest aligned array.
template <int LANES, unsigned BYTES> struct Skew {
    static constexpr unsigned OWN = BYTES / 4, ODD = OWN / (2 * LANES) * (2 * LANES) + LANES,
                              BEHIND = LANES == 32 ? 4 : (ODD >= OWN ? ODD : ODD + 2 * LANES) - OWN;
};

// An entry of the left factor, and the row of the right factor, or the part of it, that it multiplies.
template <typename Real> struct Factor {
    Real a;
    uint32_t start, length;
};

// An entry of the left factor in shared memory: product i of the round multiplies element start + i of the
// right factor.
template <typename Real> struct Step {
    Real a;
    uint32_t start;
};

constexpr int IN_FLIGHT = 4;

template <typename Real, typename Right>
__device__ __forceinline__ Real value_of(const Right &right, uint32_t entry)
{
    return static_cast<const Real *>(right.values)[entry];
}

// Passes all products of a round to the sink. right: columns and values of the right factor; steps: LANES
// elements of the group. Returns true if the sink is full.
template <typename Real, int LANES, bool VALUES, typename Right, typename Sink>
__device__ __forceinline__ bool walk_round(const Right &right, const Factor<Real> &own, Step<Real> *steps,
                                           uint32_t lane, Sink &sink)
{
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    // Rows of the right factor differ, so their lengths add up to less than 2^32.
    const Share share = share_round<LANES>(own, steps, lane);
    const uint32_t longest = warp_max<LANES>(share.total);
    uint32_t begun = 0; // entries in front of this chunk
    bool is_full = false;
    for (uint32_t first = 0; first < longest && !is_full; first += LANES * IN_FLIGHT) {
        int32_t column[IN_FLIGHT];
        Real a[IN_FLIGHT], b[IN_FLIGHT];
        bool is_there[IN_FLIGHT];
        unsigned starts[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            const uint32_t chunk = first + LANES * i, at = chunk + lane;
            is_there[i] = false;
            if (chunk >= longest)
                continue;
            starts[i] = first_of_entries<LANES>(share, chunk, lane);
            is_there[i] = at < share.total;
            column[i] = 0;
            a[i] = b[i] = Real(0);
            if (is_there[i]) {
                const Step<Real> step = steps[begun + __popc(starts[i] & up_to) - 1];
                column[i] = right.columns[step.start + at];
                if (VALUES) {
                    a[i] = step.a;
                    b[i] = value_of<Real>(right, step.start + at);
                }
            }
            begun += __popc(starts[i]);
        }
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++)
            if (first + LANES * i < longest)
                sink.take(column[i], a[i], b[i], is_there[i], starts[i], below);
        is_full = sink.is_full();
    }
    __syncwarp();
    return is_full;
}

// Passes all products of a row of C, with `length` entries of the left factor, to the sink. The next round is
// loaded ahead. load(t, is_there) returns entry t, without products if is_there is false.
template <typename Real, int LANES, bool VALUES, typename Right, typename Load, typename Sink>
__device__ __forceinline__ void walk_row(const Right &right, Load load, uint32_t length, Step<Real> *steps,
                                         uint32_t lane, Sink &sink)
{
    const uint32_t longest = warp_max<LANES>(length);
    Factor<Real> next = load(lane, lane < length);
    for (uint32_t t = 0; t < longest; t += LANES) {
        const Factor<Real> own = next;
        const uint32_t ahead = t + LANES + lane;
        next = load(ahead, ahead < length);
        if (walk_round<Real, LANES, VALUES>(right, own, steps, lane, sink))
            return;
    }
}

} // namespace spgemm
} // namespace spmmi
