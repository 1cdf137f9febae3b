// SPDX-License-Identifier: Apache-2.0
// rows, one column: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// layout      the stream of rows_kernel.h, nonzero split
// warp        a lane group of 32 lanes that share the one column and take 32 items of it at a time
// lane        one item of 8 nonzeros a step: two 16-byte loads of columns, as many of values, 8 gathers of B
// sums        a lane stores rows that begin and end in its item; a row that spans lanes is summed by a
//             segmented scan over the warp, one that spans steps by a running sum, one that spans warps and
//             blocks as in rows.cuh. The order of every sum is fixed.
// source      paper 002 (strict nonzero splitting, segmented sum)
#pragma once
#include "rows.cuh"

namespace spmmi {

constexpr int SINGLE_ITEM = 8;
constexpr uint32_t FULL_WARP = 0xffffffffu;

// One lane's item, loaded.
template <typename T> struct LaneItem {
    Quad<T> quad[2];
    T x[SINGLE_ITEM];

    __device__ __forceinline__ uint32_t column(int e) const
    {
        const uint4 c = quad[e / 4].column;
        return e % 4 == 0 ? c.x : e % 4 == 1 ? c.y : e % 4 == 2 ? c.z : c.w;
    }
    __device__ __forceinline__ bool ends_row(int e) const
    {
        return (int)column(e) < 0;
    }
};

template <typename T> __device__ __forceinline__ LaneItem<T> load_item(const RowsArgs<T> &a, uint32_t p)
{
    LaneItem<T> item;
    item.quad[0] = load_quad<T>(a.columns, a.values, p);
    item.quad[1] = load_quad<T>(a.columns, a.values, p + 4);
    const char *b = reinterpret_cast<const char *>(a.b);
#pragma unroll
    for (int e = 0; e < SINGLE_ITEM; e++)
        item.x[e] =
            __ldg(reinterpret_cast<const T *>(b + (uint64_t)column_of(a, item.column(e)) * a.ldb_bytes));
    return item;
}

// Mask nonzeros before start and from end on: they belong to other groups.
template <typename T>
__device__ __forceinline__ void cut_item(LaneItem<T> &item, uint32_t p, uint32_t start, uint32_t end)
{
#pragma unroll
    for (int e = 0; e < SINGLE_ITEM; e++) {
        if (p + e < start || p + e >= end) {
            item.x[e] = T(0);
            item.quad[e / 4].value[e % 4] = T(0);
            uint4 &c = item.quad[e / 4].column;
            (e % 4 == 0 ? c.x : e % 4 == 1 ? c.y : e % 4 == 2 ? c.z : c.w) = 0;
        }
    }
}

template <typename T> __device__ __forceinline__ uint32_t count_ends(const LaneItem<T> &item)
{
    uint32_t ends = 0;
#pragma unroll
    for (int e = 0; e < SINGLE_ITEM; e++)
        ends += item.ends_row(e);
    return ends;
}

// The sum of an item up to its first row end, and after its last.
template <typename T> struct LaneSums {
    T head, tail;
};

// Rows that begin and end inside the item are stored here; rank is that of the row open at its start.
template <typename T>
__device__ __forceinline__ LaneSums<T> sum_item(const RowsArgs<T> &a, const LaneItem<T> &item, uint32_t rank)
{
    uint32_t row[SINGLE_ITEM]; // of the rows that end here: loads under way before the first sum
#pragma unroll
    for (int e = 0; e < SINGLE_ITEM; e++) {
        row[e] = rank;
        if (item.ends_row(e))
            row[e] = row_of(a, rank);
        rank += item.ends_row(e);
    }
    LaneSums<T> lane{T(0), T(0)};
    bool is_first = true;
#pragma unroll
    for (int e = 0; e < SINGLE_ITEM; e++) {
        lane.tail = fma(item.quad[e / 4].value[e % 4], item.x[e], lane.tail);
        if (item.ends_row(e)) {
            if (is_first)
                lane.head = lane.tail;
            else
                store_row<T, 1, false>(a, row[e], 0, Vector<T, 1>{{lane.tail}});
            is_first = false;
            lane.tail = T(0);
        }
    }
    return lane;
}

// Inclusive scan of tails, restarted by every lane that ends a row. *has_end: a lane up to this one ends a row.
template <typename T> __device__ __forceinline__ T scan_tails(T tail, bool ends_row, bool *has_end)
{
    const int lane = threadIdx.x % 32;
    int end = ends_row;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const T below = __shfl_up_sync(FULL_WARP, tail, d);
        const int end_below = __shfl_up_sync(FULL_WARP, end, d);
        if (lane >= d) {
            tail = end ? tail : tail + below;
            end |= end_below;
        }
    }
    *has_end = end;
    return tail;
}

