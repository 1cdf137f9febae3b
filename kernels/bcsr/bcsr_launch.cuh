// SPDX-License-Identifier: Apache-2.0
// From the C arguments of a launch to a bcsr kernel instance.
#pragma once
#include "bcsr.cuh"

namespace spmmi {

template <typename Shape> cudaError_t launch_bcsr_shape(const struct spmmi_fragment_cuda *args)
{
    using T = typename Shape::T;
    const FragmentArgs<T> a = fragment_args<T>(args);
    const uint32_t tiles = (a.n + Shape::COLUMNS - 1) / Shape::COLUMNS;
    const uint32_t shared = Shape::STAGES * (Shape::B_BYTES + a.step_blocks_max * Shape::BLOCK_BYTES);
    cudaError_t error = allow_shared(bcsr_kernel<Shape>, shared, args->shared_max);
    if (error == cudaSuccess && a.item_count > 0)
        error = launch_kernel(bcsr_kernel<Shape>, dim3(a.item_count * tiles), Shape::THREADS, shared,
                              args->cuda_stream, args->overtakes != 0, a, tiles);
    return error == cudaSuccess ? launch_sum_slots(args, a) : error;
}

template <typename Block, int WARPS, int HEIGHT>
cudaError_t launch_bcsr_tile(const struct spmmi_fragment_cuda *args)
{
    constexpr int MOST = sizeof(typename Block::T) == 8 ? 8 : 16;
    if (!b_is_wide<typename Block::T>(args))
        return launch_bcsr_shape<BcsrShape<Block, WARPS, HEIGHT, 2, 3, false>>(args);
    if (args->n <= 8)
        return launch_bcsr_shape<BcsrShape<Block, WARPS, HEIGHT, 1, 5, true>>(args);
    if (args->n <= 16)
        return launch_bcsr_shape<BcsrShape<Block, WARPS, HEIGHT, 2, 5, true>>(args);
    if (args->n <= 32)
        return launch_bcsr_shape<BcsrShape<Block, WARPS, HEIGHT, 4, 4, true>>(args);
    if (args->n <= 64 || MOST == 8)
        return launch_bcsr_shape<BcsrShape<Block, WARPS, HEIGHT, 8, 3, true>>(args);
    return launch_bcsr_shape<BcsrShape<Block, WARPS, HEIGHT, MOST, 3, true>>(args);
}

template <typename Block> int launch_bcsr(const struct spmmi_fragment_cuda *args)
{
    switch (args->layout.unit_rows) {
    case 64:
        return launch_bcsr_tile<Block, 4, 1>(args);
    case 128:
        return launch_bcsr_tile<Block, 4, 2>(args);
    default:
        return cudaErrorInvalidValue;
    }
}

} // namespace spmmi
