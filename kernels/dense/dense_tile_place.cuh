// SPDX-License-Identifier: Apache-2.0
// Dense products by warpgroups (dense_tile.cuh): shapes, arguments, and the position of a thread block.
#pragma once
#include "dense.cuh"
#include "dense_tile_shape.h"
#include "kernels/shared/barrier.cuh"
#include "kernels/shared/cluster.cuh"

namespace spmmi {

// SHARES: number of thread blocks of a cluster, which share the steps.
template <typename T_, bool IS_ROWS_, int ROWS_, int COLUMNS_, int STAGES_, int SHARES_> struct DenseTile {
    using T = T_;
    static constexpr int ROWS = ROWS_, COLUMNS = COLUMNS_, STAGES = STAGES_, SHARES = SHARES_;
    static constexpr int TILES = COLUMNS / 8;
    static constexpr bool IS_ROWS = IS_ROWS_;
    static constexpr int WARPS = ROWS / 16, THREADS = 32 * (WARPS + 1);
    static constexpr uint32_t STEP = SPMMI_DENSE_TILE_STEP, LINE_BYTES = 2 * STEP;
    // A line of row-major B is a piece of a row: 64 columns, or all 32.
    static constexpr uint32_t PIECE = COLUMNS < STEP ? COLUMNS : STEP;
    static constexpr uint32_t Y_LINE_BYTES = IS_ROWS ? 2 * PIECE : LINE_BYTES;
    static constexpr uint32_t X_BYTES = ROWS * LINE_BYTES, Y_BYTES = COLUMNS * LINE_BYTES;
    static constexpr uint32_t PIECE_BYTES = STEP * Y_LINE_BYTES;
    static constexpr uint32_t STAGE_BYTES = X_BYTES + Y_BYTES;
    // Sums are stored in chunks: all columns of a warp's rows, or some. Each thread block of a
    // cluster stores some chunks.
    static constexpr int CHUNKS = SHARES > WARPS ? SHARES / WARPS : 1; // chunks per warp
    static constexpr int OWN = SHARES < WARPS ? WARPS / SHARES : 1;    // chunks that a thread block stores
    static constexpr int CHUNK_TILES = TILES / CHUNKS, CHUNK_COLUMNS = 8 * CHUNK_TILES;
    static constexpr uint32_t CHUNK_BYTES = 16 * CHUNK_COLUMNS * (uint32_t)sizeof(float);
    static constexpr uint32_t WORDS_PITCH = 2 * CHUNK_COLUMNS + 16; // bytes of a row of 16-bit results
    static constexpr uint32_t BARRIER_BYTES = SPMMI_DENSE_TILE_BARRIER_BYTES;
    static_assert(CHUNK_TILES % 2 == 0, "stmatrix stores two tiles");
    static_assert((2 * STAGES + 1) * sizeof(Barrier) <= BARRIER_BYTES, "barriers fit");
    static_assert(STAGES * STAGE_BYTES >= ROWS * COLUMNS * sizeof(float), "sums take the place of stages");
    static_assert(16 * WORDS_PITCH <= CHUNK_BYTES, "results take the place of sums");
    // Distance from one MMA to the next along k, in units of 16 bytes.
    static constexpr uint32_t X_WORDS = 2, Y_WORDS = IS_ROWS ? Y_LINE_BYTES : 2;
};

struct DenseTileArgs {
    spmmi_dense_exact product;
    uint32_t rows; // rows of out
    int64_t columns, ld;
    uint32_t tiles;  // number of tiles across the columns
    bool is_swapped; // out is C^T
    bool is_wide;    // rows of out begin at whole words of 16 bytes
};

// The position of a thread block in the product, and its data in shared memory.
template <typename Shape> struct DenseTilePlace {
    uint32_t share, row, column, first_step, steps;
    unsigned char *stages;
    Barrier *full, *empty, *arrived;

    __device__ __forceinline__ DenseTilePlace(const DenseTileArgs &a, unsigned char *memory)
        : share(Shape::SHARES > 1 ? cluster_rank() : 0), stages(memory)
    {
        const uint32_t tile = blockIdx.x / Shape::SHARES,
                       all = (a.product.cols + Shape::STEP - 1) / Shape::STEP;
        row = tile / a.tiles * Shape::ROWS;
        column = tile % a.tiles * Shape::COLUMNS;
        first_step = share * all / Shape::SHARES;
        steps = (share + 1) * all / Shape::SHARES - first_step;
        full = reinterpret_cast<Barrier *>(memory + Shape::STAGES * Shape::STAGE_BYTES);
        empty = full + Shape::STAGES;
        arrived = empty + Shape::STAGES;
    }
    // Returns the rank of the thread block of the cluster that stores a chunk.
    static __device__ __forceinline__ uint32_t owner(uint32_t warp, uint32_t chunk)
    {
        return Shape::SHARES > Shape::WARPS ? warp * Shape::CHUNKS + chunk : warp / Shape::OWN;
    }
    // Returns where this thread block keeps a chunk of its own sums: over the stages,
    // after the last multiplication.
    __device__ __forceinline__ unsigned char *kept(uint32_t warp, uint32_t chunk) const
    {
        return stages + (warp * Shape::CHUNKS + chunk) * Shape::CHUNK_BYTES;
    }
    // Returns where sums of block `of` are received for a chunk of this warp that block `owner` stores.
    __device__ __forceinline__ unsigned char *slot(uint32_t warp, uint32_t owner, uint32_t of) const
    {
        const uint32_t place = warp % Shape::OWN * (Shape::SHARES - 1) + of - (of > owner);
        return stages + Shape::STAGES * Shape::STAGE_BYTES + Shape::BARRIER_BYTES +
               place * Shape::CHUNK_BYTES;
    }
};

template <typename Shape> using DenseTileSums = float[Shape::TILES][4];

} // namespace spmmi
