// SPDX-License-Identifier: Apache-2.0
// bcsr with warpgroups (wgmma, sm_90a) for 3xtf32 (docs/decisions/0081). The instruction reads its second
// operand from shared memory; for values of 4 bytes the inner dimension must be contiguous there. Rows of B
// are stored the other way, so the product is transposed, as in window and panel: columns of B are the 64
// rows of the first operand, which is in registers, and rows of A are columns of the second operand.
// Column-major B differs only in how lanes load it, and C in how they store it (docs/decisions/0141).
//
// A warpgroup owns the 64 rows of the block-row group and 64 columns of the tile. Each value of B is read
// from shared memory and split only once for 64 rows of A, by one lane. Two more warps split the blocks of A,
// once for all columns of the tile, from the stage into one of two buffers that all warpgroups read. Absent
// blocks become zeros there. An instruction multiplies MMA_ROWS rows of A, 32 or 64; if such rows have no
// block in a step, they are neither split nor multiplied. If multiprocessors would be idle, a cluster of
// thread blocks shares the steps of an item, and adds its sums through shared memory (docs/decisions/0085).
#pragma once
#include "bcsr_tf32_sums.cuh"

namespace spmmi {

template <int MMA_ROWS_, bool IS_COLUMNS_>
struct BcsrSplitShape : BcsrShape<Block3xTf32, 4, 2, 1, 8, SPMMI_BCSR_SPLIT_STAGES, true, IS_COLUMNS_> {
    using Base = BcsrShape<Block3xTf32, 4, 2, 1, 8, SPMMI_BCSR_SPLIT_STAGES, true, IS_COLUMNS_>;
    static constexpr int MMA_ROWS = MMA_ROWS_, MMAS = (int)SPMMI_BCSR_GROUP_ROWS / MMA_ROWS;
    static constexpr uint32_t MMA_MASK = MMA_ROWS == 32 ? 0xff : 0xffff; // blocks of one MMA in a step
    static constexpr bool IS_WARPGROUP = true;
    static constexpr int MULTIPLIERS = Base::WARPS, SPLITTERS = (int)SPMMI_BCSR_SPLITTERS; // numbers of warps
    static constexpr int WARPS = MULTIPLIERS + SPLITTERS; // warps that read the stage
    static constexpr int THREADS = 32 * WARPS + Base::COPY_THREADS;
    // Bytes of one part of a block column's values: columns of A with k of 0 to 3, then of 4 to 7.
    static constexpr int PART_BYTES = (int)SPMMI_BCSR_PART_BYTES, HALF_BYTES = PART_BYTES / 2;
    static constexpr int BUFFER_BYTES = (int)(SPMMI_BCSR_SPLIT_BYTES / SPMMI_BCSR_SPLIT_BUFFERS);
    // Distance between a lane's two columns of B, and between neighbouring lanes' first columns.
    static constexpr int PAIR_STEP = IS_COLUMNS_ ? 8 : 1, LANE_STEP = IS_COLUMNS_ ? 1 : 2;
    // Row c of a block column is k = 2 (c % 4) + c / 4, as in the buffers. Row-major B is stored in that order.
    static __device__ __forceinline__ uint32_t position(uint32_t line, uint32_t piece)
    {
        return Base::position(IS_COLUMNS_ ? line : line / 8 * 8 + line % 4 * 2 + line / 4 % 2, piece);
    }
    // Returns where a lane begins to read B; across: its first column of the tile. Column-major: see load_b.
    static __device__ __forceinline__ int first_of_b(int across, int lane)
    {
        const int t = lane % 4;
        return IS_COLUMNS_ ? across * Base::PITCH + t / 2 + 6 * (t % 2) : t * Base::PITCH + across;
    }
};

// The buffers with the parts of A, filled and used in turn, and the barriers that signal ready and free
// buffers. Step i uses buffer i % BUFFERS, for the (i / BUFFERS)th time.
template <typename Shape> struct SplitRing {
    static constexpr uint32_t BUFFERS = SPMMI_BCSR_SPLIT_BUFFERS;
    Barrier *ready; // barriers of ready buffers, then of free ones
    unsigned char *buffers;

    __device__ __forceinline__ SplitRing(unsigned char *barriers, unsigned char *first)
        : ready(reinterpret_cast<Barrier *>(barriers) + 2 * Shape::STAGES), buffers(first)
    {
        static_assert(2 * (Shape::STAGES + BUFFERS) * (int)sizeof(Barrier) <= BCSR_BARRIER_BYTES,
                      "barriers fit");
    }
    // Initialises the barriers; called by one thread before the barriers of the stages are published.
    __device__ __forceinline__ void make() const
    {
        for (uint32_t i = 0; i < BUFFERS; i++) {
            init_barrier(&ready[i], Shape::SPLITTERS);
            init_barrier(&ready[BUFFERS + i], Shape::MULTIPLIERS);
        }
    }
    __device__ __forceinline__ unsigned char *buffer(uint32_t i) const
    {
        return buffers + i % BUFFERS * Shape::BUFFER_BYTES;
    }
    __device__ __forceinline__ void wait_until_ready(uint32_t i) const
    {
        wait_for_phase(&ready[i % BUFFERS], i / BUFFERS % 2);
    }
    __device__ __forceinline__ void wait_until_free(uint32_t i) const // all buffers are free at first
    {
        wait_for_phase(&ready[BUFFERS + i % BUFFERS], i / BUFFERS % 2 ^ 1);
    }
    // Called by a warp that has filled its share of the buffer.
    __device__ __forceinline__ void publish(uint32_t i) const
    {
        publish_writes();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&ready[i % BUFFERS]);
    }
    // Called by a warp that has finished reading the buffer.
    __device__ __forceinline__ void release(uint32_t i) const
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&ready[BUFFERS + i % BUFFERS]);
    }
};

