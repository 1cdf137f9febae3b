// SPDX-License-Identifier: Apache-2.0
// panel with two stages, for cases in which too few thread blocks run at once to hide each other's copies
// (spmmi_panel_has_ring). A step is copied while the previous one is multiplied. Each stage has barriers that
// signal when it is full and when it is free, so a warp may be a step ahead of another (docs/decisions/0104).
#pragma once
#include "panel.cuh"

namespace spmmi {

// Returns the offset of the barriers, which follow the stages: first the barriers of full
// stages, then of free ones.
__host__ __device__ __forceinline__ uint32_t panel_ring_barriers(const struct spmmi_panel_stage &stage)
{
    return SPMMI_PANEL_RING_STAGES * spmmi_panel_ring_pitch(&stage);
}

template <typename Shape> struct PanelRing {
    static constexpr uint32_t STAGES = SPMMI_PANEL_RING_STAGES;
    unsigned char *shared;
    struct spmmi_panel_stage stage;

    __device__ __forceinline__ unsigned char *at(uint32_t i) const
    {
        return shared + i % STAGES * spmmi_panel_ring_pitch(&stage);
    }
    __device__ __forceinline__ Barrier *full(uint32_t i) const
    {
        return reinterpret_cast<Barrier *>(shared + panel_ring_barriers(stage)) + i % STAGES;
    }
    __device__ __forceinline__ Barrier *free(uint32_t i) const
    {
        return full(i) + STAGES;
    }
    __device__ __forceinline__ void make() const
    {
        if (threadIdx.x == 0) {
            for (uint32_t i = 0; i < STAGES; i++) {
                init_barrier(full(i), Shape::THREADS + SPAN_ARRIVALS);
                init_barrier(free(i), Shape::WINDOWS);
            }
        }
        publish_barriers();
    }
    // Starts the copies of step i of the item, for which `look` has been read, and reads
    // `look` for the next step.
    __device__ __forceinline__ PanelBlocks copy(PanelLook<Shape> &look, uint32_t i,
                                                const TcblockArgs<typename Shape::T> &a,
                                                const struct spmmi_tcblock_item &item, uint32_t tile) const
    {
        const PanelBlocks blocks = cut_blocks(look, a);
        wait_for_phase(free(i), i / STAGES % 2 ^ 1); // all stages are free at first
        copy_rows(at(i), look, a, tile);
        copy_blocks<Shape>(at(i), stage, blocks, a, full(i));
        arrive_after_copies(full(i));
        look_at_step(look, a, item.begin + i + 1, item.end);
        return blocks;
    }
    __device__ __forceinline__ void wait_until_full(uint32_t i) const
    {
        wait_for_phase(full(i), i / STAGES % 2);
    }
    __device__ __forceinline__ void release(uint32_t i) const
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(free(i));
    }
};

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS, SPMMI_PANEL_RING_RESIDENT)
    panel_ring_kernel(const __grid_constant__ TcblockArgs<typename Shape::T> a)
{
    using T = typename Shape::T;
    extern __shared__ __align__(128) unsigned char shared[];
    const uint32_t tile = blockIdx.y * Shape::COLUMNS;
    const PanelRing<Shape> ring = {shared, panel_stage<Shape>(a.step_blocks_max, a.step_values_max)};
    release_dependents();
    ring.make();
    const struct spmmi_tcblock_item item = read_item(a, blockIdx.x);
    const uint2 c_rows = rows_of_lane(a, item, threadIdx.x / 32);
    const uint32_t steps = item.end - item.begin;
    PanelLook<Shape> look;
    look_at_step(look, a, item.begin, item.end);
    typename Value<T>::Sum sums[Shape::PAIRS][4] = {};
    PanelBlocks next = {};
    if (steps > 0)
        next = ring.copy(look, 0, a, item, tile);
#pragma unroll 1
    for (uint32_t i = 0; i < steps; i++) {
        const PanelBlocks blocks = next;
        if (i + 1 < steps)
            next = ring.copy(look, i + 1, a, item, tile);
        ring.wait_until_full(i);
        multiply_step<Shape>(ring.at(i), ring.stage, blocks, a, sums);
        ring.release(i);
    }
    finish_panel<Shape>(a, item, tile, c_rows, shared, sums);
    end_after_previous();
}

} // namespace spmmi
