// SPDX-License-Identifier: Apache-2.0
// rows, row split, one column of sliced rows: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// layout      slices of 32 rows (rows_slices_shape.h): entry e of the row of lane l is start + 32 * e + l. The stream
//             in the arguments is theirs: nnz counts entries, row_ends says what each row lacks to the longest of its
//             slice, columns has words of high bits where narrow has the low ones
// block       256 threads = 8 / WARPS slices
// warp        every WARPS-th batch of entries of its slice; a lane has a row
// in flight   a batch of columns, values and values of B a lane, and the next batch of columns
// sums        in registers, of the warps of a slice through shared memory in their order
// launch      tables and columns are read before the previous kernel has ended: they never change. Values of A, B, C
//             are not, nor by the read-only path.
// bounds      behind the end of a row a lane loads nothing and multiplies 0 by 0: padding and its rows of B are not
//             read
// source      sliced ELL of Monakov, Lokhmotov, Avetisyan (2010), without a sorted order of rows
#pragma once
#include "rows_few.cuh"
#include "rows_slices_shape.h"

namespace spmmi {

// What a lane reads of its slice and row.
struct SlicedRow {
    uint32_t start, column; // of the slice
    uint32_t high;          // its first word of high bits
    uint32_t width, length; // entries of the slice's longest row, and of this one
};

template <typename T>
__device__ __forceinline__ SlicedRow sliced_row(const RowsArgs<T> &a, uint32_t slice, uint32_t rank)
{
    const uint2 here = __ldg(a.blocks + slice), next = __ldg(a.blocks + slice + 1);
    const uint32_t lacks = __ldg(a.row_ends + rank);
    SlicedRow r;
    r.start = min(here.x, a.nnz);
    r.column = here.y;
    r.high = spmmi_slice_high(r.start, slice);
    r.width = (min(max(next.x, r.start), a.nnz) - r.start) / SPMMI_SLICE_ROWS;
    r.length = rank < a.ranks ? r.width - min(lacks, r.width) : 0;
    return r;
}

// What p points to, if a lane has such an entry, else 0: one instruction without a branch.
template <typename V> __device__ __forceinline__ V load_if(bool is_there, const V *p)
{
    static_assert(sizeof(V) == 2 || sizeof(V) == 4 || sizeof(V) == 8, "a word");
    union {
        V value;
        uint16_t half;
        uint32_t word;
        uint64_t two;
    } bits;
    const int there = is_there;
    if constexpr (sizeof(V) == 8) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b64 %0, 0; @p ld.global.b64 %0, [%1]; }"
                     : "=l"(bits.two)
                     : "l"(p), "r"(there));
    } else if constexpr (sizeof(V) == 4) {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.b32 %0, [%1]; }"
                     : "=r"(bits.word)
                     : "l"(p), "r"(there));
    } else {
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b16 %0, 0; @p ld.global.b16 %0, [%1]; }"
                     : "=h"(bits.half)
                     : "l"(p), "r"(there));
    }
    return bits.value;
}

// The same of a narrow column, in a whole register.
__device__ __forceinline__ uint32_t load_narrow_if(bool is_there, const uint16_t *p)
{
    uint32_t column;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.u16 %0, [%1]; }"
                 : "=r"(column)
                 : "l"(p), "r"((int)is_there));
    return column;
}

