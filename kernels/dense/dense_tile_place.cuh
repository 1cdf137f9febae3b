// SPDX-License-Identifier: Apache-2.0
// Dense products by warpgroups (dense_tile.cuh): shapes, arguments, and where a thread block is.
#pragma once
#include "dense.cuh"
#include "dense_tile_shape.h"
#include "kernels/shared/barrier.cuh"
#include "kernels/shared/cluster.cuh"

namespace spmmi {

template <typename T_, int ROWS_, int COLUMNS_, int STAGES_, bool IS_ROWS_> struct DenseTile {
    using T = T_;
    static constexpr int ROWS = ROWS_, COLUMNS = COLUMNS_, STAGES = STAGES_, TILES = COLUMNS / 8;
    static constexpr bool IS_ROWS = IS_ROWS_;
    static constexpr int WARPS = ROWS / 16, THREADS = 32 * (WARPS + 1);
    static constexpr uint32_t STEP = SPMMI_DENSE_TILE_STEP, LINE_BYTES = 2 * STEP;
    // Of row-major B a line is a piece of a row: 64 columns, or all 32.
    static constexpr uint32_t PIECE = COLUMNS < STEP ? COLUMNS : STEP;
    static constexpr uint32_t Y_LINE_BYTES = IS_ROWS ? 2 * PIECE : LINE_BYTES;
    static constexpr uint32_t X_BYTES = ROWS * LINE_BYTES, Y_BYTES = COLUMNS * LINE_BYTES;
    static constexpr uint32_t PIECE_BYTES = STEP * Y_LINE_BYTES;
    static constexpr uint32_t STAGE_BYTES = X_BYTES + Y_BYTES;
    static constexpr uint32_t SUMS_PITCH = COLUMNS + 8;       // banks of rows that are written at once differ
    static constexpr uint32_t WORDS_PITCH = 2 * COLUMNS + 16; // bytes of a row of 16-bit results
    static constexpr uint32_t BARRIER_BYTES = SPMMI_DENSE_TILE_BARRIER_BYTES;
    static_assert((2 * STAGES + 1) * sizeof(Barrier) <= BARRIER_BYTES, "barriers fit");
    static_assert(STAGES * STAGE_BYTES >= ROWS * SUMS_PITCH * sizeof(float), "sums take the place of stages");
    // From one MMA to the next, in 16 bytes.
    static constexpr uint32_t X_WORDS = 2, Y_WORDS = IS_ROWS ? Y_LINE_BYTES : 2;
};

struct DenseTileArgs {
    spmmi_dense_exact product;
    uint32_t rows; // of out
    int64_t columns, ld;
    uint32_t tiles;  // of columns
    bool is_swapped; // out is C^T
    bool is_wide;    // rows of out are whole words of 16 bytes
};

// Where a thread block is in the product and in shared memory.
template <typename Shape> struct DenseTilePlace {
    uint32_t shares, rank, row, column, first_step, steps;
    unsigned char *stages;
    Barrier *full, *empty, *arrived;

    __device__ __forceinline__ DenseTilePlace(const DenseTileArgs &a, unsigned char *memory)
        : shares(cluster_blocks()), rank(cluster_rank()), stages(memory)
    {
        const uint32_t tile = blockIdx.x / shares, all = (a.product.cols + Shape::STEP - 1) / Shape::STEP;
        row = tile / a.tiles * Shape::ROWS;
        column = tile % a.tiles * Shape::COLUMNS;
        first_step = rank * all / shares;
        steps = (rank + 1) * all / shares - first_step;
        full = reinterpret_cast<Barrier *>(memory + Shape::STAGES * Shape::STAGE_BYTES);
        empty = full + Shape::STAGES;
        arrived = empty + Shape::STAGES;
    }
    // The first of the rows that the block of this rank stores, and their number.
    __device__ __forceinline__ uint32_t first_row(uint32_t of) const
    {
        return of * Shape::ROWS / shares;
    }
    __device__ __forceinline__ uint32_t part(uint32_t of) const
    {
        return first_row(of + 1) - first_row(of);
    }
    // Instead of the stages, when all is multiplied, its sums of all rows; of a cluster, the sums of all its thread
    // blocks of the rows that it stores.
    __device__ __forceinline__ float *kept() const
    {
        return reinterpret_cast<float *>(stages);
    }
    __device__ __forceinline__ float *slots() const
    {
        return reinterpret_cast<float *>(stages + Shape::STAGES * Shape::STAGE_BYTES + Shape::BARRIER_BYTES);
    }
};

template <typename Shape> using DenseTileSums = float[Shape::TILES][4];

} // namespace spmmi
