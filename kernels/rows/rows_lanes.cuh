// SPDX-License-Identifier: Apache-2.0
// rows, row split, one column: C(m x 1) = alpha * P * B(k x 1) + beta * C.
//
// block       256 threads = 256 / LANES groups; LANES = 256: one group
// group       processes consecutive rows one after the other, as many as make one wave of blocks
// lane        loads every LANES-th quad of its row (four consecutive nonzeros: one word of columns, one of
//             values). The first and last quad of a row may contain nonzeros of neighbouring rows, which are
//             not added
// in flight   the values of B of one quad, and the next quad, which belongs to this row or to the next one
// sums        in registers; the lanes of a row add by shuffles (LANES = 256: also in shared memory), in a
//             fixed order
// launch      the starts of rows are read before the previous kernel has ended, because they never change.
//             Values of A, B and C are read after it, and not by the read-only path
// for         rows of about equal length: the longest row determines the time
// source      paper 002 (one thread, warp or thread block per row)
#pragma once
#include "rows_few.cuh"

namespace spmmi {

// Returns the sum over the lanes of a group, in its first lane.
template <int LANES, typename Sums> __device__ __forceinline__ Sums sum_group(Sums sum)
{
    sum = sum_lanes(sum, 1, LANES < 32 ? LANES : 32);
    if constexpr (LANES > 32) {
        __shared__ Sums warp_sum[LANES / 32];
        __syncthreads(); // the sums of the previous row have been read
        if (threadIdx.x % 32 == 0)
            warp_sum[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = warp_sum[0];
        for (uint32_t w = 1; w < LANES / 32; w++)
            sum.add(warp_sum[w]);
    }
    return sum;
}

template <typename T, int LANES>
__global__ void __launch_bounds__(THREADS, SPMMI_STAGED_BLOCKS_PER_SM(sizeof(typename T::Sum), 1))
    rows_lanes_kernel(const RowsArgs<T> a)
{
    using Sums = Vector<typename T::Sum, 1>;
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_rows<T, 1, LANES>(a);
        return;
    }
    const uint32_t group = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES,
                   lane = threadIdx.x % LANES * 4;
    const uint32_t last_quad = (a.nnz - 1) & ~3u; // without nonzeros there are no work blocks
    uint32_t rank = min(group * a.items_per_group, a.ranks);
    uint32_t begin = row_begin(a, rank), end = max(row_begin(a, rank + 1), begin);
    uint32_t at = (begin & ~3u) + lane;
    wait_for_previous();
    Quad<typename T::A> quad = load_quad(a, min(at, last_quad));
#pragma unroll 1
    for (uint32_t i = 0; i < a.items_per_group; i++, rank++) {
        const uint32_t next_end = max(row_begin(a, rank + 2), end), row = row_of(a, rank);
        Sums sum{};
        bool goes_on = true;
#pragma unroll 1
        while (goes_on) {
            const uint32_t column[4] = {quad.column.x, quad.column.y, quad.column.z, quad.column.w};
            Vector<typename T::B, 1> x[4];
            if (at < end) {
#pragma unroll
                for (int e = 0; e < 4; e++)
                    x[e] = load_b<T, 1>(a, column[e], 0);
            }
            const Quad<typename T::A> now = quad;
            const uint32_t here = at;
            goes_on = at - lane + 4 * LANES < end;
            // Loads the next quad while this one is processed: a quad of this row, or the first of the next
            // row.
            at = goes_on ? at + 4 * LANES : (end & ~3u) + lane;
            quad = load_quad(a, min(at, last_quad));
#pragma unroll
            for (int e = 0; e < 4; e++) {
                Sums product{};
                add_product(product, factor_of(a, now.value(e)), x[e]);
                if (here + e - begin < end - begin)
                    sum.add(product);
            }
        }
        sum = sum_group<LANES>(sum);
        if (rank < a.ranks && threadIdx.x % LANES == 0)
            store_sums<T, 1>(a, row, 0, sum, a.alpha);
        begin = end;
        end = next_end;
    }
}

} // namespace spmmi
