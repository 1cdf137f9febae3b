// SPDX-License-Identifier: Apache-2.0
// bcsr with warpgroups for 3xtf32: stores the sums of one thread block, or of a cluster that
// shares the steps of an item.
#pragma once
#include "bcsr_launch.cuh"
#include "kernels/shared/cluster.cuh"

namespace spmmi {

template <typename Shape> using SplitSums = float[Shape::MMAS][Shape::MMA_ROWS / 8][4];

// Pairs of rows per lane.
template <typename Shape> constexpr int SPLIT_PAIRS = Shape::MMAS *Shape::MMA_ROWS / 8;

// Synchronises all warps that multiply. Afterwards none of them reads the stages or the parts of A any more.
template <typename Shape> __device__ __forceinline__ void join_groups()
{
    asm volatile("bar.sync 1, %0;" ::"n"(32 * Shape::MULTIPLIERS) : "memory");
}

// A lane's sums of rows 8 j + 2 t and 8 j + 2 t + 1 of the block-row group: for each row GROUPS groups of
// GROUP neighbouring columns, PAIR_STEP apart.
template <typename Shape> struct SplitPair {
    static constexpr int GROUP = Shape::IS_COLUMNS ? 1 : 2, GROUPS = 2 / GROUP;
    float rows[2][GROUPS][GROUP];
    static __device__ __forceinline__ uint32_t at(int q)
    {
        return uint32_t(Shape::PAIR_STEP * q);
    }
    static __device__ __forceinline__ int first_row(int j)
    {
        return 8 * j + 2 * (int)(threadIdx.x % 4);
    }
    // Takes the sums from the order of the instruction and checks them.
    __device__ __forceinline__ SplitPair(const TcblockArgs<float> &a, const struct spmmi_tcblock_item &item,
                                         int j, uint32_t column, const float (&sums)[4])
    {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            rows[i][0][0] = sums[i];
            rows[i][GROUPS - 1][GROUP - 1] = sums[2 + i];
            check_row<true>(column, rows[i], at, [&](uint32_t from, float(&group)[GROUP]) {
                sum_blocks_exactly<Shape, GROUP>(a, item, j / 2, first_row(j) % (int)SPMMI_BCSR_ROWS + i,
                                                 from, group);
            });
        }
    }
};

// Stores two neighbouring rows of a column of C.
__device__ __forceinline__ void store_column_pair(const TcblockArgs<float> &a, const uint2 &c_rows,
                                                  uint32_t column, float first, float second)
{
    float *to = a.c + column * a.ldc;
    if (column >= a.n)
        return;
    if (a.c_is_wide && c_rows.x % 2 == 0 && c_rows.y == c_rows.x + 1 && c_rows.y < a.rows) {
        store_whole<float, 2>(a, to + c_rows.x, {first, second});
        return;
    }
    if (c_rows.x < a.rows)
        store_whole<float, 1>(a, to + c_rows.x, {first});
    if (c_rows.y < a.rows)
        store_whole<float, 1>(a, to + c_rows.y, {second});
}

// Checks and stores a pair of rows.
template <typename Shape>
__device__ __forceinline__ void finish_pair(const TcblockArgs<float> &a,
                                            const struct spmmi_tcblock_item &item, int j, uint32_t column,
                                            const float (&sums)[4])
{
    using Pair = SplitPair<Shape>;
    const int first = Pair::first_row(j);
    const uint2 c_rows =
        __ldg(reinterpret_cast<const uint2 *>(a.row_of + uint64_t(item.unit) * a.unit_rows + first));
    const Pair pair(a, item, j, column, sums);
    if constexpr (Shape::IS_COLUMNS) {
#pragma unroll
        for (int q = 0; q < Pair::GROUPS; q++)
            store_column_pair(a, c_rows, column + Pair::at(q), pair.rows[0][q][0], pair.rows[1][q][0]);
    } else {
        store_row(a, item, (uint32_t)first, c_rows.x, column, pair.rows[0], Pair::at);
        store_row(a, item, (uint32_t)first + 1, c_rows.y, column, pair.rows[1], Pair::at);
    }
}

