// SPDX-License-Identifier: Apache-2.0
// What the kernels of products without a plan share: rows of matrices, hash tables of columns in shared memory, and the
// walk over the products of a row, side by side.
//
// A round takes as many entries of the left factor as a group has lanes, one a lane, and numbers their products. A
// chunk is of LANES products with consecutive numbers, of any entries; IN_FLIGHT chunks are loaded together, and a sink
// takes one after the other. Control is uniform in a warp, so groups of less than 32 lanes take as many steps as the
// longest of their warp.
#pragma once
#include "kernels/shared/launch.cuh"
#include "spgemm_chunk.cuh"
#include "spgemm_once_launch.h"

namespace spmmi {
namespace spgemm {

constexpr int32_t NO_COLUMN = -1;

__device__ __forceinline__ int64_t row_begin(const spmmi_once_matrix &m, int64_t i)
{
    return m.has_wide_rows ? static_cast<const int64_t *>(m.row_ptr)[i]
                           : static_cast<const int32_t *>(m.row_ptr)[i];
}

// A hash table of columns; slots: a power of two, of which at most half and 128 are taken.
template <int SLOTS> struct Table {
    int32_t *keys;

    __device__ __forceinline__ void clear(uint32_t lane, uint32_t lanes)
    {
        for (uint32_t s = lane; s < SLOTS; s += lanes)
            keys[s] = NO_COLUMN;
    }

    static __device__ __forceinline__ uint32_t first_slot(int32_t column)
    {
        return ((uint32_t)column * 0x9e3779b1u >> 16) & (SLOTS - 1);
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

// The sum of x over the threads of the block before this one; *total: over all. shared: a place for each warp.
template <typename Number>
__device__ __forceinline__ Number sum_before(Number x, Number *shared, Number *total)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    Number sum = x;
    for (unsigned d = 1; d < 32; d *= 2) {
        const Number other = __shfl_up_sync(EVERY_LANE, sum, d);
        sum += lane >= d ? other : 0;
    }
    __syncthreads();
    if (lane == 31)
        shared[warp] = sum;
    __syncthreads();
    Number before = 0, all = 0;
    for (unsigned v = 0; v < warps; v++) {
        before += v < warp ? shared[v] : 0;
        all += shared[v];
    }
    *total = all;
    return before + sum - x;
}

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

// Entry p of the left factor; of no products if it is not there.
template <typename Real, bool VALUES>
__device__ __forceinline__ Factor<Real> load_factor(const spmmi_once_work &w, int64_t p, bool is_there)
{
    Factor<Real> f = {Real(0), 0, 0};
    if (!is_there)
        return f;
    const int64_t k = w.a.columns[p], start = row_begin(w.b, k);
    f.start = (uint32_t)start;
    f.length = (uint32_t)(row_begin(w.b, k + 1) - start);
    if (VALUES)
        f.a = static_cast<const Real *>(w.a.values)[p];
    return f;
}

constexpr int IN_FLIGHT = 4;

// All products of a round; steps: LANES of the group. Is the sink full?
template <typename Real, int LANES, bool VALUES, typename Sink>
__device__ __forceinline__ bool walk_round(const spmmi_once_matrix &right, const Factor<Real> &own,
                                           Step<Real> *steps, uint32_t lane, Sink &sink)
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
                    b[i] = static_cast<const Real *>(right.values)[step.start + at];
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

// All products of a row of C: entries [begin, begin + length) of the left factor; the next round is loaded ahead.
template <typename Real, int LANES, bool VALUES, typename Sink>
__device__ __forceinline__ void walk_row(const spmmi_once_work &w, int64_t begin, uint32_t length,
                                         Step<Real> *steps, uint32_t lane, Sink &sink)
{
    const uint32_t longest = warp_max<LANES>(length);
    Factor<Real> next = load_factor<Real, VALUES>(w, begin + lane, lane < length);
    for (uint32_t t = 0; t < longest; t += LANES) {
        const Factor<Real> own = next;
        const uint32_t ahead = t + LANES + lane;
        next = load_factor<Real, VALUES>(w, begin + ahead, ahead < length);
        if (walk_round<Real, LANES, VALUES>(w.b, own, steps, lane, sink))
            return;
    }
}

} // namespace spgemm
} // namespace spmmi
