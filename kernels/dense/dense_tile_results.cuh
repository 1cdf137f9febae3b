// SPDX-License-Identifier: Apache-2.0
// Dense products by warpgroups (dense_tile.cuh): writes sums as results to memory.
#pragma once
#include "dense_tile_place.cuh"
#include "kernels/shared/shifted.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

// The two halves of cluster_sync, without ordering memory. All lanes of a warp must call them together.
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

// Not inlined since it is rare: a kernel that is not in a cache yet starts faster if its code is shorter.
template <typename T>
__device__ __noinline__ float tile_exact_sum(const DenseTileArgs &a, uint32_t row, int64_t column)
{
    return a.is_swapped ? dense_row_sum<T>(a.product, (uint32_t)column, row)
                        : dense_row_sum<T>(a.product, row, column);
}

// Stores 8 results of a row of out; at least the first is inside.
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

// Stores 8 sums in the same way. They may be not finite, and old values of C may be added.
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

// Stores the results of a warp's 16 rows if rows of out are not aligned: first words of 16 bytes at aligned
// addresses, each combined from two words of the results by a shift, then the values in front of and after
// them one by one. Not inlined, as above.
template <typename Shape>
__device__ __noinline__ void store_shifted(const DenseTileArgs &a, uint32_t first_row, int64_t column,
                                           const unsigned char *results)
{
    using T = typename Shape::T;
    constexpr uint32_t WIDE = 8, ENDS = 2 * WIDE; // maximum number of values at both ends of a row
    const uint32_t lane = threadIdx.x % 32;
    // Columns of this chunk that exist: it may begin past the last column.
    const uint32_t count = (uint32_t)max(min(a.columns - column, (int64_t)Shape::CHUNK_COLUMNS), (int64_t)0);
    const auto row_of = [&](uint32_t r) {
        return static_cast<T *>(a.product.c) + (first_row + r) * a.ld + column;
    };
    const auto in_front = [&](const T *row) {
        return min((0u - (uint32_t)(reinterpret_cast<uintptr_t>(row) / sizeof(T))) % WIDE, count);
    };
    const uint32_t rows = min(max(a.rows, first_row) - first_row, 16u);
#pragma unroll 4
    for (uint32_t i = lane; i < rows * Shape::CHUNK_TILES; i += 32) {
        const uint32_t r = i / Shape::CHUNK_TILES, word = i % Shape::CHUNK_TILES;
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

// The same if rows of out are whole words: each lane stores the same word of every ROWS-th row.
template <typename Shape>
__device__ __forceinline__ void store_words(const DenseTileArgs &a, uint32_t first_row, int64_t column,
                                            const unsigned char *results)
{
    using T = typename Shape::T;
    constexpr uint32_t ROWS = 32 / Shape::CHUNK_TILES; // rows at a time
    const uint32_t lane = threadIdx.x % 32, c = lane % Shape::CHUNK_TILES, first = lane / Shape::CHUNK_TILES;
    const int64_t left = a.columns - column - 8 * c, step = ROWS * a.ld;
    T *to = static_cast<T *>(a.product.c) + (first_row + first) * a.ld + column + 8 * c;
    const unsigned char *const from = results + first * Shape::WORDS_PITCH + 16 * c;
#pragma unroll
    for (uint32_t r = 0; r < 16; r += ROWS, to += step) {
        const Vector<T, 8> word =
            load_vector<T, 8>(reinterpret_cast<const T *>(from + r * Shape::WORDS_PITCH));
        if (first_row + first + r >= a.rows)
            continue;
        if (left >= 8)
            store_vector<T, 8>(to, word);
        else
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (i < left)
                    to[i] = word.x[i];
    }
}

// Stores a warp's 16 rows of a chunk if all sums are finite and beta is 0: as 16-bit
// results through shared memory.
template <typename Shape>
__device__ __forceinline__ void store_finite(const DenseTileArgs &a, uint32_t first_row, int64_t column,
                                             float (*sums)[4], unsigned char *mine)
{
    using T = typename Shape::T;
    const uint32_t lane = threadIdx.x % 32;
    const float alpha = (float)a.product.alpha;
    const uint32_t to = shared_address(mine + lane % 16 * Shape::WORDS_PITCH + lane / 16 * 16);
#pragma unroll
    for (int j = 0; j < Shape::CHUNK_TILES; j += 2) {
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
        store_shifted<Shape>(a, first_row, column, mine);
        return;
    }
    store_words<Shape>(a, first_row, column, mine);
}

// Returns where 8 sums of a row are kept. Each row is rotated differently, so that banks differ.
template <typename Shape>
__device__ __forceinline__ float *kept_sums(unsigned char *kept, uint32_t row, uint32_t tile)
{
    return reinterpret_cast<float *>(kept) +
           8 * (row * Shape::CHUNK_TILES + (row + tile) % Shape::CHUNK_TILES);
}

template <typename Shape>
__device__ __noinline__ void store_kept(const DenseTileArgs &a, uint32_t first_row, int64_t column,
                                        unsigned char *kept)
{
#pragma unroll 1
    for (uint32_t i = threadIdx.x % 32; i < 16 * Shape::CHUNK_TILES; i += 32) {
        const uint32_t r = i / Shape::CHUNK_TILES, c = i % Shape::CHUNK_TILES;
        if (first_row + r < a.rows && column + 8 * c < a.columns)
            store_sums<typename Shape::T>(a, first_row + r, column + 8 * c,
                                          load_vector<float, 8>(kept_sums<Shape>(kept, r, c)));
    }
}

// Stores a warp's 16 rows of a chunk for sums of any value and any beta.
template <typename Shape>
__device__ __forceinline__ void store_any(const DenseTileArgs &a, uint32_t first_row, int64_t column,
                                          float (*sums)[4], unsigned char *kept)
{
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < Shape::CHUNK_TILES; j++)
#pragma unroll
        for (int half = 0; half < 2; half++)
            store_vector<float, 2>(kept_sums<Shape>(kept, lane / 4 + 8 * half, j) + lane % 4 * 2,
                                   {{sums[j][2 * half], sums[j][2 * half + 1]}});
    __syncwarp();
    store_kept<Shape>(a, first_row, column, kept);
}

__device__ __forceinline__ uint32_t address_in_block(const void *p, uint32_t rank)
{
    uint32_t address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
    return address;
}

// Copies `bytes` of shared memory to address `to` of the thread block of this rank and signals its
// barrier; one thread calls it.
__device__ __forceinline__ void copy_to_block(uint32_t rank, const void *to, const void *from, uint32_t bytes,
                                              const Barrier *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address_in_block(to, rank)),
        "r"(shared_address(from)), "r"(bytes), "r"(address_in_block(barrier, rank))
        : "memory");
}