// Four values, each split into two registers.
struct SplitWords {
    uint32_t high[4], low[4];
    __device__ __forceinline__ SplitWords(const float (&values)[4])
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            split_tf32(values[i], high[i], low[i]);
    }
};

// Stores one part of a lane's values of a block: columns t and t + 4 of rows g and g + 8
// (spmmi_tcblock_wide_position).
__device__ __forceinline__ void store_part(unsigned char *to, const uint32_t (&x)[4])
{
    *reinterpret_cast<uint2 *>(to) = make_uint2(x[0], x[2]);
    *reinterpret_cast<uint2 *>(to + 128) = make_uint2(x[1], x[3]);
}

// Splits a step's blocks of block row w from the stage into `buffer`, in the order of the instruction's
// second operand ("K-major", no swizzle). For each block column and part there are 8 x 4 values in 128 bytes,
// row by row, first the values with k of 0 to 3. Column c is stored as k = 2 (c % 4) + c / 4, so that a
// lane's two columns are adjacent. The values with k of 4 to 7 begin at 64 modulo 128 bytes, in other banks.
template <typename Shape>
__device__ __forceinline__ void split_block_row(unsigned char *buffer, const float *blocks, uint32_t mask,
                                                int w)
{
    constexpr int STEP = (int)SPMMI_BCSR_STEP;
    const uint32_t mine = mask >> 4 * w;
    if ((mask >> w * (int)SPMMI_BCSR_ROWS / Shape::MMA_ROWS * Shape::MMA_ROWS / 4 & Shape::MMA_MASK) == 0)
        return;
    blocks += __popc(mask & ((1u << 4 * w) - 1)) * Shape::VALUES;
    Vector<float, 4> values[STEP] = {};
#pragma unroll
    for (int q = 0; q < STEP; q++) {
        if ((mine >> q & 1) != 0)
            values[q] = load_vector<float, 4>(blocks + __popc(mine & ((1u << q) - 1)) * Shape::VALUES);
    }
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    unsigned char *to = buffer + 256 * w + t / 2 * Shape::HALF_BYTES + 16 * g + 8 * (t % 2);
#pragma unroll
    for (int q = 0; q < STEP; q++) {
        const SplitWords words(values[q].x);
        store_part(to + 2 * q * Shape::PART_BYTES, words.high);
        store_part(to + (2 * q + 1) * Shape::PART_BYTES, words.low);
    }
}

// Splits A for all steps of an item, in the warps that split.
template <typename Shape>
__device__ __forceinline__ void split_item(BcsrRing<Shape> ring, const SplitRing<Shape> &parts,
                                           const TcblockArgs<float> &a, const struct spmmi_tcblock_item &item)
{
    const int first = threadIdx.x / 32 - Shape::MULTIPLIERS;
    uint32_t masks = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < item.end - item.begin; i++) {
        const uint32_t mask = mask_of_step(a, item, i, masks);
        ring.wait_until_full();
        parts.wait_until_free(i);
        const float *blocks = reinterpret_cast<const float *>(ring.stage() + Shape::B_BYTES) +
                              Shape::Block::values_of(threadIdx.x % 32);
#pragma unroll
        for (int w = 0; w < Shape::DOWN; w += Shape::SPLITTERS)
            split_block_row<Shape>(parts.buffer(i), blocks, mask, w + first);
        parts.publish(i);
        ring.release();
        ring.advance();
    }
}

