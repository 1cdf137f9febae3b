// SPDX-License-Identifier: Apache-2.0
// rows, nonzero split, one column with lists of columns: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// layout      blocks of whole rows or of a piece of a long row, with a list of columns each, and for each
//             nonzero a value and a local index of 16 bits (rows_gathered_shape.h). All values of A equal
//             have no kernel: products use rows_staged.cuh
// block       512 threads; a block gathers the entries of B that it needs once into shared memory. Lists are
//             sorted, so neighbouring threads gather from the same lines
// thread      up to 8 words of 4 consecutive nonzeros
// in flight   per thread: 8 values of B (f64: 4), and before and meanwhile two words of values and indices
// sums        a thread adds its products in order and stores the sum of each row that ends in its nonzeros in
//             shared memory. Sums of rows that began in threads before are added by a segmented scan over
//             each warp, then warp by warp. Pieces of a row: as in rows_staged.cuh, by the first warp of the
//             last block to arrive. The order of every sum is fixed
// launch      tables are read before the previous kernel has ended, because they never change. Values of A,
//             B, C and the workspace are read after it, and not by the read-only path
// bounds      whatever is read from tables is clamped to the arrays and to shared memory. Padding has index
//             0 and value 0 after the last end of a row, and reaches no row
#pragma once
#include "kernels/shared/arrival.h"
#include "rows_few.cuh"
#include "rows_gathered_kernel.h"