// Sends the chunks of a warp that other blocks store: lanes keep their sums side by side,
// and the first lane copies.
template <typename Shape>
__device__ __forceinline__ void send_chunks(const DenseTilePlace<Shape> &at, const DenseTileSums<Shape> &sums)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int chunk = 0; chunk < Shape::CHUNKS; chunk++) {
        const uint32_t owner = at.owner(warp, chunk);
        unsigned char *const kept = at.kept(warp, chunk);
        if (owner == at.share)
            continue;
#pragma unroll
        for (int j = 0; j < Shape::CHUNK_TILES; j++) {
            const float(&x)[4] = sums[chunk * Shape::CHUNK_TILES + j];
            store_vector<float, 4>(reinterpret_cast<float *>(kept) + 4 * (32 * j + lane),
                                   {{x[0], x[1], x[2], x[3]}});
        }
        publish_writes();
        __syncwarp();
        if (lane == 0)
            copy_to_block(owner, at.slot(warp, owner, at.share), kept, Shape::CHUNK_BYTES, at.arrived);
        __syncwarp();
    }
}

// Adds the sums of the other blocks to a chunk that this thread block stores, in the order of k.
template <typename Shape>
__device__ __forceinline__ void add_slots(const DenseTilePlace<Shape> &at, float (*sums)[4])
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < Shape::CHUNK_TILES; j++) {
        const Vector<float, 4> own = {{sums[j][0], sums[j][1], sums[j][2], sums[j][3]}};
        Vector<float, 4> all{};
#pragma unroll
        for (uint32_t share = 0; share < Shape::SHARES; share++) {
            const float *const slot = reinterpret_cast<const float *>(at.slot(warp, at.share, share));
            const Vector<float, 4> x =
                share == at.share ? own : load_vector<float, 4>(slot + 4 * (32 * j + lane));
            if (share == 0)
                all = x;
            else
                all.add(x);
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            sums[j][i] = all.x[i];
    }
}

template <typename Shape> __device__ __forceinline__ bool are_finite(float (*sums)[4])
{
    float zero[4] = {};
#pragma unroll
    for (int j = 0; j < Shape::CHUNK_TILES; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            zero[i] = fmaf(sums[j][i], 0.0f, zero[i]);
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

// Stores the chunks of a warp's sums that this thread block owns.
template <typename Shape>
__device__ __forceinline__ void store_chunks(const DenseTileArgs &a, const DenseTilePlace<Shape> &at,
                                             DenseTileSums<Shape> &sums)
{
    const uint32_t warp = threadIdx.x / 32, row = at.row + 16 * warp;
#pragma unroll
    for (int chunk = 0; chunk < Shape::CHUNKS; chunk++) {
        float(*const mine)[4] = sums + chunk * Shape::CHUNK_TILES;
        const int64_t column = at.column + chunk * Shape::CHUNK_COLUMNS;
        if (at.owner(warp, chunk) != at.share)
            continue;
        if (Shape::SHARES > 1)
            add_slots<Shape>(at, mine);
        if (a.product.beta == 0 && __all_sync(~0u, are_finite<Shape>(mine)))
            store_finite<Shape>(a, row, column, mine, at.kept(warp, chunk));
        else
            store_any<Shape>(a, row, column, mine, at.kept(warp, chunk));
    }
}

} // namespace spmmi
