// SPDX-License-Identifier: Apache-2.0
// Launches bcsr with warpgroups for 3xtf32, in clusters if they fit the device.
#pragma once
#include "bcsr_tf32_wgmma.cuh"

namespace spmmi {

// Returns the number of clusters of this size that the device, or the part of it that the driver
// grants, runs at once. The driver is asked once per device and size, because bcsr_shared is the same
// for all layouts of a device.
template <typename Shape>
uint32_t clusters_at_once(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape,
                          uint32_t size)
{
    constexpr int DEVICES = 64; // for other devices the driver is asked each time
    // Number of clusters plus one; 0: not asked yet.
    static uint32_t known[DEVICES][SPMMI_BCSR_CLUSTER_MAX + 1];
    const int device = args->device;
    int count = 0;
    if (device < DEVICES) {
        const uint32_t found = __atomic_load_n(&known[device][size], __ATOMIC_RELAXED);
        if (found > 0)
            return found - 1;
    }
    const uint32_t shared = bcsr_shared(args, shape, sizeof(typename Shape::T), size);
    const auto kernel = bcsr_split_kernel<Shape, true>;
    const ClusterLaunch launch(size, size, Shape::THREADS, shared, nullptr);
    if (allow_shared_once(kernel, shared, args->shared_max, args->allowed) != cudaSuccess ||
        cudaOccupancyMaxActiveClusters(&count, kernel, &launch.config) != cudaSuccess) {
        (void)cudaGetLastError(); // clears the error: without clusters the kernel still runs
        count = 0;
    }
    if (device < DEVICES)
        __atomic_store_n(&known[device][size], (uint32_t)count + 1, __ATOMIC_RELAXED);
    return (uint32_t)count;
}

// Returns the shares of an item (spmmi_bcsr_shares), limited so that all clusters run at once. There are no
// clusters if another kernel computes long rows at the same time.
template <typename Shape>
uint32_t shares_of(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    const struct spmmi_tcblocks &l = args->layout;
    const double tiles = (args->n + shape.columns - 1) / shape.columns, items = l.item_count;
    uint32_t shares = SPMMI_BCSR_CLUSTER_MAX + 1;
    if (args->has_long_rows || l.item_count == 0)
        return 1;
    do {
        shares = spmmi_bcsr_shares(items * tiles, l.step_count / items, args->multiprocessors, shares - 1);
    } while (shares > 1 && clusters_at_once<Shape>(args, shape, shares) < items * tiles);
    return shares;
}

template <int MMA_ROWS, bool IS_COLUMNS>
int launch_bcsr_split_layout(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    using Shape = BcsrSplitShape<MMA_ROWS, IS_COLUMNS>;
    const uint32_t shares = shares_of<Shape>(args, shape);
    return launch_bcsr_kernel<Shape>(
        args, shape, shares > 1 ? bcsr_split_kernel<Shape, true> : bcsr_split_kernel<Shape, false>, shares);
}

template <int MMA_ROWS>
int launch_bcsr_split_rows(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    return shape.is_columns ? launch_bcsr_split_layout<MMA_ROWS, true>(args, shape)
                            : launch_bcsr_split_layout<MMA_ROWS, false>(args, shape);
}

// Launches MMAs of whole groups if most blocks exist, else of half groups.
inline int launch_bcsr_split(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape &shape)
{
    const struct spmmi_tcblocks &l = args->layout;
    return spmmi_bcsr_skips_halves(l.block_count, l.step_count) ? launch_bcsr_split_rows<32>(args, shape)
                                                                : launch_bcsr_split_rows<64>(args, shape);
}

} // namespace spmmi
