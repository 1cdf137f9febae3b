// SPDX-License-Identifier: Apache-2.0
// Selects and launches a window kernel instance from the C arguments of a launch.
#pragma once
#include "window.cuh"

namespace spmmi {

template <typename Compute, bool IS_PACKED, bool IS_WIDE, int WIDTH, int REPEAT, int UNROLL>
cudaError_t launch_window_shape(const struct spmmi_tcblock_cuda *args, const struct spmmi_window_shape &shape)
{
    using T = typename Compute::T;
    if (shape.width != WIDTH || shape.repeat != REPEAT || shape.unroll != UNROLL)
        return cudaErrorInvalidConfiguration;
    const TcblockArgs<T> a = tcblock_args<T>(args);
    cudaError_t error = cudaSuccess;
    if (a.item_count > 0)
        error = launch_kernel(
            window_kernel<Compute, IS_PACKED, IS_WIDE, WIDTH, REPEAT, UNROLL>,
            dim3((a.item_count + WINDOW_WARPS - 1) / WINDOW_WARPS, (a.n + shape.columns - 1) / shape.columns),
            32 * WINDOW_WARPS, 0, args->cuda_stream, args->overtakes != 0, a);
    return error == cudaSuccess ? launch_sum_slots(args, a) : error;
}

template <typename Compute, bool IS_PACKED>
cudaError_t launch_window_blocks(const struct spmmi_tcblock_cuda *args)
{
    using T = typename Compute::T;
    constexpr int WHOLE = 16 / (int)sizeof(T), HALF = WHOLE > 2 ? WHOLE / 2 : WHOLE;
    const struct spmmi_window_shape shape = spmmi_window_launch(args->n, sizeof(T), b_is_wide<T>(args));
    if (!shape.is_wide)
        return launch_window_shape<Compute, IS_PACKED, false, HALF, 1, 1>(args, shape);
    if (shape.repeat == 2)
        return launch_window_shape<Compute, IS_PACKED, true, WHOLE, 2, 1>(args, shape);
    if (shape.width == WHOLE)
        return launch_window_shape<Compute, IS_PACKED, true, WHOLE, 1, 2>(args, shape);
    return launch_window_shape<Compute, IS_PACKED, true, HALF, 1, 2>(args, shape);
}

template <typename Compute> int launch_window(const struct spmmi_tcblock_cuda *args)
{
    return args->layout.is_packed ? launch_window_blocks<Compute, true>(args)
                                  : launch_window_blocks<Compute, false>(args);
}

} // namespace spmmi
