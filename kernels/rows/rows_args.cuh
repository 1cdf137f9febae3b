// SPDX-License-Identifier: Apache-2.0
// Arguments of the rows kernels, loads of nonzeros and stores of rows of C.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "kernels/shared/grid.cuh"
#include "rows_kernel.h"
#include "rows_types.cuh"

namespace spmmi {

constexpr unsigned THREADS = SPMMI_ROWS_THREADS;

// How C is stored: row-major; column-major value by value; or column-major by blocks that keep their sums
// (rows_columns.cuh).
enum CWay { C_ROWS, C_DIRECT, C_KEPT };

// T is an instance of Types (rows_types.cuh). The fields are in the order in which kernels first need them,
// because the cache through which arguments are read is cold at first.
template <typename T> struct RowsArgs {
    const uint2 *blocks; // struct spmmi_block; sliced rows: struct spmmi_slice
    uint32_t work_blocks, nnz, ranks, block_nonzeros;
    const uint32_t *columns; // nullptr: use narrow and row_ends; sliced rows: high bits for narrow
    const uint16_t *narrow;
    const uint8_t *row_ends; // one bit per nonzero; sliced rows: a byte per row, slice width - row length
    const uint32_t *rank_start, *row_of_rank;
    const typename T::A *values; // not read if A is Uniform
    const typename T::B *b;
    uint32_t ldb_bytes, n;
    uint32_t last_row, last_column; // rows of C - 1, rows of B - 1
    typename T::C *c;
    uint64_t ldc; // values from row to row, or from column to column in column-major C
    uint64_t c_row_stride, c_column_stride; // the same for rows and columns, in either layout
    typename T::Sum alpha, beta;
    typename T::Sum a_value;    // Uniform: the value of every entry of A
    uint32_t b_has_whole_words; // few columns: a lane may load its columns as one word
    uint32_t empty_count, item_count, items_per_group, item_size_log2;
    uint32_t share_log2; // log2 of the groups per team
    const uint32_t *empty_rows, *item_rank, *item_start;
    typename T::Sum *slots;
    uint64_t *arrivals; // kernels/shared/arrival.h; one counter per block and column tile
    uint64_t arrival_tag;
    typename T::Sum *pieces; // sums of pieces of rows (rows_pieces.h)
    uint32_t piece_count, piece_pitch;
    bool prefetches; // the kernel waits for a conversion of B and loads nonzeros into the L2 cache meanwhile
};

// The columns of a lane are adjacent. With VEC = SPMMI_ROWS_APART they are LANES columns apart, so that each
// load of the group reads consecutive values.
template <int VEC, int LANES> struct LaneColumns {
    static constexpr uint32_t STEP = VEC == (int)SPMMI_ROWS_APART ? LANES : 1;
    static __device__ __forceinline__ uint32_t first()
    {
        return threadIdx.x % LANES * (STEP == 1 ? VEC : 1);
    }
};

// The offsets of a lane's columns in a row of B, in values from the first column. Columns past n are not
// read: their offset is 0, so that the first column is loaded again.
template <int VEC, uint32_t STEP> struct ColumnOffsets {
    uint32_t offset[VEC];

    __device__ __forceinline__ ColumnOffsets(uint32_t column, uint32_t n)
    {
#pragma unroll
        for (uint32_t i = 0; i < VEC; i++)
            offset[i] = column + i * STEP < n ? i * STEP : 0;
    }
    // Loads one word, or value by value if the columns are apart.
    template <typename B> __device__ __forceinline__ Vector<B, VEC> load(const B *b) const
    {
        if constexpr (STEP == 1) {
            return load_vector<B, VEC>(b);
        } else {
            Vector<B, VEC> x;
#pragma unroll
            for (int i = 0; i < VEC; i++)
                x.x[i] = b[offset[i]];
            return x;
        }
    }
};

// Stores a lane's columns one by one: the first at c, the others `stride` values apart. Skips columns past n.
template <typename T, int VEC, uint32_t STEP>
__device__ __forceinline__ void store_each(const RowsArgs<T> &a, typename T::C *c, uint64_t stride,
                                           uint32_t column, const Vector<typename T::Sum, VEC> &sum)
{
    using C = typename T::C;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        if (column + i * STEP < a.n)
            *c = Value<C>::round(a.beta != typename T::Sum(0)
                                     ? fma(a.alpha, sum.x[i], a.beta * Value<C>::widen(*c))
                                     : a.alpha * sum.x[i]);
        c += stride;
    }
}

