// SPDX-License-Identifier: Apache-2.0
// bcsr family: the work of the warps that only copy, and the ring of stages.
#pragma once
#include "bcsr_shape.h"
#include "kernels/shared/tensor_map.cuh"
#include "kernels/tcblock/tcblock_sums.cuh"

namespace spmmi {

constexpr int BCSR_BARRIER_BYTES = SPMMI_BCSR_BARRIER_BYTES;

// Returns the bytes of a stage that holds at most `blocks` blocks.
template <typename Shape> __host__ __device__ __forceinline__ uint32_t bcsr_stage_bytes(uint32_t blocks)
{
    return spmmi_bcsr_stage_bytes(Shape::B_BYTES, Shape::BLOCK_BYTES, Shape::STAGE_ALIGN, blocks);
}

struct BcsrStep {
    uint4 columns;       // first column of each block column
    uint32_t first, end; // range of blocks
};

// Reads 32 steps from `step` on, one per lane, so that one load serves them all.
template <typename T>
__device__ __forceinline__ BcsrStep read_step(const TcblockArgs<T> &a, uint32_t step, uint32_t end)
{
    const uint32_t mine = min(step + threadIdx.x % 32, end - 1);
    return {__ldg(reinterpret_cast<const uint4 *>(a.columns) + mine), __ldg(a.block_first + mine),
            __ldg(a.block_first + mine + 1)};
}

// Limits the blocks of a step to at least one, and to the existing blocks and the size of a stage.
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

// State of a thread that copies, for all steps of an item.
template <typename Shape> struct BcsrCopier {
    using T = typename Shape::T;
    const TcblockArgs<T> &a;
    // Index among the threads that copy, its first row of a step, its first column.
    uint32_t thread, row, column;
    bool is_wanted; // the column is within B

    __device__ __forceinline__ BcsrCopier(const TcblockArgs<T> &args, uint32_t tile) : a(args)
    {
        thread = threadIdx.x - 32 * Shape::WARPS;
        row = thread / Shape::PIECES;
        column = tile + thread % Shape::PIECES * Shape::PIECE;
        is_wanted = column < a.n;
    }

    // Copies the thread's piece of row k of B to row `row + first` of the stage. Rows beyond B, which meet
    // only zeros of A, repeat the last row.
    __device__ __forceinline__ void copy_piece(unsigned char *stage, int first, uint32_t k) const
    {
        T *to = reinterpret_cast<T *>(stage + Shape::position(row + first, thread % Shape::PIECES));
        const T *from = row_of_b(a, k) + column;
        if constexpr (Shape::RESIDENT > 0) {
            // Zero fill: the stage may have columns of another tile.
            copy_async_part(to, from, is_wanted ? 16 : 0);
        } else if constexpr (Shape::IS_WIDE) {
            copy_async_if(to, from, is_wanted);
        } else {
            for (int j = 0; j < Shape::PIECE; j++) {
                if (column + j < a.n)
                    to[j] = __ldg(from + j);
            }
        }
    }

    // Copies the rows of B of a step. A block column that repeats the one before is padding without
    // blocks and is not copied. Warpgroups multiply padding by zero, so for them it is copied: stale data
    // might be NaN, and 0 * NaN is NaN.
    __device__ __forceinline__ void copy_b(unsigned char *stage, const uint4 &columns) const
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
};

// Copies column-major B by words of BYTES. A thread copies a word of every AT_ONCE-th column of the tile.
template <typename Shape, int BYTES> struct BcsrColumnCopier {
    using T = typename Shape::T;
    static constexpr uint32_t VALUES = BYTES / sizeof(T), WORDS = Shape::PIECES * 16 / BYTES;
    static constexpr uint32_t OF_BLOCK = WORDS / SPMMI_BCSR_STEP; // words of a block column in a column of B
    static constexpr int AT_ONCE = Shape::COPY_THREADS / (int)WORDS;
    const TcblockArgs<T> &a;
    uint32_t thread, word, first, column; // first: its first column in the tile; column: the same in B

    __device__ __forceinline__ BcsrColumnCopier(const TcblockArgs<T> &args, uint32_t tile) : a(args)
    {
        thread = threadIdx.x - 32 * Shape::WARPS;
        word = thread % WORDS;
        first = thread / WORDS;
        column = tile + first;
    }

    // Copies the columns of B of a step. Rows and columns beyond B become 0. Padding is handled as above. A
    // damaged table may have a column at which no block column begins; words stay aligned even then.
    __device__ __forceinline__ void copy_b(unsigned char *stage, const uint4 &columns) const
    {
        const uint32_t q = word / OF_BLOCK, piece = word * BYTES / 16;
        const uint32_t mine = q == 0 ? columns.x : q == 1 ? columns.y : q == 2 ? columns.z : columns.w;
        const uint32_t before = q == 1 ? columns.x : q == 2 ? columns.y : columns.z;
        const uint32_t block_column = mine & ~uint32_t(Shape::Block::COLUMNS - 1);
        const uint32_t k = block_column + word % OF_BLOCK * VALUES;
        const uint32_t rows = k < a.cols ? min(a.cols - k, VALUES) : 0; // more would not fit into a word
        const uint32_t bytes = rows * (uint32_t)sizeof(T);
        const T *from = a.b + column * a.ldb + (rows > 0 ? k : 0);
        if (!Shape::IS_WARPGROUP && q > 0 && mine == before)
            return;
#pragma unroll
        for (int i = 0; i < Shape::COLUMNS; i += AT_ONCE) {
            copy_async_part<BYTES>(stage + Shape::position(first + i, piece) + word * BYTES % 16, from,
                                   column + i < a.n ? bytes : 0);
            from += AT_ONCE * a.ldb;
        }
    }
};

// Copies row-major B with the TMA, for warpgroups. One lane of the only warp that copies issues the copies:
// for each block column, boxes of 64 columns of its rows of B, and all blocks of A in one copy.
template <typename Shape> struct BcsrBoxCopier {
    using T = typename Shape::T;
    const TcblockArgs<T> &a;
    const CUtensorMap *map;
    uint32_t tile;
};

// Copies the rows of B and the blocks of A of a step.
template <typename Shape>
__device__ __forceinline__ void copy_step(const BcsrBoxCopier<Shape> &copier, unsigned char *stage,
                                          Barrier *full, const BcsrStep &step)
{
    constexpr int BOXES = Shape::COLUMNS / Shape::BOX_COLUMNS, BOX_PIECES = Shape::BOX_COLUMNS / Shape::PIECE;
    const uint32_t first[4] = {step.columns.x, step.columns.y, step.columns.z, step.columns.w};
    const uint32_t bytes = (step.end - step.first) * (uint32_t)Shape::BLOCK_BYTES;
    const auto *values = reinterpret_cast<const unsigned char *>(copier.a.values);
    if (threadIdx.x % 32 == 0) {
        arrive_and_expect(full, Shape::B_BYTES + bytes);
#pragma unroll
        for (int i = 0; i < (int)SPMMI_BCSR_STEP * BOXES; i++) {
            const int q = i % (int)SPMMI_BCSR_STEP, box = i / (int)SPMMI_BCSR_STEP;
            copy_box(stage + Shape::position(q * Shape::Block::COLUMNS, box * BOX_PIECES), copier.map,
                     copier.tile + box * Shape::BOX_COLUMNS, first[q], full);
        }
        copy_bulk(stage + Shape::B_BYTES, values + uint64_t(step.first) * Shape::BLOCK_BYTES, bytes, full);
    }
    __syncwarp();
}

template <typename Shape, typename Copier>
__device__ __forceinline__ void copy_step(const Copier &copier, unsigned char *stage, Barrier *full,
                                          const BcsrStep &step)
{
    const auto &a = copier.a;
    copy_span(stage + Shape::B_BYTES,
              reinterpret_cast<const unsigned char *>(a.values) + uint64_t(step.first) * Shape::BLOCK_BYTES,
              (step.end - step.first) * (uint32_t)Shape::BLOCK_BYTES, full, copier.thread,
              Shape::COPY_THREADS);
    copier.copy_b(stage, step.columns);
    if constexpr (Shape::IS_WIDE) {
        arrive_after_copies(full);
    } else {
        commit_copies();
        wait_for_copies<0>();
        arrive(full);
    }
}

// The stages of a thread block, which are filled and used in turn, and the barriers that
// signal full and empty stages.
template <typename Shape> struct BcsrRing {
    Barrier *full, *empty;
    unsigned char *stages;
    uint32_t stage_bytes, at = 0, parity = 0;
    const CUtensorMap *map; // tensor map of B if boxes are copied

    __device__ __forceinline__ BcsrRing(unsigned char *barriers, unsigned char *first, uint32_t blocks,
                                        const CUtensorMap *map_of_b = nullptr)
        : full(reinterpret_cast<Barrier *>(barriers)), empty(full + Shape::STAGES), stages(first),
          stage_bytes(bcsr_stage_bytes<Shape>(blocks)), map(map_of_b)
    {
    }
    // Initialises the barriers; called by all threads. Columns past n are read although not used, so they
    // must not be NaN. If they are not copied, they become 0 here.
    __device__ __forceinline__ void make(bool has_columns_past_n) const
    {
        if (threadIdx.x == 0) {
            for (int i = 0; i < Shape::STAGES; i++) {
                init_barrier(&full[i], Shape::HAS_MAP ? 1 : Shape::COPY_THREADS + SPAN_ARRIVALS);
                init_barrier(&empty[i], Shape::WARPS);
            }
        }
        if (has_columns_past_n) {
            for (uint32_t i = threadIdx.x; i < Shape::STAGES * stage_bytes / 16; i += Shape::THREADS)
                reinterpret_cast<uint4 *>(stages)[i] = make_uint4(0, 0, 0, 0);
            publish_writes();
        }
        publish_barriers();
    }
    __device__ __forceinline__ unsigned char *stage() const
    {
        return stages + at * stage_bytes;
    }
    __device__ __forceinline__ void wait_until_full() const
    {
        wait_for_phase(&full[at], parity);
    }
    __device__ __forceinline__ void wait_until_empty() const // all stages are empty at first
    {
        wait_for_phase(&empty[at], parity ^ 1);
    }
    // Releases the stage; called by a warp that has finished reading it.
    __device__ __forceinline__ void release() const
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&empty[at]);
    }
    __device__ __forceinline__ void advance()
    {
        if (++at == Shape::STAGES) {
            at = 0;
            parity ^= 1;
        }
    }
};