// Computes d += a b, 64 x 8 by 8 x 8 N; b is the descriptor of the second operand.
#define SPMMI_SUMS(j) "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
__device__ __forceinline__ void wgmma_tf32(float (&d)[4][4], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {"
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
                 "}, {%16,%17,%18,%19}, %20, 1, 1, 1;"
                 : SPMMI_SUMS(0), SPMMI_SUMS(1), SPMMI_SUMS(2), SPMMI_SUMS(3)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ __forceinline__ void wgmma_tf32(float (&d)[8][4], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {"
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
                 "}, {%32,%33,%34,%35}, %36, 1, 1, 1;"
                 : SPMMI_SUMS(0), SPMMI_SUMS(1), SPMMI_SUMS(2), SPMMI_SUMS(3), SPMMI_SUMS(4), SPMMI_SUMS(5),
                   SPMMI_SUMS(6), SPMMI_SUMS(7)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
#undef SPMMI_SUMS

// Returns the descriptor of a buffer: its start, the distance of the two halves, and the distance of 8 rows,
// all in units of 16 bytes.
template <typename Shape> __device__ __forceinline__ uint64_t parts_descriptor(const unsigned char *buffer)
{
    return uint64_t((shared_address(buffer) & 0x3ffff) >> 4) | uint64_t(Shape::HALF_BYTES >> 4) << 16 |
           uint64_t(128 >> 4) << 32;
}

constexpr int BCSR_AT_ONCE = 2; // block columns whose operands fit into registers at once
using SplitRows = SplitWords[BCSR_AT_ONCE];

// Loads the lane's part of a block column of B: k of t and t + 4, two columns each. In column-major B these
// are rows t / 2 and t / 2 + 2, or for odd t rows t / 2 + 4 and t / 2 + 6. Lanes with odd t load the second
// one first, so that all lanes of a load are in different banks: columns are 4 banks apart.
template <typename Shape> __device__ __forceinline__ SplitWords load_b(const float *b)
{
    if constexpr (Shape::IS_COLUMNS) {
        static_assert(Shape::PITCH % 32 == 4, "columns are 4 banks apart");
        constexpr int PAIR = Shape::PAIR_STEP * Shape::PITCH;
        const bool is_odd = threadIdx.x % 2 != 0;
        const float *other = b + (is_odd ? -2 : 2);
        const float x[2] = {b[0], b[PAIR]}, y[2] = {other[0], other[PAIR]};
        return SplitWords(
            {is_odd ? y[0] : x[0], is_odd ? y[1] : x[1], is_odd ? x[0] : y[0], is_odd ? x[1] : y[1]});
    } else {
        const auto x0 = load_vector<float, 2>(b), x1 = load_vector<float, 2>(b + 4 * Shape::PITCH);
        return SplitWords({x0.x[0], x0.x[1], x1.x[0], x1.x[1]});
    }
}

__device__ __forceinline__ void pin(uint32_t (&x)[4])
{
    asm volatile("" : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])::"memory");
}

// Multiplies the rows of A of MMAs FIRST .. FIRST + COUNT - 1 by the rows of B, small products first. a:
// descriptor of the parts of A.
template <typename Shape, int FIRST, int COUNT>
__device__ __forceinline__ void multiply_parts(SplitSums<Shape> &sums, const SplitRows &b, uint64_t a)
{
    constexpr int PART_WORDS = Shape::PART_BYTES / 16;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < BCSR_AT_ONCE * COUNT; i++) {
        const int q = i / COUNT, p = FIRST + i % COUNT;
        const uint64_t high = a + 2 * q * PART_WORDS + p * Shape::MMA_ROWS; // a row of a half is 16 bytes
        wgmma_tf32(sums[p], b[q].low, high);
        wgmma_tf32(sums[p], b[q].high, high + PART_WORDS);
        wgmma_tf32(sums[p], b[q].high, high);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <typename Shape>
__device__ __forceinline__ void multiply_rows(SplitSums<Shape> &sums, const SplitRows &b, uint64_t a,
                                              uint32_t mask)
{
    const bool has_first = (mask & Shape::MMA_MASK) != 0;
    if constexpr (Shape::MMAS == 1) {
        if (has_first)
            multiply_parts<Shape, 0, 1>(sums, b, a);
    } else {
        const bool has_second = (mask >> 8 & Shape::MMA_MASK) != 0;
        if (has_first && has_second)
            multiply_parts<Shape, 0, 2>(sums, b, a);
        else if (has_first)
            multiply_parts<Shape, 0, 1>(sums, b, a);
        else if (has_second)
            multiply_parts<Shape, 1, 1>(sums, b, a);
    }
}

// Multiplies the steps of an item, in a warpgroup. across: the lane's first column of the tile.
template <typename Shape>
__device__ __forceinline__ void
multiply_item(BcsrRing<Shape> ring, const SplitRing<Shape> &parts, const TcblockArgs<float> &a,
              const struct spmmi_tcblock_item &item, int across, SplitSums<Shape> &sums)
{
    const int first_of_b = Shape::first_of_b(across, (int)threadIdx.x % 32);
    uint32_t masks = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < item.end - item.begin; i++) {
        const uint32_t mask = mask_of_step(a, item, i, masks);
        ring.wait_until_full();
        const float *rows = reinterpret_cast<const float *>(ring.stage()) + first_of_b;
        const uint64_t from = parts_descriptor<Shape>(parts.buffer(i));
#pragma unroll
        for (int q = 0; q < (int)SPMMI_BCSR_STEP; q += BCSR_AT_ONCE) {
            SplitRows b = {load_b<Shape>(rows + q * Shape::BLOCK_STEP),
                           load_b<Shape>(rows + (q + 1) * Shape::BLOCK_STEP)};
            // The compiler must not move the code that computes operands between the
            // instructions that read them.
#pragma unroll
            for (int j = 0; j < BCSR_AT_ONCE; j++) {
                pin(b[j].high);
                pin(b[j].low);
            }
            if (q == 0)
                parts.wait_until_ready(i);
            multiply_rows<Shape>(sums, b, from + 2 * q * Shape::PART_BYTES / 16, mask);
        }
        parts.release(i);
        ring.release();
        ring.advance();
    }
}

// Returns the steps of this thread block's share of the item, all of them if the
// cluster has one thread block.
__device__ __forceinline__ struct spmmi_tcblock_item share_of(struct spmmi_tcblock_item item, uint32_t blocks)
{
    const uint32_t steps = item.end - item.begin, each = steps / blocks + (steps % blocks != 0);
    item.begin += min(cluster_rank() * each, steps);
    item.end = min(item.begin + each, item.end);
    return item;
}

// HAS_SHARES: launched in clusters that share items, with one thread block per multiprocessor; else with
// two, which limits registers.
template <typename Shape, bool HAS_SHARES>
__global__ void __launch_bounds__(Shape::THREADS, HAS_SHARES ? 1 : 2)
    bcsr_split_kernel(const __grid_constant__ TcblockArgs<float> a, struct spmmi_bcsr_order order)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Warps 0 to 3 have the first 64 columns of the tile.
    const int across = warp * 16 + lane / 4 * Shape::LANE_STEP;
    const uint32_t blocks = HAS_SHARES ? cluster_blocks() : 1, index = blockIdx.x / blocks;
    unsigned char *buffers = memory + BCSR_BARRIER_BYTES;
    BcsrRing<Shape> ring(memory, buffers + SPMMI_BCSR_SPLIT_BYTES, a.step_blocks_max);
    const SplitRing<Shape> parts(memory, buffers);
    release_dependents();
    const BcsrWork work = read_work<Shape>(a, order, index);
    const struct spmmi_tcblock_item &item = work.item;
    const uint32_t tile = work.tile;
    const struct spmmi_tcblock_item share = HAS_SHARES ? share_of(item, blocks) : item;
    if (threadIdx.x == 0)
        parts.make();
    if (begin_item(ring, a, share, tile))
        return;
    if (warp >= Shape::MULTIPLIERS) {
        split_item(ring, parts, a, share);
        return;
    }
    SplitSums<Shape> sums = {};
    multiply_item(ring, parts, a, share, across, sums);
    if constexpr (HAS_SHARES)
        finish_together<Shape>(a, item, tile + (uint32_t)across, sums, reinterpret_cast<float4 *>(buffers),
                               blocks);
    else if (Shape::IS_COLUMNS && !a.c_is_wide)
        finish_columns<Shape>(a, item, tile, (uint32_t)across, sums, reinterpret_cast<float *>(buffers));
    else
        finish_split<Shape>(a, item, tile + (uint32_t)across, sums);
    end_after_previous();
}

} // namespace spmmi