// Stores adjacent columns at c as one word.
template <typename T, int VEC>
__device__ __forceinline__ void store_word(const RowsArgs<T> &a, typename T::C *c,
                                           const Vector<typename T::Sum, VEC> &sum)
{
    using C = typename T::C;
    Vector<C, VEC> out;
    if (a.beta != typename T::Sum(0)) {
        out = load_vector<C, VEC>(c);
#pragma unroll
        for (int i = 0; i < VEC; i++)
            out.x[i] = Value<C>::round(fma(a.alpha, sum.x[i], a.beta * Value<C>::widen(out.x[i])));
    } else {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            out.x[i] = Value<C>::round(a.alpha * sum.x[i]);
    }
    store_vector<C, VEC>(c, out);
}

// Stores the sums of one piece of a row (rows_pieces.h).
template <typename T, int VEC, uint32_t STEP>
__device__ __forceinline__ void store_piece(const RowsArgs<T> &a, uint32_t piece, uint32_t column,
                                            const Vector<typename T::Sum, VEC> &sum)
{
    if (piece >= a.piece_count)
        return;
    typename T::Sum *const sums = a.pieces + (uint64_t)piece * a.piece_pitch + column;
    if constexpr (STEP == 1) {
        store_vector<typename T::Sum, VEC>(sums, sum);
    } else {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            if (column + i * STEP < a.n)
                sums[i * STEP] = sum.x[i];
    }
}

// Stores a lane's columns of one row of C: as one word if C is row-major, one by one if the columns are apart
// or C is column-major (C_COLUMNS). Rows past the last one of C are pieces of rows.
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void store_row(const RowsArgs<T> &a, uint32_t row, uint32_t column,
                                          const Vector<typename T::Sum, VEC> &sum)
{
    using C = typename T::C;
    constexpr uint32_t STEP = LaneColumns<VEC, LANES>::STEP;
    if (column >= a.n)
        return;
    if (C_COLUMNS) {
        row = min(row, a.last_row);
        store_each<T, VEC, STEP>(a, a.c + row + column * a.ldc, STEP * a.ldc, column, sum);
        return;
    }
    if (row > a.last_row) {
        store_piece<T, VEC, STEP>(a, row - a.last_row - 1, column, sum);
        return;
    }
    C *c = a.c + (uint64_t)row * (uint32_t)a.ldc + column; // ldc fits 32 bits: see spmmi_has_short_rows
    if constexpr (STEP > 1)
        store_each<T, VEC, STEP>(a, c, STEP, column, sum);
    else
        store_word(a, c, sum);
}

// The rows of B of four consecutive nonzeros, and a bit for each nonzero that ends its row of A. The bits are
// stored separately, because only they are needed once B is loaded: flagged columns would keep four registers
// occupied.
struct QuadColumns {
    uint32_t column[4];
    uint32_t ends;
};

