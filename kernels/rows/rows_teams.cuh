// SPDX-License-Identifier: Apache-2.0
// rows, row split, several columns: C(m x n) = alpha * P * B(k x n) + beta * C, with groups of lanes that
// share rows.
//
// block       256 threads = 256 / (LANES * share) teams; blockIdx.x selects consecutive rows, blockIdx.y a
//             column tile
// team        `share` groups own a row of C and LANES * VEC of its columns
// group       LANES lanes process every share-th quad (four consecutive nonzeros) of the row. The first and
//             last quad may contain nonzeros of neighbouring rows, which are not added. With C_COLUMNS, where
//             many rows are shorter than a quad, the rows of B for them are not loaded either; without
//             C_COLUMNS, a test for them would take longer (docs/decisions/0128)
// lane        VEC columns, as in rows.cuh: 16 bytes of B if they are aligned
// in flight   four rows of B and the next quad of A
// sums        in registers; groups of a warp add by shuffles, warps of a team in shared memory, in a fixed
//             order
// C           in either layout. The teams of a warp have neighbouring rows, so their values of a column are
//             adjacent
// launch      the starts of rows are read before the previous kernel has ended, as in rows_lanes.cuh
// for         row splits with few rows or columns: with one group per row, multiprocessors would be idle, and
//             a long chain of loads would determine the time (docs/decisions/0105). Also column-major C, with
//             one group per row (docs/decisions/0128)
#pragma once
#include "rows_few.cuh"

namespace spmmi {

// Returns the sum over the groups of a team, in its first group.
template <int LANES, typename Sum, int VEC>
__device__ __forceinline__ Vector<Sum, VEC> sum_team(Vector<Sum, VEC> sum, uint32_t team)
{
    sum = sum_lanes(sum, LANES, min(team, 32u));
    if (team > 32) { // the same for the whole grid
        alignas(16) __shared__ Sum warp_sum[THREADS / 32][LANES * VEC];
        const uint32_t warp = threadIdx.x / 32, offset = threadIdx.x % LANES * VEC;
        if (threadIdx.x % 32 < LANES)
            store_vector<Sum, VEC>(&warp_sum[warp][offset], sum);
        __syncthreads();
        sum = load_vector<Sum, VEC>(&warp_sum[warp][offset]);
        for (uint32_t w = warp + 1; (w & (team / 32 - 1)) != 0; w++)
            sum.add(load_vector<Sum, VEC>(&warp_sum[w][offset]));
    }
    return sum;
}

template <typename T, int VEC, int LANES, bool C_COLUMNS>
__global__ void __launch_bounds__(THREADS, SPMMI_ROWS_BOUND(sizeof(typename T::B), VEC, false))
    rows_teams_kernel(const RowsArgs<T> a)
{
    using B = typename T::B;
    const uint32_t column = blockIdx.y * (LANES * VEC) + LaneColumns<VEC, LANES>::first();
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_empty_rows<T, VEC, LANES, C_COLUMNS>(a, column);
        return;
    }
    const uint32_t share = 1u << a.share_log2, team = LANES << a.share_log2;
    // The number of a lane in the grid might not fit 32 bits, so blocks and threads are divided separately.
    const uint32_t rank =
        blockIdx.x * ((THREADS / LANES) >> a.share_log2) + (threadIdx.x / LANES >> a.share_log2);
    const uint32_t begin = row_begin(a, rank), end = max(row_begin(a, rank + 1), begin);
    const uint32_t row = row_of(a, rank);
    const uint32_t last_quad = (a.nnz - 1) & ~3u; // without nonzeros there are no work blocks
    // Lanes past n load column 0, or their first column again, and store nothing.
    const char *b = reinterpret_cast<const char *>(a.b + (column < a.n ? column : 0));
    const ColumnOffsets<VEC, LaneColumns<VEC, LANES>::STEP> offsets(column, a.n);
    uint32_t p = (begin & ~3u) + (threadIdx.x / LANES & (share - 1)) * 4;
    if (C_COLUMNS && a.prefetches)
        prefetch_nonzeros(a, begin, end, threadIdx.x & (team - 1), team);
    wait_for_previous();
    Quad<typename T::A> quad = load_quad(a, min(p, last_quad));
    Vector<typename T::Sum, VEC> sum{};
#pragma unroll 1
    while (p < end) {
        const uint32_t entry[4] = {quad.column.x, quad.column.y, quad.column.z, quad.column.w};
        Vector<B, VEC> x[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (!C_COLUMNS || p + e - begin < end - begin)
                x[e] = offsets.load(
                    reinterpret_cast<const B *>(b + (uint64_t)column_of(a, entry[e]) * a.ldb_bytes));
        const Quad<typename T::A> now = quad;
        const uint32_t here = p;
        p += 4 * share;
        quad = load_quad(a, min(p, last_quad));
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (here + e - begin < end - begin)
                add_product(sum, factor_of(a, now.value(e)), x[e]);
    }
    sum = sum_team<LANES>(sum, team);
    if (rank < a.ranks && (threadIdx.x & (team - 1)) < LANES)
        store_row<T, VEC, LANES, C_COLUMNS>(a, row, column, sum);
}

} // namespace spmmi
