// SPDX-License-Identifier: Apache-2.0
// Epilogue of the tensor-core kernels. Sums that are NaN or Inf are computed again, because padding may be
// the cause. Sums are then scaled and stored in C, or left in slots, which another kernel adds in order.
#pragma once
#include "tcblock_kernel.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/value.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

template <typename T> struct TcblockArgs {
    using Sum = typename Value<T>::Sum;
    const uint32_t *row_of, *columns;
    const uint8_t *locals;       // panel
    const uint32_t *block_first; // panel, bcsr
    const uint32_t *masks;       // bcsr
    const uint64_t *bitmaps;
    const uint32_t *value_first;
    const T *values;
    const struct spmmi_tcblock_item *items;
    const T *b;
    T *c;
    Sum *slots;
    uint64_t ldb, ldc;  // elements
    uint32_t ldb_bytes; // ldb in bytes, if B is row-major
    Sum alpha, beta;
    uint32_t n, item_count;
    uint32_t unit_rows;
    uint32_t rows, cols; // size of op(A): rows of C, rows of B
    uint32_t unit_count, step_count, block_count, value_count, slot_count;
    uint32_t step_blocks_max, step_values_max; // step_blocks_max: panel and bcsr; step_values_max: panel
    bool b_starts_wide, c_is_wide; // rows (or columns, if column-major) begin at multiples of 16 bytes
};

// Returns row i of a matrix whose rows are `bytes` apart, with a single 32-bit multiplication.
template <typename T> __device__ __forceinline__ const T *row_at(const T *first, uint32_t i, uint32_t bytes)
{
    return reinterpret_cast<const T *>(reinterpret_cast<const char *>(first) + uint64_t(i) * bytes);
}

// Reads item `index`. Here and below, indices from tables are limited to the size of the arrays, the
// stages, B and C: damaged tables cannot make a kernel read or write elsewhere (docs/decisions/0037).
// alpha = 0 reads neither A nor B.
template <typename T>
__device__ __forceinline__ struct spmmi_tcblock_item read_item(const TcblockArgs<T> &a, uint32_t index)
{
    struct spmmi_tcblock_item item = a.items[index];
    item.unit = min(item.unit, a.unit_count - 1);
    item.end = a.alpha != typename Value<T>::Sum(0) ? min(item.end, a.step_count) : 0;
    item.begin = min(item.begin, item.end);
    return item;
}

// Returns row i of B, or the last row if i is too large.
template <typename T> __device__ __forceinline__ const T *row_of_b(const TcblockArgs<T> &a, uint32_t i)
{
    return row_at(a.b, min(i, a.cols - 1), a.ldb_bytes);
}

// Adds the products of row r of a block to the sums of columns column .. column + WIDTH - 1, from the stored
// values of A only. rows(p): row of B for position p in lane order.
template <typename T, int WIDTH, typename Rows>
__device__ __forceinline__ void add_exactly(const TcblockArgs<T> &a, uint32_t block, int r, uint32_t column,
                                            Rows rows, typename Value<T>::Sum (&sums)[WIDTH])
{
    const uint64_t bitmap = a.bitmaps[block];
#pragma unroll 1 // keeps registers few: the kernel has as many as this needs
    for (int p = 0; p < 8; p++) {
        const int bit = 8 * r + p;
        if ((bitmap >> bit & 1) == 0)
            continue;
        const uint64_t at = a.value_first != nullptr
                                ? a.value_first[block] + __popcll(bitmap & ((uint64_t(1) << bit) - 1))
                                : uint64_t(block) * SPMMI_TCBLOCK_VALUES + bit;
        const auto value = Value<T>::widen(a.values[min(at, uint64_t(a.value_count))]);
        const T *b = row_of_b(a, rows(p));
        for (int i = 0; i < WIDTH; i++) {
            if (column + i < a.n)
                sums[i] = fma(value, Value<T>::widen(b[column + i]), sums[i]);
        }
    }
}

// Computes the sums of row r of window w over the steps of an item; the unit has WINDOWS
// windows. Rare, so it may be slow.
template <int WINDOWS, typename T, int WIDTH>
__device__ __noinline__ void sum_exactly(const TcblockArgs<T> &a, const struct spmmi_tcblock_item &item,
                                         int w, int r, uint32_t column, typename Value<T>::Sum (&sums)[WIDTH])
{
    for (int i = 0; i < WIDTH; i++)
        sums[i] = 0;
#pragma unroll 1
    for (uint32_t step = item.begin; step < item.end; step++) {
        if constexpr (WINDOWS == 1) { // window family: a step is one block
            const uint32_t *rows = a.columns + uint64_t(step) * 8;
            add_exactly<T, WIDTH>(
                a, step, r, column, [=](int p) { return rows[p]; }, sums);
        } else {
            const uint64_t window = uint64_t(step) * WINDOWS + w;
            const uint32_t *rows = a.columns + uint64_t(step) * SPMMI_TCBLOCK_PANEL_STEP;
            const uint32_t end = min(a.block_first[window + 1], a.block_count);
            for (uint32_t block = a.block_first[window]; block < end; block++) {
                const uint8_t *locals = a.locals + uint64_t(block) * 8;
                add_exactly<T, WIDTH>(
                    a, block, r, column, [=](int p) { return rows[locals[p] % SPMMI_TCBLOCK_PANEL_STEP]; },
                    sums);
            }
        }
    }
}

