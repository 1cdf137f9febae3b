// SPDX-License-Identifier: Apache-2.0
// Dense products of 16-bit types by warpgroups (wgmma, sm_90a), of operands so small that latency decides. Each sum is
// looked at before it is stored, so that no kernel follows.
//
// product  out = x * y with row-major out: A * B, or where C is column-major its transpose B^T * A^T. Lines of x are
//          its rows ("K-major"); those of y are its columns, or the rows of row-major B ("MN-major")
// work     a thread block owns ROWS x COLUMNS of out; thread blocks of a cluster share the steps of 64 of k. A
//          warpgroup owns 64 rows, one more warp copies
// copies   boxes of 64 values of a line by tensor maps into STAGES stages; what is past the ends becomes 0
// sums     f32 in registers, which pass through shared memory, so that whole words are stored: as 16 bits where there
//          is no cluster and beta is 0, else as they are. Each thread block of a cluster stores a part of the rows,
//          whose sums bulk copies bring to its shared memory from all of them, and adds them in the order of k
// zeros    of A multiply what B holds: a sum that is not finite is computed again from the nonzeros alone
// bound    latency: launch, tensor maps, the first loads from DRAM, the sums
#pragma once
#include "dense.cuh"
#include "dense_tile_shape.h"
#include "dense_tile_wgmma.cuh"
#include "kernels/shared/cluster.cuh"
#include "kernels/shared/tensor_map.cuh"
#include "kernels/shared/vector.cuh"

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

// cluster_sync in two halves, which orders no memory. Lanes of a warp take each together.
__device__ __forceinline__ void arrive_at_cluster()
{
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ __forceinline__ void wait_for_cluster()
{
    __syncwarp();
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

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

// Step i is in stage i % STAGES.
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

// By one thread, which makes the barriers and need not wait for others before its first copies.
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
    if (at.shares > 1)
        arrive_and_expect(at.arrived,
                          at.shares * at.part(at.rank) * Shape::SUMS_PITCH * (uint32_t)sizeof(float));
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

template <typename Shape> using DenseTileSums = float[Shape::TILES][4];

// A step's MMAs run while the barrier of the next one is waited for; then its stage is free.
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
    for (int j = 0; j < Shape::TILES; j++) // not to be read before the wait
        asm volatile("" : "+f"(sums[j][0]), "+f"(sums[j][1]), "+f"(sums[j][2]), "+f"(sums[j][3])::"memory");
}

// ---- Results ----

// Rare, and apart: a kernel that is not in a cache yet starts the sooner the shorter its code is.
template <typename T>
__device__ __noinline__ float tile_exact_sum(const DenseTileArgs &a, uint32_t row, int64_t column)
{
    return a.is_swapped ? dense_row_sum<T>(a.product, (uint32_t)column, row)
                        : dense_row_sum<T>(a.product, row, column);
}

// 8 results of a row of out that has at least the first.
template <typename T>
__device__ __forceinline__ void store_results(const DenseTileArgs &a, uint32_t row, int64_t column,
                                              const Vector<T, 8> &results)
{
    T *const to = static_cast<T *>(a.product.c) + row * a.ld + column;
    if (a.is_wide && column + 8 <= a.columns) {
        store_vector<T, 8>(to, results);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (column + i < a.columns)
            to[i] = results.x[i];
}

// The same of sums, which may be not finite, and may be added to what is there.
template <typename T>
__device__ __forceinline__ void store_sums(const DenseTileArgs &a, uint32_t row, int64_t column,
                                           const Vector<float, 8> &sums)
{
    const float alpha = (float)a.product.alpha, beta = (float)a.product.beta;
    const T *const from = static_cast<const T *>(a.product.c) + row * a.ld + column;
    const bool is_whole = a.is_wide && column + 8 <= a.columns;
    Vector<T, 8> old{}, results;
    if (is_whole && beta != 0)
        old = load_vector<T, 8>(from);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const bool is_there = column + i < a.columns;
        float sum = sums.x[i];
        if (!is_whole && beta != 0 && is_there)
            old.x[i] = from[i];
        if (!isfinite(sum) && is_there)
            sum = tile_exact_sum<T>(a, row, column + i);
        results.x[i] = scaled_sum<T>(alpha, sum, beta, old.x[i]);
    }
    store_results(a, row, column, results);
}

// Of a thread block alone with finite sums, without beta: a warp's 16 rows as 16-bit results through shared memory.
template <typename Shape>
__device__ __forceinline__ void store_finite(const DenseTileArgs &a, const DenseTilePlace<Shape> &at,
                                             const DenseTileSums<Shape> &sums)
{
    using T = typename Shape::T;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float alpha = (float)a.product.alpha;
    unsigned char *const mine = at.stages + warp * 16 * Shape::WORDS_PITCH;
    const uint32_t to = shared_address(mine + lane % 16 * Shape::WORDS_PITCH + lane / 16 * 16);
#pragma unroll
    for (int j = 0; j < Shape::TILES; j += 2) {
        Bits<T, 2> pair[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                pair[i].vector.x[e] = scaled_sum<T>(alpha, sums[j + i / 2][i % 2 * 2 + e], 0.0f, T(0.0f));
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to + j * 16),
                     "r"(pair[0].word[0]), "r"(pair[1].word[0]), "r"(pair[2].word[0]), "r"(pair[3].word[0])
                     : "memory");
    }
    __syncwarp();
#pragma unroll 4
    for (uint32_t i = lane; i < 16 * Shape::TILES; i += 32) {
        const uint32_t r = i / Shape::TILES, c = i % Shape::TILES, row = at.row + 16 * warp + r;
        const int64_t column = at.column + 8 * c;
        if (row < a.rows && column < a.columns)
            store_results(
                a, row, column,
                load_vector<T, 8>(reinterpret_cast<const T *>(mine + r * Shape::WORDS_PITCH + 16 * c)));
    }
}

