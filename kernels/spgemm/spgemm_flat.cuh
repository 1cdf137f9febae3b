// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: items whose warp processes 32 products side by side, of any list entries. Positions
// of 2 bytes contain turns, which visit_turns (spgemm_derive.cu) derives in the same rounds and chunks of
// FLAT_ROUND. Change both walks together.
#pragma once
#include "spgemm_chunk.cuh"
#include "spgemm_launch.h"
#include "spgemm_products.cuh"

namespace spmmi {
namespace spgemm {

constexpr int IN_FLIGHT = 4; // chunks whose loads are issued together

// An entry of the left factor, and the row of the right factor, or the part of it, that the entry multiplies.
template <typename Real> struct alignas(16) ListEntry {
    Real a;
    uint32_t start, length;
};

static_assert(IN_FLIGHT * FLAT_ROUND * sizeof(Product<double>) <= SPMMI_SPGEMM_ITEM_ENTRIES * sizeof(double),
              "products lie where the sums of other items do");

// Returns the lanes whose position equals the number of this lane. Positions are below 32.
__device__ __forceinline__ unsigned lanes_of_own(uint32_t position, bool is_there, uint32_t lane)
{
    unsigned own = __ballot_sync(EVERY_LANE, is_there);
#pragma unroll
    for (int bit = 0; bit < 5; bit++) {
        const unsigned set = __ballot_sync(EVERY_LANE, position >> bit & 1);
        own &= lane >> bit & 1 ? set : ~set;
    }
    return own;
}

// Adds the products of one chunk that the given lanes brought, by ascending lane. The next AHEAD products are
// loaded together.
template <typename Real>
__device__ __forceinline__ void add_own(const Product<Real> *products, unsigned lanes, Real &sum)
{
    constexpr int AHEAD = 2;
    while (lanes != 0) {
        Product<Real> next[AHEAD];
        bool is_there[AHEAD];
#pragma unroll
        for (int t = 0; t < AHEAD; t++) {
            is_there[t] = lanes != 0;
            if (is_there[t])
                next[t] = products[__ffs((int)lanes) - 1];
            lanes &= lanes - 1;
        }
#pragma unroll
        for (int t = 0; t < AHEAD; t++)
            if (is_there[t])
                sum = fused(next[t].a, next[t].b, sum);
    }
}

// Adds a round of products side by side, of the list entries that the lanes hold. Returns the number of
// products. OWNED: own_sum is the sum of entry `lane`, and the memory of sums holds products.
template <typename Real, bool OWNED>
__device__ __forceinline__ uint32_t add_flat_round(const ListEntry<Real> &own, ListEntry<Real> *steps,
                                                   const Real *right, const uint8_t *positions,
                                                   bool is_narrow, Real *sums, Real &own_sum, uint32_t lane)
{
    const unsigned below = (1u << lane) - 1, up_to = below | 1u << lane;
    const Share share = share_round<FLAT_ROUND>(own, steps, lane);
    uint32_t begun = 0; // entries in front of this chunk
    for (uint32_t first = 0; first < share.total; first += FLAT_ROUND * IN_FLIGHT) {
        uint32_t position[IN_FLIGHT];
        Real a[IN_FLIGHT], b[IN_FLIGHT];
        bool is_there[IN_FLIGHT];
        unsigned starts[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; i++) {
            const uint32_t chunk = first + FLAT_ROUND * i, at = chunk + lane;
            is_there[i] = false;
            if (chunk >= share.total) // uniform in the warp, so that control stays uniform
                continue;
            starts[i] = first_of_entries<FLAT_ROUND>(share, chunk, lane);
            const ListEntry<Real> step = steps[begun + __popc(starts[i] & up_to) - 1];
            begun += __popc(starts[i]);
            is_there[i] = at < share.total;
            a[i] = step.a;
            position[i] = 0;
            if (is_there[i]) {
                position[i] = load_position(positions, at, is_narrow);
                b[i] = right[step.start + at];
            }
        }
        if constexpr (OWNED) {
            Product<Real> *const products = reinterpret_cast<Product<Real> *>(sums);
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++)
                if (is_there[i])
                    products[FLAT_ROUND * i + lane] = {a[i], b[i]};
            __syncwarp();
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++)
                if (first + FLAT_ROUND * i < share.total)
                    add_own(products + FLAT_ROUND * i, lanes_of_own(position[i], is_there[i], lane), own_sum);
            __syncwarp();
        } else {
#pragma unroll
            for (int i = 0; i < IN_FLIGHT; i++)
                if (first + FLAT_ROUND * i < share.total) {
                    if (is_narrow) {
                        add_chunk<Real, FLAT_ROUND>(a[i], b[i], position[i], is_there[i], sums, starts[i],
                                                    below);
                    } else {
                        const unsigned turn = SPMMI_SPGEMM_TURN(position[i]);
                        add_turns(a[i], b[i], SPMMI_SPGEMM_PLACE(position[i]), is_there[i], turn,
                                  __reduce_max_sync(EVERY_LANE, turn), sums);
                    }
                }
        }
    }
    __syncwarp();
    return share.total;
}

} // namespace spgemm
} // namespace spmmi
