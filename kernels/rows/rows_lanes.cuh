// SPDX-License-Identifier: Apache-2.0
// rows, row split, one column: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// block       256 threads = 256 / LANES rows; LANES = 256: a row
// lane        every LANES-th nonzero of its row, four on their way together
// sums        in registers, of the lanes of a row by shuffles (LANES = 256: and shared memory), in a fixed order
// launch      as in rows_staged.cuh
// for         rows of about equal length: the longest of them decides
// source      paper 002 (a thread, a warp, a thread block a row)
#pragma once
#include "rows_few.cuh"

namespace spmmi {

template <typename T, int LANES>
__global__ void __launch_bounds__(THREADS, SPMMI_STAGED_BLOCKS_PER_SM(sizeof(typename T::Sum), 1))
    rows_lanes_kernel(const RowsArgs<T> a)
{
    using Sums = Vector<typename T::Sum, 1>;
    constexpr uint32_t TURN = 4, WARPS = LANES > 32 ? LANES / 32 : 1;
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_rows<T, 1, LANES>(a);
        return;
    }
    const uint32_t rank = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const bool is_there = rank < a.ranks;
    uint32_t p = 0, end = 0, row = 0;
    if (is_there) {
        p = min(__ldg(a.rank_start + rank), a.nnz) + threadIdx.x % LANES;
        end = min(__ldg(a.rank_start + rank + 1), a.nnz);
        row = row_of(a, rank);
    }
    Sums sum{};
    wait_for_previous();
#pragma unroll 1
    for (; p < end; p += TURN * LANES) {
        uint32_t entry[TURN];
        typename T::A value[TURN];
        Vector<typename T::B, 1> x[TURN];
        // Past the end the last nonzero again, as in rows_staged.cuh.
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++) {
            entry[i] = __ldg(a.columns + min(p + i * LANES, end - 1));
            value[i] = load_value(a.values, min(p + i * LANES, end - 1));
        }
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++)
            x[i] = load_b<T, 1>(a, entry[i], 0);
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++) {
            Sums product{};
            add_product(product, value[i], x[i]);
            if (p + i * LANES < end)
                sum.add(product);
        }
    }
    sum = sum_lanes(sum, 1, LANES < 32 ? LANES : 32);
    if constexpr (WARPS > 1) {
        __shared__ Sums warp_sum[WARPS];
        if (threadIdx.x % 32 == 0)
            warp_sum[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = warp_sum[0];
        for (uint32_t w = 1; w < WARPS; w++)
            sum.add(warp_sum[w]);
    }
    if (is_there && threadIdx.x % LANES == 0)
        store_sums<T, 1>(a, row, 0, sum, a.alpha);
}

} // namespace spmmi
