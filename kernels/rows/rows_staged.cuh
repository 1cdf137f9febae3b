// SPDX-License-Identifier: Apache-2.0
// rows, nonzero split, up to 8 columns: C(m x n) = alpha * P * B(k x n) + beta * C.
//
// layout      the stream of rows_kernel.h; blocks of spmmi_staged_blocks_build: whole rows, or a piece of a
//             long row
// block       256 threads = 256 / LANES nonzeros at a time; LANES * VEC >= n columns, so there is one column
//             tile
// lane        one nonzero and VEC of its columns: adjacent groups read adjacent nonzeros, so that the
//             nonzeros of a row gather neighbouring values of B
// sums        a block of several rows stores its products in shared memory. Its lane groups are divided
//             evenly among the rows, and sum them. Rows with too many products for that are listed, and the
//             warps of the block sum one listed row at a time. A row with blocks of its own is summed in
//             registers. If it has several blocks, their sums (of pieces) go to slots, which the last block
//             to arrive adds in ascending order. The order of every sum is fixed
// launch      columns of nonzeros and starts of rows are read before the previous kernel has ended, because
//             they never change. Values of A, B, C and the workspace are read after it
// bounds      as in rows.cuh
// source      paper 002 (coalesced staging in shared memory, nonzero split); blocks of whole rows replace the
//             row ends inside a thread's nonzeros
#pragma once
#include "rows_few.cuh"
#include "kernels/shared/arrival.h"