// Loads nonzeros p .. p + 3; p is a multiple of 4. The format of the indices is tested at run time, because a
// template parameter would double the number of instances.
template <typename T> __device__ __forceinline__ QuadColumns load_columns(const RowsArgs<T> &a, uint32_t p)
{
    QuadColumns quad;
    if (a.narrow == nullptr) {
        const uint4 four = __ldg(reinterpret_cast<const uint4 *>(a.columns + p));
        const uint32_t entry[4] = {four.x, four.y, four.z, four.w};
        quad.ends = 0;
#pragma unroll
        for (int e = 3; e >= 0; e--) {
            quad.ends = __funnelshift_l(entry[e], quad.ends, 1); // below the sign bits of later ones
            quad.column[e] = entry[e] & ~SPMMI_ROW_END;
        }
    } else {
        const uint2 two = __ldg(reinterpret_cast<const uint2 *>(a.narrow + p));
        quad.ends = (uint32_t)__ldg(a.row_ends + p / 8) >> (p & 4) & 15;
        quad.column[0] = two.x & 0xffff;
        quad.column[1] = two.x >> 16;
        quad.column[2] = two.y & 0xffff;
        quad.column[3] = two.y >> 16;
    }
#pragma unroll
    for (int e = 0; e < 4; e++)
        quad.column[e] = min(quad.column[e], a.last_column);
    return quad;
}

// Prefetches entries [start, end) into the L2 cache, one line per lane at a time.
template <typename V>
__device__ __forceinline__ void prefetch_entries(const V *entries, uint32_t start, uint32_t end,
                                                 uint32_t lane, uint32_t lanes)
{
    constexpr uint32_t LINE = 128 / sizeof(V);
    for (uint32_t p = start + lane * LINE; p < end; p += lanes * LINE)
        prefetch_l2(entries + p);
}
template <typename T>
__device__ __forceinline__ void prefetch_nonzeros(const RowsArgs<T> &a, uint32_t start, uint32_t end,
                                                  uint32_t lane, uint32_t lanes)
{
    if (a.narrow != nullptr)
        prefetch_entries(a.narrow, start, end, lane, lanes);
    else
        prefetch_entries(a.columns, start, end, lane, lanes);
    if constexpr (!std::is_same<typename T::A, Uniform>::value)
        prefetch_entries(a.values, start, end, lane, lanes);
}

// Returns the value of an entry of A, in the type of sums.
template <typename T, typename A>
__device__ __forceinline__ typename T::Sum factor_of(const RowsArgs<T> &, A value)
{
    return Value<A>::widen(value);
}
template <typename T> __device__ __forceinline__ typename T::Sum factor_of(const RowsArgs<T> &a, Uniform)
{
    return a.a_value;
}

// Returns the row of B that an entry of the stream names.
template <typename T> __device__ __forceinline__ uint32_t column_of(const RowsArgs<T> &a, uint32_t entry)
{
    return min(entry & ~SPMMI_ROW_END, a.last_column);
}

// Returns the row of C of a rank.
template <typename T> __device__ __forceinline__ uint32_t row_of(const RowsArgs<T> &a, uint32_t rank)
{
    return a.row_of_rank != nullptr ? __ldg(a.row_of_rank + min(rank, a.ranks)) : rank;
}

// Scales rows without nonzeros: C = beta * C. Blocks after the work blocks run this.
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void scale_empty_rows(const RowsArgs<T> &a, uint32_t column)
{
    constexpr uint32_t GROUPS = THREADS / LANES;
    const uint32_t stride = (gridDim.x - a.work_blocks) * GROUPS;
    uint32_t i = (blockIdx.x - a.work_blocks) * GROUPS + threadIdx.x / LANES;
    RowsArgs<T> empty = a;
    empty.alpha = 0; // 0 times an alpha that is infinite or NaN would be NaN
    for (; i < a.empty_count; i += stride)
        store_row<T, VEC, LANES, C_COLUMNS>(empty, a.empty_rows != nullptr ? __ldg(a.empty_rows + i) : i,
                                            column, Vector<typename T::Sum, VEC>{});
}

// Returns the mask of the lanes of the caller's group. A group is within one warp.
template <int LANES> __device__ __forceinline__ uint32_t group_mask()
{
    constexpr uint32_t ones = LANES == 32 ? 0xffffffffu : (1u << LANES) - 1;
    return ones << (threadIdx.x % 32 / LANES * LANES);
}

} // namespace spmmi