// Checks the sums of a thread block and stores them through shared memory, so that a warp stores 64 rows of
// two columns at once. This is faster if columns of C do not begin at multiples of 16 bytes. across: the
// lane's first column of the tile; kept: shared memory for the sums, which overwrites the parts of A.
template <typename Shape>
__device__ __forceinline__ void finish_columns(const TcblockArgs<float> &a,
                                               const struct spmmi_tcblock_item &item, uint32_t tile,
                                               uint32_t across, const SplitSums<Shape> &sums, float *kept)
{
    using Pair = SplitPair<Shape>;
    constexpr int ROWS = (int)SPMMI_BCSR_GROUP_ROWS, WINDOWS = Shape::MMA_ROWS / 8, PITCH = KEPT_PITCH<ROWS>;
    static_assert(Shape::COLUMNS * PITCH * sizeof(float) <= SPMMI_BCSR_SPLIT_BYTES, "they fit");
    join_groups<Shape>();
#pragma unroll
    for (int j = 0; j < SPLIT_PAIRS<Shape>; j++) {
        const Pair pair(a, item, j, tile + across, sums[j / WINDOWS][j % WINDOWS]);
#pragma unroll
        for (int q = 0; q < Pair::GROUPS; q++)
            *reinterpret_cast<float2 *>(kept + (across + Pair::at(q)) * PITCH + Pair::first_row(j)) =
                make_float2(pair.rows[0][q][0], pair.rows[1][q][0]);
    }
    join_groups<Shape>();
    store_columns<float, ROWS, Shape::COLUMNS, Shape::MULTIPLIERS>(a, item, tile, kept);
}

template <typename Shape>
__device__ __forceinline__ void finish_split(const TcblockArgs<float> &a,
                                             const struct spmmi_tcblock_item &item, uint32_t column,
                                             const SplitSums<Shape> &sums)
{
    constexpr int WINDOWS = Shape::MMA_ROWS / 8; // of 8 rows each
#pragma unroll
    for (int j = 0; j < SPLIT_PAIRS<Shape>; j++)
        finish_pair<Shape>(a, item, j, column, sums[j / WINDOWS][j % WINDOWS]);
}

// Finishes an item whose steps a cluster of at most MOST thread blocks shares. Each thread block keeps the
// sums of its share in its shared memory. It adds some of the pairs of all shares in the order of the steps,
// AT_ONCE pairs at a time, and stores them.
template <typename Shape, uint32_t MOST, int AT_ONCE>
__device__ __forceinline__ void finish_shares(const TcblockArgs<float> &a,
                                              const struct spmmi_tcblock_item &item, uint32_t column,
                                              const float4 *kept, uint32_t blocks)
{
    constexpr int PAIRS = SPLIT_PAIRS<Shape>, THREADS = 32 * Shape::MULTIPLIERS;
#pragma unroll 1
    for (int first = (int)cluster_rank(); first < PAIRS; first += AT_ONCE * (int)blocks) {
        float4 shares[AT_ONCE][MOST] = {}; // all loads are in flight at once
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
#pragma unroll
            for (uint32_t b = 0; b < MOST; b++)
                if (b < blocks)
                    shares[i][b] = load_of_block(kept + (first + i * (int)blocks) * THREADS, b);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            float sum[4] = {};
#pragma unroll
            for (uint32_t b = 0; b < MOST; b++) {
                sum[0] += shares[i][b].x;
                sum[1] += shares[i][b].y;
                sum[2] += shares[i][b].z;
                sum[3] += shares[i][b].w;
            }
            finish_pair<Shape>(a, item, first + i * (int)blocks, column, sum);
        }
    }
}

// Finishes an item in a cluster. kept: shared memory for the sums, which overwrites the parts of A.
template <typename Shape>
__device__ __forceinline__ void finish_together(const TcblockArgs<float> &a,
                                                const struct spmmi_tcblock_item &item, uint32_t column,
                                                const SplitSums<Shape> &sums, float4 *kept, uint32_t blocks)
{
    constexpr int WINDOWS = Shape::MMA_ROWS / 8, PAIRS = SPLIT_PAIRS<Shape>;
    constexpr int THREADS = 32 * Shape::MULTIPLIERS;
    static_assert(PAIRS * THREADS * sizeof(float4) <= SPMMI_BCSR_SPLIT_BYTES && PAIRS % 2 == 0, "they fit");
    kept += threadIdx.x;
    join_groups<Shape>();
#pragma unroll
    for (int j = 0; j < PAIRS; j++) {
        const float(&pair)[4] = sums[j / WINDOWS][j % WINDOWS];
        kept[j * THREADS] = make_float4(pair[0], pair[1], pair[2], pair[3]);
    }
    cluster_sync();
    if (blocks == 2)
        finish_shares<Shape, 2, PAIRS / 2>(a, item, column, kept, blocks);
    else
        finish_shares<Shape, SPMMI_BCSR_CLUSTER_MAX, 1>(a, item, column, kept, blocks);
    cluster_sync(); // no thread block may end while others read its sums
}

} // namespace spmmi