namespace spmmi {

constexpr int STAGED_STEP = 4; // nonzeros of a lane that are in flight together

// A row that a warp sums: its nonzeros, counted from the block's start, and its row of C.
struct WarpRow {
    uint32_t first, end, row;
};

// The shared memory of a block.
template <typename T, int VEC, int LANES> struct Stage {
    using Sums = Vector<typename T::Sum, VEC>;
    static constexpr uint32_t GROUPS = THREADS / LANES; // lane groups
    static constexpr uint32_t NONZEROS = SPMMI_STAGED_NONZEROS_MAX(sizeof(typename T::Sum), VEC, LANES);
    static_assert(NONZEROS % (STAGED_STEP * GROUPS) == 0, "batches are whole");
    alignas(16) Sums product[NONZEROS * LANES];
    alignas(16) Sums warp_sum[THREADS / 32 * LANES];
    // Most products of a row that a lane group adds one after the other: 32, one per lane of the warp that
    // would sum the row otherwise. Not tuned.
    static constexpr uint32_t GROUP_PRODUCTS = 32;
    static constexpr uint32_t WARP_ROWS_MAX = NONZEROS / GROUP_PRODUCTS; // each listed row has more
    WarpRow warp_row[WARP_ROWS_MAX];
    uint32_t warp_rows;
    uint32_t first_block, block_count; // blocks of a row in pieces
    bool finishes;
};

// The nonzeros and rows of a block.
struct StagedBlock {
    uint32_t start, end; // nonzeros
    uint32_t rank, ranks;
    bool is_piece;
};

template <typename S, typename T> __device__ __forceinline__ StagedBlock staged_block(const RowsArgs<T> &a)
{
    const uint2 block = __ldg(a.blocks + blockIdx.x), next = __ldg(a.blocks + blockIdx.x + 1);
    StagedBlock b;
    b.start = min(block.x, a.nnz);
    b.end = min(max(min(next.x, a.nnz), b.start), b.start + S::NONZEROS);
    b.rank = min(block.y & ~SPMMI_ITEM_INSIDE, a.ranks - 1);
    b.is_piece = ((block.y | next.y) & SPMMI_ITEM_INSIDE) != 0;
    const uint32_t ranks = min(next.y & ~SPMMI_ITEM_INSIDE, a.ranks) - b.rank;
    b.ranks = b.is_piece ? 1 : (uint32_t)min(max((int)ranks, 1), (int)S::GROUPS);
    return b;
}

// The row that a lane group sums, alone or with others. The groups are divided evenly among the rows, at most
// a warp per row.
struct GroupRow {
    uint32_t width; // groups per row
    uint32_t index; // of the row in its block
    uint32_t first, end, row;
};

template <int LANES, typename S, typename T>
__device__ __forceinline__ GroupRow group_row(const RowsArgs<T> &a, const StagedBlock &block)
{
    GroupRow r{};
    r.width = min(S::GROUPS >> (block.ranks > 1 ? 32 - __clz((int)(block.ranks - 1)) : 0), 32u / LANES);
    r.index = threadIdx.x / LANES / r.width;
    if (r.index < block.ranks) {
        r.first = __ldg(a.rank_start + block.rank + r.index);
        r.end = __ldg(a.rank_start + block.rank + r.index + 1);
        r.row = row_of(a, block.rank + r.index);
    }
    return r;
}

// Returns the sum over the block, in threads below LANES.
template <int LANES, typename S>
__device__ __forceinline__ typename S::Sums sum_block(S &s, typename S::Sums sum)
{
    sum = sum_lanes(sum, LANES, 32);
    if (threadIdx.x % 32 < LANES)
        s.warp_sum[threadIdx.x / 32 * LANES + threadIdx.x % 32] = sum;
    __syncthreads();
    sum = typename S::Sums{};
    if (threadIdx.x < LANES)
        for (uint32_t w = 0; w < THREADS / 32; w++)
            sum.add(s.warp_sum[w * LANES + threadIdx.x]);
    return sum;
}

// Returns the sum of products first, first + step, .. below end, counted from the block's start.
template <int LANES, typename S>
__device__ __forceinline__ typename S::Sums sum_products(const S &s, uint32_t first, uint32_t end,
                                                         uint32_t step)
{
    typename S::Sums sum{};
#pragma unroll 1
    for (; first < end; first += step)
        sum.add(s.product[first * LANES + threadIdx.x % LANES]);
    return sum;
}

// Sums the rows of a block from their products. Rows with too many products for their lane groups are listed
// and summed by the warps afterwards (docs/decisions/0087).
template <typename T, int VEC, int LANES, typename S>
__device__ __forceinline__ void sum_rows(const RowsArgs<T> &a, const StagedBlock &block, const GroupRow &r,
                                         S &s)
{
    constexpr uint32_t WARP = 32 / LANES; // lane groups
    const uint32_t column = threadIdx.x % LANES * VEC, lane = threadIdx.x / LANES % r.width;
    const bool is_there = r.index < block.ranks;
    const uint32_t first = is_there ? min(r.first - block.start, S::NONZEROS) : 0;
    const uint32_t end = is_there ? min(r.end - block.start, S::NONZEROS) : 0;
    const bool is_listed = r.width < WARP && end > first + S::GROUP_PRODUCTS * r.width;
    if (is_listed && lane == 0 && threadIdx.x % LANES == 0) {
        const uint32_t at = atomicAdd(&s.warp_rows, 1);
        if (at < S::WARP_ROWS_MAX) // false only for damaged tables
            s.warp_row[at] = {first, end, r.row};
    }
    typename S::Sums sum = sum_products<LANES>(s, first + lane, is_listed ? 0 : end, r.width);
    sum = sum_lanes(sum, LANES, LANES * r.width);
    if (is_there && lane == 0 && !is_listed)
        store_sums<T, VEC>(a, r.row, column, sum, a.alpha);
    __syncthreads();
#pragma unroll 1
    for (uint32_t i = threadIdx.x / 32; i < min(s.warp_rows, S::WARP_ROWS_MAX); i += THREADS / 32) {
        const WarpRow row = s.warp_row[i];
        sum = sum_products<LANES>(s, row.first + threadIdx.x % 32 / LANES, row.end, WARP);
        sum = sum_lanes(sum, LANES, 32);
        if (threadIdx.x % 32 < LANES)
            store_sums<T, VEC>(a, row.row, column, sum, a.alpha);
    }
}

// Stores the sum of a piece of a row in a slot. The last block to arrive adds the slots and stores the row.
template <typename T, int VEC, int LANES, typename S>
__device__ __forceinline__ void sum_pieces(const RowsArgs<T> &a, const StagedBlock &block, const GroupRow &r,
                                           S &s, typename S::Sums sum)
{
    using Sum = typename T::Sum;
    if (threadIdx.x < LANES) {
        store_vector<Sum, VEC>(a.slots + ((uint64_t)blockIdx.x * LANES + threadIdx.x) * VEC, sum);
        __threadfence(); // the slot is visible before the arrival is counted
    }
    if (threadIdx.x < 32)
        __syncwarp();
    if (threadIdx.x == 0) {
        const uint32_t index = min((block.start - r.first) / a.block_nonzeros, blockIdx.x);
        const uint32_t pieces = (r.end - r.first + a.block_nonzeros - 1) / a.block_nonzeros;
        s.first_block = blockIdx.x - index;
        s.block_count = min(pieces, a.work_blocks - s.first_block);
        s.finishes = spmmi_arrive(a.arrivals + s.first_block, a.arrival_tag) + 1 == s.block_count;
    }
    __syncthreads();
    if (!s.finishes)
        return;
    __threadfence(); // the other blocks' slots are read after their arrivals
    sum = typename S::Sums{};
    for (uint32_t i = threadIdx.x / LANES; i < s.block_count; i += S::GROUPS)
        sum.add(load_vector_l2<Sum, VEC>(
            a.slots + ((uint64_t)(s.first_block + i) * LANES + threadIdx.x % LANES) * VEC));
    sum = sum_block<LANES>(s, sum);
    if (threadIdx.x < LANES)
        store_sums<T, VEC>(a, r.row, threadIdx.x * VEC, sum, a.alpha);
    if (threadIdx.x == 0)
        spmmi_arrivals_end(a.arrivals + s.first_block, a.arrival_tag);
}

// A batch: four nonzeros of a lane, GROUPS apart; past the end of the block the last nonzero again. Nothing here
// depends on a condition: otherwise the compiler would move loads to their uses, and they would wait for each
// other.
template <typename T, typename S> struct StagedBatch {
    uint32_t entry[STAGED_STEP];

    static __device__ __forceinline__ uint32_t at(uint32_t p, uint32_t i, uint32_t end)
    {
        return min(p + i * S::GROUPS, max(end, 1u) - 1);
    }
    __device__ __forceinline__ void load(const RowsArgs<T> &a, uint32_t p, uint32_t end)
    {
        uint32_t nonzero[STAGED_STEP];
#pragma unroll
        for (uint32_t i = 0; i < STAGED_STEP; i++)
            nonzero[i] = at(p, i, end);
        load_entries(a, nonzero, entry);
    }
};

// Computes the products of a block. Stores them in shared memory if it has several rows, else returns their
// sum.
template <typename T, int VEC, int LANES, typename S>
__device__ __forceinline__ typename S::Sums multiply(const RowsArgs<T> &a, const StagedBlock &block, S &s,
                                                     StagedBatch<T, S> batch)
{
    const uint32_t own = threadIdx.x % LANES * VEC, column = own < a.n ? own : 0;
    typename S::Sums sum{};
    uint32_t p = block.start + threadIdx.x / LANES;
#pragma unroll 1
    while (p < block.end) {
        typename T::A value[STAGED_STEP];
        Vector<typename T::B, VEC> x[STAGED_STEP];
#pragma unroll
        for (uint32_t i = 0; i < STAGED_STEP; i++) {
            value[i] = load_value(a.values, batch.at(p, i, block.end));
            x[i] = load_b<T, VEC>(a, batch.entry[i], column);
        }
        const uint32_t offset = (p - block.start) * LANES + threadIdx.x % LANES, first = p;
        p += STAGED_STEP * S::GROUPS;
        batch.load(a, p, block.end);
#pragma unroll
        for (uint32_t i = 0; i < STAGED_STEP; i++) {
            typename S::Sums product{};
            add_product(product, factor_of(a, value[i]), x[i]);
            if (block.ranks > 1)
                s.product[offset + i * S::GROUPS * LANES] = product;
            else if (first + i * S::GROUPS < block.end)
                sum.add(product);
        }
    }
    return sum;
}

template <typename T, int VEC, int LANES>
__global__ void __launch_bounds__(THREADS, SPMMI_STAGED_BLOCKS_PER_SM(sizeof(typename T::Sum), VEC))
    rows_staged_kernel(const RowsArgs<T> a)
{
    using S = Stage<T, VEC, LANES>;
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_rows<T, VEC, LANES>(a);
        return;
    }
    __shared__ S s;
    if (threadIdx.x == 0)
        s.warp_rows = 0;
    const StagedBlock block = staged_block<S>(a);
    StagedBatch<T, S> batch;
    batch.load(a, block.start + threadIdx.x / LANES, block.end);
    const GroupRow r = group_row<LANES, S>(a, block);
    wait_for_previous();
    typename S::Sums sum = multiply<T, VEC, LANES>(a, block, s, batch);
    __syncthreads();
    if (block.ranks > 1) {
        sum_rows<T, VEC, LANES>(a, block, r, s);
        return;
    }
    sum = sum_block<LANES>(s, sum);
    if (block.is_piece)
        sum_pieces<T, VEC, LANES>(a, block, r, s, sum);
    else if (threadIdx.x < LANES)
        store_sums<T, VEC>(a, r.row, threadIdx.x * VEC, sum, a.alpha);
}

} // namespace spmmi
