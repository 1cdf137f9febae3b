// SPDX-License-Identifier: Apache-2.0
// rows, row split of short rows, several columns: C(m x n) = alpha * P * B(k x n) + beta * C, C row-major.
//
// block       256 threads = 256 / LANES groups; blockIdx.x selects consecutive rows, blockIdx.y a column tile
// group       LANES lanes own one row of C and LANES * VEC of its columns
// lane        VEC columns, as in rows.cuh: 16 bytes of B if they are aligned
// in flight   four nonzeros and their rows of B. Each nonzero is loaded alone: quads, as rows.cuh loads them,
//             would contain nonzeros of other rows, and a short row has few
// sums        in registers, in the order of the row, as in rows.cuh
// launch      the starts of rows are read before the previous kernel has ended, as in rows_lanes.cuh
// for         few columns and short rows of similar lengths. A group of rows.cuh has several such rows, each
//             of which waits for A and then for B (docs/decisions/0133)
#pragma once
#include "rows_few.cuh"
#include "rows_short_shape.h"

namespace spmmi {

constexpr uint32_t SHORT_STEP = 4; // nonzeros of a group that are in flight together

// Loads the columns of the nonzeros of a step. There is one branch for all of them, so that the loads overlap.
template <typename T>
__device__ __forceinline__ void load_step(const RowsArgs<T> &a, uint32_t p, uint32_t left,
                                          uint32_t (&entry)[SHORT_STEP])
{
    if (a.narrow != nullptr) {
#pragma unroll
        for (uint32_t e = 0; e < SHORT_STEP; e++)
            if (e < left)
                entry[e] = __ldg(a.narrow + p + e);
    } else {
#pragma unroll
        for (uint32_t e = 0; e < SHORT_STEP; e++)
            if (e < left)
                entry[e] = __ldg(a.columns + p + e);
    }
}

template <typename T, int VEC, int LANES>
__global__ void __launch_bounds__(THREADS, SPMMI_ROWS_SHORT_BLOCKS(sizeof(typename T::B), VEC))
    rows_short_kernel(const RowsArgs<T> a)
{
    using B = typename T::B;
    const uint32_t column = blockIdx.y * (LANES * VEC) + LaneColumns<VEC, LANES>::first();
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_empty_rows<T, VEC, LANES, false>(a, column);
        return;
    }
    const uint32_t rank = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const uint32_t begin = row_begin(a, rank), end = row_begin(a, rank + 1);
    const uint32_t row = row_of(a, rank);
    // Lanes past n load column 0 and store nothing.
    const char *b = reinterpret_cast<const char *>(a.b + (column < a.n ? column : 0));
    const ColumnOffsets<VEC, LaneColumns<VEC, LANES>::STEP> offsets(column, a.n);
    wait_for_previous();
    Vector<typename T::Sum, VEC> sum{};
#pragma unroll 1
    for (uint32_t p = begin; p < end; p += SHORT_STEP) {
        const uint32_t left = end - p;
        uint32_t entry[SHORT_STEP];
        typename T::A value[SHORT_STEP];
        Vector<B, VEC> x[SHORT_STEP];
        load_step(a, p, left, entry);
#pragma unroll
        for (uint32_t e = 0; e < SHORT_STEP; e++)
            if (e < left)
                value[e] = load_value(a.values, p + e);
#pragma unroll
        for (uint32_t e = 0; e < SHORT_STEP; e++)
            if (e < left)
                x[e] = offsets.load(
                    reinterpret_cast<const B *>(b + (uint64_t)column_of(a, entry[e]) * a.ldb_bytes));
#pragma unroll
        for (uint32_t e = 0; e < SHORT_STEP; e++)
            if (e < left)
                add_product(sum, factor_of(a, value[e]), x[e]);
    }
    if (rank < a.ranks)
        store_row<T, VEC, LANES, false>(a, row, column, sum);
}

} // namespace spmmi
