// SPDX-License-Identifier: Apache-2.0
// rows, row split, one column of sliced rows: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// layout      slices of 32 rows, in chunks of entries per lane (rows_slices_shape.h). The stream in the
//             arguments describes slices: nnz counts entries, row_ends has for each row by how many entries
//             it is shorter than the longest row of its slice, and columns has words of high bits if narrow
//             has the low bits
// block       256 threads = 8 / WARPS slices
// warp        every WARPS-th batch of entries of its slice; each lane has a row
// in flight   per lane: columns, values and values of B of a batch, and the columns of the next batch
// sums        in registers; the sums of the warps of a slice are added through shared memory, in their order
// launch      tables and columns are read before the previous kernel has ended, because they never change.
//             Values of A, B and C are read after it, and not by the read-only path
// bounds      a lane loads a chunk of A if it has the first of its entries, and adds the products of its own
//             entries only. Column indices of padding are 0; in whole batches the value of B is loaded for
//             them and not used
// source      sliced ELL of Monakov, Lokhmotov, Avetisyan (2010), without sorting the rows
#pragma once
#include "kernels/shared/load_if.cuh"
#include "rows_few.cuh"
#include "rows_slices_shape.h"

namespace spmmi {

// What a lane knows about its slice and row.
struct SlicedRow {
    uint32_t start, column; // of the slice: first entry, first column
    uint32_t columns, high; // positions of its first column index and word of high bits
    uint32_t width, length; // entries of the longest row of the slice, and of this row
};

template <spmmi_slice_index INDEX, typename T>
__device__ __forceinline__ SlicedRow sliced_row(const RowsArgs<T> &a, uint32_t slice, uint32_t rank)
{
    const uint2 here = __ldg(a.blocks + slice), next = __ldg(a.blocks + slice + 1);
    const uint32_t padding = __ldg(a.row_ends + rank);
    SlicedRow r;
    r.start =
        min(here.x, a.nnz) / SPMMI_SLICE_ROWS * SPMMI_SLICE_ROWS; // words stay aligned with damaged tables
    r.column = here.y;
    r.columns = spmmi_slice_place(r.start, slice, spmmi_slice_run(INDEX));
    r.high = spmmi_slice_place(r.start, slice, spmmi_slice_batch(INDEX));
    r.width = (min(max(next.x, r.start), a.nnz) - r.start) / SPMMI_SLICE_ROWS;
    r.length = rank < a.ranks ? r.width - min(padding, r.width) : 0;
    return r;
}

// Loads a lane's values or columns of a whole batch into `word`: COUNT elements of BYTES bytes, each for RUN
// entries, in chunks of CHUNK elements. left: entries that the lane has. p: first element of the batch.
template <int BYTES, int COUNT, int CHUNK, int RUN>
__device__ __forceinline__ void load_chunks(int left, const void *p, uint32_t *word)
{
#pragma unroll
    for (int first = 0; first < COUNT; first += CHUNK)
        load_words_if<BYTES * CHUNK>(left > first * RUN,
                                     static_cast<const char *>(p) +
                                         (first * (int)SPMMI_SLICE_ROWS + (int)(threadIdx.x % 32) * CHUNK) *
                                             BYTES,
                                     word + first * BYTES / 4);
}

// The values of a batch, also as the words that load whole batches.
template <typename A, int SIZE> union BatchValues {
    uint32_t word[SIZE * sizeof(A) / 4];
    A value[SIZE];
    __device__ __forceinline__ BatchValues()
    {
    }
};

// A batch of entries of a row. IS_WHOLE: a whole batch; else the rest after the last whole batch of a slice.
// In the functions, e is the first entry of the batch and `left` the number of entries that the lane has from
// e on.
template <typename T, spmmi_slice_index INDEX, bool IS_WHOLE> struct Batch {
    using A = typename T::A;
    static constexpr bool HAS_VALUES = !std::is_empty<A>::value;           // false for Uniform
    static constexpr bool HAS_PAIRS = IS_WHOLE && INDEX != SPMMI_INDEX_32; // a word has two columns
    static constexpr int SIZE = spmmi_slice_batch(INDEX), RUN = spmmi_slice_run(INDEX), COLUMNS = SIZE / RUN;
    uint32_t column[COLUMNS / (HAS_PAIRS ? 2 : 1)];
    uint32_t high;
    BatchValues<A, SIZE> a;
    Vector<typename T::B, 1> x[SIZE];

    __device__ __forceinline__ void load_columns(const RowsArgs<T> &args, const SlicedRow &r, uint32_t e,
                                                 int left)
    {
        constexpr int CHUNK = spmmi_slice_columns_chunk(INDEX);
        const uint32_t at = r.columns + e / RUN * SPMMI_SLICE_ROWS, lane = threadIdx.x % 32;
        if constexpr (HAS_PAIRS) {
            load_chunks<2, COLUMNS, CHUNK, RUN>(left, args.narrow + at, column);
        } else if constexpr (IS_WHOLE) {
            load_chunks<4, COLUMNS, CHUNK, RUN>(left, args.columns + at, column);
        } else {
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
                const uint32_t own = at + i * SPMMI_SLICE_ROWS + lane;
                if constexpr (INDEX == SPMMI_INDEX_32)
                    column[i] = load_if(i * RUN < left, args.columns + own);
                else
                    column[i] = load_narrow_if(i * RUN < left, args.narrow + own);
            }
        }
        if constexpr (spmmi_slice_has_high(INDEX))
            high = load_if(left > 0, args.columns + r.high + e / SIZE * SPMMI_SLICE_ROWS + lane);
    }
    __device__ __forceinline__ void load_values(const RowsArgs<T> &args, const SlicedRow &r, uint32_t e,
                                                int left)
    {
        const A *const values = args.values + (r.start + e * SPMMI_SLICE_ROWS);
        if constexpr (HAS_VALUES && IS_WHOLE) {
            load_chunks<sizeof(A), SIZE, spmmi_slice_chunk(INDEX, sizeof(A)), 1>(left, values, a.word);
        } else if constexpr (HAS_VALUES) {
#pragma unroll
            for (int i = 0; i < SIZE; i++)
                a.value[i] = load_if(i < left, values + i * SPMMI_SLICE_ROWS + threadIdx.x % 32);
        }
    }
    __device__ __forceinline__ uint32_t column_of_entry(int i) const
    {
        const int run = i / RUN;
        uint32_t own = column[HAS_PAIRS ? run / 2 : run];
        if constexpr (HAS_PAIRS)
            own = run % 2 == 0 ? own & 0xffff : own >> 16;
        if constexpr (spmmi_slice_has_high(INDEX))
            own |= (high >> run * SPMMI_HIGH_BITS) % (1u << SPMMI_HIGH_BITS) << 16;
        return own + i % RUN;
    }
    __device__ __forceinline__ void load_x(const RowsArgs<T> &args, const SlicedRow &r, int left)
    {
        const char *const b = reinterpret_cast<const char *>(args.b);
#pragma unroll
        for (int i = 0; i < SIZE; i++) {
            const uint64_t row = min(r.column + column_of_entry(i), args.last_column);
            const typename T::B *const p = reinterpret_cast<const typename T::B *>(b + row * args.ldb_bytes);
            x[i].x[0] = load_if(IS_WHOLE || i < left, p);
        }
    }
    // Adds the products of the lane's own entries. Ignores what was loaded past the end of the row.
    __device__ __forceinline__ void add_products(const RowsArgs<T> &args, int left,
                                                 Vector<typename T::Sum, 1> &sum) const
    {
#pragma unroll
        for (int i = 0; i < SIZE; i++)
            if (i < left)
                add_product(sum, factor_of(args, a.value[i]), x[i]);
    }
};

