// SPDX-License-Identifier: Apache-2.0
// Dense products by warpgroups (dense_tile.cuh): from sums to results in memory.
#pragma once
#include "dense_tile_place.cuh"
#include "kernels/shared/shifted.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

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

// The results of a warp's 16 rows, where rows of out begin anywhere: words that begin at multiples of 16 bytes, each
// shifted together from two of the results, then what is in front of them and behind them, value by value.
template <typename Shape>
__device__ __forceinline__ void store_shifted(const DenseTileArgs &a, const DenseTilePlace<Shape> &at,
                                              const unsigned char *results)
{
    using T = typename Shape::T;
    constexpr uint32_t WIDE = 8, ENDS = 2 * WIDE; // values at both ends of a row, at most
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t count = (uint32_t)min(a.columns - at.column, (int64_t)Shape::COLUMNS); // of this tile
    const auto row_of = [&](uint32_t r) {
        return static_cast<T *>(a.product.c) + (at.row + 16 * warp + r) * a.ld + at.column;
    };
    const auto in_front = [&](const T *row) {
        return min((0u - (uint32_t)(reinterpret_cast<uintptr_t>(row) / sizeof(T))) % WIDE, count);
    };
    const uint32_t rows = min(max(a.rows, at.row + 16 * warp) - (at.row + 16 * warp), 16u);
#pragma unroll 4
    for (uint32_t i = lane; i < rows * Shape::TILES; i += 32) {
        const uint32_t r = i / Shape::TILES, word = i % Shape::TILES;
        T *const to = row_of(r);
        const uint32_t front = in_front(to);
        if (front + WIDE * (word + 1) > count)
            continue;
        const uint4 *from = reinterpret_cast<const uint4 *>(results + r * Shape::WORDS_PITCH) + word;
        TwoWords words;
        words.set(0, from[0]);
        words.set(1, from[1]);
        *reinterpret_cast<uint4 *>(to + front + WIDE * word) = words.shifted(front * (uint32_t)sizeof(T));
    }
#pragma unroll 4
    for (uint32_t i = lane; i < rows * ENDS; i += 32) {
        const uint32_t r = i / ENDS, e = i % ENDS;
        T *const to = row_of(r);
        const uint32_t front = in_front(to), behind = front + (count - front) / WIDE * WIDE;
        const uint32_t j = e < WIDE ? e : behind + e - WIDE;
        if (j < (e < WIDE ? front : count))
            to[j] = reinterpret_cast<const T *>(results + r * Shape::WORDS_PITCH)[j];
    }
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
    if (!a.is_wide) {
        store_shifted<Shape>(a, at, mine);
        return;
    }
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

} // namespace spmmi
