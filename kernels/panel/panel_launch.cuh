// SPDX-License-Identifier: Apache-2.0
// From the C arguments of a launch to a panel kernel instance.
#pragma once
#include "panel.cuh"

namespace spmmi {

template <typename Shape> uint32_t panel_shared(const struct spmmi_fragments &l)
{
    return spmmi_panel_stage(Shape::B_BYTES, sizeof(typename Shape::T), Shape::IS_PACKED, l.step_blocks_max,
                             l.step_values_max)
        .bytes;
}

template <typename Shape> cudaError_t launch_panel_shape(const struct spmmi_fragment_cuda *args)
{
    using T = typename Shape::T;
    const FragmentArgs<T> a = fragment_args<T>(args);
    const struct spmmi_fragments &l = args->layout;
    const uint32_t shared = panel_shared<Shape>(l);
    cudaError_t error = allow_shared(panel_kernel<Shape>, shared, args->shared_max);
    if (error == cudaSuccess && l.item_count > 0)
        error = launch_kernel(panel_kernel<Shape>,
                              dim3(l.item_count, (a.n + Shape::COLUMNS - 1) / Shape::COLUMNS), Shape::THREADS,
                              shared, args->cuda_stream, args->overtakes != 0, a);
    return error == cudaSuccess ? launch_sum_slots(args, a) : error;
}

// The widest tile that n fills, but the second widest where blocks are few and more blocks of threads are worth more
// than reading them once less. Numbers of 8 bytes keep to half of it, and to the widest. A stage must fit into what the
// device lets a block of threads have: that of the narrowest tile does, or the part would not be there.
template <typename Compute, int WINDOWS, bool IS_PACKED>
cudaError_t launch_panel_tile(const struct spmmi_fragment_cuda *args)
{
    constexpr int NARROW = sizeof(typename Compute::T) == 8 ? 1 : 2;
    constexpr uint64_t BLOCKS_MANY = 8 * WINDOWS; // a step: half of what it can have
    using Narrow = PanelShape<Compute, WINDOWS, NARROW, IS_PACKED, true>;
    using Middle = PanelShape<Compute, WINDOWS, 2 * NARROW, IS_PACKED, true>;
    using Widest = PanelShape<Compute, WINDOWS, 4 * NARROW, IS_PACKED, true>;
    static_assert(Narrow::B_BYTES == (int)SPMMI_PANEL_B_LEAST, "as refused");
    const struct spmmi_fragments &l = args->layout;
    const bool has_few = NARROW == 2 && l.block_count < BLOCKS_MANY * l.step_count;
    if (!b_is_wide<typename Compute::T>(args))
        return launch_panel_shape<PanelShape<Compute, WINDOWS, NARROW, IS_PACKED, false>>(args);
    if (args->n >= 64 * NARROW && !has_few && panel_shared<Widest>(l) <= args->shared_max)
        return launch_panel_shape<Widest>(args);
    if (args->n > 16 * NARROW && panel_shared<Middle>(l) <= args->shared_max)
        return launch_panel_shape<Middle>(args);
    return launch_panel_shape<Narrow>(args);
}

template <typename Compute, int WINDOWS>
cudaError_t launch_panel_blocks(const struct spmmi_fragment_cuda *args)
{
    return args->layout.is_packed ? launch_panel_tile<Compute, WINDOWS, true>(args)
                                  : launch_panel_tile<Compute, WINDOWS, false>(args);
}

template <typename Compute> int launch_panel(const struct spmmi_fragment_cuda *args)
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
