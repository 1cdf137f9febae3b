// SPDX-License-Identifier: Apache-2.0
// What the kernels of products without a plan share: rows of matrices, hash tables of columns in shared memory.
#pragma once
#include "kernels/shared/launch.cuh"
#include "spgemm_arithmetic.cuh"
#include "spgemm_once_launch.h"

namespace spmmi {
namespace spgemm {

constexpr unsigned ONCE_THREADS = 128;
constexpr unsigned EVERY_LANE = 0xffffffffu;
constexpr int32_t NO_COLUMN = -1, BEHIND_ALL = 0x7fffffff;

__device__ __forceinline__ int64_t row_begin(const spmmi_once_matrix &m, int64_t i)
{
    return m.has_wide_rows ? static_cast<const int64_t *>(m.row_ptr)[i]
                           : static_cast<const int32_t *>(m.row_ptr)[i];
}

// A hash table of columns; slots: a power of two, of which at most half and a chunk are taken.
template <int SLOTS> struct Table {
    int32_t *keys;

    __device__ __forceinline__ void clear(uint32_t lane, uint32_t lanes)
    {
        for (uint32_t s = lane; s < SLOTS; s += lanes)
            keys[s] = NO_COLUMN;
    }

    static __device__ __forceinline__ uint32_t first_slot(int32_t column)
    {
        return ((uint32_t)column * 0x9e3779b1u >> 16) & (SLOTS - 1);
    }

    // Adds it; was it new?
    __device__ __forceinline__ bool insert(int32_t column)
    {
        for (uint32_t s = first_slot(column);; s = (s + 1) & (SLOTS - 1)) {
            const int32_t before = atomicCAS(keys + s, NO_COLUMN, column);
            if (before == NO_COLUMN || before == column)
                return before == NO_COLUMN;
        }
    }

    // Where it is; it is there.
    __device__ __forceinline__ uint32_t find(int32_t column) const
    {
        uint32_t s = first_slot(column);
        while (keys[s] != column)
            s = (s + 1) & (SLOTS - 1);
        return s;
    }
};

// A row of the left factor, taken by LANES lanes; control is uniform in a warp, so groups of less than 32 lanes take as
// many steps as the longest of their warp.
template <int LANES> __device__ __forceinline__ uint32_t warp_max(uint32_t x)
{
    return LANES == 32 ? x : __reduce_max_sync(EVERY_LANE, x);
}

// The sum of x over the threads of the block before this one; *total: over all. shared: a place for each warp.
template <unsigned WARPS, typename Number>
__device__ __forceinline__ Number sum_before(Number x, Number *shared, Number *total)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Number sum = x;
    for (unsigned d = 1; d < 32; d *= 2) {
        const Number other = __shfl_up_sync(EVERY_LANE, sum, d);
        sum += lane >= d ? other : 0;
    }
    __syncthreads();
    if (lane == 31)
        shared[warp] = sum;
    __syncthreads();
    Number before = 0, all = 0;
    for (unsigned v = 0; v < WARPS; v++) {
        before += v < warp ? shared[v] : 0;
        all += shared[v];
    }
    *total = all;
    return before + sum - x;
}

} // namespace spgemm
} // namespace spmmi
