// SPDX-License-Identifier: Apache-2.0
// window: rows of B are loaded directly into operands of tensor cores.  C(m x n) = alpha * P * B(k x n) +
// beta * C. B and C are row-major.
//
// layout      tcblock_kernel.h: the columns of a row window (8 rows), 8 per step. A step is an 8 x 8 block
// block       8 warps, which process neighbouring items (blockIdx.x), so that rows of B that neighbouring row
//             windows share hit the L1 cache; blockIdx.y is a tile of columns
// warp        an item, which is steps of one row window, and the tile of 8 * WIDTH * REPEAT columns
// lane        WIDTH neighbouring columns (8 or 16 bytes) of two rows of B of a step, REPEAT times; sums of
//             two rows of the window (tcblock.cuh has the positions)
// in flight   rows of B and blocks of A of UNROLL steps, and the column numbers of the next UNROLL steps
// sums        in registers, by ascending steps. Items of a split row window leave their sums in slots, which
//             another kernel adds in order (tcblock_sums.cuh)
// zeros       zeros in a block are multiplied by B too, so a sum that is not finite is computed again from
//             the nonzeros alone
// bounds      indices from tables are limited to the size of the arrays, B and C (docs/decisions/0037)
// bound       L1 tag lookups (docs/kernels.md)
#pragma once
#include "window_shape.h"
#include "kernels/tcblock/tcblock.cuh"
#include "kernels/tcblock/tcblock_sums.cuh"

namespace spmmi {

constexpr int WINDOW_WARPS = SPMMI_WINDOW_WARPS;

// The data of a step that a lane must load before it knows its other addresses.
struct WindowStep {
    uint2 columns;
    uint64_t bitmap;
    uint32_t value_first;
};

template <bool IS_PACKED, typename T>
__device__ __forceinline__ WindowStep read_step(const TcblockArgs<T> &a, uint32_t step, int t)
{
    WindowStep s;
    s.columns = __ldg(reinterpret_cast<const uint2 *>(a.columns) + uint64_t(step) * 4 + t);
    if constexpr (IS_PACKED) {
        s.bitmap = __ldg(a.bitmaps + step);
        s.value_first = __ldg(a.value_first + step);
    }
    return s;
}

// Returns the lane's two values of A in a block; 0 where A has none.
template <bool IS_PACKED, typename T>
__device__ __forceinline__ Vector<T, 2> read_block(const TcblockArgs<T> &a, const WindowStep &s,
                                                   uint32_t block, int lane)
{
    if constexpr (!IS_PACKED)
        return load_vector_const<T, 2>(a.values + (uint64_t(block) * 32 + lane) * 2);
    else
        return unpack_pair(s.bitmap, lane, a.values, s.value_first, a.value_count);
}

template <bool IS_WIDE, int WIDTH, typename T>
__device__ __forceinline__ Vector<T, WIDTH> read_columns(const T *row, uint32_t column, uint32_t n)
{
    if constexpr (IS_WIDE) {
        return load_vector_const<T, WIDTH>(row + (column < n ? column : 0));
    } else {
        Vector<T, WIDTH> v = {};
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            if (column + i < n)
                v.x[i] = __ldg(row + column + i);
        }
        return v;
    }
}

// Each lane has WIDTH columns in each of REPEAT groups of 8 * WIDTH columns. UNROLL steps are in flight.
template <typename Compute, bool IS_PACKED, bool IS_WIDE, int WIDTH, int REPEAT, int UNROLL>
__global__ void __launch_bounds__(32 * WINDOW_WARPS)
    window_kernel(const __grid_constant__ TcblockArgs<typename Compute::T> a)
{
    using T = typename Compute::T;
    using Sum = typename Value<T>::Sum;
    constexpr int PAIRS = WIDTH / 2;
    const int lane = threadIdx.x % 32, t = lane % 4;
    const uint32_t index = blockIdx.x * WINDOW_WARPS + threadIdx.x / 32;
    const uint32_t column = blockIdx.y * (8 * WIDTH * REPEAT) + lane / 4 * WIDTH;
    release_dependents();
    if (index >= a.item_count)
        return;
    const struct spmmi_tcblock_item item = read_item(a, index);
    const uint2 c_rows = rows_of_lane(a, item, 0);
    Sum sums[REPEAT][PAIRS][4] = {};
    WindowStep next[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        next[u] = read_step<IS_PACKED>(a, min(item.begin + u, max(item.end, 1u) - 1), t);
    for (uint32_t step = item.begin; step < item.end; step += UNROLL) {
        Vector<T, WIDTH> b[UNROLL][REPEAT][2];
        Vector<T, 2> values[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const bool is_in = step + u < item.end;
            const T *row0 = row_of_b(a, next[u].columns.x);
            const T *row1 = row_of_b(a, next[u].columns.y);
            values[u] = {};
            if (is_in)
                values[u] = read_block<IS_PACKED>(a, next[u], step + u, lane);
#pragma unroll
            for (int q = 0; q < REPEAT; q++) {
                b[u][q][0] = read_columns<IS_WIDE, WIDTH>(row0, column + q * 8 * WIDTH, a.n);
                b[u][q][1] = read_columns<IS_WIDE, WIDTH>(row1, column + q * 8 * WIDTH, a.n);
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            next[u] = read_step<IS_PACKED>(a, min(step + UNROLL + u, item.end - 1), t);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const typename Compute::Narrow narrow = Compute::narrow(values[u]);
#pragma unroll
            for (int q = 0; q < REPEAT; q++) {
                typename Compute::template Wide<PAIRS> wide;
#pragma unroll
                for (int j = 0; j < PAIRS; j++)
                    Compute::template widen<PAIRS>(wide, j, pair_of<WIDTH>(b[u][q][0], j),
                                                   pair_of<WIDTH>(b[u][q][1], j));
                Compute::template multiply<PAIRS>(sums[q], wide, narrow);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        Sum row[REPEAT][WIDTH];
#pragma unroll
        for (int q = 0; q < REPEAT; q++) {
#pragma unroll
            for (int j = 0; j < PAIRS; j++) {
                row[q][2 * j] = sums[q][j][i];
                row[q][2 * j + 1] = sums[q][j][2 + i];
            }
        }
        check_window_row<false, 1, 8 * WIDTH, T, WIDTH, REPEAT>(a, item, 0, 2 * t + i, column, row);
        store_window_row<8 * WIDTH, T, WIDTH, REPEAT>(a, item, 0, 2 * t + i, i == 0 ? c_rows.x : c_rows.y,
                                                      column, row);
    }
    end_after_previous();
}

} // namespace spmmi
