// SPDX-License-Identifier: Apache-2.0
// Dense products of 16-bit types by warpgroups (wgmma, sm_90a), for operands so small that latency decides.
// Each sum is checked before it is stored, so that no kernel has to follow.
//
// product  out = x * y with row-major out: A * B, or, if C is column-major, its transpose B^T * A^T. Lines of
//          x are its rows ("K-major"); lines of y are its columns, or the rows of row-major B ("MN-major")
// work     a thread block owns ROWS x COLUMNS of out; thread blocks of a cluster share the steps of 64
//          entries of k. A warpgroup owns 64 rows; one more warp copies
// copies   boxes of 64 values per line by tensor maps into STAGES stages; elements past the ends become 0
// sums     f32 in registers. They pass through shared memory, so that whole words are stored: as 16-bit
//          results if beta is 0 and all are finite, shifted if rows of out are not aligned; else as f32. Each
//          thread block of a cluster stores some chunks, the sums of some warps: bulk copies bring the sums
//          of the other blocks to its shared memory, and it adds them in the order of k
// zeros    of A multiply NaN and infinity in B: a sum that is not finite is computed again from the nonzeros
//          alone
// bound    latency: the launch, tensor maps, the first loads from DRAM, the sums
#pragma once
#include "dense_tile_results.cuh"
#include "dense_tile_wgmma.cuh"
#include "kernels/shared/tensor_map.cuh"

namespace spmmi {

// Copies step i to stage i % STAGES.
template <typename Shape>
__device__ __forceinline__ void copy_step(const DenseTilePlace<Shape> &at, uint32_t i, const CUtensorMap *x,
                                          const CUtensorMap *y)
{
    const uint32_t k = (at.first_step + i) * Shape::STEP;
    unsigned char *const to = at.stages + i % Shape::STAGES * Shape::STAGE_BYTES;
    Barrier *const full = at.full + i % Shape::STAGES;
    arrive_and_expect(full, Shape::STAGE_BYTES);
    copy_box(to, x, k, at.row, full);
    if (!Shape::IS_ROWS)
        copy_box(to + Shape::X_BYTES, y, k, at.column, full);
#pragma unroll
    for (uint32_t piece = 0; Shape::IS_ROWS && piece < Shape::COLUMNS / Shape::PIECE; piece++)
        copy_box(to + Shape::X_BYTES + piece * Shape::PIECE_BYTES, y, at.column + piece * Shape::PIECE, k,
                 full);
}

// Called by one thread, which initializes the barriers and need not wait for others before its first copies.
template <typename Shape>
__device__ __forceinline__ void copy_first_steps(const DenseTilePlace<Shape> &at, const CUtensorMap *x,
                                                 const CUtensorMap *y)
{
    for (int i = 0; i < Shape::STAGES; i++) {
        init_barrier(at.full + i, 1);
        init_barrier(at.empty + i, Shape::WARPS);
    }
    init_barrier(at.arrived, 1);
    fence_barriers();
    if (Shape::SHARES > 1)
        arrive_and_expect(at.arrived, (Shape::SHARES - 1) * Shape::OWN * Shape::CHUNK_BYTES);
    for (uint32_t i = 0; i < Shape::STAGES && i < at.steps; i++)
        copy_step(at, i, x, y);
}

template <typename Shape>
__device__ __forceinline__ void copy_other_steps(const DenseTilePlace<Shape> &at, const CUtensorMap *x,
                                                 const CUtensorMap *y)
{
    for (uint32_t i = Shape::STAGES; i < at.steps; i++) {
        wait_for_phase(at.empty + i % Shape::STAGES, i / Shape::STAGES % 2 ^ 1);
        copy_step(at, i, x, y);
    }
}

// Multiplies all steps. The MMAs of a step run while the barrier of the next step is
// awaited; then its stage is free.
template <typename Shape>
__device__ __forceinline__ void multiply_steps(DenseTileSums<Shape> &sums, const DenseTilePlace<Shape> &at)
{
    const uint32_t group = threadIdx.x / 128;
#pragma unroll 1
    for (uint32_t i = 0; i < at.steps; i++) {
        const unsigned char *const stage = at.stages + i % Shape::STAGES * Shape::STAGE_BYTES;
        const uint64_t x = swizzled_descriptor<Shape::LINE_BYTES>(stage + group * 64 * Shape::LINE_BYTES, 0);
        const uint64_t y =
            swizzled_descriptor<Shape::Y_LINE_BYTES>(stage + Shape::X_BYTES, Shape::PIECE_BYTES);
        wait_for_phase(at.full + i % Shape::STAGES, i / Shape::STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (uint32_t q = 0; q < Shape::STEP / 16; q++)
            tile_wgmma<typename Shape::T, Shape::IS_ROWS>(sums, x + q * Shape::X_WORDS,
                                                          y + q * Shape::Y_WORDS, (i | q) != 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (i > 0 && threadIdx.x % 32 == 0)
            arrive(at.empty + (i - 1) % Shape::STAGES);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int j = 0; j < Shape::TILES; j++) // keeps the compiler from reading the sums before the wait
        asm volatile("" : "+f"(sums[j][0]), "+f"(sums[j][1]), "+f"(sums[j][2]), "+f"(sums[j][3])::"memory");
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS)
    dense_tile_kernel(const __grid_constant__ DenseTileArgs a, const __grid_constant__ CUtensorMap x,
                      const __grid_constant__ CUtensorMap y)
{
    extern __shared__ unsigned char memory[];
    const DenseTilePlace<Shape> at(a, memory + (0u - shared_address(memory)) % SPMMI_DENSE_TILE_ALIGN);
    const bool multiplies = threadIdx.x < 32 * Shape::WARPS, copies = threadIdx.x == 32 * Shape::WARPS;
    DenseTileSums<Shape> sums;
    if (copies) {
        wait_for_previous(); // the previous kernel may have made B's other form
        copy_first_steps(at, &x, &y);
    }
    if (Shape::SHARES > 1)
        arrive_at_cluster();
    __syncthreads();
    if (multiplies)
        multiply_steps<Shape>(sums, at);
    else if (copies)
        copy_other_steps(at, &x, &y);
    __syncwarp();
    __syncthreads(); // the stages are free
    if (Shape::SHARES > 1) {
        wait_for_cluster(); // all blocks of the cluster have started
        if (multiplies)
            send_chunks<Shape>(at, sums);
        wait_for_phase(at.arrived, 0);
        arrive_at_cluster();
    }
    if (multiplies)
        store_chunks<Shape>(a, at, sums);
    if (Shape::SHARES > 1)
        wait_for_cluster(); // all copies that other blocks read from here have arrived
}

} // namespace spmmi
