// SPDX-License-Identifier: Apache-2.0
// bcsr with warpgroups for 3xtf32: stores the sums of one thread block, or of a cluster that
// shares the steps of an item.
#pragma once
#include "bcsr_launch.cuh"
#include "kernels/shared/cluster.cuh"

namespace spmmi {

template <typename Shape> using SplitSums = float[Shape::MMAS][Shape::MMA_ROWS / 8][4];

// Checks and stores rows 8 j + 2 t and 8 j + 2 t + 1 of the block-row group, two columns of each.
template <typename Shape>
__device__ __forceinline__ void finish_pair(const TcblockArgs<float> &a,
                                            const struct spmmi_tcblock_item &item, int j, uint32_t column,
                                            const float (&sums)[4])
{
    const int first = 8 * j + 2 * (int)(threadIdx.x % 4);
    const auto at = [](int) { return 0u; };
    const uint2 c_rows =
        __ldg(reinterpret_cast<const uint2 *>(a.row_of + uint64_t(item.unit) * a.unit_rows + first));
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float row[1][2] = {{sums[i], sums[2 + i]}};
        check_row<true>(column, row, at, [&](uint32_t from, float(&group)[2]) {
            sum_blocks_exactly<Shape, 2>(a, item, j / 2, first % (int)SPMMI_BCSR_ROWS + i, from, group);
        });
        store_row(a, item, (uint32_t)(first + i), i == 0 ? c_rows.x : c_rows.y, column, row, at);
    }
}

// Pairs of rows per lane.
template <typename Shape> constexpr int SPLIT_PAIRS = Shape::MMAS *Shape::MMA_ROWS / 8;

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
    asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory"); // no warp reads the parts of A any more
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