// Entries e .. e + SPMMI_SLICE_BATCH - 1 of a row.
template <typename T> struct Batch {
    static constexpr bool HAS_VALUES = !std::is_empty<typename T::A>::value; // each is loaded
    uint32_t column[SPMMI_SLICE_BATCH];
    typename T::A value[SPMMI_SLICE_BATCH];
    Vector<typename T::B, 1> x[SPMMI_SLICE_BATCH];

    __device__ __forceinline__ void load_columns(const RowsArgs<T> &a, const SlicedRow &r, uint32_t e)
    {
        const uint32_t at = r.start + e * SPMMI_SLICE_ROWS + threadIdx.x % 32;
        const int left = (int)(r.length - e);
        if (a.narrow != nullptr) {
#pragma unroll
            for (int i = 0; i < (int)SPMMI_SLICE_BATCH; i++)
                column[i] = load_narrow_if(i < left, a.narrow + at + i * SPMMI_SLICE_ROWS);
            if (a.columns != nullptr)
                add_high_bits(a, r, e);
        } else {
#pragma unroll
            for (int i = 0; i < (int)SPMMI_SLICE_BATCH; i++)
                column[i] = load_if(i < left, a.columns + at + i * SPMMI_SLICE_ROWS);
        }
    }
    __device__ __forceinline__ void add_high_bits(const RowsArgs<T> &a, const SlicedRow &r, uint32_t e)
    {
        const uint32_t at = r.high + e / SPMMI_SLICE_BATCH * SPMMI_SLICE_ROWS + threadIdx.x % 32;
        const uint32_t word = load_if(e < r.length, a.columns + at);
#pragma unroll
        for (uint32_t i = 0; i < SPMMI_SLICE_BATCH; i++)
            column[i] |= (word >> i * SPMMI_HIGH_BITS) % (1u << SPMMI_HIGH_BITS) << 16;
    }
    __device__ __forceinline__ void load_values(const RowsArgs<T> &a, const SlicedRow &r, uint32_t e)
    {
        const uint32_t at = r.start + e * SPMMI_SLICE_ROWS + threadIdx.x % 32;
        const int left = (int)(r.length - e);
        if constexpr (HAS_VALUES) {
#pragma unroll
            for (int i = 0; i < (int)SPMMI_SLICE_BATCH; i++)
                value[i] = load_if(i < left, a.values + at + i * SPMMI_SLICE_ROWS);
        }
    }
    __device__ __forceinline__ void load_x(const RowsArgs<T> &a, const SlicedRow &r, uint32_t e)
    {
        const int left = (int)(r.length - e);
        const char *const b = reinterpret_cast<const char *>(a.b);
#pragma unroll
        for (int i = 0; i < (int)SPMMI_SLICE_BATCH; i++) {
            const uint64_t row = min(r.column + column[i], a.last_column);
            x[i].x[0] = load_if(i < left, reinterpret_cast<const typename T::B *>(b + row * a.ldb_bytes));
        }
    }
    // Behind the end of a row both factors are 0, also where values are not read, so that both have the same bits.
    __device__ __forceinline__ void add_products(const RowsArgs<T> &a, const SlicedRow &r, uint32_t e,
                                                 Vector<typename T::Sum, 1> &sum) const
    {
        const int left = (int)(r.length - e);
#pragma unroll
        for (int i = 0; i < (int)SPMMI_SLICE_BATCH; i++) {
            const typename T::Sum factor = factor_of(a, value[i]);
            add_product(sum, HAS_VALUES || i < left ? factor : 0, x[i]);
        }
    }
};

// The entries of a lane's row that this warp has: batches that lie `step` entries apart.
template <typename T>
__device__ __forceinline__ Vector<typename T::Sum, 1> sum_batches(const RowsArgs<T> &a, const SlicedRow &r,
                                                                  uint32_t first, uint32_t step)
{
    Vector<typename T::Sum, 1> sum{};
    Batch<T> batch;
    batch.load_columns(a, r, first);
    wait_for_previous();
#pragma unroll 1
    for (uint32_t e = first; e < r.width; e += step) {
        batch.load_values(a, r, e);
        batch.load_x(a, r, e);
        batch.load_columns(a, r, e + step);
        __syncwarp(); // loads stay before it: else the compiler would wait for the first before it begins the last
        batch.add_products(a, r, e, sum);
    }
    return sum;
}

template <typename T, int WARPS>
__global__ void __launch_bounds__(THREADS, SPMMI_SLICED_BLOCKS_PER_SM(sizeof(typename T::Sum)))
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
    const SlicedRow r = sliced_row(a, min(slice, last_slice), rank);
    Sums sum = sum_batches(a, r, share * SPMMI_SLICE_BATCH, WARPS * SPMMI_SLICE_BATCH);
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
