// SPDX-License-Identifier: Apache-2.0
// Selects and launches a panel kernel instance from the C arguments of a launch.
#pragma once
#include "kernels/shared/allowed.cuh"
#include "panel_ring.cuh"

namespace spmmi {

template <typename Shape>
constexpr bool PANEL_HAS_RING =
    Shape::IS_WIDE && !Shape::IS_COLUMNS &&
    spmmi_panel_has_ring_code(Shape::COLUMNS, sizeof(typename Shape::T), Shape::WINDOWS) != 0;

// Returns the shared memory of a thread block with one stage. The barrier is at its end.
template <typename Shape> uint32_t panel_shared(const struct spmmi_tcblocks &l)
{
    return panel_barrier<Shape>(panel_stage<Shape>(l.step_blocks_max, l.step_values_max)) + sizeof(Barrier);
}

template <typename Shape>
cudaError_t launch_panel_kernel(const struct spmmi_tcblock_cuda *args,
                                void (*kernel)(TcblockArgs<typename Shape::T>), uint32_t shared)
{
    const TcblockArgs<typename Shape::T> a = tcblock_args<typename Shape::T>(args);
    const struct spmmi_tcblocks &l = args->layout;
    cudaError_t error = allow_shared_once(kernel, shared, args->shared_max, args->allowed);
    if (error == cudaSuccess && l.item_count > 0)
        error =
            launch_kernel(kernel, dim3(l.item_count, (a.n + Shape::COLUMNS - 1) / Shape::COLUMNS),
                          Shape::THREADS, shared, args->cuda_stream, args->overtakes || args->is_early, a);
    return error == cudaSuccess ? launch_sum_slots(args, a) : error;
}

// Launches an instance. stages: as in the shape of the launch.
template <typename Shape>
cudaError_t launch_panel_shape(const struct spmmi_tcblock_cuda *args, uint32_t stages)
{
    if constexpr (PANEL_HAS_RING<Shape>) {
        if (stages > 1) {
            const struct spmmi_panel_stage stage =
                panel_stage<Shape>(args->layout.step_blocks_max, args->layout.step_values_max);
            return launch_panel_kernel<Shape>(args, panel_ring_kernel<Shape>, spmmi_panel_ring_bytes(&stage));
        }
    }
    return launch_panel_kernel<Shape>(args, panel_kernel<Shape>, panel_shared<Shape>(args->layout));
}

inline struct spmmi_panel_load panel_load(const struct spmmi_tcblocks &l, uint32_t value_bytes,
                                          uint32_t multiprocessors)
{
    struct spmmi_panel_load load = {};
    load.value_bytes = value_bytes;
    load.windows = l.unit_rows / 8;
    load.is_packed = l.is_packed;
    load.blocks = l.block_count;
    load.steps = l.step_count;
    load.items = l.item_count;
    load.multiprocessors = multiprocessors;
    load.step_blocks = l.step_blocks_max;
    load.step_values = l.step_values_max;
    return load;
}

template <typename Compute, int WINDOWS, bool IS_PACKED, bool IS_COLUMNS>
cudaError_t launch_panel_wide(const struct spmmi_tcblock_cuda *args, const struct spmmi_panel_shape &shape)
{
    constexpr int NARROW = sizeof(typename Compute::T) == 8 ? 1 : 2; // pairs of columns per lane
    using Narrow = PanelShape<Compute, WINDOWS, NARROW, IS_PACKED, true, IS_COLUMNS>;
    using Middle = PanelShape<Compute, WINDOWS, 2 * NARROW, IS_PACKED, true, IS_COLUMNS>;
    using Widest = PanelShape<Compute, WINDOWS, 4 * NARROW, IS_PACKED, true, IS_COLUMNS>;
    static_assert(Narrow::B_BYTES == (int)SPMMI_PANEL_B_MIN, "as refused");
    switch (shape.columns) {
    case Narrow::COLUMNS:
        return launch_panel_shape<Narrow>(args, shape.stages);
    case Middle::COLUMNS:
        return launch_panel_shape<Middle>(args, shape.stages);
    case Widest::COLUMNS:
        return launch_panel_shape<Widest>(args, shape.stages);
    default:
        return cudaErrorInvalidConfiguration;
    }
}

template <typename Compute, int WINDOWS, bool IS_PACKED>
cudaError_t launch_panel_tile(const struct spmmi_tcblock_cuda *args)
{
    using T = typename Compute::T;
    constexpr int NARROW = sizeof(T) == 8 ? 1 : 2; // pairs of columns per lane
    const struct spmmi_panel_load load = panel_load(args->layout, sizeof(T), args->multiprocessors);
    const bool is_wide = args->c_is_columns || b_is_wide<T>(args);
    const struct spmmi_panel_shape shape = spmmi_panel_launch(&load, args->n, is_wide, args->shared_max);
    if (args->c_is_columns)
        return launch_panel_wide<Compute, WINDOWS, IS_PACKED, true>(args, shape);
    if (!shape.is_wide)
        return launch_panel_shape<PanelShape<Compute, WINDOWS, NARROW, IS_PACKED, false>>(args, 1);
    return launch_panel_wide<Compute, WINDOWS, IS_PACKED, false>(args, shape);
}

template <typename Compute, int WINDOWS>
cudaError_t launch_panel_blocks(const struct spmmi_tcblock_cuda *args)
{
    return args->layout.is_packed ? launch_panel_tile<Compute, WINDOWS, true>(args)
                                  : launch_panel_tile<Compute, WINDOWS, false>(args);
}

template <typename Compute> int launch_panel(const struct spmmi_tcblock_cuda *args)
{
    switch (args->layout.unit_rows) {
    case 64:
        return launch_panel_blocks<Compute, 8>(args);
    case 128:
        return launch_panel_blocks<Compute, 16>(args);
    default:
        return cudaErrorInvalidValue;
    }
}

} // namespace spmmi
