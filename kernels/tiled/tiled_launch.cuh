// SPDX-License-Identifier: Apache-2.0
// Selects and launches a tiled kernel instance from the C arguments of a launch.
#pragma once
#include "kernels/shared/allowed.cuh"
#include "tiled.cuh"

namespace spmmi {

template <typename T> TiledArgs<T> tiled_args(const struct spmmi_tiled_cuda *args)
{
    const struct spmmi_tiled &l = args->layout;
    constexpr uint64_t WIDE = 16 / sizeof(T);
    TiledArgs<T> a;
    a.row_block_stage = l.row_block_stage;
    a.stage_first = l.stage_first;
    a.columns = l.columns;
    a.warp_slice = l.warp_slice;
    a.target = l.target;
    a.local = l.local;
    a.values = static_cast<const T *>(l.values);
    a.b = static_cast<const T *>(args->b);
    a.c = static_cast<T *>(args->c);
    a.partials = static_cast<typename Value<T>::Sum *>(args->partials);
    a.alpha = static_cast<typename Value<T>::Sum>(args->alpha);
    a.beta = static_cast<typename Value<T>::Sum>(args->beta);
    a.ldb = args->ldb;
    a.ldc = args->ldc;
    a.n = args->n;
    const uint32_t slot_bytes = spmmi_tiled_slot_bytes(args->register_tile, (uint32_t)sizeof(T));
    a.stage_bytes = (l.long_slots + 1) * slot_bytes;
    a.rows = l.rows;
    a.last_column = l.cols - 1;
    a.stage_count = l.stage_count;
    a.working_set = l.working_set;
    a.slice_count = l.slice_count;
    a.partial_count = l.partial_count;
    a.last_slot = spmmi_tiled_shared_bytes(&l, args->register_tile, (uint32_t)sizeof(T)) - slot_bytes;
    a.c_is_col_major = args->c_is_col_major != 0;
    const uint64_t b_bits = (uintptr_t)args->b | (uint64_t)args->ldb * sizeof(T) | 16;
    a.b_word = (uint32_t)(b_bits & (~b_bits + 1));
    a.c_is_wide = (uintptr_t)args->c % 16 == 0 && args->ldc % WIDE == 0;
    return a;
}

template <typename T, int TILE> int launch_tiled(const struct spmmi_tiled_cuda *args)
{
    const TiledArgs<T> a = tiled_args<T>(args);
    const struct spmmi_tiled &l = args->layout;
    const uint32_t shared = spmmi_tiled_shared_bytes(&l, TILE, (uint32_t)sizeof(T));
    const auto kernel = args->b_is_col_major ? tiled_kernel<T, TILE, true> : tiled_kernel<T, TILE, false>;
    cudaError_t error = allow_shared_once(kernel, shared, SPMMI_TILED_SHARED_MAX, args->allowed);
    if (error == cudaSuccess && l.row_block_count > 0)
        error = launch_kernel(kernel, dim3(l.row_block_count, (a.n + TILE - 1) / TILE), l.block_rows, shared,
                              args->cuda_stream, false, a);
    if (error == cudaSuccess && l.split_count > 0)
        error = launch_kernel(tiled_split_kernel<T>, dim3(l.split_count, (a.n + 31) / 32), 32 * SPLIT_GROUPS,
                              0, args->cuda_stream, args->can_overlap != 0, a, l.splits);
    return error;
}

template <typename T> int launch_tiled_type(const struct spmmi_tiled_cuda *args)
{
    switch (args->register_tile) {
    case 1:
        return launch_tiled<T, 1>(args);
    case 2:
        return launch_tiled<T, 2>(args);
    case 4:
        return launch_tiled<T, 4>(args);
    case 8:
        return launch_tiled<T, 8>(args);
    case 16:
        return launch_tiled<T, 16>(args);
    case 32:
        return launch_tiled<T, 32>(args);
    default:
        return cudaErrorInvalidValue;
    }
}

} // namespace spmmi
