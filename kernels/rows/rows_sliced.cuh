// SPDX-License-Identifier: Apache-2.0
// rows, row split, one column of sliced rows: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// layout      slices of 32 rows (rows_slices_shape.h), chunks of entries of a lane. The stream in the arguments is
//             theirs: nnz counts entries, row_ends says what each row lacks to the longest of its slice, columns has
//             words of high bits where narrow has the low ones
// block       256 threads = 8 / WARPS slices
// warp        every WARPS-th batch of entries of its slice; a lane has a row
// in flight   a batch of columns, values and values of B a lane, and the next batch of columns
// sums        in registers, of the warps of a slice through shared memory in their order
// launch      tables and columns are read before the previous kernel has ended: they never change. Values of A, B, C
//             are not, nor by the read-only path.
// bounds      a lane loads a chunk of A if it has the first of its entries, and adds the products of entries that it
//             has. Columns of padding are 0: of whole batches those rows of B are loaded and not used.
// source      sliced ELL of Monakov, Lokhmotov, Avetisyan (2010), without a sorted order of rows
#pragma once
#include "kernels/shared/load_if.cuh"
#include "rows_few.cuh"
#include "rows_slices_shape.h"

namespace spmmi {

// What a lane reads of its slice and row.
struct SlicedRow {
    uint32_t start, column; // of the slice
    uint32_t columns, high; // its first column, and word of high bits
    uint32_t width, length; // entries of the slice's longest row, and of this one
};

template <spmmi_slice_index INDEX, typename T>
__device__ __forceinline__ SlicedRow sliced_row(const RowsArgs<T> &a, uint32_t slice, uint32_t rank)
{
    const uint2 here = __ldg(a.blocks + slice), next = __ldg(a.blocks + slice + 1);
    const uint32_t lacks = __ldg(a.row_ends + rank);
    SlicedRow r;
    r.start =
        min(here.x, a.nnz) / SPMMI_SLICE_ROWS * SPMMI_SLICE_ROWS; // words are aligned, whatever a table says
    r.column = here.y;
    r.columns = spmmi_slice_place(r.start, slice, spmmi_slice_run(INDEX));
    r.high = spmmi_slice_place(r.start, slice, spmmi_slice_batch(INDEX));
    r.width = (min(max(next.x, r.start), a.nnz) - r.start) / SPMMI_SLICE_ROWS;
    r.length = rank < a.ranks ? r.width - min(lacks, r.width) : 0;
    return r;
}

// A lane's values or columns of a whole batch: COUNT of so many bytes each, each for RUN entries, of which it has
// `left`. p: those of the batch.
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

// The values of a batch, in the words that whole ones are loaded by.
template <typename A, int SIZE> union BatchValues {
    uint32_t word[SIZE * sizeof(A) / 4];
    A value[SIZE];
    __device__ __forceinline__ BatchValues()
    {
    }
};

// A batch of entries of a row from e on, of which a lane has `left`: a whole one, or what is left behind the last of a
// slice.
template <typename T, spmmi_slice_index INDEX, bool IS_WHOLE> struct Batch {
    using A = typename T::A;
    static constexpr bool HAS_VALUES = !std::is_empty<A>::value;           // each is loaded
    static constexpr bool HAS_PAIRS = IS_WHOLE && INDEX != SPMMI_INDEX_32; // of columns in words
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
    // Behind the end of a row nothing is added, whatever lies there.
    __device__ __forceinline__ void add_products(const RowsArgs<T> &args, int left,
                                                 Vector<typename T::Sum, 1> &sum) const
    {
#pragma unroll
        for (int i = 0; i < SIZE; i++)
            if (i < left)
                add_product(sum, factor_of(args, a.value[i]), x[i]);
    }
};

// The entries of a lane's row that this warp has: every WARPS-th batch, and before them what is left behind the last,
// of the warp whose turn would be next.
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
        __syncwarp(); // as below
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
        __syncwarp(); // loads stay before it: else the compiler would wait for the first before it begins the last
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
    constexpr uint32_t SLICES = THREADS / 32 / WARPS; // of a block
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
