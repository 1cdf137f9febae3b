// SPDX-License-Identifier: Apache-2.0
// tiled: row blocks whose rows of B are staged in shared memory.  C(m x n) = alpha * P * B(k x n) + beta * C.
// B and C are row- or column-major.
//
// layout      struct spmmi_tiled of tiled_kernel.h: sliced ELL with two-byte local indices, stage by stage
// block       block_rows threads process one row block (blockIdx.x) and TILE columns (blockIdx.y)
// thread      one unit of the row block: TILE sums in registers; each entry of A is used TILE times
// stage       up to stage_slots rows of B, TILE columns of each, in shared memory. Slot 0 holds zeros, which
//             padding reads. Two stages (double buffering): asynchronous copies load one stage while the
//             other is used. A slot is padded to an odd number of 16-byte words, so slots that differ modulo
//             8 are in different banks; the layout orders the entries of a unit for this
//             (kernels/tiled/tiled_banks.h)
// schedules   whole: units are rows. segmented: units are segments; sums of split rows are stored as
//             partials, which a second kernel adds in order. There are no atomics, so results are bitwise
//             repeatable
// in flight   all loads of a stage, while the entries of the previous stage are multiplied
// bounds      indices from tables are limited to the size of the arrays, the stages, B and C, once per stage,
//             staged row and unit. Damaged tables cannot make a kernel write elsewhere. They can make it read
//             elsewhere only in shared memory, by local indices, which the inner loop does not check
//             (docs/decisions/0037)
// residue     columns past n are neither loaded nor stored
// memory      spmmi_tiled_shared_bytes of shared memory
// measured    docs/decisions/0025, on an H200
// source      paper 000 (sections 2.5, 3, 4.1)
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "tiled_kernel.h"
#include "kernels/shared/async.cuh"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

template <typename T> struct TiledArgs {
    const uint32_t *row_block_stage, *stage_first, *columns, *warp_slice, *target;
    const uint16_t *local;
    const T *values, *b;
    T *c;
    typename Value<T>::Sum *partials, alpha, beta;
    uint64_t ldb, ldc;
    uint32_t n, stage_bytes;
    uint32_t rows, last_column, stage_count, working_set, slice_count, partial_count;
    uint32_t last_slot; // byte offset of the last slot of both stages together
    uint32_t c_is_col_major;
    uint32_t b_word;    // row-major B: rows begin at multiples of this number of bytes, at most 16
    uint32_t c_is_wide; // row-major C: rows begin at multiples of 16 bytes
};

// One slot of a stage: TILE values in words of up to 16 bytes. The stride is spmmi_tiled_slot_bytes.
template <typename T, int TILE> struct Slot {
    static constexpr uint32_t BYTES = TILE * sizeof(T);
    static constexpr uint32_t WORD = BYTES < 16 ? BYTES : 16;
    static constexpr uint32_t WORDS = BYTES / WORD;
    static constexpr uint32_t STRIDE = spmmi_tiled_slot_bytes(TILE, sizeof(T));
    static constexpr int VALUES = WORD / sizeof(T); // values per word
};

// Number of column indices that a thread loads together before it loads their rows of B. Loading them one by
// one would add a memory latency for each.
constexpr uint32_t STAGE_BATCH = SPMMI_TILED_STAGE_BATCH;

// Stages column-major B. A warp copies 8 slots by 4 columns at a time, so that runs of columns of A read
// whole sectors and no two lanes write to the same bank.
template <typename T, int TILE>
__device__ __forceinline__ void stage_columns(const TiledArgs<T> &a, char *stage, uint32_t first,
                                              uint32_t count, uint32_t tile)
{
    using S = Slot<T, TILE>;
    constexpr uint32_t ACROSS = TILE < 4 ? TILE : 4, DOWN = 32 / ACROSS;
    const uint32_t lane = threadIdx.x % 32, down = lane % DOWN, across = lane / DOWN;
    const uint32_t step = blockDim.x / 32 * DOWN;
    const uint32_t left = a.n > tile + across ? a.n - tile - across : 0;
    const T *b = a.b + (uint64_t)(tile + across) * a.ldb;
    char *to = stage + S::STRIDE + across * sizeof(T);
    for (uint32_t i = threadIdx.x / 32 * DOWN + down; i < count; i += STAGE_BATCH * step) {
        uint32_t column[STAGE_BATCH];
#pragma unroll
        for (uint32_t u = 0; u < STAGE_BATCH; u++)
            column[u] = i + u * step < count ? __ldg(a.columns + first + i + u * step) : 0;
#pragma unroll
        for (uint32_t u = 0; u < STAGE_BATCH; u++) {
            char *slot = to + (i + u * step) * S::STRIDE;
            const T *from = b + min(column[u], a.last_column);
            if (i + u * step >= count)
                break;
#pragma unroll
            for (uint32_t j = 0; j < TILE; j += ACROSS, from += ACROSS * a.ldb) {
                if (j < left)
                    copy_async(slot + j * sizeof(T), from);
            }
        }
    }
}

