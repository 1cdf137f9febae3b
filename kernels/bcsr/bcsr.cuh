// SPDX-License-Identifier: Apache-2.0
// bcsr family: a thread block owns an item, steps of a block-row group of DOWN * HEIGHT block rows of 16 rows, and a
// tile of columns of C. It has DOWN * ACROSS warps that multiply, each HEIGHT block rows by 8 * TILES columns, and
// COPIERS, warps that only copy. They run up to STAGES steps ahead: the rows of B that a step's block columns need,
// which all warps share, and the step's blocks of A, which lie one behind the other in memory.
#pragma once
#include "bcsr_operands.cuh"
#include "bcsr_shape.h"
#include "kernels/shared/barrier.cuh"
#include "kernels/tcblock/tcblock_sums.cuh"

namespace spmmi {

constexpr int BCSR_BARRIER_BYTES = SPMMI_BCSR_BARRIER_BYTES;

template <typename Block_, int DOWN_, int ACROSS_, int HEIGHT_, int TILES_, int STAGES_, bool IS_WIDE_>
struct BcsrShape {
    using Block = Block_;
    using T = typename Block::T;
    static constexpr int DOWN = DOWN_, ACROSS = ACROSS_, HEIGHT = HEIGHT_, TILES = TILES_, STAGES = STAGES_;
    static constexpr int WARPS = DOWN * ACROSS;
    static constexpr bool IS_WIDE = IS_WIDE_;
    static_assert(2 * STAGES * (int)sizeof(Barrier) <= BCSR_BARRIER_BYTES, "barriers fit");
    static constexpr int COPIERS = SPMMI_BCSR_COPIERS, COPY_THREADS = 32 * COPIERS;
    static constexpr int THREADS = 32 * WARPS + COPY_THREADS;
    static constexpr int WARP_COLUMNS = 8 * TILES, COLUMNS = ACROSS * WARP_COLUMNS; // of the tile of C
    static constexpr int VALUES = (int)SPMMI_BCSR_ROWS * Block::COLUMNS;
    static constexpr int BLOCK_BYTES = (int)spmmi_bcsr_block_bytes(sizeof(T));
    static constexpr int ROWS = (int)SPMMI_BCSR_STEP * Block::COLUMNS; // of B, of a step
    static constexpr int PIECE = 16 / (int)sizeof(T);                  // values in 16 bytes
    static constexpr int ROW_BYTES = COLUMNS * (int)sizeof(T);
    static constexpr int PITCH_BYTES = (int)spmmi_bcsr_pitch(COLUMNS, sizeof(T), 0);
    // Threads that copy have a piece of 16 bytes of a row of B each, together AT_ONCE rows.
    static constexpr int PIECES = ROW_BYTES / 16, AT_ONCE = COPY_THREADS / PIECES;
    static constexpr int STAGE_ALIGN = (int)spmmi_bcsr_align(0);
    static constexpr bool IS_WARPGROUP = false;
    // Where 16 bytes of a row of B go.
    static __device__ __forceinline__ uint32_t position(uint32_t row, uint32_t piece)
    {
        return row * PITCH_BYTES + piece * 16;
    }
    static constexpr int PITCH = PITCH_BYTES / (int)sizeof(T);
    static constexpr int B_BYTES = (int)spmmi_bcsr_b_bytes(COLUMNS, sizeof(T), 0);
    // Sums of a row that a lane finds side by side.
    static constexpr int VEC = sizeof(T) == 2 ? 1 : BCSR_VEC<TILES, T>;
    static constexpr int GROUPS = TILES * 2 / (VEC == 1 ? 2 : VEC), GROUP = VEC == 1 ? 2 : VEC;
};

// Of a stage that holds so many blocks at most.
template <typename Shape> __host__ __device__ __forceinline__ uint32_t bcsr_stage_bytes(uint32_t blocks)
{
    return spmmi_bcsr_stage_bytes(Shape::B_BYTES, Shape::BLOCK_BYTES, Shape::STAGE_ALIGN, blocks);
}

struct BcsrStep {
    uint4 columns;       // the first one of each block column
    uint32_t first, end; // blocks
};

// Of 32 steps a lane has one, so that one load serves them all.
template <typename T>
__device__ __forceinline__ BcsrStep read_step(const TcblockArgs<T> &a, uint32_t step, uint32_t end)
{
    const uint32_t mine = min(step + threadIdx.x % 32, end - 1);
    return {__ldg(reinterpret_cast<const uint4 *>(a.columns) + mine), __ldg(a.block_first + mine),
            __ldg(a.block_first + mine + 1)};
}

// At least one block, and no more than there are, and than a stage has.
template <typename T> __device__ __forceinline__ void cut_blocks(BcsrStep &step, const TcblockArgs<T> &a)
{
    step.first = min(step.first, a.block_count - 1);
    step.end = max(min(min(step.end, a.block_count), step.first + a.step_blocks_max), step.first + 1);
}

__device__ __forceinline__ BcsrStep step_of_lane(const BcsrStep &steps, int lane)
{
    constexpr unsigned ALL = 0xffffffffu;
    return {{__shfl_sync(ALL, steps.columns.x, lane), __shfl_sync(ALL, steps.columns.y, lane),
             __shfl_sync(ALL, steps.columns.z, lane), __shfl_sync(ALL, steps.columns.w, lane)},
            __shfl_sync(ALL, steps.first, lane),
            __shfl_sync(ALL, steps.end, lane)};
}

// What a thread that copies needs for all steps.
template <typename Shape> struct BcsrCopier {
    using T = typename Shape::T;
    const TcblockArgs<T> &a;
    uint32_t thread, row, column; // index among those threads, its first row of a step, its first column
    bool is_wanted;               // the column is one of B

    __device__ __forceinline__ BcsrCopier(const TcblockArgs<T> &args, uint32_t tile) : a(args)
    {
        thread = threadIdx.x - 32 * Shape::WARPS;
        row = thread / Shape::PIECES;
        column = tile + thread % Shape::PIECES * Shape::PIECE;
        is_wanted = column < a.n;
    }

    // The thread's piece of row k of B to row `row + first` of the stage; rows beyond those of B, whose values of A are
    // zero, are the last one.
    __device__ __forceinline__ void copy_piece(unsigned char *stage, int first, uint32_t k) const
    {
        T *to = reinterpret_cast<T *>(stage + Shape::position(row + first, thread % Shape::PIECES));
        const T *from = row_of_b(a, k) + column;
        if constexpr (Shape::IS_WIDE) {
            copy_async_if(to, from, is_wanted);
        } else {
            for (int j = 0; j < Shape::PIECE; j++) {
                if (column + j < a.n)
                    to[j] = __ldg(from + j);
            }
        }
    }

    // The rows of B of a step. A block column that repeats the one before is padding: no block of A uses it, and it is
    // not copied. Warpgroups multiply it by zero, so for them it is copied: stale data might be NaN, and 0 * NaN is
    // NaN.
    __device__ __forceinline__ void copy_rows(unsigned char *stage, const uint4 &columns) const
    {
        constexpr int WIDTH = Shape::Block::COLUMNS, AT_ONCE = Shape::AT_ONCE;
        static_assert(AT_ONCE <= WIDTH || !Shape::IS_WARPGROUP, "warpgroups find all rows");
        const uint32_t first[5] = {SPMMI_TCBLOCK_NONE, columns.x, columns.y, columns.z, columns.w};
        if constexpr (AT_ONCE <= WIDTH) {
#pragma unroll
            for (int q = 0; q < (int)SPMMI_BCSR_STEP; q++) {
                if (!Shape::IS_WARPGROUP && first[q + 1] == first[q])
                    continue;
#pragma unroll
                for (int i = 0; i < WIDTH; i += AT_ONCE)
                    copy_piece(stage, q * WIDTH + i, first[q + 1] + i + row);
            }
        } else {
#pragma unroll
            for (int i = 0; i < Shape::ROWS; i += AT_ONCE) {
                const int q = (i + (int)row) / WIDTH;
                const uint32_t mine = q == 0 ? first[1] : q == 1 ? first[2] : q == 2 ? first[3] : first[4];
                const uint32_t before = q == 0 ? first[0] : q == 1 ? first[1] : q == 2 ? first[2] : first[3];
                if (mine != before)
                    copy_piece(stage, i, mine + row % WIDTH);
            }
        }
    }

    // Rows of B and blocks of A of a step.
    __device__ __forceinline__ void copy_step(unsigned char *stage, Barrier *full, const BcsrStep &step) const
    {
        copy_span(stage + Shape::B_BYTES,
                  reinterpret_cast<const unsigned char *>(a.values) +
                      uint64_t(step.first) * Shape::BLOCK_BYTES,
                  (step.end - step.first) * (uint32_t)Shape::BLOCK_BYTES, full, thread, Shape::COPY_THREADS);
        copy_rows(stage, step.columns);
        if constexpr (Shape::IS_WIDE) {
            arrive_after_copies(full);
        } else {
            commit_copies();
            wait_for_copies<0>();
            arrive(full);
        }
    }
};

// What the warps that copy do.
template <typename Shape>
__device__ __forceinline__ void copy_item(unsigned char *stages, uint32_t stage_bytes, Barrier *full,
                                          Barrier *empty, const TcblockArgs<typename Shape::T> &a,
                                          const struct spmmi_tcblock_item &item, uint32_t tile)
{
    if (item.begin >= item.end)
        return;
    const BcsrCopier<Shape> copier(a, tile);
    BcsrStep steps = read_step(a, item.begin, item.end), next = steps;
    uint32_t stage = 0, parity = 1; // all stages are empty at first: the phase before the first one
#pragma unroll 1
    for (uint32_t i = 0; i < item.end - item.begin; i++) {
        if (i % 32 == 0) {
            steps = next;
            cut_blocks(steps, a);
            next = read_step(a, item.begin + i + 32 < item.end ? item.begin + i + 32 : item.begin, item.end);
        }
        const BcsrStep step = step_of_lane(steps, (int)(i % 32));
        wait_for_phase(&empty[stage], parity);
        copier.copy_step(stages + stage * stage_bytes, &full[stage], step);
        if (++stage == Shape::STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
}

// The sums of row r of block row w, from the stored values of A alone, over an item's steps. Rare, so it may be slow.
template <typename Shape, int N>
__device__ __noinline__ void
sum_blocks_exactly(const TcblockArgs<typename Shape::T> &a, const struct spmmi_tcblock_item &item, int w,
                   int r, uint32_t column, typename Value<typename Shape::T>::Sum (&sums)[N])
{
    using T = typename Shape::T;
    constexpr int WIDTH = Shape::Block::COLUMNS;
    for (int i = 0; i < N; i++)
        sums[i] = 0;
#pragma unroll 1 // few registers: the kernel has as many as this needs
    for (uint32_t step = item.begin; step < item.end; step++) {
        const uint32_t mask = a.masks[step];
        uint32_t next = a.block_first[step] + __popc(mask & ((1u << 4 * w) - 1));
#pragma unroll 1
        for (int q = 0; q < (int)SPMMI_BCSR_STEP; q++) {
            if ((mask >> (4 * w + q) & 1) == 0)
                continue;
            const uint64_t block = min(next++, a.block_count - 1);
#pragma unroll 1
            for (int p = 0; p < WIDTH; p++) {
                const int bit = r * WIDTH + p;
                if ((a.bitmaps[block * (WIDTH / 4) + bit / 64] >> bit % 64 & 1) == 0)
                    continue;
                const auto value = Value<T>::widen(
                    a.values[block * Shape::VALUES + spmmi_tcblock_wide_position(sizeof(T), r, p)]);
                const T *b = row_of_b(a, a.columns[4 * uint64_t(step) + q] + p);
                for (int j = 0; j < N; j++) {
                    if (column + j < a.n)
                        sums[j] = fma(value, Value<T>::widen(b[column + j]), sums[j]);
                }
            }
        }
    }
}

// Rows g and g + 8 of block row w.
template <typename Shape>
__device__ __forceinline__ void
finish_block_row(const TcblockArgs<typename Shape::T> &a, const struct spmmi_tcblock_item &item, int w,
                 const uint32_t (&c_rows)[2], uint32_t tile,
                 const typename Value<typename Shape::T>::Sum (&sums)[Shape::TILES][4])
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    constexpr int VEC = Shape::VEC, GROUP = Shape::GROUP, GROUPS = Shape::GROUPS;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        // Columns 8 VEC q + 2 VEC t + VEC i + j are sum i of MMA VEC q + j.
        Sum row[GROUPS][GROUP];
#pragma unroll
        for (int m = 0; m < Shape::TILES; m++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int position = 2 * VEC * (m / VEC) + VEC * i + m % VEC;
                row[position / GROUP][position % GROUP] = sums[m][2 * h + i];
            }
        }
        const int r = g + 8 * h;
        finish_row<T, GROUP, GROUPS>(
            a, item, (uint32_t)((int)SPMMI_BCSR_ROWS * w + r), c_rows[h], tile + 2 * VEC * t, row,
            [](int q) { return VEC == 1 ? uint32_t(8 * q) : uint32_t(8 * VEC * (q / 2) + VEC * (q % 2)); },
            [&](uint32_t column, Sum(&group)[GROUP]) {
                sum_blocks_exactly<Shape, GROUP>(a, item, w, r, column, group);
            });
    }
}

