// SPDX-License-Identifier: Apache-2.0
// rows: loads, stores and sums of kernels with several lanes or groups per row (lanes, sliced, teams,
// staged).
#pragma once
#include "rows_args.cuh"
#include "kernels/shared/launch.cuh"

namespace spmmi {

// Loads the columns of nonzeros at[0], at[1] .. There is one branch for all of them, so that the loads
// overlap.
template <int COUNT, typename T>
__device__ __forceinline__ void load_entries(const RowsArgs<T> &a, const uint32_t (&at)[COUNT],
                                             uint32_t (&entry)[COUNT])
{
    if (a.narrow != nullptr) {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            entry[i] = __ldg(a.narrow + at[i]);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            entry[i] = __ldg(a.columns + at[i]);
    }
}

// Loads nonzeros p .. p + 3; p is a multiple of 4.
template <typename T>
__device__ __forceinline__ Quad<typename T::A> load_quad(const RowsArgs<T> &a, uint32_t p)
{
    Quad<typename T::A> quad;
    if (a.narrow != nullptr) {
        const uint2 two = __ldg(reinterpret_cast<const uint2 *>(a.narrow + p));
        quad.column = make_uint4(two.x & 0xffff, two.x >> 16, two.y & 0xffff, two.y >> 16);
    } else {
        quad.column = __ldg(reinterpret_cast<const uint4 *>(a.columns + p));
    }
    quad.load_values(a.values + p);
    return quad;
}

// Returns the first nonzero of a rank.
template <typename T> __device__ __forceinline__ uint32_t row_begin(const RowsArgs<T> &a, uint32_t rank)
{
    return min(__ldg(a.rank_start + min(rank, a.ranks)), a.nnz);
}

// Loads a lane's columns of the row of B that an entry names. Does not use the read-only path: the kernel
// starts before previous kernels have ended, which may still write B (kernels/shared/launch.cuh).
template <typename T, int VEC>
__device__ __forceinline__ Vector<typename T::B, VEC> load_b(const RowsArgs<T> &a, uint32_t entry,
                                                             uint32_t column)
{
    using B = typename T::B;
    const char *row = reinterpret_cast<const char *>(a.b) + (uint64_t)column_of(a, entry) * a.ldb_bytes;
    const B *b = reinterpret_cast<const B *>(row) + column;
    if constexpr (VEC > 1) {
        if (!a.b_has_whole_words) {
            Vector<B, VEC> x;
#pragma unroll
            for (uint32_t i = 0; i < VEC; i++)
                x.x[i] = b[min(i, a.n - 1 - column)]; // columns past n are not read
            return x;
        }
    }
    return load_vector<B, VEC>(b);
}

// Stores a lane's columns of one row: C = alpha * sum + beta * C.
template <typename T, int VEC>
__device__ __forceinline__ void store_sums(const RowsArgs<T> &a, uint32_t row, uint32_t column,
                                           const Vector<typename T::Sum, VEC> &sum, typename T::Sum alpha)
{
    using C = typename T::C;
    C *c = a.c + (uint64_t)min(row, a.last_row) * a.c_row_stride + column * a.c_column_stride;
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        if (column + i < a.n)
            *c = Value<C>::round(a.beta != typename T::Sum(0)
                                     ? fma(alpha, sum.x[i], a.beta * Value<C>::widen(*c))
                                     : alpha * sum.x[i]);
        c += a.c_column_stride;
    }
}

// Scales rows without nonzeros: C = beta * C.
template <typename T, int VEC, int LANES> __device__ __forceinline__ void scale_rows(const RowsArgs<T> &a)
{
    const uint32_t stride = (gridDim.x - a.work_blocks) * (THREADS / LANES);
    uint32_t i = (blockIdx.x - a.work_blocks) * (THREADS / LANES) + threadIdx.x / LANES;
    for (; i < a.empty_count; i += stride)
        store_sums<T, VEC>(a, a.empty_rows != nullptr ? __ldg(a.empty_rows + i) : i,
                           threadIdx.x % LANES * VEC, Vector<typename T::Sum, VEC>{}, typename T::Sum(0));
}

// Returns the sum over the lanes of an aligned segment of `width` lanes whose distance is a multiple of
// `step`.
template <typename Sum, int VEC>
__device__ __forceinline__ Vector<Sum, VEC> sum_lanes(Vector<Sum, VEC> sum, uint32_t step, uint32_t width)
{
#pragma unroll 1
    for (uint32_t d = width / 2; d >= step; d /= 2) {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            sum.x[i] += __shfl_xor_sync(0xffffffffu, sum.x[i], d);
    }
    return sum;
}

} // namespace spmmi
