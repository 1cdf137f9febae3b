// SPDX-License-Identifier: Apache-2.0
// Launches a wide kernel instance from the C arguments.
#pragma once
#include "kernels/shared/allowed.cuh"
#include "wide.cuh"

namespace spmmi {

template <typename T> WideArgs<T> wide_args(const struct spmmi_wide_cuda *args)
{
    const struct spmmi_wide &l = args->layout;
    WideArgs<T> a;
    a.slice_start = l.slice_start;
    a.phase_end = l.phase_end;
    a.row_of = l.row_of;
    a.ring_row = l.ring_row;
    a.values = static_cast<const T *>(args->values);
    a.b = static_cast<const T *>(args->b);
    a.c = static_cast<T *>(args->c);
    a.ldb = args->ldb;
    a.ldc = args->ldc;
    a.slice_count = l.slice_count;
    a.panel_count = l.panel_count;
    a.batch_count = l.batch_count;
    a.rows = l.rows;
    a.cols = l.cols;
    a.n = args->n;
    a.c_is_wide = (uintptr_t)args->c % 16 == 0 && args->ldc * sizeof(T) % 16 == 0;
    a.alpha = static_cast<typename Value<T>::Sum>(args->alpha);
    a.beta = static_cast<typename Value<T>::Sum>(args->beta);
    return a;
}

// Makes a tensor map of B with boxes of a panel and a tile. Returns false if this GPU
// or this B cannot have one.
template <typename T> bool map_panels(const struct spmmi_wide_cuda *args, CUtensorMap *map)
{
    static_assert(sizeof(T) == 4, "maps of other types have another name");
    const MappedRows rows = {args->b,          args->layout.cols,   args->n, args->ldb * sizeof(T),
                             SPMMI_WIDE_PANEL, WIDE_ROW / sizeof(T)};
    return args->has_tensor_maps && args->layout.panel_count > 0 &&
           map_rows(rows, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_128B, map);
}

template <typename T, int ROWS, int WARPS> int launch_wide_shape(const struct spmmi_wide_cuda *args)
{
    constexpr uint32_t TILE = WIDE_ROW / sizeof(T);
    constexpr uint32_t SHARED = spmmi_wide_shared(WARPS, sizeof(T));
    const WideArgs<T> a = wide_args<T>(args);
    CUtensorMap map = {};
    const auto kernel =
        map_panels<T>(args, &map) ? wide_kernel<T, ROWS, WARPS, true> : wide_kernel<T, ROWS, WARPS, false>;
    const dim3 grid((a.slice_count + WARPS - 1) / WARPS, (a.n + TILE - 1) / TILE);
    const cudaError_t error = allow_shared_once(kernel, SHARED, SHARED, args->allowed);
    return error == cudaSuccess
               ? launch_kernel(kernel, grid, (WARPS + 1) * 32, SHARED, args->cuda_stream, false, a, map)
               : error;
}

template <typename T, int ROWS> int launch_wide_rows(const struct spmmi_wide_cuda *args)
{
    constexpr uint32_t TILE = WIDE_ROW / sizeof(T);
    const uint32_t warps =
        spmmi_wide_warps(args->layout.slice_count, (args->n + TILE - 1) / TILE, args->multiprocessors);
    return warps == SPMMI_WIDE_WARPS_FEW ? launch_wide_shape<T, ROWS, SPMMI_WIDE_WARPS_FEW>(args)
                                         : launch_wide_shape<T, ROWS, SPMMI_WIDE_WARPS>(args);
}

template <typename T> int launch_wide(const struct spmmi_wide_cuda *args)
{
    if (args->layout.slice_count == 0 || args->n == 0)
        return cudaSuccess;
    return args->layout.group_rows == 1 ? launch_wide_rows<T, 1>(args) : launch_wide_rows<T, 2>(args);
}

} // namespace spmmi
