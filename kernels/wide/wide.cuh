// SPDX-License-Identifier: Apache-2.0
// wide: rows of A times panels of B in shared memory, on CUDA cores.  C = alpha * P * B + beta * C; B, C row-major.
//
// layout     wide_kernel.h: rows sorted by length, in slices of 4 * ROWS rows; batches of entries of a slice
// block      WARPS warps, each with a slice, and one warp that copies; blockIdx.x selects slices that are far
//            apart in the order of lengths, blockIdx.y a tile of 128 bytes of a row of B
// warp       4 groups of 8 lanes; a group owns ROWS rows, a lane 16 bytes of columns. For an entry each lane
//            reads 16 bytes, the lanes of a group 128 consecutive bytes, so that banks never conflict,
//            whatever the columns
// ring       panels of rows of B, each with two barriers: one for "full", one for "all warps have finished
//            it". A warp finishes a panel at the end of a phase; until then its rows may be AHEAD panels
//            further, so that rows with different numbers of nonzeros per panel need less padding
// copies     panels by the TMA (sm_90, B aligned to 16 bytes), else value by value; batches of A by cp.async
//            into STAGES stages per warp
// types      f32; T is a parameter, but other types were slower than tensor cores (docs/decisions/0046)
// sums       one per column and row, in registers, columns ascending: the bits of a loop over the row with
//            fma
// bounds     batches, ring rows and rows of C are clamped after they are read from tables
//            (docs/decisions/0037)
// memory     64 registers, up to 97 KiB of shared memory: two blocks per multiprocessor
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "kernels/shared/barrier.cuh"
#include "kernels/shared/tensor_map.cuh"
#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"
#include "wide_kernel.h"

