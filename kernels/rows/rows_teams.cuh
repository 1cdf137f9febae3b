// SPDX-License-Identifier: Apache-2.0
// rows, row split, several columns: C(m x n) = alpha * P * B(k x n) + beta * C, whose rows groups of lanes share.
//
// block       256 threads = 256 / (LANES * share) teams; blockIdx.x takes consecutive rows, blockIdx.y a column tile
// team        `share` groups own a row of C and LANES * VEC of its columns
// group       LANES lanes take every share-th quad (four consecutive nonzeros) of the row; what lies before or behind
//             the row in its first and last quad is not added. With C_COLUMNS, where many rows are shorter than a quad,
//             its rows of B are not read either; without, testing for it takes longer (docs/decisions/0128)
// lane        VEC columns, as in rows.cuh: 16 bytes of B where they are aligned
// in flight   four rows of B and the next quad of A
// sums        in registers; of the groups of a warp by shuffles, of a team's warps in shared memory; in a fixed order
// C           of either layout. Teams of a warp have neighbouring rows, whose values of a column are neighbours
// launch      the starts of rows are read before the previous kernel has ended, as in rows_lanes.cuh
// for         row splits with few rows or columns: one group a row leaves multiprocessors idle, and a long chain of
//             loads decides (docs/decisions/0105). With one group a row for column-major C (docs/decisions/0128)
#pragma once
#include "rows_few.cuh"

namespace spmmi {

// Over the groups of a team; its first group has the result.
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
    // The number of a lane in the grid would not fit 32 bits.
    const uint32_t rank =
        blockIdx.x * ((THREADS / LANES) >> a.share_log2) + (threadIdx.x / LANES >> a.share_log2);
    const uint32_t begin = row_begin(a, rank), end = max(row_begin(a, rank + 1), begin);
    const uint32_t row = row_of(a, rank);
    const uint32_t last_quad = (a.nnz - 1) & ~3u; // without nonzeros there are no work blocks
    // Lanes past n compute column 0, or their first one, again and store nothing.
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
