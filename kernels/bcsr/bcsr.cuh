// SPDX-License-Identifier: Apache-2.0
// bcsr: dense blocks at aligned columns, on tensor cores.  C(m x n) = alpha * P * B(k x n) + beta * C. B and
// C are row-major, or both are column-major (bcsr_columns.cuh).
//
// layout      bcsr_shape.h: the block columns of a block-row group, 4 per step. Blocks of A have 16 x 8
//             values, or 16 x 16 of 16 bits. A step's blocks are contiguous in memory; a mask lists them
// block       processes an item, which is steps of a block-row group of DOWN * HEIGHT block rows of 16 rows,
//             and a tile of columns (read_work has the order). A persistent thread block (16-bit warpgroups)
//             processes several pairs of item and tile, one after the other
// warps       DOWN * ACROSS multiply, each HEIGHT block rows by 8 * TILES columns; COPIERS more only copy
// lane        two rows of each block row, two columns of each MMA (bcsr_operands.cuh has the positions)
// stage       the rows of B for a step's block columns, shared by all warps, and the step's blocks of A
// in flight   up to STAGES steps: the warps that copy run ahead by that much
// sums        in registers, by ascending steps. Items of a split block-row group leave their sums in slots,
//             which another kernel adds in order (tcblock_sums.cuh)
// zeros       zeros in a block are multiplied by B too, so a sum that is not finite is computed again from
//             the nonzeros alone
// bounds      indices from tables are limited to the size of the arrays, B and C (docs/decisions/0037)
// bound       reads of B from shared memory; with few steps per group, the stores of C (docs/kernels.md)
#pragma once
#include "bcsr_columns.cuh"
#include "bcsr_copies.cuh"
#include "bcsr_operands.cuh"
#include "bcsr_sums.cuh"