namespace spmmi {

constexpr uint32_t GATHERED_THREADS = SPMMI_GATHERED_THREADS, GATHERED_WORD = SPMMI_GATHERED_WORD;
constexpr uint32_t GATHERED_AHEAD = 2; // words of a thread that are loaded ahead

// What all threads know about their block.
struct GatheredBlock {
    uint32_t entry, list, columns, slots, rank, ranks, threads, words;
    uint32_t first, pieces; // blocks of the row: the first, and their number; 0 pieces: whole rows
};

__device__ __forceinline__ GatheredBlock gathered_block(const struct spmmi_gathered_tables &t)
{
    const uint4 *const at = reinterpret_cast<const uint4 *>(t.blocks + blockIdx.x);
    const uint4 low = __ldg(at), high = __ldg(at + 1);
    GatheredBlock b;
    b.entry = min(low.x, t.entries) / GATHERED_WORD * GATHERED_WORD; // words stay aligned
    b.list = min(low.y, t.columns - 1);
    b.columns = min(max(low.z, 1u), spmmi_gathered_positions(t.shared_values_max - 1));
    b.slots = spmmi_gathered_slot(b.columns);
    b.rank = low.w;
    const bool is_piece = high.y != SPMMI_NONE;
    b.ranks = is_piece ? 1 : min(max(high.x, 1u), t.shared_values_max - b.slots);
    b.first = min(high.y, blockIdx.x);
    b.pieces = is_piece ? min(high.x, t.count - b.first) : 0;
    b.threads = min(max(high.z, 1u), GATHERED_THREADS);
    b.words = min(high.w, SPMMI_GATHERED_NONZEROS_MAX / (GATHERED_THREADS * GATHERED_WORD));
    return b;
}

// Four consecutive nonzeros of a thread.
template <typename A> struct GatheredWord {
    uint2 local;
    Vector<A, GATHERED_WORD> value;

    // Returns the first entry of a word of the thread.
    static __device__ __forceinline__ uint32_t at(const struct spmmi_gathered_tables &t,
                                                  const GatheredBlock &b, uint32_t word)
    {
        const uint32_t thread = min(threadIdx.x, b.threads - 1);
        return min(b.entry + (min(word, b.words - 1) * b.threads + thread) * GATHERED_WORD,
                   t.entries - GATHERED_WORD);
    }
    __device__ __forceinline__ void load_local(const struct spmmi_gathered_tables &t, uint32_t entry)
    {
        local = __ldg(reinterpret_cast<const uint2 *>(t.local + entry));
    }
    __device__ __forceinline__ void load_value(const A *values, uint32_t entry)
    {
        value = load_vector<A, GATHERED_WORD>(values + entry);
    }
    __device__ __forceinline__ uint32_t index(int e) const
    {
        const uint32_t two = e < 2 ? local.x : local.y;
        return e % 2 == 0 ? two & 0xffff : two >> 16;
    }
};

// Columns of the list that a thread gathers together.
template <typename T> struct Gather {
    using Sum = typename T::Sum;
    static constexpr uint32_t COUNT = sizeof(Sum) == 8 ? 4 : 8, STEP = COUNT * GATHERED_THREADS;
    uint32_t column[COUNT];

    __device__ __forceinline__ void load(const struct spmmi_gathered_tables &t, const GatheredBlock &b,
                                         uint32_t first)
    {
#pragma unroll
        for (uint32_t i = 0; i < COUNT; i++)
            column[i] =
                __ldg(t.list + min(b.list + min(first + i * GATHERED_THREADS, b.columns - 1), t.columns - 1));
    }
    __device__ __forceinline__ void store(const RowsArgs<T> &a, const GatheredBlock &b, uint32_t first,
                                          Sum *x) const
    {
        Vector<typename T::B, 1> value[COUNT];
#pragma unroll
        for (uint32_t i = 0; i < COUNT; i++)
            value[i] = load_b<T, 1>(a, column[i], 0);
#pragma unroll
        for (uint32_t i = 0; i < COUNT; i++)
            if (first + i * GATHERED_THREADS < b.columns)
                x[spmmi_gathered_slot(first + i * GATHERED_THREADS)] =
                    Value<typename T::B>::widen(value[i].x[0]);
    }
};

// Sums of threads and warps whose last row goes on after them.
template <typename Sum> struct GatheredTails {
    Sum sum[GATHERED_THREADS / 32];
    uint32_t has_end[GATHERED_THREADS / 32]; // a row ends in the warp
    bool finishes;
};

// Multiplies a thread's nonzeros. Stores the sums of rows that end, from row `row` of the block on, and
// returns the sum of the row that goes on. has_end: a row ended.
template <typename T>
__device__ __forceinline__ typename T::Sum
multiply_gathered(const RowsArgs<T> &a, const struct spmmi_gathered_tables &t, const GatheredBlock &b,
                  GatheredWord<typename T::A> (&ahead)[GATHERED_AHEAD], const typename T::Sum *x,
                  typename T::Sum *sums, uint32_t row, bool &has_end)
{
    using Sum = typename T::Sum;
    Sum sum = 0;
    has_end = false;
    if (threadIdx.x >= b.threads)
        return sum;
#pragma unroll 1
    for (uint32_t j = 0; j < b.words; j += GATHERED_AHEAD) {
#pragma unroll
        for (uint32_t k = 0; k < GATHERED_AHEAD; k++) {
            if (j + k >= b.words)
                break;
#pragma unroll
            for (int e = 0; e < (int)GATHERED_WORD; e++) {
                const uint32_t index = ahead[k].index(e);
                sum = fma(factor_of(a, ahead[k].value.x[e]),
                          x[min(index & ~SPMMI_GATHERED_ROW_END, b.slots - 1)], sum);
                if ((index & SPMMI_GATHERED_ROW_END) != 0) {
                    sums[min(row, b.ranks - 1)] = sum;
                    row++;
                    has_end = true;
                    sum = 0;
                }
            }
            const uint32_t entry = GatheredWord<typename T::A>::at(t, b, j + k + GATHERED_AHEAD);
            if (j + k + GATHERED_AHEAD < b.words) {
                ahead[k].load_local(t, entry);
                ahead[k].load_value(a.values, entry);
            }
        }
    }
    return sum;
}

// Adds what former threads have of the first row that ends in a thread. sum: as multiply_gathered returned
// it; first: the sum of that row.
template <typename Sum>
__device__ __forceinline__ void join_threads(GatheredTails<Sum> &tails, Sum sum, bool has_end, Sum *first)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool is_closed = has_end; // a row ends in this lane or in those whose sums it has
#pragma unroll
    for (uint32_t d = 1; d < 32; d *= 2) {
        const Sum former = __shfl_up_sync(0xffffffffu, sum, d);
        const bool former_closed = __shfl_up_sync(0xffffffffu, (int)is_closed, d) != 0;
        if (lane >= d) {
            sum += is_closed ? Sum(0) : former;
            is_closed |= former_closed;
        }
    }
    Sum before = __shfl_up_sync(0xffffffffu, sum, 1);
    const bool before_closed = __shfl_up_sync(0xffffffffu, (int)is_closed, 1) != 0 && lane > 0;
    before = lane > 0 ? before : Sum(0);
    if (lane == 31) {
        tails.sum[warp] = sum;
        tails.has_end[warp] = is_closed;
    }
    __syncthreads();
    if (has_end && !before_closed) {
        bool is_open = true;
        for (uint32_t w = warp; w > 0 && is_open; w--) {
            before += tails.sum[w - 1];
            is_open = tails.has_end[w - 1] == 0;
        }
    }
    if (has_end)
        *first += before;
    __syncthreads();
}