// A step's blocks of a warp: bit 4 i + q of mask says that block row i of the warp has one in block column q, IS_FULL
// that it has all; values: they follow each other.
template <typename Shape, bool IS_FULL>
__device__ __forceinline__ void
    multiply_blocks(typename Value<typename Shape::T>::Sum (&sums)[Shape::HEIGHT][Shape::TILES][4],
                    uint32_t mask, const typename Shape::T *rows, const typename Shape::T *values)
{
    using Block = typename Shape::Block;
    constexpr int HEIGHT = Shape::HEIGHT, PITCH = Shape::PITCH, STEP = (int)SPMMI_BCSR_STEP;
    const typename Shape::T *second = values + (IS_FULL ? STEP : __popc(mask & 15)) * Shape::VALUES;
#pragma unroll
    for (int q = 0; q < STEP; q++) {
        const typename Shape::T *b = rows + q * Block::COLUMNS * PITCH;
        const bool has_first = IS_FULL || (mask >> q & 1) != 0;
        const bool has_second = HEIGHT > 1 && (IS_FULL || (mask >> (STEP + q) & 1) != 0);
        Block blocks[HEIGHT];
        if (has_first) {
            blocks[0].load(values);
            values += Shape::VALUES;
        }
        if constexpr (HEIGHT == 1) {
            if (has_first)
                Block::template multiply<0, 1>(sums, blocks, b, PITCH);
        } else {
            if (has_second) {
                blocks[1].load(second);
                second += Shape::VALUES;
            }
            if (has_first && has_second)
                Block::template multiply<0, 2>(sums, blocks, b, PITCH);
            else if (has_first)
                Block::template multiply<0, 1>(sums, blocks, b, PITCH);
            else if (has_second)
                Block::template multiply<1, 1>(sums, blocks, b, PITCH);
        }
    }
}