// Copies a word of a row of B, or its columns below n.
template <typename T, int VALUES>
__device__ __forceinline__ void copy_word(char *to, const T *from, uint32_t n, uint32_t column)
{
    if (column + VALUES <= n)
        copy_async<VALUES *(int)sizeof(T)>(to, from);
    else
        for (uint32_t r = 0; r < VALUES && column + r < n; r++)
            copy_async(to + r * sizeof(T), from + r);
}

// Stages rows of B in words of VALUES values.
template <typename T, int TILE, int VALUES>
__device__ __forceinline__ void stage_words(const TiledArgs<T> &a, char *stage, uint32_t first,
                                            uint32_t count, uint32_t tile)
{
    constexpr uint32_t WORDS = TILE / VALUES;
    for (uint32_t w = threadIdx.x; w < count * WORDS; w += STAGE_BATCH * blockDim.x) {
        uint32_t column[STAGE_BATCH];
#pragma unroll
        for (uint32_t u = 0; u < STAGE_BATCH; u++) {
            const uint32_t i = (w + u * blockDim.x) / WORDS;
            column[u] = i < count ? __ldg(a.columns + first + i) : 0;
        }
#pragma unroll
        for (uint32_t u = 0; u < STAGE_BATCH; u++) {
            const uint32_t i = (w + u * blockDim.x) / WORDS;
            const uint32_t j = (w + u * blockDim.x) % WORDS * VALUES;
            if (i < count)
                copy_word<T, VALUES>(stage + (i + 1) * Slot<T, TILE>::STRIDE + j * sizeof(T),
                                     a.b + min(column[u], a.last_column) * a.ldb + tile + j, a.n, tile + j);
        }
    }
}

// Stages row-major B in the widest words at which all rows begin.
template <typename T, int TILE>
__device__ __forceinline__ void stage_rows(const TiledArgs<T> &a, char *stage, uint32_t first, uint32_t count,
                                           uint32_t tile)
{
    constexpr int BYTES = TILE * (int)sizeof(T);
    if constexpr (BYTES >= 16) {
        if (a.b_word >= 16)
            return stage_words<T, TILE, 16 / sizeof(T)>(a, stage, first, count, tile);
    }
    if constexpr (BYTES >= 8 && sizeof(T) < 8) {
        if (a.b_word >= 8)
            return stage_words<T, TILE, 8 / sizeof(T)>(a, stage, first, count, tile);
    }
    if constexpr (BYTES >= 4 && sizeof(T) < 4) {
        if (a.b_word >= 4)
            return stage_words<T, TILE, 4 / sizeof(T)>(a, stage, first, count, tile);
    }
    stage_words<T, TILE, 1>(a, stage, first, count, tile);
}

// Adds value * (slot of the stage) to the sums.
template <typename T, int TILE>
__device__ __forceinline__ void multiply_add(typename Value<T>::Sum (&sum)[TILE], const char *stage,
                                             uint32_t slot, T value)
{
    using S = Slot<T, TILE>;
    using Sum = typename Value<T>::Sum;
    const char *from = stage + slot * S::STRIDE;
    const Sum v = Value<T>::widen(value);
#pragma unroll
    for (uint32_t q = 0; q < S::WORDS; q++) {
        const Vector<T, S::VALUES> word =
            load_vector<T, S::VALUES>(reinterpret_cast<const T *>(from + q * S::WORD));
#pragma unroll
        for (int r = 0; r < S::VALUES; r++)
            sum[q * S::VALUES + r] = fma(v, Value<T>::widen(word.x[r]), sum[q * S::VALUES + r]);
    }
}