// Copies all steps of an item. first: the item's first 32 steps.
template <typename Shape, typename Copier>
__device__ __forceinline__ void copy_steps(BcsrRing<Shape> &ring, const struct spmmi_tcblock_item &item,
                                           const BcsrStep &first, const Copier &copier)
{
    const auto &a = copier.a;
    BcsrStep steps = first, next = first;
#pragma unroll 1
    for (uint32_t i = 0; i < item.end - item.begin; i++) {
        if (i % 32 == 0) {
            steps = next;
            cut_blocks(steps, a);
            next = read_step(a, item.begin + i + 32 < item.end ? item.begin + i + 32 : item.begin, item.end);
        }
        const BcsrStep step = step_of_lane(steps, (int)(i % 32));
        ring.wait_until_empty();
        copy_step<Shape>(copier, ring.stage(), &ring.full[ring.at], step);
        ring.advance();
    }
}

// Copies an item of a tile, in the warps that copy. Columns of B that do not begin at multiples of 16 bytes are
// copied by words of 4 bytes, or 8 if a value has 8. first: the item's first 32 steps.
template <typename Shape>
__device__ __forceinline__ void copy_item(BcsrRing<Shape> &ring, const TcblockArgs<typename Shape::T> &a,
                                          const struct spmmi_tcblock_item &item, const BcsrStep &first,
                                          uint32_t tile)
{
    if (item.begin >= item.end)
        return;
    if constexpr (Shape::HAS_MAP) {
        copy_steps(ring, item, first, BcsrBoxCopier<Shape>{a, ring.map, tile});
    } else if constexpr (!Shape::IS_COLUMNS) {
        copy_steps(ring, item, first, BcsrCopier<Shape>(a, tile));
    } else if (a.b_starts_wide) {
        copy_steps(ring, item, first, BcsrColumnCopier<Shape, 16>(a, tile));
    } else {
        constexpr int WORD = sizeof(typename Shape::T) == 8 ? 8 : 4;
        copy_steps(ring, item, first, BcsrColumnCopier<Shape, WORD>(a, tile));
    }
}