namespace spmmi {

template <typename Block_, int DOWN_, int ACROSS_, int HEIGHT_, int TILES_, int STAGES_, bool IS_WIDE_,
          bool IS_COLUMNS_ = false>
struct BcsrShape {
    using Block = Block_;
    using T = typename Block::T;
    static constexpr int DOWN = DOWN_, ACROSS = ACROSS_, HEIGHT = HEIGHT_, TILES = TILES_, STAGES = STAGES_;
    static constexpr int WARPS = DOWN * ACROSS;
    static constexpr bool IS_WIDE = IS_WIDE_, IS_COLUMNS = IS_COLUMNS_;
    static_assert(2 * STAGES * (int)sizeof(Barrier) <= BCSR_BARRIER_BYTES, "barriers fit");
    static constexpr int COPIERS = SPMMI_BCSR_COPIERS, COPY_THREADS = 32 * COPIERS;
    static constexpr int THREADS = 32 * WARPS + COPY_THREADS;
    // Columns per warp; columns of the tile of C.
    static constexpr int WARP_COLUMNS = 8 * TILES, COLUMNS = ACROSS * WARP_COLUMNS;
    static constexpr int VALUES = (int)SPMMI_BCSR_ROWS * Block::COLUMNS;
    static constexpr int BLOCK_BYTES = (int)spmmi_bcsr_block_bytes(sizeof(T));
    static constexpr int ROWS = (int)SPMMI_BCSR_STEP * Block::COLUMNS; // rows of B per step
    static constexpr int PIECE = 16 / (int)sizeof(T);                  // values in 16 bytes
    static constexpr int LINE_BYTES =
        (int)(IS_COLUMNS ? SPMMI_BCSR_COLUMN_BYTES(sizeof(T)) : COLUMNS * sizeof(T));
    static constexpr int PITCH_BYTES =
        (int)(IS_COLUMNS ? spmmi_bcsr_column_pitch(sizeof(T), 0) : spmmi_bcsr_pitch(COLUMNS, sizeof(T), 0));
    // Each thread that copies has a piece of 16 bytes of a row of B; together they copy AT_ONCE rows. Columns of
    // B may also be copied by smaller words (BcsrColumnCopier).
    static constexpr int PIECES = LINE_BYTES / 16, AT_ONCE = COPY_THREADS / PIECES;
    static constexpr int STAGE_ALIGN = (int)spmmi_bcsr_align(0);
    static constexpr bool IS_WARPGROUP = false, HAS_MAP = false;
    static constexpr unsigned RESIDENT = 0; // not persistent: a thread block ends after its item
    // Minimum thread blocks per multiprocessor, for registers; 0: no minimum.
    static constexpr unsigned BLOCKS = 0;
    static constexpr bool SUMS_STAY = false;
    // Returns the byte offset of a piece of 16 bytes of a row (column) of B in the stage.
    static __device__ __forceinline__ uint32_t position(uint32_t line, uint32_t piece)
    {
        return line * PITCH_BYTES + piece * 16;
    }
    static constexpr int PITCH = PITCH_BYTES / (int)sizeof(T);
    static constexpr int B_BYTES = (int)spmmi_bcsr_b_bytes(COLUMNS, sizeof(T), 0, IS_COLUMNS);
    // Neighbouring sums of a row in a lane.
    static constexpr int VEC = sizeof(T) == 2 || IS_COLUMNS ? 1 : BCSR_VEC<TILES, T>;
    static constexpr int GROUPS = TILES * 2 / (VEC == 1 ? 2 : VEC), GROUP = VEC == 1 ? 2 : VEC;
    // Returns where a lane begins to read B. BLOCK_STEP is the distance from block column to block column.
    static __device__ __forceinline__ int first_of_b(int across, int lane)
    {
        if constexpr (IS_COLUMNS)
            return across * PITCH + BcsrColumns<T, TILES>::begin(PITCH, lane);
        else
            return across + Block::template rows_of<TILES>(PITCH, lane);
    }
    static constexpr int BLOCK_STEP = IS_COLUMNS ? Block::COLUMNS : Block::COLUMNS * PITCH;
};

// Multiplies blocks FIRST .. FIRST + COUNT - 1 of a warp's block rows by a block column of B.
template <typename Shape, int FIRST, int COUNT>
__device__ __forceinline__ void
    multiply_block(typename Value<typename Shape::T>::Sum (&sums)[Shape::HEIGHT][Shape::TILES][4],
                   const typename Shape::Block (&blocks)[Shape::HEIGHT], const typename Shape::T *b)
{
    if constexpr (Shape::IS_COLUMNS)
        Shape::Block::template multiply_columns<FIRST, COUNT>(
            sums, blocks, BcsrColumns<typename Shape::T, Shape::TILES>(b, Shape::PITCH));
    else
        Shape::Block::template multiply<FIRST, COUNT>(sums, blocks, b, Shape::PITCH);
}

// Multiplies a step's blocks of a warp. Bit 4 i + q of mask is set if block row i of the warp has a block in
// block column q; IS_FULL: it has all blocks. values: the contiguous blocks.
template <typename Shape, bool IS_FULL>
__device__ __forceinline__ void
    multiply_blocks(typename Value<typename Shape::T>::Sum (&sums)[Shape::HEIGHT][Shape::TILES][4],
                    uint32_t mask, const typename Shape::T *rows, const typename Shape::T *values)
{
    using Block = typename Shape::Block;
    constexpr int HEIGHT = Shape::HEIGHT, STEP = (int)SPMMI_BCSR_STEP;
    const typename Shape::T *second = values + (IS_FULL ? STEP : __popc(mask & 15)) * Shape::VALUES;
#pragma unroll
    for (int q = 0; q < STEP; q++) {
        const typename Shape::T *b = rows + q * Shape::BLOCK_STEP;
        const bool has_first = IS_FULL || (mask >> q & 1) != 0;
        const bool has_second = HEIGHT > 1 && (IS_FULL || (mask >> (STEP + q) & 1) != 0);
        Block blocks[HEIGHT];
        if (has_first) {
            blocks[0].load(values);
            values += Shape::VALUES;
        }
        if constexpr (HEIGHT == 1) {
            if (has_first)
                multiply_block<Shape, 0, 1>(sums, blocks, b);
        } else {
            if (has_second) {
                blocks[1].load(second);
                second += Shape::VALUES;
            }
            if (has_first && has_second)
                multiply_block<Shape, 0, 2>(sums, blocks, b);
            else if (has_first)
                multiply_block<Shape, 0, 1>(sums, blocks, b);
            else if (has_second)
                multiply_block<Shape, 1, 1>(sums, blocks, b);
        }
    }
}

// Multiplies a step's blocks of a warp together with its warpgroup (bcsr_wgmma.cuh).
// values: the lane's values.
template <typename Shape>
__device__ __forceinline__ void multiply_together(float (&sums)[Shape::TILES][4], uint32_t mask,
                                                  const unsigned char *rows, const typename Shape::T *values);

// Multiplies a step of a warp. skipped: number of blocks of the block-row group in front of the warp's
// blocks. first_of_a, first_of_b: where the lane begins to read.
template <typename Shape>
__device__ __forceinline__ void
    multiply_step(typename Value<typename Shape::T>::Sum (&sums)[Shape::HEIGHT][Shape::TILES][4],
                  uint32_t mask, const unsigned char *stage, uint32_t skipped, int first_of_a, int first_of_b)
{
    using T = typename Shape::T;
    constexpr uint32_t FULL = Shape::HEIGHT == 1 ? 0xfu : 0xffu;
    const T *values =
        reinterpret_cast<const T *>(stage + Shape::B_BYTES) + first_of_a + skipped * Shape::VALUES;
    const T *rows = reinterpret_cast<const T *>(stage) + first_of_b;
    mask &= FULL;
    if constexpr (Shape::IS_WARPGROUP) {
        multiply_together<Shape>(sums[0], mask, stage, values);
    } else {
        if (mask == FULL) // no branches, so loads of all blocks can be in flight at once
            multiply_blocks<Shape, true>(sums, mask, rows, values);
        else if (mask != 0)
            multiply_blocks<Shape, false>(sums, mask, rows, values);
    }
}

// An item and a tile of a thread block. A thread block that is not persistent has only this pair.
struct BcsrWork {
    struct spmmi_tcblock_item item;
    uint32_t tile;
};

// Returns pair number `work` of item and tile: all items with the first `turn` tiles, then all
// items with the next tiles.
template <typename Shape>
__device__ __forceinline__ BcsrWork read_work(const TcblockArgs<typename Shape::T> &a,
                                              const struct spmmi_bcsr_order &order, uint32_t work)
{
    uint32_t first = 0, width = order.tiles; // tiles of a turn
    if (order.turn < order.tiles) {
        const uint32_t turns = a.item_count * order.turn;
        first = work / turns * order.turn;
        width = min(order.turn, order.tiles - first);
        work %= turns;
    }
    return {read_item(a, work / width), (first + work % width) * Shape::COLUMNS};
}

// Copies the items and tiles after the first one, in the warps that copy. They run ahead
// while other warps store sums.
template <typename Shape>
__device__ __forceinline__ void copy_next_work(BcsrRing<Shape> &ring, const TcblockArgs<typename Shape::T> &a,
                                               const struct spmmi_bcsr_order &order)
{
    for (uint32_t i = blockIdx.x + gridDim.x; i < a.item_count * order.tiles; i += gridDim.x) {
        const BcsrWork work = read_work<Shape>(a, order, i);
        if (work.item.begin < work.item.end)
            copy_item<Shape>(ring, a, work.item, read_step(a, work.item.begin, work.item.end), work.tile);
    }
}

// Computes the sums of a warp: block rows from w on, columns of the tile from `across` on.
template <typename Shape>
__device__ __forceinline__ void
multiply_work(BcsrRing<Shape> &ring, const TcblockArgs<typename Shape::T> &a,
              const struct spmmi_tcblock_item &item, int w, uint32_t across,
              typename Value<typename Shape::T>::Sum (&sums)[Shape::HEIGHT][Shape::TILES][4])
{
    const int lane = threadIdx.x % 32;
    const int first_of_a = Shape::Block::values_of(lane);
    const int first_of_b = Shape::first_of_b((int)across, lane);
    uint32_t masks = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < item.end - item.begin; i++) {
        const uint32_t mask = mask_of_step(a, item, i, masks);
        const uint32_t skipped = __popc(mask & ((1u << 4 * w) - 1));
        ring.wait_until_full();
        multiply_step<Shape>(sums, mask >> 4 * w, ring.stage(), skipped, first_of_a, first_of_b);
        ring.release();
        ring.advance();
    }
}