// Returns the rows of C for rows 2 t and 2 t + 1 of a window. Callers read them early to hide the latency.
template <typename T>
__device__ __forceinline__ uint2 rows_of_lane(const TcblockArgs<T> &a, const struct spmmi_tcblock_item &item,
                                              int w)
{
    const uint32_t first = item.unit * (a.unit_rows / 2) + 4 * w + threadIdx.x % 4;
    return __ldg(reinterpret_cast<const uint2 *>(a.row_of) + first);
}

// Scales N neighbouring sums and stores them as one aligned word of N values.
template <typename T, int N>
__device__ __forceinline__ void store_whole(const TcblockArgs<T> &a, T *to,
                                            const typename Value<T>::Sum (&sums)[N])
{
    using Sum = typename Value<T>::Sum;
    Vector<T, N> c = {};
    if (a.beta != Sum(0))
        c = load_vector<T, N>(to);
#pragma unroll
    for (int i = 0; i < N; i++)
        c.x[i] = scaled_sum<T>(a.alpha, sums[i], a.beta, c.x[i]);
    store_vector<T, N>(to, c);
}

// Stores N neighbouring sums of a row of C, of which `left` are within C.
template <typename T, int N>
__device__ __forceinline__ void store_sums(const TcblockArgs<T> &a, T *to, uint32_t left,
                                           const typename Value<T>::Sum (&sums)[N])
{
    if (a.c_is_wide && left >= N) {
        store_whole<T, N>(a, to, sums);
        return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (i < left)
            store_whole<T, 1>(a, to + i, {sums[i]});
    }
}

// Checks the sums of a row that a lane holds: GROUPS groups of N neighbouring columns, group q at `column` +
// at(q). If one of them is NaN or Inf, all are computed again by exact(column, sums). STAYS: sums stay in
// registers. Otherwise exact takes their address, so the compiler always keeps them in local memory, which
// the L2 cache holds. This leaves registers free (docs/decisions/0116).
template <bool STAYS, typename Sum, int N, int GROUPS, typename At, typename Exact>
__device__ __forceinline__ void check_row(uint32_t column, Sum (&sums)[GROUPS][N], At at, Exact exact)
{
    Sum zero = 0; // stays 0 unless a sum is NaN or Inf
#pragma unroll
    for (int q = 0; q < GROUPS; q++) {
#pragma unroll
        for (int i = 0; i < N; i++)
            zero = fma(sums[q][i], Sum(0), zero);
    }
    if (zero == Sum(0))
        return;
#pragma unroll 1
    for (int q = 0; q < GROUPS; q++) {
        if constexpr (STAYS) {
            Sum again[N];
            exact(column + at(q), again);
#pragma unroll
            for (int i = 0; i < GROUPS * N; i++)
                sums[i / N][i % N] = i / N == q ? again[i % N] : sums[i / N][i % N];
        } else {
            exact(column + at(q), sums[q]);
        }
    }
}

// Stores the same sums as row r of a unit, in C or in the item's slot.
template <typename T, int N, int GROUPS, typename At>
__device__ __forceinline__ void store_row(const TcblockArgs<T> &a, const struct spmmi_tcblock_item &item,
                                          uint32_t r, uint32_t c_row, uint32_t column,
                                          const typename Value<T>::Sum (&sums)[GROUPS][N], At at)
{
    if (item.slot < a.slot_count) {
        auto *to = a.slots + (uint64_t(item.slot) * a.unit_rows + r) * a.n;
#pragma unroll
        for (int q = 0; q < GROUPS; q++) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (column + at(q) + i < a.n)
                    to[column + at(q) + i] = sums[q][i];
            }
        }
    } else if (c_row < a.rows) {
        T *to = a.c + uint64_t(c_row) * a.ldc + column;
        if (a.c_is_wide && column + at(GROUPS - 1) + N <= a.n) {
#pragma unroll
            for (int q = 0; q < GROUPS; q++)
                store_whole<T, N>(a, to + at(q), sums[q]);
            return;
        }
#pragma unroll
        for (int q = 0; q < GROUPS; q++) {
            if (column + at(q) < a.n)
                store_sums<T, N>(a, to + at(q), a.n - column - at(q), sums[q]);
        }
    }
}

