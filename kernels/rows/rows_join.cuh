// SPDX-License-Identifier: Apache-2.0
// rows, nonzero split: sums of rows that groups of a block share, and of rows that blocks share (rows.cuh).
#pragma once
#include "rows_columns.cuh"
#include "kernels/shared/arrival.h"

namespace spmmi {

// Sums of rows that groups of one block share with their neighbours.
template <typename T, int VEC, int LANES> struct Shared {
    using Sum = typename T::Sum;
    static constexpr int GROUPS = THREADS / LANES;
    static constexpr int WIDTH = LANES * VEC;
    alignas(16) Sum head[GROUPS][WIDTH]; // of the row that began before the group and ends in it
    alignas(16) Sum tail[GROUPS][WIDTH]; // of the row that continues in the next group
    uint32_t through[THREADS / 32];      // bit per thread: the row of its group's tail began before the group
    uint32_t first_block[2], last_block[2], row[2]; // rows shared by blocks: [0] ends here, [1] continues
    uint32_t finish[2];
};

// Returns the sum of the tails of groups first .. last and, unless it is nullptr, of a head, in ascending
// order.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ Vector<typename T::Sum, VEC>
sum_tails(const Shared<T, VEC, LANES> &s, int first, int last, const typename T::Sum *head, uint32_t offset)
{
    using Sum = typename T::Sum;
    Vector<Sum, VEC> sum{};
#pragma unroll 8
    for (int g = first; g <= last; g++)
        sum.add(load_vector<Sum, VEC>(&s.tail[g][offset]));
    if (head != nullptr)
        sum.add(load_vector<Sum, VEC>(head + offset));
    return sum;
}

// Returns the first group of the row whose tail group `last` holds, or -1 if the row began before the block.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ int first_group(const Shared<T, VEC, LANES> &s, int last)
{
    const int end = (last + 1) * LANES; // threads below it; the highest one whose bit is clear decides
    uint32_t mask = end % 32 == 0 ? 0xffffffffu : (1u << end % 32) - 1;
    for (int word = (end - 1) >> 5; word >= 0; word--) {
        const uint32_t begins = ~s.through[word] & mask;
        if (begins != 0)
            return (32 * word + 31 - __clz((int)begins)) / LANES;
        mask = 0xffffffffu;
    }
    return -1;
}

// Returns the arrival counter, for this column tile, of the blocks that share the row which begins in block
// `first`.
template <typename T> __device__ __forceinline__ uint64_t *arrival_word(const RowsArgs<T> &a, uint32_t first)
{
    return a.arrivals + blockIdx.y * a.work_blocks + first;
}

// Adds the slots of a shared row in ascending order of blocks and stores the row. The last block to arrive
// calls this with all its threads: group g adds slots g, g + GROUPS, ... ; then group 0 adds the groups'
// sums.
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void finish_row(const RowsArgs<T> &a, Shared<T, VEC, LANES> &s, int which,
                                           uint32_t column, uint32_t offset)
{
    using Sum = typename T::Sum;
    constexpr int GROUPS = THREADS / LANES;
    constexpr int WIDTH = LANES * VEC;
    const uint32_t first = s.first_block[which], count = max(s.last_block[which], first) - first + 1;
    const uint64_t pitch = (uint64_t)gridDim.y * WIDTH;
    const Sum *slot = a.slots + 2 * first * pitch + blockIdx.y * WIDTH + offset;
    const uint32_t group = threadIdx.x / LANES;
    Vector<Sum, VEC> sum{};
#pragma unroll 4
    for (uint32_t i = group; i < count; i += GROUPS) {
        // Slot 0 of a block is for the row that ends in it, slot 1 for the row that continues.
        const uint32_t side = i + 1 < count ? 1 : 0;
        sum.add(load_vector_l2<Sum, VEC>(slot + (2 * i + side) * pitch));
    }
    __syncthreads();
    store_vector<Sum, VEC>(&s.tail[group][offset], sum);
    __syncthreads();
    if (group == 0) {
        const int used = count < (uint32_t)GROUPS ? (int)count : GROUPS;
        sum = sum_tails<T, VEC, LANES>(s, 0, used - 1, nullptr, offset);
        store_row<T, VEC, LANES, C_COLUMNS>(a, s.row[which], column, sum);
    }
    if (threadIdx.x == 0)
        spmmi_arrivals_end(arrival_word(a, first), a.arrival_tag);
}

// The rows that a group shares with its neighbours, after its main loop.
struct GroupEdge {
    bool has_head, has_tail;
    bool is_last; // the last group of its block that has nonzeros
    uint32_t head_rank, tail_rank;
};

// Returns the block that contains a nonzero. A boundary moves back by less than a block.
template <typename T> __device__ __forceinline__ uint32_t block_of(const RowsArgs<T> &a, uint32_t nonzero)
{
    const uint32_t block = min(nonzero / a.block_nonzeros, a.work_blocks - 1);
    return min(block + (a.blocks[block + 1].x <= nonzero), a.work_blocks - 1);
}

// Stores this block's partial sum of a row that other blocks share, and counts its arrival. The last block to
// arrive finishes the row.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ void put_slot(const RowsArgs<T> &a, Shared<T, VEC, LANES> &s, int which,
                                         uint32_t rank, uint32_t offset,
                                         const Vector<typename T::Sum, VEC> &sum)
{
    constexpr int WIDTH = LANES * VEC;
    const uint64_t pitch = (uint64_t)gridDim.y * WIDTH;
    store_vector<typename T::Sum, VEC>(
        a.slots + (2 * (uint64_t)blockIdx.x + which) * pitch + blockIdx.y * WIDTH + offset, sum);
    __threadfence(); // the slot is visible before the arrival is counted
    __syncwarp(group_mask<LANES>());
    if (offset == 0) {
        const uint32_t known = min(rank, a.ranks - 1);
        const uint32_t first = block_of(a, a.rank_start[known]);
        const uint32_t last = block_of(a, a.rank_start[known + 1] - 1);
        s.first_block[which] = first;
        s.last_block[which] = last;
        s.row[which] = row_of(a, rank);
        s.finish[which] = spmmi_arrive(arrival_word(a, first), a.arrival_tag) == last - first;
    }
}