// A lane's entries of AHEAD slices. Software prefetch: they are loaded while the previous slices are used,
// which hides the latency of every step. Slices past the warp's last one are also loaded, but never used.
template <typename T> struct Entries {
    static constexpr uint32_t AHEAD =
        // Number of slices whose entries are in registers.
        sizeof(T) > 4 ? SPMMI_TILED_AHEAD / 2 : SPMMI_TILED_AHEAD;
    uint16_t slot[AHEAD];
    T value[AHEAD];

    __device__ __forceinline__ void load(const TiledArgs<T> &a, uint32_t slice)
    {
        const uint64_t first = (uint64_t)slice * 32 + threadIdx.x % 32;
#pragma unroll
        for (uint32_t u = 0; u < AHEAD; u++) {
            slot[u] = __ldg(a.local + first + u * 32);
            value[u] = __ldg(a.values + first + u * 32);
        }
    }
};

// Multiplies slices [slice, end) of a warp in one stage. `next` already holds the first of them.
template <typename T, int TILE>
__device__ __forceinline__ void use_stage(const TiledArgs<T> &a, const char *stage, uint32_t slice,
                                          uint32_t end, Entries<T> &next, typename Value<T>::Sum (&sum)[TILE])
{
    constexpr uint32_t AHEAD = Entries<T>::AHEAD;
    // Whole batches have no branches, so the loads of different entries overlap.
    for (; slice + AHEAD <= end; slice += AHEAD) {
        const Entries<T> now = next;
        next.load(a, slice + AHEAD);
#pragma unroll
        for (uint32_t u = 0; u < AHEAD; u++)
            multiply_add<T, TILE>(sum, stage, now.slot[u], now.value[u]);
    }
#pragma unroll
    for (uint32_t u = 0; u < AHEAD; u++) {
        if (slice + u < end)
            multiply_add<T, TILE>(sum, stage, next.slot[u], next.value[u]);
    }
}

// Stores a finished row of C, or a partial sum.
template <typename T, int TILE>
__device__ __forceinline__ void store_unit(const TiledArgs<T> &a, uint32_t target, uint32_t tile,
                                           const typename Value<T>::Sum (&sum)[TILE])
{
    using Sum = typename Value<T>::Sum;
    const uint32_t width = a.n - tile < TILE ? a.n - tile : TILE;
    if (target & SPMMI_TILED_PARTIAL) {
        const uint32_t number = target & ~SPMMI_TILED_PARTIAL;
        Sum *to = a.partials + (uint64_t)number * a.n + tile;
        if (number >= a.partial_count) // includes SPMMI_TILED_NONE
            return;
        constexpr int WIDE = TILE * sizeof(Sum) >= 16 ? 16 / sizeof(Sum) : 1;
        if (a.n % WIDE == 0 && width == TILE) { // workspaces are aligned to 16 bytes
#pragma unroll
            for (uint32_t j = 0; j < TILE; j += WIDE) {
                Vector<Sum, WIDE> word;
#pragma unroll
                for (int r = 0; r < WIDE; r++)
                    word.x[r] = sum[j + r];
                store_vector<Sum, WIDE>(to + j, word);
            }
            return;
        }
#pragma unroll
        for (uint32_t j = 0; j < TILE; j++) {
            if (j < width)
                to[j] = sum[j];
        }
        return;
    }
    constexpr int VALUES = Slot<T, TILE>::VALUES;
    if (target >= a.rows)
        return;
    if (!a.c_is_col_major && a.c_is_wide && width == TILE) {
        T *c = a.c + target * a.ldc + tile;
#pragma unroll
        for (uint32_t j = 0; j < TILE; j += VALUES) {
            Vector<T, VALUES> word{};
            if (a.beta != Sum(0))
                word = load_vector<T, VALUES>(c + j);
#pragma unroll
            for (int r = 0; r < VALUES; r++)
                word.x[r] = scaled_sum<T>(a.alpha, sum[j + r], a.beta, word.x[r]);
            store_vector<T, VALUES>(c + j, word);
        }
        return;
    }
    const uint64_t step = a.c_is_col_major ? a.ldc : 1;
    T *c = a.c_is_col_major ? a.c + target + tile * a.ldc : a.c + target * a.ldc + tile;
#pragma unroll
    for (uint32_t j = 0; j < TILE; j++, c += step) {
        if (j < width)
            *c = scaled_sum<T>(a.alpha, sum[j], a.beta, a.beta != Sum(0) ? *c : T{});
    }
}

