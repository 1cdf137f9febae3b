// SPDX-License-Identifier: Apache-2.0
// bcsr family: what the warps do that only copy, and where a thread block is in its work.
#pragma once
#include "bcsr_shape.h"
#include "kernels/shared/tensor_map.cuh"
#include "kernels/tcblock/tcblock_sums.cuh"

namespace spmmi {

constexpr int BCSR_BARRIER_BYTES = SPMMI_BCSR_BARRIER_BYTES;

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
        if constexpr (Shape::RESIDENT > 0) {
            copy_async_part(to, from, is_wanted ? 16 : 0); // the stage has columns of another tile
        } else if constexpr (Shape::IS_WIDE) {
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

// The same where B is column-major and its columns begin at multiples of 16 bytes: a thread has 16 bytes of every
// AT_ONCE-th column of the tile.
template <typename Shape> struct BcsrColumnCopier {
    using T = typename Shape::T;
    const TcblockArgs<T> &a;
    uint32_t thread, piece, first, column; // first: of its columns, in the tile; column: the same, in B

    __device__ __forceinline__ BcsrColumnCopier(const TcblockArgs<T> &args, uint32_t tile) : a(args)
    {
        thread = threadIdx.x - 32 * Shape::WARPS;
        piece = thread % Shape::PIECES;
        first = thread / Shape::PIECES;
        column = tile + first;
    }

    // What lies beyond B, below it or beside it, becomes 0. Block columns that are padding: as above. A damaged table
    // may have a column in which no block column begins: pieces stay aligned.
    __device__ __forceinline__ void copy_b(unsigned char *stage, const uint4 &columns) const
    {
        constexpr int OF_BLOCK =
            Shape::PIECES / (int)SPMMI_BCSR_STEP; // pieces that a block column has of a column
        const uint32_t q = piece / OF_BLOCK;
        const uint32_t mine = q == 0 ? columns.x : q == 1 ? columns.y : q == 2 ? columns.z : columns.w;
        const uint32_t before = q == 1 ? columns.x : q == 2 ? columns.y : columns.z;
        const uint32_t block_column = mine & ~uint32_t(Shape::Block::COLUMNS - 1);
        const uint32_t k = block_column + piece % OF_BLOCK * Shape::PIECE;
        const uint32_t rows =
            k < a.cols ? min(a.cols - k, (uint32_t)Shape::PIECE) : 0; // bytes of more do not fit
        const uint32_t bytes = rows * (uint32_t)sizeof(T);
        const T *from = a.b + column * a.ldb + (rows > 0 ? k : 0);
        if (!Shape::IS_WARPGROUP && q > 0 && mine == before)
            return;
#pragma unroll
        for (int i = 0; i < Shape::COLUMNS; i += Shape::AT_ONCE) {
            copy_async_part(stage + Shape::position(first + i, piece), from, column + i < a.n ? bytes : 0);
            from += Shape::AT_ONCE * a.ldb;
        }
    }
};

// The same by the TMA, for warpgroups: one lane of the one warp that copies has 64 columns of a block column's rows of
// B copied at once, and all blocks of A.
template <typename Shape> struct BcsrBoxCopier {
    using T = typename Shape::T;
    const TcblockArgs<T> &a;
    const CUtensorMap *map;
    uint32_t tile;
};

// Rows of B and blocks of A of a step.
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

// The stages of a thread block, filled and used in turn, and the barriers that say which are full and which are empty.
template <typename Shape> struct BcsrRing {
    Barrier *full, *empty;
    unsigned char *stages;
    uint32_t stage_bytes, at = 0, parity = 0;
    const CUtensorMap *map; // of B, where boxes of it are copied

    __device__ __forceinline__ BcsrRing(unsigned char *barriers, unsigned char *first, uint32_t blocks,
                                        const CUtensorMap *map_of_b = nullptr)
        : full(reinterpret_cast<Barrier *>(barriers)), empty(full + Shape::STAGES), stages(first),
          stage_bytes(bcsr_stage_bytes<Shape>(blocks)), map(map_of_b)
    {
    }
    // By all threads. Columns past n are read, though not used: they must not be NaN. Where they are not copied, they
    // become 0 here.
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
    __device__ __forceinline__ void wait_until_empty() const // all are at first
    {
        wait_for_phase(&empty[at], parity ^ 1);
    }
    // By a warp that has read what it needs of the stage.
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

// What a warp that copies needs for an item's steps.
template <typename Shape>
__device__ __forceinline__ auto copier_of(const BcsrRing<Shape> &ring,
                                          const TcblockArgs<typename Shape::T> &a, uint32_t tile)
{
    if constexpr (Shape::HAS_MAP)
        return BcsrBoxCopier<Shape>{a, ring.map, tile};
    else if constexpr (Shape::IS_COLUMNS)
        return BcsrColumnCopier<Shape>(a, tile);
    else
        return BcsrCopier<Shape>(a, tile);
}

// What the warps that copy do; first: the item's first 32 steps.
template <typename Shape>
__device__ __forceinline__ void copy_item(BcsrRing<Shape> &ring, const TcblockArgs<typename Shape::T> &a,
                                          const struct spmmi_tcblock_item &item, const BcsrStep &first,
                                          uint32_t tile)
{
    if (item.begin >= item.end)
        return;
    const auto copier = copier_of(ring, a, tile);
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

// How a thread block begins: barriers are made, and the warps that copy do so. Is there nothing left to do for the
// thread?
template <typename Shape>
__device__ __forceinline__ bool begin_item(BcsrRing<Shape> &ring, const TcblockArgs<typename Shape::T> &a,
                                           const struct spmmi_tcblock_item &item, uint32_t tile)
{
    const bool is_copier = threadIdx.x >= 32 * Shape::WARPS;
    BcsrStep first = {}; // on its way while barriers are made
    if (is_copier && item.begin < item.end)
        first = read_step(a, item.begin, item.end);
    ring.make(!Shape::IS_COLUMNS && Shape::RESIDENT == 0 && tile + Shape::COLUMNS > a.n);
    if constexpr (Shape::IS_COLUMNS)
        wait_for_previous(); // which may have copied B to where it is aligned
    if (is_copier)
        copy_item<Shape>(ring, a, item, first, tile);
    return is_copier;
}

// Where the blocks of the item's step i are. `masks` keeps those of 32 steps, one a lane.
template <typename T>
__device__ __forceinline__ uint32_t mask_of_step(const TcblockArgs<T> &a,
                                                 const struct spmmi_tcblock_item &item, uint32_t i,
                                                 uint32_t &masks)
{
    if (i % 32 == 0) {
        masks = __ldg(a.masks + min(item.begin + i + threadIdx.x % 32, item.end - 1));
        if (__popc(masks) > a.step_blocks_max) // more blocks than a stage has
            masks = 0;
    }
    return __shfl_sync(0xffffffffu, masks, (int)(i % 32));
}

} // namespace spmmi
