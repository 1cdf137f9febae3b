// SPDX-License-Identifier: Apache-2.0
// Selects and launches a bcsr kernel instance from the C arguments of a launch.
#pragma once
#include "bcsr.cuh"
#include "bcsr_instances.h"
#include "kernels/shared/allowed.cuh"

namespace spmmi {

// Returns true if Shape is the instance for shape s.
template <typename Shape> bool is_of_shape(const struct spmmi_bcsr_shape &s)
{
    return s.down == Shape::DOWN && s.across == Shape::ACROSS && s.height == Shape::HEIGHT &&
           s.tiles == Shape::TILES && s.stages == Shape::STAGES && s.is_wide == Shape::IS_WIDE &&
           s.has_groups == Shape::IS_WARPGROUP && s.is_columns == Shape::IS_COLUMNS &&
           s.threads == Shape::THREADS;
}

// Returns the shared memory of a thread block. Each thread block of a cluster gets a multiprocessor to
// itself: it requests so much that no second one fits.
inline uint32_t bcsr_shared(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape,
                            uint32_t value_bytes, uint32_t shares)
{
    const uint32_t needed = spmmi_bcsr_shared(&shape, value_bytes, args->layout.step_blocks_max);
    const uint32_t alone = args->shared_max / 2 + 1024;
    return shares > 1 && needed < alone ? alone : needed;
}

inline struct spmmi_bcsr_order bcsr_order(const struct spmmi_tcblock_cuda *args, uint32_t columns,
                                          uint32_t value_bytes)
{
    const struct spmmi_tcblocks &l = args->layout;
    return spmmi_bcsr_order_of(args->n, columns, l.reach * value_bytes,
                               (uint64_t)l.block_count * spmmi_bcsr_block_bytes(value_bytes), args->l2_bytes);
}

// Launches a kernel. map: the tensor map argument of kernels that copy boxes of B by the TMA, else empty.
template <typename Shape, typename... Map>
cudaError_t launch_bcsr_kernel(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape,
                               void (*kernel)(TcblockArgs<typename Shape::T>, struct spmmi_bcsr_order,
                                              Map...),
                               uint32_t shares, const Map &...map)
{
    using T = typename Shape::T;
    const TcblockArgs<T> a = tcblock_args<T>(args);
    const struct spmmi_bcsr_order order = bcsr_order(args, Shape::COLUMNS, sizeof(T));
    const uint32_t shared = bcsr_shared(args, shape, sizeof(T), shares);
    const uint64_t blocks = (uint64_t)a.item_count * order.tiles * shares;
    const bool is_dependent = args->overtakes || args->is_early;
    if (!is_of_shape<Shape>(shape) || blocks > INT32_MAX) // grid dimension limit
        return cudaErrorInvalidConfiguration;
    const cudaError_t error = allow_shared_once(kernel, shared, args->shared_max, args->allowed);
    if (error != cudaSuccess || blocks == 0)
        return error;
    if (shares > 1)
        return launch_clusters(kernel, (unsigned)blocks, shares, Shape::THREADS, shared, args->cuda_stream, a,
                               order, map...);
    const unsigned most = Shape::RESIDENT > 0 ? args->multiprocessors * Shape::RESIDENT : (unsigned)blocks;
    return launch_kernel(kernel, dim3((unsigned)blocks < most ? (unsigned)blocks : most), Shape::THREADS,
                         shared, args->cuda_stream, is_dependent, a, order, map...);
}

template <typename Shape>
cudaError_t launch_bcsr_shape(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    return launch_bcsr_kernel<Shape>(args, shape, bcsr_kernel<Shape>, 1);
}

// Launches the widest tile, whose arrangement of warps depends on the value type.
template <typename Block, int DOWN, bool IS_COLUMNS>
cudaError_t launch_bcsr_widest(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    constexpr int BYTES = sizeof(typename Block::T);
    if constexpr (BYTES == 4 && DOWN == 4)
        return launch_bcsr_shape<BcsrShape<Block, DOWN, 2, 1, 8, 3, true, IS_COLUMNS>>(args, shape);
    else if constexpr (BYTES == 2)
        return launch_bcsr_shape<BcsrShape<Block, DOWN / 2, 2, 2, 8, 3, true, IS_COLUMNS>>(args, shape);
    else
        return cudaErrorInvalidConfiguration;
}

template <typename Block, int DOWN, bool IS_COLUMNS>
cudaError_t launch_bcsr_tile(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    constexpr int BYTES = sizeof(typename Block::T);
    constexpr int ACROSS = BYTES == 8 ? 2 : 1; // for 32 columns and more
    switch (shape.columns) {
    case 8:
        return launch_bcsr_shape<BcsrShape<Block, DOWN, 1, 1, 1, 5, true, IS_COLUMNS>>(args, shape);
    case 16:
        return shape.stages == 2
                   ? launch_bcsr_shape<BcsrShape<Block, DOWN, 1, 1, 2, 2, true, IS_COLUMNS>>(args, shape)
                   : launch_bcsr_shape<BcsrShape<Block, DOWN, 1, 1, 2, 5, true, IS_COLUMNS>>(args, shape);
    case 32:
        return launch_bcsr_shape<BcsrShape<Block, DOWN, ACROSS, 1, 4 / ACROSS, 4, true, IS_COLUMNS>>(args,
                                                                                                     shape);
    case 64:
        return launch_bcsr_shape<BcsrShape<Block, DOWN, ACROSS, 1, 8 / ACROSS, 3, true, IS_COLUMNS>>(args,
                                                                                                     shape);
    default:
        return launch_bcsr_widest<Block, DOWN, IS_COLUMNS>(args, shape);
    }
}

template <typename Block, int DOWN>
cudaError_t launch_bcsr_layout(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    if (!shape.is_wide)
        return launch_bcsr_shape<BcsrShape<Block, DOWN, 1, 1, 2, 2, false>>(args, shape);
    return shape.is_columns ? launch_bcsr_tile<Block, DOWN, true>(args, shape)
                            : launch_bcsr_tile<Block, DOWN, false>(args, shape);
}

template <typename Block>
cudaError_t launch_bcsr_groups(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    switch (args->layout.unit_rows) {
    case 64:
        return launch_bcsr_layout<Block, 4>(args, shape);
    case 128:
        return launch_bcsr_layout<Block, 8>(args, shape);
    default:
        return cudaErrorInvalidValue;
    }
}

using BcsrGroups = int (*)(const struct spmmi_tcblock_cuda *, const struct spmmi_bcsr_shape *);

// Launches the product, then the sums of split units. by_groups: launches warpgroups if device and operands
// allow it; NULL: the build has no such code.
template <typename Block> int launch_bcsr(const struct spmmi_tcblock_cuda *args, BcsrGroups by_groups)
{
    using T = typename Block::T;
    const struct spmmi_bcsr_operands operands = {
        args->n, sizeof(T), b_is_wide<T>(args), args->is_columns,
        std::is_same<Block, Block3xTf32>::value &&
            spmmi_bcsr_fills_groups(args->layout.block_count, args->layout.step_count)};
    const struct spmmi_bcsr_shape shape =
        spmmi_bcsr_launch(&operands, args->layout.unit_rows, by_groups != nullptr && args->has_wgmma,
                          args->layout.step_blocks_max, args->shared_max);
    const int error = shape.has_groups ? by_groups(args, &shape) : launch_bcsr_groups<Block>(args, shape);
    return error == cudaSuccess ? launch_sum_slots(args, tcblock_args<T>(args)) : error;
}

} // namespace spmmi