// Initialises the barriers and runs the warps that copy. Returns true in these warps, which are
// then done with this item.
template <typename Shape>
__device__ __forceinline__ bool begin_item(BcsrRing<Shape> &ring, const TcblockArgs<typename Shape::T> &a,
                                           const struct spmmi_tcblock_item &item, uint32_t tile)
{
    const bool is_copier = threadIdx.x >= 32 * Shape::WARPS;
    BcsrStep first = {}; // loaded while the barriers are initialised
    if (is_copier && item.begin < item.end)
        first = read_step(a, item.begin, item.end);
    ring.make(!Shape::IS_COLUMNS && Shape::RESIDENT == 0 && tile + Shape::COLUMNS > a.n);
    if constexpr (Shape::IS_COLUMNS)
        wait_for_previous(); // the previous kernel may copy B to aligned columns
    if (is_copier)
        copy_item<Shape>(ring, a, item, first, tile);
    return is_copier;
}

// Returns the mask of blocks in step i of the item. `masks` keeps the masks of 32 steps, one per lane.
template <typename T>
__device__ __forceinline__ uint32_t mask_of_step(const TcblockArgs<T> &a,
                                                 const struct spmmi_tcblock_item &item, uint32_t i,
                                                 uint32_t &masks)
{
    if (i % 32 == 0) {
        masks = __ldg(a.masks + min(item.begin + i + threadIdx.x % 32, item.end - 1));
        if (__popc(masks) > a.step_blocks_max) // more blocks than a stage can hold: a damaged table
            masks = 0;
    }
    return __shfl_sync(0xffffffffu, masks, (int)(i % 32));
}

} // namespace spmmi
