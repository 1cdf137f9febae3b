// SPDX-License-Identifier: Apache-2.0
// bcsr family: epilogue. Sums that are NaN or Inf are computed again; then all are stored.
#pragma once
#include "bcsr_columns.cuh"
#include "bcsr_shape.h"
#include "kernels/tcblock/tcblock_sums.cuh"

namespace spmmi {

// Returns the address of row k of B at `column`.
template <typename Shape>
__device__ __forceinline__ const typename Shape::T *first_of_b(const TcblockArgs<typename Shape::T> &a,
                                                               uint32_t k, uint32_t column)
{
    if constexpr (Shape::IS_COLUMNS)
        return a.b + column * a.ldb + min(k, a.cols - 1);
    else
        return row_of_b(a, k) + column;
}

// Computes the sums of row r of block row w over the steps of an item, from the stored values of A
// only. Rare, so it may be slow.
template <typename Shape, int N>
__device__ __noinline__ void
sum_blocks_exactly(const TcblockArgs<typename Shape::T> &a, const struct spmmi_tcblock_item &item, int w,
                   int r, uint32_t column, typename Value<typename Shape::T>::Sum (&sums)[N])
{
    using T = typename Shape::T;
    constexpr int WIDTH = Shape::Block::COLUMNS;
    for (int i = 0; i < N; i++)
        sums[i] = 0;
#pragma unroll 1 // keeps registers few: the kernel has as many as this needs
    for (uint32_t step = item.begin; step < item.end; step++) {
        const uint32_t mask = a.masks[step];
        uint32_t next = a.block_first[step] + __popc(mask & ((1u << 4 * w) - 1));
#pragma unroll 1
        for (int q = 0; q < (int)SPMMI_BCSR_STEP; q++) {
            if ((mask >> (4 * w + q) & 1) == 0)
                continue;
            const uint64_t block = min(next++, a.block_count - 1);
#pragma unroll 1
            for (int p = 0; p < WIDTH; p++) {
                const int bit = r * WIDTH + p;
                if ((a.bitmaps[block * (WIDTH / 4) + bit / 64] >> bit % 64 & 1) == 0)
                    continue;
                const auto value = Value<T>::widen(
                    a.values[block * Shape::VALUES + spmmi_tcblock_wide_position(sizeof(T), r, p)]);
                const T *b = first_of_b<Shape>(a, a.columns[4 * uint64_t(step) + q] + p, column);
                for (int j = 0; j < N; j++) {
                    if (column + j < a.n)
                        sums[j] = fma(value, Value<T>::widen(b[Shape::IS_COLUMNS ? j * a.ldb : j]), sums[j]);
                }
            }
        }
    }
}

// Exchanges pairs between four neighbouring lanes. Before, they hold 2 columns of each of 4 tiles of a row:
// pair m of lane t is columns 2 t and 2 t + 1 of tile m. Afterwards lane t holds the 8 columns of tile t,
// with columns 2 m and 2 m + 1 in pair m. So a lane stores 16 contiguous bytes of C instead of 4.
template <typename Sum> __device__ __forceinline__ void exchange_pairs(Sum (&pairs)[4][2])
{
#pragma unroll
    for (int d = 1; d <= 2; d *= 2) {
        const bool is_upper = (threadIdx.x & d) != 0;
#pragma unroll
        for (int m = 0; m < 4; m++) {
            if ((m & d) != 0)
                continue;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                Sum &low = pairs[m][i], &high = pairs[m + d][i];
                const Sum other = __shfl_xor_sync(0xffffffffu, is_upper ? low : high, d);
                low = is_upper ? other : low;
                high = is_upper ? high : other;
            }
        }
    }
}

// Stores a row whose sums are pairs 8 columns apart, 16 bytes at a time.
template <typename T, int GROUPS>
__device__ __forceinline__ void store_pairs(const TcblockArgs<T> &a, const struct spmmi_tcblock_item &item,
                                            uint32_t r, uint32_t c_row, uint32_t tile,
                                            const typename Value<T>::Sum (&sums)[GROUPS][2])
{
    typename Value<T>::Sum row[GROUPS / 4][8];
#pragma unroll
    for (int q = 0; q < GROUPS / 4; q++) {
        typename Value<T>::Sum pairs[4][2];
#pragma unroll
        for (int i = 0; i < 8; i++)
            pairs[i / 2][i % 2] = sums[4 * q + i / 2][i % 2];
        exchange_pairs(pairs);
#pragma unroll
        for (int i = 0; i < 8; i++)
            row[q][i] = pairs[i / 2][i % 2];
    }
    store_row(a, item, r, c_row, tile + 8 * (threadIdx.x % 4), row, [](int q) { return uint32_t(32 * q); });
}

// Reads the rows of C of a lane in block row w: rows g and g + 8.
template <typename T>
__device__ __forceinline__ void rows_of_block_row(const TcblockArgs<T> &a,
                                                  const struct spmmi_tcblock_item &item, int w,
                                                  uint32_t (&c_rows)[2])
{
    const uint32_t *rows =
        a.row_of + uint64_t(item.unit) * a.unit_rows + SPMMI_BCSR_ROWS * w + threadIdx.x % 32 / 4;
    c_rows[0] = __ldg(rows);
    c_rows[1] = __ldg(rows + 8);
}

// Checks and stores rows g and g + 8 of block row w. kept: shared memory for
// column-major C, at column `tile`.
template <typename Shape>
__device__ __forceinline__ void
finish_block_row(const TcblockArgs<typename Shape::T> &a, const struct spmmi_tcblock_item &item, int w,
                 const uint32_t (&c_rows)[2], uint32_t tile,
                 const typename Value<typename Shape::T>::Sum (&sums)[Shape::TILES][4],
                 typename Value<typename Shape::T>::Sum *kept)
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    constexpr int VEC = Shape::VEC, GROUP = Shape::GROUP, GROUPS = Shape::GROUPS;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        // Columns 8 VEC q + 2 VEC t + VEC i + j are sum i of MMA VEC q + j.
        Sum row[GROUPS][GROUP];
#pragma unroll
        for (int m = 0; m < Shape::TILES; m++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int position = 2 * VEC * (m / VEC) + VEC * i + m % VEC;
                row[position / GROUP][position % GROUP] = sums[m][2 * h + i];
            }
        }
        const int r = g + 8 * h;
        const uint32_t unit_row = (uint32_t)((int)SPMMI_BCSR_ROWS * w + r), column = tile + 2 * VEC * t;
        const auto at = [](int q) {
            return VEC == 1 ? uint32_t(8 * q) : uint32_t(8 * VEC * (q / 2) + VEC * (q % 2));
        };
        check_row<Shape::SUMS_STAY>(column, row, at, [&](uint32_t first, Sum(&group)[GROUP]) {
            sum_blocks_exactly<Shape, GROUP>(a, item, w, r, first, group);
        });
        if constexpr (Shape::IS_COLUMNS) {
#pragma unroll
            for (int q = 0; q < 2 * GROUPS; q++)
                kept[(8 * (q / 2) + 2 * t + q % 2) * KEPT_PITCH<BCSR_UNIT_ROWS<Shape>> + unit_row] =
                    row[q / 2][q % 2];
        } else if constexpr (sizeof(T) == 2 && GROUPS % 4 == 0) {
            __syncwarp();
            store_pairs(a, item, unit_row, c_rows[h], tile, row);
        } else {
            store_row(a, item, unit_row, c_rows[h], column, row, at);
        }
    }
}

} // namespace spmmi