namespace spmmi {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
constexpr bool WIDE_HAS_MAPS = true;
#else
constexpr bool WIDE_HAS_MAPS = false; // this code may also run on GPUs that have tensor maps
#endif
constexpr uint32_t WIDE_STAGES = SPMMI_WIDE_STAGES;
constexpr uint32_t WIDE_ROW = SPMMI_WIDE_ROW_BYTES;

template <typename T> struct WideArgs {
    const uint32_t *slice_start, *phase_end, *row_of;
    const uint16_t *ring_row;
    const T *values, *b;
    T *c;
    uint64_t ldb, ldc;
    uint32_t slice_count, panel_count, batch_count, rows, cols, n;
    bool c_is_wide; // rows of C are aligned to 16 bytes
    typename Value<T>::Sum alpha, beta;
};

// The stages of each warp, in shared memory after the ring and its row of zeros.
template <typename T> struct WideStage {
    static constexpr uint32_t INDEX_BYTES = SPMMI_WIDE_BATCH_ENTRIES * sizeof(uint16_t);
    static constexpr uint32_t VALUE_BYTES = SPMMI_WIDE_BATCH_ENTRIES * sizeof(T);
    static constexpr uint32_t BYTES = INDEX_BYTES + VALUE_BYTES;
};

// The next slot of the ring, and the parity of its barriers.
struct RingPlace {
    uint32_t slot = 0, parity;
    __device__ __forceinline__ explicit RingPlace(uint32_t first) : parity(first)
    {
    }
    __device__ __forceinline__ void advance()
    {
        if (++slot == SPMMI_WIDE_SLOTS) {
            slot = 0;
            parity ^= 1;
        }
    }
};

struct WideRing {
    Barrier full[SPMMI_WIDE_SLOTS], empty[SPMMI_WIDE_SLOTS];
};

// ---- The warp that copies B ----

// Copies a panel of B by one lane; elements past the ends of B become 0.
__device__ __forceinline__ void copy_panel(const CUtensorMap *map, char *to, uint32_t column, uint32_t row,
                                           Barrier *full)
{
    arrive_and_expect(full, SPMMI_WIDE_PANEL * WIDE_ROW);
    copy_box(to, map, column, row, full);
}

// Copies a panel by all lanes, value by value, for B of any alignment.
template <typename T>
__device__ void copy_values(const WideArgs<T> &a, char *to, uint32_t column, uint32_t row, Barrier *full)
{
    constexpr uint32_t TILE = WIDE_ROW / sizeof(T);
    for (uint32_t i = threadIdx.x % 32; i < SPMMI_WIDE_PANEL * TILE; i += 32) {
        const uint32_t r = row + i / TILE, j = column + i % TILE;
        if (r < a.cols && j < a.n)
            copy_async(reinterpret_cast<T *>(to) + i, a.b + r * a.ldb + j);
    }
    arrive_after_copies(full);
}

template <typename T, bool HAS_MAP>
__device__ __forceinline__ void copy_panels(const WideArgs<T> &a, const CUtensorMap *map, char *ring,
                                            WideRing &barriers, uint32_t column)
{
    RingPlace place(1);
    if (HAS_MAP && threadIdx.x % 32 != 0)
        return;
    for (uint32_t p = 0; p < a.panel_count; p++) {
        char *to = ring + place.slot * (SPMMI_WIDE_PANEL * WIDE_ROW);
        wait_for_phase(&barriers.empty[place.slot], place.parity);
        if (HAS_MAP)
            copy_panel(map, to, column, p * SPMMI_WIDE_PANEL, &barriers.full[place.slot]);
        else
            copy_values(a, to, column, p * SPMMI_WIDE_PANEL, &barriers.full[place.slot]);
        place.advance();
    }
    wait_for_copies<0>();
}

// ---- Warps that multiply ----

// The batches of a slice, which pass through the warp's stages.
template <typename T> struct WideStream {
    using Stage = WideStage<T>;
    const char *index_from, *value_from;
    char *stages;
    uint32_t left, put = 0, get = 0;

    __device__ __forceinline__ WideStream(const WideArgs<T> &a, uint32_t first, uint32_t count, char *shared)
        : stages(shared), left(count)
    {
        const uint32_t offset = threadIdx.x % 32 * 16;
        index_from =
            reinterpret_cast<const char *>(a.ring_row) + (uint64_t)first * Stage::INDEX_BYTES + offset;
        value_from = reinterpret_cast<const char *>(a.values) + (uint64_t)first * Stage::VALUE_BYTES + offset;
#pragma unroll
        for (uint32_t i = 0; i + 1 < WIDE_STAGES; i++)
            fetch();
    }
    // Fetches the next batch, if there is one; commits a group of copies in any case, so
    // that groups can be counted.
    __device__ __forceinline__ void fetch()
    {
        const uint32_t offset = threadIdx.x % 32 * 16;
        char *to = stages + put * Stage::BYTES + offset;
        if (left > 0) {
            if (offset < Stage::INDEX_BYTES)
                copy_async<16>(to, index_from);
#pragma unroll
            for (uint32_t at = 0; at < Stage::VALUE_BYTES; at += 512) {
                if (at + offset < Stage::VALUE_BYTES)
                    copy_async<16>(to + Stage::INDEX_BYTES + at, value_from + at);
            }
            left--;
        }
        commit_copies();
        index_from += Stage::INDEX_BYTES;
        value_from += Stage::VALUE_BYTES;
        put = put + 1 == WIDE_STAGES ? 0 : put + 1;
    }
    // Returns the stage of the oldest batch; the stage returned before is free from now on.
    __device__ __forceinline__ const char *next()
    {
        wait_for_copies<WIDE_STAGES - 2>();
        __syncwarp();
        fetch();
        const char *stage = stages + get * Stage::BYTES;
        get = get + 1 == WIDE_STAGES ? 0 : get + 1;
        return stage;
    }
};

// Adds the products of a batch. column: the lane's 16 bytes in row 0 of the ring.
template <typename T, int VEC, int ROWS>
__device__ __forceinline__ void add_batch(const char *stage, const char *column,
                                          Vector<typename Value<T>::Sum, VEC> (&sum)[ROWS])
{
    constexpr int HALF = 8; // number of entries whose indices fit one load of 16 bytes
    const uint32_t group = threadIdx.x % 32 / SPMMI_WIDE_LANES;
    const char *indices = stage + group * (SPMMI_WIDE_BATCH * sizeof(uint16_t));
    const char *values = stage + WideStage<T>::INDEX_BYTES + group * (SPMMI_WIDE_BATCH * sizeof(T));
#pragma unroll
    for (int h = 0; h < (int)SPMMI_WIDE_BATCH / HALF; h++) {
        const Vector<uint32_t, HALF / 2> pairs =
            load_vector<uint32_t, HALF / 2>(reinterpret_cast<const uint32_t *>(indices) + h * (HALF / 2));
        const Vector<T, HALF> a = load_vector<T, HALF>(reinterpret_cast<const T *>(values) + h * HALF);
#pragma unroll
        for (int e = 0; e < HALF; e++) {
            const uint32_t pair = __vminu2(pairs.x[e / 2], SPMMI_WIDE_RING * 0x10001u);
            const uint32_t row = e % 2 == 0 ? pair & 0xffff : pair >> 16;
            const T *b = reinterpret_cast<const T *>(column + row * WIDE_ROW);
            sum[e % ROWS].fma(a.x[e], load_vector<T, VEC>(b));
        }
    }
}

// Adds all phases of a slice that has `count` batches.
template <typename T, int VEC, int ROWS>
__device__ __forceinline__ void add_panels(const WideArgs<T> &a, uint32_t slice, uint32_t count,
                                           WideStream<T> &stream, WideRing &barriers, const char *column,
                                           Vector<typename Value<T>::Sum, VEC> (&sum)[ROWS])
{
    const uint32_t *phase_end = a.phase_end + (uint64_t)slice * a.panel_count;
    uint32_t batch = 0, arrived = 0, next_end = a.panel_count > 0 ? __ldg(phase_end) : 0;
    RingPlace in(0), out(0);
    for (uint32_t phase = 0; phase < a.panel_count; phase++) {
        const uint32_t end = min(next_end, count);
        if (phase + 1 < a.panel_count)
            next_end = __ldg(phase_end + phase + 1);
        for (; arrived < min(phase + SPMMI_WIDE_AHEAD + 1, a.panel_count); arrived++, in.advance())
            wait_for_phase(&barriers.full[in.slot], in.parity);
        for (; batch < end; batch++)
            add_batch<T, VEC, ROWS>(stream.next(), column, sum);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&barriers.empty[out.slot]);
        out.advance();
    }
    wait_for_copies<0>();
}

