// SPDX-License-Identifier: Apache-2.0
// rows, column-major C: a block keeps the sums of its rows until all are complete, then stores them in whole
// sectors.
//
// own      rows that begin and end in a block, and all empty rows between its boundaries, also at both ends
//          of C. A row that blocks share is stored value by value, by the block that adds its slots
//          (rows_join.cuh)
// turns    a block of a nonzero split divides its own rows into turns of about equally many rows, as many as
//          shared memory can hold. A row split has one turn per block (keeps_columns of rows_launch_cuda.c)
// stores   a warp stores SPAN rows of 32 / SPAN columns at once. SPAN rows are one or two sectors and start
//          at a sector boundary, wherever the column begins
#pragma once
#include "rows_args.cuh"

namespace spmmi {

// The sums of one turn of a block: alpha * A * B for its rows, 0 for empty rows.
template <typename T, int VEC, int LANES> struct KeptRows {
    using Sum = typename T::Sum;
    static constexpr uint32_t WIDTH = LANES * VEC;
    static constexpr uint32_t PITCH = WIDTH + 16 / sizeof(Sum); // puts 8 rows of 4 columns in different banks
    static constexpr uint32_t ROOM = SPMMI_ROWS_KEPT_BYTES / (PITCH * sizeof(Sum));
    static constexpr uint32_t ROWS = ROOM < THREADS ? ROOM : THREADS; // at most one per thread: see take_turn
    static_assert(WIDTH != SPMMI_ROWS_KEPT_COLUMNS || ROWS == spmmi_rows_kept_rows(sizeof(Sum)),
                  "the host counts with as many");
    alignas(16) Sum sums[ROWS * PITCH];
    uint32_t row, count; // first row and number of rows of the turn
    // Nonzero split: turns that are left, including this one; end of the block's own rows; boundaries of
    // nonzeros (struct spmmi_block) of the turn (from, to), and the end of the block (last).
    uint32_t turns, row_end;
    uint2 from, to, last;

    // Sets the rows of a block of a row split, which has no empty rows.
    __device__ __forceinline__ void take_items(const RowsArgs<T> &a, uint32_t first, uint32_t end)
    {
        if (threadIdx.x == 0) {
            row = min(__ldg(a.item_rank + min(first, a.item_count)), a.last_row);
            row_end = min(__ldg(a.item_rank + min(end, a.item_count)), a.last_row + 1);
            count = row_end > row ? min(row_end - row, ROWS) : 0;
        }
        __syncthreads();
    }
    // Sets the rows of the first turn of a block of a nonzero split.
    __device__ __forceinline__ void take_block(const RowsArgs<T> &a)
    {
        if (threadIdx.x == 0) {
            from = __ldg(a.blocks + blockIdx.x);
            last = __ldg(a.blocks + blockIdx.x + 1);
            // A block inside the last row owns no row: it begins after the last row.
            row = blockIdx.x == 0 ? 0 : min(row_of(a, rank_of(from)) + is_inside(from), a.last_row + 1);
            row_end =
                blockIdx.x + 1 == a.work_blocks ? a.last_row + 1 : min(row_of(a, rank_of(last)), a.last_row);
            row_end = max(row_end, row);
            turns = max((row_end - row + ROWS - 1) / ROWS, 1u);
            count = (row_end - row + turns - 1) / turns;
            to = last;
        }
        __syncthreads();
        if (turns > 1 || a.row_of_rank != nullptr)
            take_turn(a);
    }
    // Finds the end of a turn of `count` rows, with one thread per rank. Sets the sums to 0 if there are
    // empty rows.
    __device__ __forceinline__ void take_turn(const RowsArgs<T> &a)
    {
        const uint32_t first = rank_of(from) + is_inside(from), rank = first + threadIdx.x;
        const uint32_t ranks = __syncthreads_count(rank < a.ranks && row_of(a, rank) < row + count);
        if (threadIdx.x == 0)
            to = turns > 1 ? make_uint2(__ldg(a.rank_start + min(first + ranks, a.ranks)), first + ranks)
                           : last;
        if (a.row_of_rank != nullptr)
            for (uint32_t i = threadIdx.x; i < count * PITCH; i += THREADS)
                sums[i] = Sum(0);
        __syncthreads();
    }
    // Starts the next turn, after the current one was stored. Returns false if there is none.
    __device__ __forceinline__ bool goes_on(const RowsArgs<T> &a)
    {
        const bool is_left = turns > 1;
        __syncthreads();
        if (!is_left)
            return false;
        if (threadIdx.x == 0) {
            turns--;
            row += count;
            count = (row_end - row + turns - 1) / turns;
            from = to;
        }
        __syncthreads();
        take_turn(a);
        return true;
    }
    static __device__ __forceinline__ uint32_t rank_of(uint2 block)
    {
        return block.y & ~SPMMI_ITEM_INSIDE;
    }
    static __device__ __forceinline__ uint32_t is_inside(uint2 block)
    {
        return block.y >> 31;
    }
    // Keeps the sum of a rank, times alpha. Ignores rows outside of the turn.
    __device__ __forceinline__ void put(const RowsArgs<T> &a, uint32_t rank, uint32_t offset,
                                        Vector<Sum, VEC> sum)
    {
        const uint32_t at = row_of(a, rank) - row;
        if (at >= count)
            return;
#pragma unroll
        for (int i = 0; i < VEC; i++)
            sum.x[i] *= a.alpha;
        store_vector<Sum, VEC>(sums + at * PITCH + offset, sum);
    }
};

// Replaces KeptRows in kernels that do not keep sums.
struct NoRows {};
template <typename T, int VEC, int LANES, CWay C_WAY>
using KeptOf = std::conditional_t<C_WAY == C_KEPT, KeptRows<T, VEC, LANES>, NoRows>;

// A column of C from the first row of a turn, and the rows of it that a lane stores: past, past + step, ..
// below end.
template <typename T> struct ColumnWalk {
    typename T::C *c;
    uint32_t past, end, step;
};

// Stores the rows of `walk`. AHEAD sums are loaded before the first one is stored. All lanes of the warp make
// the same number of iterations.
template <bool HAS_BETA, typename T, int VEC, int LANES>
__device__ __forceinline__ void store_column(const RowsArgs<T> &a, const KeptRows<T, VEC, LANES> &kept,
                                             uint32_t offset, uint32_t steps, ColumnWalk<T> walk)
{
    using Sum = typename T::Sum;
    using C = typename T::C;
    constexpr uint32_t AHEAD = 4;
    for (uint32_t step = 0; step < steps; step += AHEAD) {
        Sum sum[AHEAD];
        C old[AHEAD];
#pragma unroll
        for (uint32_t i = 0; i < AHEAD; i++) {
            const uint32_t at = walk.past + i * walk.step;
            if (at < walk.end) {
                sum[i] = kept.sums[at * kept.PITCH + offset];
                if (HAS_BETA)
                    old[i] = walk.c[at];
            }
        }
#pragma unroll
        for (uint32_t i = 0; i < AHEAD; i++) {
            const uint32_t at = walk.past + i * walk.step;
            if (at < walk.end)
                walk.c[at] =
                    Value<C>::round(HAS_BETA ? fma(a.beta, Value<C>::widen(old[i]), sum[i]) : sum[i]);
        }
        walk.past += AHEAD * walk.step;
    }
}

// Stores the sums of a turn; all threads of a block call this after the last put. A warp has columns of its
// own, or shares the rows of its columns with other warps.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ void store_kept(const RowsArgs<T> &a, const KeptRows<T, VEC, LANES> &kept)
{
    using C = typename T::C;
    constexpr uint32_t SPAN = SPMMI_ROWS_KEPT_SPAN, COLUMNS = 32 / SPAN, WARPS = THREADS / 32;
    constexpr uint32_t WIDTH = KeptRows<T, VEC, LANES>::WIDTH, PARTS = WIDTH / COLUMNS;
    constexpr uint32_t SHARES = WARPS > PARTS ? WARPS / PARTS : 1;
    const uint32_t warp = threadIdx.x / 32;
    __syncthreads();
    // The number of spans that a column can touch, wherever it begins.
    const uint32_t steps = (kept.count + 2 * SPAN - 2) / SPAN;
#pragma unroll 1
    for (uint32_t part = warp % PARTS; part < PARTS; part += WARPS) {
        const uint32_t offset = part * COLUMNS + threadIdx.x % 32 / SPAN;
        const uint32_t column = blockIdx.y * WIDTH + offset;
        C *const c = a.c + column * a.ldc + kept.row;
        const uint32_t before = (uint32_t)(reinterpret_cast<uintptr_t>(c) / sizeof(C) % SPAN);
        const ColumnWalk<T> walk = {c, warp / PARTS % SHARES * SPAN + threadIdx.x % SPAN - before,
                                    column < a.n ? kept.count : 0, SHARES * SPAN};
        if (a.beta != typename T::Sum(0))
            store_column<true>(a, kept, offset, (steps + SHARES - 1) / SHARES, walk);
        else
            store_column<false>(a, kept, offset, (steps + SHARES - 1) / SHARES, walk);
    }
}

} // namespace spmmi
