// SPDX-License-Identifier: Apache-2.0
// From the C arguments of a launch to a wide kernel instance.
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

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// The driver's function; null: it has none.
inline EncodeTiled find_encode_tiled()
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                               cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess
               ? reinterpret_cast<EncodeTiled>(function)
               : nullptr;
}

// B in boxes of a panel and a tile. False: this GPU or this B has no such map.
template <typename T> bool map_panels(const struct spmmi_wide_cuda *args, CUtensorMap *map)
{
    static const EncodeTiled encode = find_encode_tiled();
    static_assert(sizeof(T) == 4, "maps of other types have another name");
    const cuuint64_t sizes[2] = {args->n, args->layout.cols}, strides[1] = {args->ldb * sizeof(T)};
    const cuuint32_t box[2] = {WIDE_ROW / (cuuint32_t)sizeof(T), SPMMI_WIDE_PANEL}, steps[2] = {1, 1};
    if (!args->has_tensor_maps || encode == nullptr || args->layout.panel_count == 0 ||
        (uintptr_t)args->b % 16 != 0 || strides[0] % 16 != 0)
        return false;
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<void *>(args->b), sizes, strides, box,
                  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
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
