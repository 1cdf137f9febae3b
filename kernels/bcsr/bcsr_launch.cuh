// SPDX-License-Identifier: Apache-2.0
// From the C arguments of a launch to a bcsr kernel instance.
#pragma once
#include "bcsr.cuh"
#include "bcsr_instances.h"

namespace spmmi {

template <typename Shape> uint32_t bcsr_shared(const struct spmmi_fragment_cuda *args)
{
    return BCSR_BARRIER_BYTES + Shape::STAGES * bcsr_stage_bytes<Shape>(args->layout.step_blocks_max);
}

template <typename Shape> cudaError_t launch_bcsr_shape(const struct spmmi_fragment_cuda *args)
{
    using T = typename Shape::T;
    const FragmentArgs<T> a = fragment_args<T>(args);
    const uint32_t tiles = (a.n + Shape::COLUMNS - 1) / Shape::COLUMNS, shared = bcsr_shared<Shape>(args);
    if ((uint64_t)a.item_count * tiles > INT32_MAX) // the blocks of a grid
        return cudaErrorInvalidConfiguration;
    cudaError_t error = allow_shared(bcsr_kernel<Shape>, shared, args->shared_max);
    if (error == cudaSuccess && a.item_count > 0)
        error = launch_kernel(bcsr_kernel<Shape>, dim3(a.item_count * tiles), Shape::THREADS, shared,
                              args->cuda_stream, args->overtakes != 0, a, tiles);
    return error;
}

// Least: what every device has room for.
template <typename Shape, typename Least>
cudaError_t launch_bcsr_if_it_fits(const struct spmmi_fragment_cuda *args)
{
    return bcsr_shared<Shape>(args) <= args->shared_max ? launch_bcsr_shape<Shape>(args)
                                                        : launch_bcsr_shape<Least>(args);
}

// DOWN warps below each other, of 16 rows each; the fastest of those measured for each width. Tiles are up to 128
// columns wide; numbers of 8 bytes take half of that. Numbers of 2 bytes are multiplied so fast that reading B from
// shared memory is what takes time: there a warp has 32 rows of a wide tile.
template <typename Block, int DOWN> cudaError_t launch_bcsr_tile(const struct spmmi_fragment_cuda *args)
{
    constexpr int BYTES = sizeof(typename Block::T);
    constexpr int ACROSS = BYTES == 8 ? 2 : 1; // warps beside each other where n is 32
    using Least = BcsrShape<Block, DOWN, 1, 1, 2, 2, true>;
    if (!b_is_wide<typename Block::T>(args))
        return launch_bcsr_shape<BcsrShape<Block, DOWN, 1, 1, 2, 2, false>>(args);
    if (args->n <= 8)
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN, 1, 1, 1, 5, true>, Least>(args);
    if (args->n <= 16)
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN, 1, 1, 2, 5, true>, Least>(args);
    if (args->n <= 32)
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN, ACROSS, 1, 4 / ACROSS, 4, true>, Least>(args);
    if constexpr (BYTES == 8)
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN, 2, 1, 4, 3, true>, Least>(args);
    else if (args->n <= 64 || (BYTES == 4 && DOWN == 8))
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN, 1, 1, 8, 3, true>, Least>(args);
    else if constexpr (BYTES == 4)
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN, 2, 1, 8, 3, true>, Least>(args);
    else
        return launch_bcsr_if_it_fits<BcsrShape<Block, DOWN / 2, 2, 2, 8, 3, true>, Least>(args);
}

template <typename Block> cudaError_t launch_bcsr_strips(const struct spmmi_fragment_cuda *args)
{
    switch (args->layout.unit_rows) {
    case 64:
        return launch_bcsr_tile<Block, 4>(args);
    case 128:
        return launch_bcsr_tile<Block, 8>(args);
    default:
        return cudaErrorInvalidValue;
    }
}

// by_groups: launches warpgroups instead, where the device and the operands let it; NULL: there is no such code.
template <typename Block>
int launch_bcsr(const struct spmmi_fragment_cuda *args, int (*by_groups)(const struct spmmi_fragment_cuda *))
{
    using T = typename Block::T;
    const bool has_groups =
        by_groups != nullptr && args->has_wgmma && args->n >= SPMMI_WGMMA_COLUMNS_MIN && b_is_wide<T>(args);
    const int error = has_groups ? by_groups(args) : launch_bcsr_strips<Block>(args);
    return error == cudaSuccess ? launch_sum_slots(args, fragment_args<T>(args)) : error;
}

} // namespace spmmi