// Second phase of the nonzero split: joins rows that group or block boundaries cut. A group may end a row
// that began before it (which = 0), and the last group may hold a row that continues in the next block (which
// = 1).
template <typename T, int VEC, int LANES, CWay C_WAY>
__device__ __forceinline__ void join_rows(const RowsArgs<T> &a, Shared<T, VEC, LANES> &s,
                                          KeptOf<T, VEC, LANES, C_WAY> &kept, const GroupEdge &edge,
                                          bool block_alone, uint32_t column, uint32_t offset)
{
    const int group = (int)(threadIdx.x / LANES);
    if (threadIdx.x < 2)
        s.finish[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int which = 0; which < 2; which++) {
        const bool mine = which == 0 ? edge.has_head : edge.has_tail && edge.is_last;
        if (!mine)
            continue;
        const uint32_t rank = which == 0 ? edge.head_rank : edge.tail_rank;
        const int last = group - 1 + which;
        const int first = first_group(s, last);
        const Vector<typename T::Sum, VEC> sum = sum_tails<T, VEC, LANES>(
            s, first < 0 ? 0 : first, last, which == 0 ? s.head[group] : nullptr, offset);
        if (which == 1 || first < 0)
            put_slot<T, VEC, LANES>(a, s, which, rank, offset, sum);
        else if constexpr (C_WAY == C_KEPT)
            kept.put(a, rank, offset, sum);
        else
            store_row<T, VEC, LANES, C_WAY != C_ROWS>(a, row_of(a, rank), column, sum);
    }
    if (block_alone)
        return;
    __syncthreads();
#pragma unroll 1
    for (int which = 0; which < 2; which++) {
        if (s.finish[which]) { // the same for the whole block
            __threadfence();   // the other blocks' slots are read after their arrivals
            finish_row<T, VEC, LANES, C_WAY != C_ROWS>(a, s, which, column, offset);
        }
    }
}

} // namespace spmmi