// Stores the sum of a piece of a row in a slot. The last block to arrive adds the slots and stores the row.
template <typename T>
__device__ __forceinline__ void join_pieces(const RowsArgs<T> &a, const GatheredBlock &b,
                                            GatheredTails<typename T::Sum> &tails, typename T::Sum piece)
{
    using Sum = typename T::Sum;
    if (threadIdx.x == 0) {
        a.slots[blockIdx.x] = piece;
        __threadfence(); // the slot is visible before the arrival is counted
        tails.finishes = spmmi_arrive(a.arrivals + b.first, a.arrival_tag) + 1 == b.pieces;
    }
    __syncthreads();
    if (!tails.finishes || threadIdx.x >= 32)
        return;
    __threadfence(); // the other blocks' slots are read after their arrivals
    Vector<Sum, 1> sum{};
    for (uint32_t i = threadIdx.x; i < b.pieces; i += 32)
        sum.add(load_vector_l2<Sum, 1>(a.slots + b.first + i));
    sum = sum_lanes(sum, 1, 32);
    if (threadIdx.x == 0) {
        store_sums<T, 1>(a, row_of(a, b.rank), 0, sum, a.alpha);
        spmmi_arrivals_end(a.arrivals + b.first, a.arrival_tag);
    }
}

template <typename T>
__global__ void __launch_bounds__(GATHERED_THREADS, SPMMI_GATHERED_BLOCKS_PER_SM)
    rows_gathered_kernel(const RowsArgs<T> a, const struct spmmi_gathered_tables t)
{
    using Sum = typename T::Sum;
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ GatheredTails<Sum> tails;
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        if (threadIdx.x < THREADS)
            scale_rows<T, 1, 1>(a);
        return;
    }
    const GatheredBlock b = gathered_block(t);
    GatheredWord<typename T::A> ahead[GATHERED_AHEAD];
#pragma unroll
    for (uint32_t k = 0; k < GATHERED_AHEAD; k++)
        ahead[k].load_local(t, ahead[k].at(t, b, k));
    const uint32_t row = min(__ldg(t.first_rank + blockIdx.x * GATHERED_THREADS + threadIdx.x), b.ranks - 1);
    Gather<T> gather;
    gather.load(t, b, threadIdx.x);
    wait_for_previous();
#pragma unroll
    for (uint32_t k = 0; k < GATHERED_AHEAD; k++)
        ahead[k].load_value(a.values, ahead[k].at(t, b, k));
    Sum *const x = reinterpret_cast<Sum *>(memory), *const sums = x + b.slots;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < b.columns; i += Gather<T>::STEP) {
        gather.store(a, b, i, x);
        if (i + Gather<T>::STEP < b.columns)
            gather.load(t, b, i + Gather<T>::STEP);
    }
    __syncthreads();
    bool has_end;
    const Sum sum = multiply_gathered(a, t, b, ahead, x, sums, row, has_end);
    join_threads(tails, sum, has_end, sums + row);
    if (b.pieces > 0) {
        join_pieces(a, b, tails, sums[0]);
        return;
    }
    for (uint32_t r = threadIdx.x; r < b.ranks; r += GATHERED_THREADS) {
        Vector<Sum, 1> one;
        one.x[0] = sums[r];
        store_sums<T, 1>(a, row_of(a, b.rank + r), 0, one, a.alpha);
    }
}

} // namespace spmmi