template <typename Shape>
__device__ __forceinline__ void keep_sums(const DenseTilePlace<Shape> &at, const DenseTileSums<Shape> &sums)
{
    const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    float *const to = at.kept() + row * Shape::SUMS_PITCH + threadIdx.x % 4 * 2;
#pragma unroll
    for (int j = 0; j < Shape::TILES; j++)
#pragma unroll
        for (int half = 0; half < 2; half++)
            store_vector<float, 2>(to + 8 * half * Shape::SUMS_PITCH + 8 * j,
                                   {{sums[j][2 * half], sums[j][2 * half + 1]}});
}

__device__ __forceinline__ uint32_t address_in_block(const void *p, uint32_t rank)
{
    uint32_t address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
    return address;
}

// `bytes` of shared memory to where the block of this rank has `to`, and to its barrier; by one thread.
__device__ __forceinline__ void copy_to_block(uint32_t rank, const void *to, const void *from, uint32_t bytes,
                                              const Barrier *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address_in_block(to, rank)),
        "r"(shared_address(from)), "r"(bytes), "r"(address_in_block(barrier, rank))
        : "memory");
}

// Each thread block of a cluster gets a part of the rows from all of them. By all threads.
template <typename Shape> __device__ __forceinline__ void exchange_sums(const DenseTilePlace<Shape> &at)
{
    const uint32_t to = threadIdx.x, count = at.part(to) * Shape::SUMS_PITCH;
    wait_for_cluster(); // all of it runs
    if (to < at.shares)
        copy_to_block(to, at.slots() + at.rank * count, at.kept() + at.first_row(to) * Shape::SUMS_PITCH,
                      count * (uint32_t)sizeof(float), at.arrived);
    __syncwarp();
    wait_for_phase(at.arrived, 0);
}

template <typename Shape>
__device__ __forceinline__ void store_part(const DenseTileArgs &a, const DenseTilePlace<Shape> &at)
{
    const float *const sums = at.shares > 1 ? at.slots() : at.kept();
    const uint32_t part = at.part(at.rank), first_row = at.row + at.first_row(at.rank);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < part * Shape::TILES; i += Shape::THREADS) {
        const uint32_t r = i / Shape::TILES, c = i % Shape::TILES * 8;
        const float *from = sums + r * Shape::SUMS_PITCH + c;
        Vector<float, 8> all = load_vector<float, 8>(from);
#pragma unroll 2
        for (uint32_t share = 1; share < at.shares; share++)
            all.add(load_vector<float, 8>(from + share * part * Shape::SUMS_PITCH));
        if (first_row + r < a.rows && at.column + c < a.columns)
            store_sums<typename Shape::T>(a, first_row + r, at.column + c, all);
    }
}

template <typename Shape> __device__ __forceinline__ bool are_finite(const DenseTileSums<Shape> &sums)
{
    float zero = 0;
#pragma unroll
    for (int j = 0; j < Shape::TILES; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            zero = fmaf(sums[j][i], 0.0f, zero);
    return zero == 0;
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
    if (copies)
        copy_first_steps(at, &x, &y);
    if (at.shares > 1)
        arrive_at_cluster();
    __syncthreads();
    if (multiplies)
        multiply_steps<Shape>(sums, at);
    else if (copies)
        copy_other_steps(at, &x, &y);
    __syncwarp();
    const bool is_special = a.product.beta != 0 || (multiplies && !are_finite<Shape>(sums));
    const bool has_special = __syncthreads_or(is_special); // a barrier too: the stages are free
    if (at.shares == 1 && !has_special) {
        if (multiplies)
            store_finite<Shape>(a, at, sums);
        return;
    }
    if (multiplies)
        keep_sums<Shape>(at, sums);
    publish_writes();
    __syncthreads();
    if (at.shares > 1) {
        exchange_sums(at);
        arrive_at_cluster();
    }
    store_part(a, at);
    if (at.shares > 1)
        wait_for_cluster(); // what others copy from here has arrived
}

} // namespace spmmi