// The same by a warpgroup (bcsr_wgmma.cuh); values: of the lane.
template <typename Shape>
__device__ __forceinline__ void multiply_together(float (&sums)[Shape::TILES][4], uint32_t mask,
                                                  const unsigned char *rows, const typename Shape::T *values);

// A step of a warp: the blocks of its block-row group that come before its own are `skipped`; first_of_a, first_of_b:
// where the lane begins to read.
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
        if (mask == FULL) // no branches: loads of all blocks may be on their way at once
            multiply_blocks<Shape, true>(sums, mask, rows, values);
        else if (mask != 0)
            multiply_blocks<Shape, false>(sums, mask, rows, values);
    }
}

template <typename Shape>
__global__ void __launch_bounds__(Shape::THREADS)
    bcsr_kernel(const __grid_constant__ TcblockArgs<typename Shape::T> a, uint32_t tiles)
{
    using T = typename Shape::T;
    using Sum = typename Value<T>::Sum;
    constexpr int STAGES = Shape::STAGES, HEIGHT = Shape::HEIGHT;
    extern __shared__ __align__(1024) unsigned char memory[];
    Barrier *full = reinterpret_cast<Barrier *>(memory), *empty = full + STAGES;
    unsigned char *shared = memory + BCSR_BARRIER_BYTES;
    const int lane = threadIdx.x % 32,
              w = threadIdx.x / 32 % Shape::DOWN * HEIGHT; // w: the warp's first block row
    const uint32_t across = threadIdx.x / 32 / Shape::DOWN * Shape::WARP_COLUMNS; // its first column
    const uint32_t tile = blockIdx.x % tiles * Shape::COLUMNS;
    const uint32_t stage_bytes = bcsr_stage_bytes<Shape>(a.step_blocks_max);
    release_dependents();
    const struct spmmi_tcblock_item item = read_item(a, blockIdx.x / tiles);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init_barrier(&full[i], Shape::COPY_THREADS + SPAN_ARRIVALS);
            init_barrier(&empty[i], Shape::WARPS);
        }
    }
    // Columns past n are read, though not used: they must not be NaN.
    if (tile + Shape::COLUMNS > a.n) {
        for (uint32_t i = threadIdx.x; i < STAGES * stage_bytes / 16; i += Shape::THREADS)
            reinterpret_cast<uint4 *>(shared)[i] = make_uint4(0, 0, 0, 0);
        publish_writes();
    }
    publish_barriers();
    if (threadIdx.x >= 32 * Shape::WARPS) {
        copy_item<Shape>(shared, stage_bytes, full, empty, a, item, tile);
        return;
    }
    uint32_t c_rows[HEIGHT][2]; // read early, which hides the latency