// Returns the sum of the entries of a lane's row that this warp processes: every WARPS-th whole batch. First,
// the rest after the last whole batch is added by the warp whose turn would be next.
template <typename T, int WARPS, spmmi_slice_index INDEX>
__device__ __forceinline__ Vector<typename T::Sum, 1> sum_batches(const RowsArgs<T> &a, const SlicedRow &r,
                                                                  uint32_t share)
{
    constexpr uint32_t SIZE = spmmi_slice_batch(INDEX), STEP = WARPS * SIZE;
    Vector<typename T::Sum, 1> sum{};
    Batch<T, INDEX, true> batch;
    const uint32_t batches = r.width / SIZE, rest = batches * SIZE;
    const int whole = (int)min(r.length, rest); // entries of whole batches
    uint32_t e = share * SIZE;
    if (rest < r.width && batches % WARPS == share) {
        Batch<T, INDEX, false> last;
        const int left = (int)r.length - (int)rest;
        last.load_columns(a, r, rest, left);
        wait_for_previous();
        last.load_values(a, r, rest, left);
        last.load_x(a, r, left);
        batch.load_columns(a, r, e, whole - (int)e);
        __syncwarp(); // as in the loop below
        last.add_products(a, left, sum);
    } else {
        batch.load_columns(a, r, e, whole - (int)e);
        wait_for_previous();
    }
#pragma unroll 1
    for (; e < rest; e += STEP) {
        const int left = whole - (int)e;
        batch.load_values(a, r, e, left);
        batch.load_x(a, r, left);
        batch.load_columns(a, r, e + STEP, left - (int)STEP);
        __syncwarp(); // loads stay above it: else the compiler waits for the first before it issues the last
        batch.add_products(a, left, sum);
    }
    return sum;
}

template <typename T, int WARPS, spmmi_slice_index INDEX>
__global__ void __launch_bounds__(THREADS,
                                  SPMMI_SLICED_BLOCKS_PER_SM(sizeof(typename T::Sum), spmmi_slice_run(INDEX)))
    rows_sliced_kernel(const RowsArgs<T> a)
{
    using Sums = Vector<typename T::Sum, 1>;
    constexpr uint32_t SLICES = THREADS / 32 / WARPS; // per block
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_rows<T, 1, 1>(a);
        return;
    }
    const uint32_t warp = threadIdx.x / 32, share = warp % WARPS;
    const uint32_t last_slice = (a.ranks - 1) / SPMMI_SLICE_ROWS; // without nonzeros there are no work blocks
    const uint32_t slice = blockIdx.x * SLICES + warp / WARPS;
    const uint32_t rank = min(slice, last_slice) * SPMMI_SLICE_ROWS + threadIdx.x % 32;
    const SlicedRow r = sliced_row<INDEX>(a, min(slice, last_slice), rank);
    Sums sum = sum_batches<T, WARPS, INDEX>(a, r, share);
    if constexpr (WARPS > 1) {
        __shared__ Sums warp_sum[THREADS];
        warp_sum[threadIdx.x] = sum;
        __syncthreads();
        if (share != 0)
            return;
#pragma unroll
        for (uint32_t w = 1; w < WARPS; w++)
            sum.add(warp_sum[threadIdx.x + w * 32]);
    }
    if (slice <= last_slice && rank < a.ranks)
        store_sums<T, 1>(a, row_of(a, rank), 0, sum, a.alpha);
}

} // namespace spmmi