// Computes the items and tiles of a thread block. map: the tensor map of B if boxes
// of B are copied, else null.
template <typename Shape>
__device__ __forceinline__ void bcsr_product(const TcblockArgs<typename Shape::T> &a,
                                             const struct spmmi_bcsr_order &order, const CUtensorMap *map)
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    constexpr int HEIGHT = Shape::HEIGHT;
    constexpr bool IS_PERSISTENT = Shape::RESIDENT > 0;
    extern __shared__ __align__(1024) unsigned char memory[];
    const int w = threadIdx.x / 32 % Shape::DOWN * HEIGHT; // first block row of the warp
    const uint32_t across = threadIdx.x / 32 / Shape::DOWN * Shape::WARP_COLUMNS; // first column of the warp
    BcsrRing<Shape> ring(memory, memory + BCSR_BARRIER_BYTES, a.step_blocks_max, map);
    release_dependents();
    BcsrWork work = read_work<Shape>(a, order, blockIdx.x);
    if (begin_item(ring, a, work.item, work.tile)) {
        if constexpr (IS_PERSISTENT)
            copy_next_work(ring, a, order);
        return;
    }
    uint32_t next = blockIdx.x;
    do {
        uint32_t c_rows[HEIGHT][2]; // read early to hide the latency; not used if column-major
#pragma unroll
        for (int i = 0; i < HEIGHT; i++)
            rows_of_block_row(a, work.item, w + i, c_rows[i]);
        Sum sums[HEIGHT][Shape::TILES][4] = {};
        multiply_work<Shape>(ring, a, work.item, w, across, sums);
        Sum *kept = nullptr; // sums from the warp's first column on
        if constexpr (Shape::IS_COLUMNS) {
            join_multipliers<Shape>(); // sums overwrite the stages
            kept = reinterpret_cast<Sum *>(memory + BCSR_BARRIER_BYTES) +
                   across * KEPT_PITCH<BCSR_UNIT_ROWS<Shape>>;
        }
#pragma unroll
        for (int i = 0; i < HEIGHT; i++)
            finish_block_row<Shape>(a, work.item, w + i, c_rows[i], work.tile + across, sums[i], kept);
        if constexpr (Shape::IS_COLUMNS) {
            join_multipliers<Shape>();
            store_columns<T, BCSR_UNIT_ROWS<Shape>, Shape::COLUMNS, Shape::WARPS>(
                a, work.item, work.tile, reinterpret_cast<const Sum *>(memory + BCSR_BARRIER_BYTES));
        }
        next += gridDim.x;
        if (IS_PERSISTENT && next < a.item_count * order.tiles)
            work = read_work<Shape>(a, order, next);
    } while (IS_PERSISTENT && next < a.item_count * order.tiles);
    end_after_previous();
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
    bcsr_kernel(const __grid_constant__ TcblockArgs<typename Shape::T> a, struct spmmi_bcsr_order order)
{
    bcsr_product<Shape>(a, order, nullptr);
}

} // namespace spmmi