#pragma unroll
    for (int i = 0; i < HEIGHT; i++) {
        const uint32_t *rows_of_c =
            a.row_of + uint64_t(item.unit) * a.unit_rows + SPMMI_BCSR_ROWS * (w + i) + lane / 4;
        c_rows[i][0] = __ldg(rows_of_c);
        c_rows[i][1] = __ldg(rows_of_c + 8);
    }
    const int first_of_a = Shape::Block::values_of(lane);
    const int first_of_b =
        Shape::IS_WARPGROUP ? 0
                            : (int)across + Shape::Block::template rows_of<Shape::TILES>(Shape::PITCH, lane);
    Sum sums[HEIGHT][Shape::TILES][4] = {};
    uint32_t stage = 0, parity = 0, masks = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < item.end - item.begin; i++) {
        if (i % 32 == 0) {
            masks = __ldg(a.masks + min(item.begin + i + lane, item.end - 1));
            if (__popc(masks) > a.step_blocks_max) // more blocks than a stage has
                masks = 0;
        }
        const uint32_t mask = __shfl_sync(0xffffffffu, masks, (int)(i % 32));
        const uint32_t skipped = __popc(mask & ((1u << 4 * w) - 1));
        wait_for_phase(&full[stage], parity);
        multiply_step<Shape>(sums, mask >> 4 * w, shared + stage * stage_bytes, skipped, first_of_a,
                             first_of_b);
        __syncwarp();
        if (lane == 0)
            arrive(&empty[stage]);
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
#pragma unroll
    for (int i = 0; i < HEIGHT; i++)
        finish_block_row<Shape>(a, item, w + i, c_rows[i], tile + across, sums[i]);
    end_after_previous();
}

} // namespace spmmi