template <typename T, int TILE, bool B_COLUMNS>
__global__ void __launch_bounds__(SPMMI_TILED_THREADS_MAX,
                                  B_COLUMNS && sizeof(T) == 2 && TILE == 8
                                      ? 4 // 64 registers suffice
                                      : spmmi_tiled_resident(TILE * sizeof(typename Value<T>::Sum)))
    tiled_kernel(const TiledArgs<T> a)
{
    using S = Slot<T, TILE>;
    extern __shared__ __align__(256) char shared[];
    const uint32_t tile = blockIdx.y * TILE, warps = blockDim.x / 32;
    // alpha = 0 reads neither A nor B
    const uint32_t end = a.alpha != typename Value<T>::Sum(0)
                             ? min(__ldg(a.row_block_stage + blockIdx.x + 1), a.stage_count)
                             : 0;
    const uint32_t begin = min(__ldg(a.row_block_stage + blockIdx.x), end);
    const auto load = [&](uint32_t s) {
        const uint32_t offset = (s - begin) % 2 * a.stage_bytes;
        const uint32_t last = min(__ldg(a.stage_first + s + 1), a.working_set);
        const uint32_t first = min(__ldg(a.stage_first + s), last);
        const uint32_t count = min(last - first, (a.last_slot - offset) / S::STRIDE);
        char *stage = shared + offset;
        if (B_COLUMNS)
            stage_columns<T, TILE>(a, stage, first, count, tile);
        else
            stage_rows<T, TILE>(a, stage, first, count, tile);
        commit_copies();
    };
    typename Value<T>::Sum sum[TILE] = {};
    Entries<T> entries;
    if (begin < end)
        load(begin);
    for (uint32_t i = threadIdx.x; i < S::BYTES * (end - begin > 1 ? 2 : 1) / sizeof(T); i += blockDim.x)
        reinterpret_cast<T *>(shared + i / TILE * a.stage_bytes)[i % TILE] = T{};
    for (uint32_t s = begin; s < end; s++) {
        const uint32_t *slices = a.warp_slice + s * warps + threadIdx.x / 32;
        const uint32_t slice_end = min(__ldg(slices + 1), a.slice_count);
        const uint32_t slice = min(__ldg(slices), slice_end);
        entries.load(a, slice);
        if (s + 1 < end) {
            load(s + 1);
            wait_for_copies<1>();
        } else {
            wait_for_copies<0>();
        }
        __syncthreads();
        use_stage<T, TILE>(a, shared + (s - begin) % 2 * a.stage_bytes, slice, slice_end, entries, sum);
        __syncthreads();
    }
    release_dependents();
    store_unit<T, TILE>(a, __ldg(a.target + blockIdx.x * blockDim.x + threadIdx.x), tile, sum);
}

// Computes split rows: C = alpha * (partial sums, added in order) + beta * C. A thread block
// computes 32 columns of one row. Each of its groups of 32 threads sums a run of partials, and
// the runs are added in order.
constexpr uint32_t SPLIT_GROUPS = SPMMI_TILED_SPLIT_GROUPS;
template <typename T>
__global__ void __launch_bounds__(32 * SPLIT_GROUPS)
    tiled_split_kernel(const TiledArgs<T> a, const struct spmmi_tiled_split *splits)
{
    using Sum = typename Value<T>::Sum;
    __shared__ Sum run[SPLIT_GROUPS][32];
    struct spmmi_tiled_split split = splits[blockIdx.x];
    const uint32_t lane = threadIdx.x % 32, group = threadIdx.x / 32, column = blockIdx.y * 32 + lane;
    split.first = min(split.first, a.partial_count);
    split.count = min(split.count, a.partial_count - split.first);
    const uint32_t length = (split.count + SPLIT_GROUPS - 1) / SPLIT_GROUPS;
    const uint32_t begin = group * length < split.count ? group * length : split.count;
    const uint32_t end = begin + length < split.count ? begin + length : split.count;
    Sum sum = 0;
    wait_for_previous();
    if (column < a.n) {
        const Sum *partial = a.partials + (uint64_t)(split.first + begin) * a.n + column;
#pragma unroll 8
        for (uint32_t i = begin; i < end; i++, partial += a.n)
            sum += __ldcg(partial);
    }
    run[group][lane] = sum;
    __syncthreads();
    if (group > 0 || column >= a.n || split.row >= a.rows)
        return;
    for (uint32_t g = 1; g < SPLIT_GROUPS; g++)
        sum += run[g][lane];
    T *c = a.c_is_col_major ? a.c + split.row + column * a.ldc : a.c + split.row * a.ldc + column;
    *c = scaled_sum<T>(a.alpha, sum, a.beta, a.beta != Sum(0) ? *c : T{});
}

} // namespace spmmi