template <typename T, int VEC>
__device__ __forceinline__ void store_sums(const WideArgs<T> &a, uint32_t row, uint32_t column,
                                           const Vector<typename Value<T>::Sum, VEC> &sum)
{
    T *c = a.c + row * a.ldc + column;
    if (row >= a.rows || column >= a.n)
        return;
    if (a.c_is_wide && column + VEC <= a.n) {
        Vector<T, VEC> v{};
        if (a.beta != 0)
            v = load_vector<T, VEC>(c);
#pragma unroll
        for (int i = 0; i < VEC; i++)
            v.x[i] = scaled_sum<T>(a.alpha, sum.x[i], a.beta, v.x[i]);
        store_vector<T, VEC>(c, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < VEC; i++) {
        if (column + i < a.n)
            c[i] = scaled_sum<T>(a.alpha, sum.x[i], a.beta, a.beta != 0 ? c[i] : T(0));
    }
}

template <typename T, int ROWS, int WARPS, bool IS_MAPPED>
__global__ void __launch_bounds__((WARPS + 1) * 32, SPMMI_WIDE_BLOCKS)
    wide_kernel(const WideArgs<T> a, const __grid_constant__ CUtensorMap map)
{
    constexpr int VEC = 16 / sizeof(T);
    constexpr bool HAS_MAP = IS_MAPPED && WIDE_HAS_MAPS;
    extern __shared__ __align__(128) char ring[];
    __shared__ WideRing barriers;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t tile_column = blockIdx.y * (SPMMI_WIDE_LANES * VEC);
    char *const zeros = ring + SPMMI_WIDE_RING * WIDE_ROW, *const stages = zeros + WIDE_ROW;
    if (threadIdx.x < SPMMI_WIDE_SLOTS) {
        init_barrier(&barriers.full[threadIdx.x], HAS_MAP ? 1 : 32);
        init_barrier(&barriers.empty[threadIdx.x], WARPS);
    }
    if (threadIdx.x < WIDE_ROW / 16)
        reinterpret_cast<uint4 *>(zeros)[threadIdx.x] = make_uint4(0, 0, 0, 0);
    publish_barriers();
    if (warp == WARPS) {
        copy_panels<T, HAS_MAP>(a, &map, ring, barriers, tile_column);
        return;
    }
    // Warps without a slice have no batches, but arrive at the barriers like all others.
    const uint32_t slice = warp * gridDim.x + blockIdx.x;
    const uint32_t known = min(slice, a.slice_count - 1);
    const uint32_t first = min(__ldg(a.slice_start + known), a.batch_count);
    const uint32_t last = min(__ldg(a.slice_start + known + 1), a.batch_count);
    const uint32_t count = slice == known && last > first ? last - first : 0;
    Vector<typename Value<T>::Sum, VEC> sum[ROWS] = {};
    WideStream<T> stream(a, first, count, stages + warp * (WIDE_STAGES * WideStage<T>::BYTES));
    add_panels<T, VEC, ROWS>(a, known, count, stream, barriers, ring + lane % SPMMI_WIDE_LANES * 16, sum);
    if (slice != known)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const uint64_t place = ((uint64_t)slice * SPMMI_WIDE_GROUPS + lane / SPMMI_WIDE_LANES) * ROWS + r;
        store_sums<T, VEC>(a, __ldg(a.row_of + place), tile_column + lane % SPMMI_WIDE_LANES * VEC, sum[r]);
    }
}

} // namespace spmmi
