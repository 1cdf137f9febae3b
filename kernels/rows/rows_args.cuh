// SPDX-License-Identifier: Apache-2.0
// What the rows kernels get, the nonzeros they load and the rows of C they store.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "rows_kernel.h"
#include "kernels/shared/vector.cuh"

namespace spmmi {

constexpr unsigned THREADS = SPMMI_ROWS_THREADS;

// Four consecutive nonzeros.
template <typename T> struct Quad {
    uint4 column;
    T value[4];
};

template <typename T>
__device__ __forceinline__ Quad<T> load_quad(const uint32_t *columns, const T *values, uint32_t p)
{
    Quad<T> q;
    q.column = __ldg(reinterpret_cast<const uint4 *>(columns + p));
    load_four(values + p, q.value);
    return q;
}

template <typename T> struct RowsArgs {
    const uint32_t *columns;
    const T *values;
    const uint32_t *rank_start, *row_of_rank, *empty_rows, *item_rank, *item_start;
    const T *b;
    T *c, *slots;
    uint64_t *arrivals; // kernels/shared/arrival.h; one a block and column tile
    uint64_t arrival_tag;
    const uint2 *blocks; // struct spmmi_block
    uint32_t empty_count, item_count, items_per_group, item_size_log2, block_nonzeros, work_blocks;
    uint32_t nnz, ranks, last_row, last_column; // last_row: of C; last_column: the last row of B
    uint64_t ldc;                               // of a row, or of a column in column-major C
    uint32_t ldb_bytes, n;
    T alpha, beta;
};

// A lane's columns of one row of C: at once in row-major C, one by one in column-major C (C_COLUMNS).
template <typename T, int VEC, bool C_COLUMNS>
__device__ __forceinline__ void store_row(const RowsArgs<T> &a, uint32_t row, uint32_t column,
                                          const Vector<T, VEC> &sum)
{
    if (column >= a.n)
        return;
    row = min(row, a.last_row);
    if (C_COLUMNS) {
        T *c = a.c + row + column * a.ldc;
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            if (column + i < a.n)
                *c = a.beta != T(0) ? fma(a.alpha, sum.x[i], a.beta * *c) : a.alpha * sum.x[i];
            c += a.ldc;
        }
        return;
    }
    T *c = a.c + (uint64_t)row * (uint32_t)a.ldc + column; // fits: see spmmi_has_short_rows
    Vector<T, VEC> out;
    if (a.beta != T(0)) {
        out = load_vector<T, VEC>(c);
#pragma unroll
        for (int i = 0; i < VEC; i++)
            out.x[i] = fma(a.alpha, sum.x[i], a.beta * out.x[i]);
    } else {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            out.x[i] = a.alpha * sum.x[i];
    }
    store_vector<T, VEC>(c, out);
}

// The column of an entry of the stream: a row of B.
template <typename T> __device__ __forceinline__ uint32_t column_of(const RowsArgs<T> &a, uint32_t entry)
{
    return min(entry & ~SPMMI_ROW_END, a.last_column);
}

// The row of C of a rank.
template <typename T> __device__ __forceinline__ uint32_t row_of(const RowsArgs<T> &a, uint32_t rank)
{
    return a.row_of_rank != nullptr ? __ldg(a.row_of_rank + min(rank, a.ranks)) : rank;
}

// Rows without nonzeros: C = beta * C. Blocks past the work blocks come here.
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void scale_empty_rows(const RowsArgs<T> &a, uint32_t column)
{
    constexpr uint32_t GROUPS = THREADS / LANES;
    const uint32_t stride = (gridDim.x - a.work_blocks) * GROUPS;
    uint32_t i = (blockIdx.x - a.work_blocks) * GROUPS + threadIdx.x / LANES;
    RowsArgs<T> scale = a;
    scale.alpha = T(0); // 0 times an alpha that is infinite or NaN would be NaN
    for (; i < a.empty_count; i += stride)
        store_row<T, VEC, C_COLUMNS>(scale, a.empty_rows != nullptr ? __ldg(a.empty_rows + i) : i, column,
                                     Vector<T, VEC>{});
}

// The lanes of the caller's group, which share a warp.
template <int LANES> __device__ __forceinline__ uint32_t group_mask()
{
    constexpr uint32_t ones = LANES == 32 ? 0xffffffffu : (1u << LANES) - 1;
    return ones << (threadIdx.x % 32 / LANES * LANES);
}

} // namespace spmmi
