// SPDX-License-Identifier: Apache-2.0
// Launches an instance of dense_tile.cuh from the C arguments.
#pragma once
#include "dense_tile.cuh"
#include "kernels/shared/allowed.cuh"

namespace spmmi {

// Makes a tensor map with boxes of box_values values of box_lines lines. box_values is 64 or
// 32, the width of a swizzle.
template <typename T>
bool map_tile(CUtensorMap *map, MappedRows lines, uint32_t box_values, uint32_t box_lines)
{
    constexpr bool IS_BF16 = std::is_same<T, __nv_bfloat16>::value;
    lines.box_rows = box_lines;
    lines.box_columns = box_values;
    return map_rows(lines, IS_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                    box_values == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_128B, map);
}

template <typename Shape> bool is_shape(const struct spmmi_dense_tile_shape &s)
{
    return s.rows == Shape::ROWS && s.columns == Shape::COLUMNS && s.stages == Shape::STAGES &&
           s.shares == Shape::SHARES;
}

template <typename Shape>
int launch_dense_tile(const spmmi_dense_exact &p, const struct spmmi_dense_tile_launch &l)
{
    using T = typename Shape::T;
    const struct spmmi_dense_tile_shape &s = *l.shape;
    const uint64_t n = (uint64_t)p.n;
    const MappedRows of_a = {p.a, p.rows, p.cols, p.lda * sizeof(T), 0, 0};
    const MappedRows of_b = l.is_columns
                                ? MappedRows{p.b, n, p.cols, (uint64_t)p.b_column_step * sizeof(T), 0, 0}
                                : MappedRows{p.b, p.cols, n, (uint64_t)p.b_row_step * sizeof(T), 0, 0};
    DenseTileArgs a = {p, p.rows, p.n, p.c_row_step, s.across, l.is_swapped != 0, false};
    CUtensorMap x, y;
    if (l.is_swapped) {
        a.rows = (uint32_t)n;
        a.columns = p.rows;
        a.ld = p.c_column_step;
    }
    a.is_wide = (uintptr_t)p.c % 16 == 0 && a.ld * sizeof(T) % 16 == 0;
    if (!map_tile<T>(&x, l.is_swapped ? of_b : of_a, Shape::STEP, Shape::ROWS) ||
        !map_tile<T>(&y, l.is_swapped ? of_a : of_b, Shape::Y_LINE_BYTES / sizeof(T),
                     Shape::IS_ROWS ? Shape::STEP : (uint32_t)Shape::COLUMNS))
        return cudaErrorNotSupported;
    constexpr uint32_t SHARED =
        spmmi_dense_tile_shared(Shape::ROWS, Shape::COLUMNS, Shape::STAGES, Shape::SHARES);
    static_assert(SHARED <= SPMMI_DENSE_TILE_SHARED_MAX, "a thread block has room");
    const auto kernel = dense_tile_kernel<Shape>;
    const cudaError_t error = allow_shared_once(kernel, SHARED, SHARED, l.allowed);
    if (error != cudaSuccess)
        return error;
    const unsigned blocks = s.down * s.across * Shape::SHARES;
    return Shape::SHARES > 1 ? launch_clusters(kernel, blocks, Shape::SHARES, Shape::THREADS, SHARED,
                                               p.cuda_stream, a, x, y)
                             : launch_kernel(kernel, dim3(blocks), Shape::THREADS, SHARED, p.cuda_stream,
                                             p.is_dependent != 0, a, x, y);
}

} // namespace spmmi
