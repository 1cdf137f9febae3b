// SPDX-License-Identifier: Apache-2.0
// What the kernels of products without a plan share: rows of matrices, and sums over a block.
#pragma once
#include "kernels/shared/launch.cuh"
#include "spgemm_once_launch.h"
#include "spgemm_rounds.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned ONCE_THREADS = 128; // of a block whose groups of lanes have one row each

__device__ __forceinline__ int64_t row_begin(const spmmi_once_matrix &m, int64_t i)
{
    return m.has_wide_rows ? static_cast<const int64_t *>(m.row_ptr)[i]
                           : static_cast<const int32_t *>(m.row_ptr)[i];
}

// Returns the list element of row number `at` of a class. Two classes share a list, which they fill from its
// two ends. The classes whose rows need a block share one with each other only, because rows of the last
// class of tables may join them.
__device__ __forceinline__ uint32_t *listed(const spmmi_once_work &w, int row_class, uint32_t at)
{
    static_assert(SPMMI_ONCE_WIDE % 2 == 0 && 2 * SPMMI_ONCE_LISTS == SPMMI_ONCE_CLASSES, "a list a pair");
    return w.lists +
           (row_class / 2 * w.a.rows + (row_class % 2 != 0 ? w.a.rows - 1 - (int64_t)at : (int64_t)at));
}

// A row of C for a group, as the entries [begin, begin + length) of the left factor; length is 0 if there is
// no row.
struct Row {
    int64_t begin;
    uint32_t row, length;
    bool is_there;
};

template <int LANES>
__device__ __forceinline__ Row row_of_group(const spmmi_once_work &w, int row_class, uint32_t rows)
{
    const uint32_t at = blockIdx.x * (ONCE_THREADS / LANES) + threadIdx.x / LANES;
    Row row = {0, 0, 0, at < rows};
    if (!row.is_there)
        return row;
    row.row = *listed(w, row_class, at);
    row.begin = row_begin(w.a, row.row);
    row.length = (uint32_t)(row_begin(w.a, (int64_t)row.row + 1) - row.begin);
    return row;
}

// Returns the sum of x over the lanes of the warp up to this one.
template <typename Number> __device__ __forceinline__ Number sum_up_to(Number x)
{
    for (unsigned d = 1; d < 32; d *= 2) {
        const Number other = __shfl_up_sync(EVERY_LANE, x, d);
        x += threadIdx.x % 32 >= d ? other : 0;
    }
    return x;
}

// Adds the x of all lanes of the warp to *sum, with one atomic addition.
template <typename Number> __device__ __forceinline__ void add_to(Number *sum, Number x)
{
    if (!__any_sync(EVERY_LANE, x != 0))
        return;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(EVERY_LANE, x, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, x);
}

// Returns the sum of x over the threads of the block before this one; *total: over all threads. shared: one
// element per warp.
template <typename Number>
__device__ __forceinline__ Number sum_before(Number x, Number *shared, Number *total)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const Number sum = sum_up_to(x);
    __syncthreads();
    if (lane == 31)
        shared[warp] = sum;
    __syncthreads();
    Number before = 0, all = 0;
    for (unsigned v = 0; v < warps; v++) {
        before += v < warp ? shared[v] : 0;
        all += shared[v];
    }
    *total = all;
    return before + sum - x;
}

// Loads entry p of the left factor. It has no products if is_there is false.
template <typename Real, bool VALUES>
__device__ __forceinline__ Factor<Real> load_factor(const spmmi_once_work &w, int64_t p, bool is_there)
{
    Factor<Real> f = {Real(0), 0, 0};
    if (!is_there)
        return f;
    const int64_t k = w.a.columns[p], start = row_begin(w.b, k);
    f.start = (uint32_t)start;
    f.length = (uint32_t)(row_begin(w.b, k + 1) - start);
    if (VALUES)
        f.a = static_cast<const Real *>(w.a.values)[p];
    return f;
}

// Passes all products of a row of C to the sink: those of the entries [begin, begin + length) of the left
// factor.
template <typename Real, int LANES, bool VALUES, typename Sink>
__device__ __forceinline__ void walk_row_of(const spmmi_once_work &w, int64_t begin, uint32_t length,
                                            Step<Real> *steps, uint32_t lane, Sink &sink)
{
    const auto load = [&](uint32_t t, bool is_there) {
        return load_factor<Real, VALUES>(w, begin + t, is_there);
    };
    walk_row<Real, LANES, VALUES>(w.b, load, length, steps, lane, sink);
}

} // namespace spgemm
} // namespace spmmi