// Row ends in the lanes below this one. A lane ends at most 8 rows, so four ballots add up all counts.
__device__ __forceinline__ uint32_t ends_below(uint32_t ends, uint32_t *total)
{
    const uint32_t below = (1u << threadIdx.x % 32) - 1;
    uint32_t count = 0;
    *total = 0;
#pragma unroll
    for (int bit = 0; bit < 4; bit++) {
        const uint32_t votes = __ballot_sync(FULL_WARP, ends >> bit & 1);
        count += __popc(votes & below) << bit;
        *total += __popc(votes) << bit;
    }
    return count;
}

template <typename T>
__global__ void __launch_bounds__(THREADS, SPMMI_ROWS_BLOCKS_PER_SM(sizeof(T), true))
    rows_single_kernel(const RowsArgs<T> a)
{
    // Indices.
    constexpr uint32_t GROUPS = THREADS / 32;
    const uint32_t lane = threadIdx.x % 32;
    release_dependents();
    wait_for_previous();
    if (blockIdx.x >= a.work_blocks) {
        scale_empty_rows<T, 1, 1, false>(a, 0);
        return;
    }
    const GroupRange range = group_range<GROUPS>(a, threadIdx.x / 32);
    uint32_t rank = range.rank & ~SPMMI_ITEM_INSIDE;

    __shared__ Shared<T, 1, 32> s;
    bool inside = (range.rank & SPMMI_ITEM_INSIDE) != 0 && range.start < range.end;
    GroupEdge edge{false, range.goes_on, range.is_last, rank, rank};
    T running = T(0); // of the row that is open between two steps

    // Main loop. All lanes of the warp take part; one past the end has no nonzeros.
    for (uint32_t first = range.start & ~(SINGLE_ITEM - 1u); first < range.end; first += 32 * SINGLE_ITEM) {
        const uint32_t p = first + lane * SINGLE_ITEM;
        LaneItem<T> mine = load_item<T>(a, p < range.end ? p : first);
        cut_item(mine, p, range.start, range.end);
        const uint32_t ends = count_ends(mine);
        uint32_t total = 0;
        const uint32_t my_rank = rank + ends_below(ends, &total);
        const LaneSums<T> sums = sum_item<T>(a, mine, my_rank);
        bool has_end = false;
        const T scanned = scan_tails<T>(sums.tail, ends > 0, &has_end);
        T carry = __shfl_up_sync(FULL_WARP, scanned, 1);
        bool carry_ends = __shfl_up_sync(FULL_WARP, (int)has_end, 1) != 0;
        if (lane == 0) {
            carry = T(0);
            carry_ends = false;
        }
        if (!carry_ends)
            carry += running;
        if (ends > 0) {
            const T sum = carry + sums.head;
            if (inside && !carry_ends) {
                s.head[threadIdx.x / 32][0] = sum;
            } else {
                store_row<T, 1, false>(a, row_of(a, my_rank), 0, Vector<T, 1>{{sum}});
            }
        }
        const T last = __shfl_sync(FULL_WARP, scanned, 31);
        const bool any_end = total > 0;
        running = any_end ? last : last + running;
        edge.has_head = edge.has_head || (inside && any_end);
        inside = inside && !any_end;
        rank += total;
    }

    edge.tail_rank = rank;
    if (edge.has_tail)
        s.tail[threadIdx.x / 32][lane] = lane == 0 ? running : T(0);
    if (lane == 0)
        s.through[threadIdx.x / 32] = inside ? FULL_WARP : 0;
    else
        s.head[threadIdx.x / 32][lane] = T(0);
    join_rows<T, 1, 32, false>(a, s, edge, range.block_alone, lane, lane);
}

} // namespace spmmi
