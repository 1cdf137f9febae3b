// SPDX-License-Identifier: Apache-2.0
// Rows of C by tables of their columns: hash tables in shared memory, and the walk over the products of a row, side by
// side.
//
// A round takes as many entries of the left factor as a group has lanes, one a lane, and numbers their products. A
// chunk is of LANES products with consecutive numbers, of any entries; IN_FLIGHT chunks are loaded together, and a sink
// takes one after the other. Control is uniform in a warp, so groups of less than 32 lanes take as many steps as the
// longest of their warp.
#pragma once
#include "spgemm_chunk.cuh"

namespace spmmi {
namespace spgemm {

constexpr int32_t NO_COLUMN = -1;

// Of a table whose slots are taken anywhere; and of one of columns below SLOTS, each in the slot of its number.
constexpr uint32_t SCATTERED = 0x9e3779b1u, IN_ORDER = 1u << 16;

// A hash table of columns; slots: a power of two up to 2^16, of which at most half are taken where they are scattered.
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

    // Adds it; was it new? *slot: where it is.
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

    // Where it is; it is there.
    __device__ __forceinline__ uint32_t find(int32_t column) const
    {
        uint32_t s = first_slot(column);
        while (keys[s] != column)
            s = (s + 1) & (SLOTS - 1);
        return s;
    }
};

// Words behind the memory of a group, of BYTES without them: groups of a warp begin an odd multiple of LANES banks
// apart. Without them all groups of 8 lanes meet in the same banks: gen:poisson2:1024:1024 took 592 us on an H200, and
// 518 with them. A group that is a warp meets no other one: it has as few as an array can have, aligned.
template <int LANES, unsigned BYTES> struct Skew {
    static constexpr unsigned OWN = BYTES / 4, ODD = OWN / (2 * LANES) * (2 * LANES) + LANES,
                              BEHIND = LANES == 32 ? 4 : (ODD >= OWN ? ODD : ODD + 2 * LANES) - OWN;
};

// An entry of the left factor, and the row of the right one, or part of it, that it multiplies.
template <typename Real> struct Factor {
    Real a;
    uint32_t start, length;
};

// In shared memory: product number i of the round multiplies number start + i of the right factor.
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

// All products of a round; right: columns and values of the right factor; steps: LANES of the group. Is the sink full?
template <typename Real, int LANES, bool VALUES, typename Right, typename Sink>
__device__ __forceinline__ bool walk_round(const Right &right, const Factor<Real> &own, Step<Real> *steps,
                                           uint32_t lane, Sink &sink)
{
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    const Share share = share_round<LANES>(own, steps, lane); // rows of the right factor differ: below 2^32
    const uint32_t longest = warp_max<LANES>(share.total);
    uint32_t begun = 0; // entries before this chunk
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

// All products of a row of C, of `length` entries of the left factor; the next round is loaded ahead. load(t,
// is_there): entry t of them, of no products if it is not there.
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