// Checks row r of window w of a unit of WINDOWS windows, with groups STRIDE columns apart.
template <bool STAYS, int WINDOWS, int STRIDE, typename T, int N, int GROUPS>
__device__ __forceinline__ void check_window_row(const TcblockArgs<T> &a,
                                                 const struct spmmi_tcblock_item &item, int w, int r,
                                                 uint32_t column, typename Value<T>::Sum (&sums)[GROUPS][N])
{
    const auto at = [](int q) { return uint32_t(q * STRIDE); };
    check_row<STAYS>(column, sums, at, [&](uint32_t first, typename Value<T>::Sum(&group)[N]) {
        sum_exactly<WINDOWS, T, N>(a, item, w, r, first, group);
    });
}

template <int STRIDE, typename T, int N, int GROUPS>
__device__ __forceinline__ void
store_window_row(const TcblockArgs<T> &a, const struct spmmi_tcblock_item &item, int w, int r, uint32_t c_row,
                 uint32_t column, const typename Value<T>::Sum (&sums)[GROUPS][N])
{
    store_row(a, item, 8 * w + r, c_row, column, sums, [](int q) { return uint32_t(q * STRIDE); });
}

constexpr int SPLIT_ROWS = 8; // rows that a thread block sums at a time, 32 columns of each

// Adds the slots of split units in order and stores the sums in C.
template <typename T>
__global__ void __launch_bounds__(32 * SPLIT_ROWS)
    sum_slots_kernel(const TcblockArgs<T> a, const struct spmmi_tcblock_split *splits)
{
    using Sum = typename Value<T>::Sum;
    struct spmmi_tcblock_split split = splits[blockIdx.x];
    const uint32_t column = blockIdx.y * 32 + threadIdx.x % 32;
    split.unit = min(split.unit, a.unit_count - 1);
    split.first = min(split.first, a.slot_count);
    split.count = min(split.count, a.slot_count - split.first);
    wait_for_previous();
    if (column >= a.n)
        return;
    for (uint32_t r = threadIdx.x / 32; r < a.unit_rows; r += SPLIT_ROWS) {
        const uint32_t c_row = __ldg(a.row_of + uint64_t(split.unit) * a.unit_rows + r);
        if (c_row >= a.rows)
            continue;
        Sum sum = 0;
        for (uint32_t s = 0; s < split.count; s++)
            sum += __ldcg(a.slots + (uint64_t(split.first + s) * a.unit_rows + r) * a.n + column);
        T *to = a.c + uint64_t(c_row) * a.ldc + column;
        *to = scaled_sum<T>(a.alpha, sum, a.beta, a.beta != Sum(0) ? *to : T(0));
    }
}

template <typename T> TcblockArgs<T> tcblock_args(const struct spmmi_tcblock_cuda *args)
{
    using Sum = typename Value<T>::Sum;
    const struct spmmi_tcblocks &l = args->layout;
    TcblockArgs<T> a;
    a.row_of = l.row_of;
    a.columns = l.columns;
    a.locals = l.locals;
    a.block_first = l.block_first;
    a.masks = l.masks;
    a.bitmaps = l.bitmaps;
    a.value_first = l.is_packed ? l.value_first : nullptr;
    a.values = static_cast<const T *>(l.values);
    a.items = l.items;
    a.b = static_cast<const T *>(args->b);
    a.c = static_cast<T *>(args->c);
    a.slots = static_cast<Sum *>(args->slots);
    a.ldb_bytes = (uint32_t)(args->ldb * sizeof(T));
    a.ldb = args->ldb;
    a.ldc = args->ldc;
    a.alpha = static_cast<Sum>(args->alpha);
    a.beta = static_cast<Sum>(args->beta);
    a.n = args->n;
    a.item_count = l.item_count;
    a.unit_rows = l.unit_rows;
    a.rows = l.rows;
    a.cols = l.cols;
    a.unit_count = l.unit_count;
    a.step_count = l.step_count;
    a.block_count = l.block_count;
    a.value_count = (uint32_t)l.value_count;
    a.slot_count = l.slot_count;
    a.step_blocks_max = l.step_blocks_max;
    a.step_values_max = l.step_values_max;
    a.b_starts_wide = (uintptr_t)args->b % 16 == 0 && args->ldb * sizeof(T) % 16 == 0;
    a.c_is_wide = (uintptr_t)args->c % 16 == 0 && args->ldc * sizeof(T) % 16 == 0;
    return a;
}

template <typename T> bool b_is_wide(const struct spmmi_tcblock_cuda *args)
{
    return (uintptr_t)args->b % 16 == 0 && args->ldb * sizeof(T) % 16 == 0 && args->n * sizeof(T) % 16 == 0;
}

template <typename T>
cudaError_t launch_sum_slots(const struct spmmi_tcblock_cuda *args, const TcblockArgs<T> &a)
{
    if (args->layout.split_count == 0)
        return cudaSuccess;
    return launch_kernel(sum_slots_kernel<T>, dim3(args->layout.split_count, (a.n + 31) / 32),
                         32 * SPLIT_ROWS, 0, args->cuda_stream, args->can_overlap != 0, a,
                         args->layout.splits);
}

} // namespace spmmi
