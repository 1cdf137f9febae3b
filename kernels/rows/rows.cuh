// SPDX-License-Identifier: Apache-2.0
// rows: row segments on CUDA cores.  C(m x n) = alpha * P * B(k x n) + beta * C; B row-major, C either.
//
// layout      the stream of rows_kernel.h: nonzeros row by row, the sign bit of a column index ends its row
// block       256 threads = 256 / LANES groups; blockIdx.x takes consecutive groups, blockIdx.y a column tile
// group       LANES lanes own consecutive nonzeros (whole items) and LANES * VEC columns of B and C
// lane        VEC columns: one 16-byte load of B a nonzero (VEC = 1 where B or n is not aligned)
// in flight   4 * QUADS rows of B a group, whatever the row lengths: loads never wait for the end of a row
// schedules   row split: items end with their rows, nothing is shared.
//             nonzero split: blocks are about equally long, and so are the groups of a block. A row cut by a
//             group boundary is summed through shared memory, one cut by a block boundary through a slot in
//             global memory; the last block to arrive at a shared row adds its slots in ascending order.
//             No floating-point atomics: the order of every sum is fixed by the launch shape, so results are
//             bitwise repeatable.
// bounds      positions, ranks and rows that come out of tables are cut off at what the arrays and C have, once a group,
//             block or row of C: tables that were damaged cannot make a kernel write elsewhere (docs/decisions/0037)
// residue     the stream is padded; entries past an item's end are computed and dropped, never stored
// memory      two values a thread and column of shared memory in a nonzero split, none in a row split;
//             48 registers (f32) or 64 (f64), for 5 or 4 blocks a multiprocessor
// measured    docs/performance.md, on an H200
// source      paper 004 (row split, nonzero split with carry-out), paper 002 (strict nonzero splitting)
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#include "rows_kernel.h"
#include "kernels/shared/arrival.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

constexpr unsigned THREADS = SPMMI_ROWS_THREADS;

// Four consecutive nonzeros.
template <typename T> struct Quad {
    uint4 column;
    T value[4];
};

template <typename T>
__device__ __forceinline__ Quad<T> load_quad(const uint32_t *columns, const T *values, uint32_t p)
{
    Quad<T> q;
    q.column = __ldg(reinterpret_cast<const uint4 *>(columns + p));
    load_four(values + p, q.value);
    return q;
}

template <typename T> struct RowsArgs {
    const uint32_t *columns;
    const T *values;
    const uint32_t *rank_start, *row_of_rank, *empty_rows, *item_rank, *item_start;
    const T *b;
    T *c, *slots;
    uint64_t *arrivals; // kernels/shared/arrival.h; one a block and column tile
    uint64_t arrival_tag;
    const uint2 *blocks; // struct spmmi_block
    uint32_t empty_count, item_count, items_per_group, item_size_log2, block_nonzeros, work_blocks;
    uint32_t nnz, ranks, last_row; // last_row: of C
    uint64_t ldc;                  // of a row, or of a column in column-major C
    uint32_t ldb_bytes, n;
    T alpha, beta;
};

// A lane's columns of one row of C: at once in row-major C, one by one in column-major C (C_COLUMNS).
template <typename T, int VEC, bool C_COLUMNS>
__device__ __forceinline__ void store_row(const RowsArgs<T> &a, uint32_t row, uint32_t column,
                                          const Vector<T, VEC> &sum)
{
    if (column >= a.n)
        return;
    row = min(row, a.last_row);
    if (C_COLUMNS) {
        T *c = a.c + row + column * a.ldc;
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            if (column + i < a.n)
                *c = a.beta != T(0) ? fma(a.alpha, sum.x[i], a.beta * *c) : a.alpha * sum.x[i];
            c += a.ldc;
        }
        return;
    }
    T *c = a.c + (uint64_t)row * (uint32_t)a.ldc + column; // fits: see spmmi_has_short_rows
    Vector<T, VEC> out;
    if (a.beta != T(0)) {
        out = load_vector<T, VEC>(c);
#pragma unroll
        for (int i = 0; i < VEC; i++)
            out.x[i] = fma(a.alpha, sum.x[i], a.beta * out.x[i]);
    } else {
#pragma unroll
        for (int i = 0; i < VEC; i++)
            out.x[i] = a.alpha * sum.x[i];
    }
    store_vector<T, VEC>(c, out);
}

// The row of C of a rank.
template <typename T> __device__ __forceinline__ uint32_t row_of(const RowsArgs<T> &a, uint32_t rank)
{
    return a.row_of_rank != nullptr ? __ldg(a.row_of_rank + min(rank, a.ranks)) : rank;
}

// Rows without nonzeros: C = beta * C. Blocks past the work blocks come here.
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void scale_empty_rows(const RowsArgs<T> &a, uint32_t column)
{
    constexpr uint32_t GROUPS = THREADS / LANES;
    const uint32_t stride = (gridDim.x - a.work_blocks) * GROUPS;
    uint32_t i = (blockIdx.x - a.work_blocks) * GROUPS + threadIdx.x / LANES;
    RowsArgs<T> scale = a;
    scale.alpha = T(0); // 0 times an alpha that is infinite or NaN would be NaN
    for (; i < a.empty_count; i += stride)
        store_row<T, VEC, C_COLUMNS>(scale, a.empty_rows != nullptr ? __ldg(a.empty_rows + i) : i, column,
                                     Vector<T, VEC>{});
}

// The lanes of the caller's group, which share a warp.
template <int LANES> __device__ __forceinline__ uint32_t group_mask()
{
    constexpr uint32_t ones = LANES == 32 ? 0xffffffffu : (1u << LANES) - 1;
    return ones << (threadIdx.x % 32 / LANES * LANES);
}

// Sums of rows that a group shares with its neighbours, for one block.
template <typename T, int VEC, int LANES> struct Shared {
    static constexpr int GROUPS = THREADS / LANES;
    static constexpr int WIDTH = LANES * VEC;
    alignas(16) T head[GROUPS][WIDTH]; // of the row that began before the group and ends in it
    alignas(16) T tail[GROUPS][WIDTH]; // of the row that goes on in the next group
    uint32_t through[THREADS / 32];    // a bit a thread: the row of its group's tail began before the group
    uint32_t first_block[2], last_block[2], row[2]; // rows shared by blocks: [0] ends here, [1] goes on
    uint32_t finish[2];
};

// Sum of the tails of groups [first, last] and, unless NULL, a head, in ascending order.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ Vector<T, VEC> sum_tails(const Shared<T, VEC, LANES> &s, int first, int last,
                                                    const T *head, uint32_t offset)
{
    Vector<T, VEC> sum{};
#pragma unroll 8
    for (int g = first; g <= last; g++)
        sum.add(load_vector<T, VEC>(&s.tail[g][offset]));
    if (head != nullptr)
        sum.add(load_vector<T, VEC>(head + offset));
    return sum;
}

// First group of the row whose tail group `last` holds; -1 if it began before the block.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ int first_group(const Shared<T, VEC, LANES> &s, int last)
{
    const int end = (last + 1) * LANES; // threads below it; the highest whose bit is clear decides
    uint32_t mask = end % 32 == 0 ? 0xffffffffu : (1u << end % 32) - 1;
    for (int word = (end - 1) >> 5; word >= 0; word--) {
        const uint32_t begins = ~s.through[word] & mask;
        if (begins != 0)
            return (32 * word + 31 - __clz((int)begins)) / LANES;
        mask = 0xffffffffu;
    }
    return -1;
}

// Where the blocks count that share the row which begins in block `first`, for this column tile.
template <typename T> __device__ __forceinline__ uint64_t *arrival_word(const RowsArgs<T> &a, uint32_t first)
{
    return a.arrivals + blockIdx.y * a.work_blocks + first;
}

// The last block to arrive adds the slots of a shared row in ascending order of blocks and stores the row.
// All threads of the block take part: group g adds slots g, g + GROUPS, ... ; then group 0 adds the groups.
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void finish_row(const RowsArgs<T> &a, Shared<T, VEC, LANES> &s, int which,
                                           uint32_t column, uint32_t offset)
{
    constexpr int GROUPS = THREADS / LANES;
    constexpr int WIDTH = LANES * VEC;
    const uint32_t first = s.first_block[which], count = s.last_block[which] - first + 1;
    const uint64_t pitch = (uint64_t)gridDim.y * WIDTH;
    const T *slot = a.slots + 2 * first * pitch + blockIdx.y * WIDTH + offset;
    const uint32_t group = threadIdx.x / LANES;
    Vector<T, VEC> sum{};
#pragma unroll 4
    for (uint32_t i = group; i < count; i += GROUPS) {
        // Slot 0 of a block is the row that ends in it, slot 1 the row that goes on.
        const uint32_t side = i + 1 < count ? 1 : 0;
        sum.add(load_vector_l2<T, VEC>(slot + (2 * i + side) * pitch));
    }
    __syncthreads();
    store_vector<T, VEC>(&s.tail[group][offset], sum);
    __syncthreads();
    if (group == 0) {
        const int used = count < (uint32_t)GROUPS ? (int)count : GROUPS;
        sum = sum_tails<T, VEC, LANES>(s, 0, used - 1, nullptr, offset);
        store_row<T, VEC, C_COLUMNS>(a, s.row[which], column, sum);
    }
    if (threadIdx.x == 0)
        spmmi_arrivals_end(arrival_word(a, first), a.arrival_tag);
}

// The shared rows of a group after its main loop.
struct GroupEdge {
    bool has_head, has_tail;
    bool is_last; // the last group of its block that has nonzeros
    uint32_t head_rank, tail_rank;
};

// The nonzeros of a group in a nonzero split.
struct GroupRange {
    uint32_t start, end;
    uint32_t rank; // of the first nonzero, flagged
    bool goes_on;  // the row of the last nonzero ends after it
    bool is_last;
    bool block_alone; // the block shares no row with another
};

// Groups of a block split its nonzeros evenly at multiples of the item size, where ranks are known.
template <int GROUPS, typename T>
__device__ __forceinline__ GroupRange group_range(const RowsArgs<T> &a, uint32_t group)
{
    uint2 block = __ldg(a.blocks + blockIdx.x), next = __ldg(a.blocks + blockIdx.x + 1);
    block.x = min(block.x, a.nnz);
    next.x = min(next.x, a.nnz);
    const uint32_t base = block.x >> a.item_size_log2; // in items
    const uint32_t count = ((next.x - 1) >> a.item_size_log2) + 1 - base;
    const uint32_t each = (count + GROUPS - 1) / GROUPS;
    GroupRange r;
    r.start = group == 0 ? block.x : min((base + group * each) << a.item_size_log2, next.x);
    r.end = min((base + (group + 1) * each) << a.item_size_log2, next.x);
    r.rank = group == 0         ? block.y
             : r.start < next.x ? __ldg(a.item_rank + (r.start >> a.item_size_log2))
                                : next.y;
    const uint32_t after = r.end < next.x ? __ldg(a.item_rank + (r.end >> a.item_size_log2)) : next.y;
    r.goes_on = r.start < r.end && (after & SPMMI_ITEM_INSIDE) != 0;
    r.is_last = r.start < r.end && r.end == next.x;
    r.block_alone = ((block.y | next.y) & SPMMI_ITEM_INSIDE) == 0;
    return r;
}

// Block that holds a nonzero. A boundary moves back by less than a block.
template <typename T> __device__ __forceinline__ uint32_t block_of(const RowsArgs<T> &a, uint32_t nonzero)
{
    const uint32_t block = min(nonzero / a.block_nonzeros, a.work_blocks - 1);
    return min(block + (a.blocks[block + 1].x <= nonzero), a.work_blocks - 1);
}

// Store this block's partial sum of a row that other blocks share, for the last block to arrive.
template <typename T, int VEC, int LANES>
__device__ __forceinline__ void put_slot(const RowsArgs<T> &a, Shared<T, VEC, LANES> &s, int which,
                                         uint32_t rank, uint32_t offset, const Vector<T, VEC> &sum)
{
    constexpr int WIDTH = LANES * VEC;
    const uint64_t pitch = (uint64_t)gridDim.y * WIDTH;
    store_vector<T, VEC>(a.slots + (2 * (uint64_t)blockIdx.x + which) * pitch + blockIdx.y * WIDTH + offset,
                         sum);
    __threadfence(); // the slot is visible before the arrival is counted
    __syncwarp(group_mask<LANES>());
    if (offset == 0) {
        const uint32_t known = min(rank, a.ranks - 1);
        const uint32_t first = block_of(a, a.rank_start[known]);
        const uint32_t last = block_of(a, a.rank_start[known + 1] - 1);
        s.first_block[which] = first;
        s.last_block[which] = last;
        s.row[which] = row_of(a, rank);
        s.finish[which] = spmmi_arrive(arrival_word(a, first), a.arrival_tag) == last - first;
    }
}

// Second phase of the nonzero split: rows cut by group and block boundaries. A group may end a row that began
// before it (which = 0), and the last group may hold one that goes on in the next block (which = 1).
template <typename T, int VEC, int LANES, bool C_COLUMNS>
__device__ __forceinline__ void join_rows(const RowsArgs<T> &a, Shared<T, VEC, LANES> &s,
                                          const GroupEdge &edge, bool block_alone, uint32_t column,
                                          uint32_t offset)
{
    const int group = (int)(threadIdx.x / LANES);
    if (threadIdx.x < 2)
        s.finish[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int which = 0; which < 2; which++) {
        const bool mine = which == 0 ? edge.has_head : edge.has_tail && edge.is_last;
        if (!mine)
            continue;
        const uint32_t rank = which == 0 ? edge.head_rank : edge.tail_rank;
        const int last = group - 1 + which;
        const int first = first_group(s, last);
        const Vector<T, VEC> sum = sum_tails<T, VEC, LANES>(s, first < 0 ? 0 : first, last,
                                                            which == 0 ? s.head[group] : nullptr, offset);
        if (which == 0 && first >= 0)
            store_row<T, VEC, C_COLUMNS>(a, row_of(a, rank), column, sum);
        else
            put_slot<T, VEC, LANES>(a, s, which, rank, offset, sum);
    }
    if (block_alone)
        return;
    __syncthreads();
#pragma unroll 1
    for (int which = 0; which < 2; which++) {
        if (s.finish[which]) { // the same for the whole block
            __threadfence();   // the other blocks' slots are read after their arrivals
            finish_row<T, VEC, LANES, C_COLUMNS>(a, s, which, column, offset);
        }
    }
}

template <typename T, int VEC, int LANES, int QUADS, bool SPLIT, bool C_COLUMNS>
__global__ void __launch_bounds__(THREADS, SPMMI_ROWS_BLOCKS_PER_SM(sizeof(T), false))
    rows_kernel(const RowsArgs<T> a)
{
    // Indices.
    constexpr uint32_t GROUPS = THREADS / LANES;
    const uint32_t offset = threadIdx.x % LANES * VEC;
    const uint32_t column = blockIdx.y * (LANES * VEC) + offset;
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_empty_rows<T, VEC, LANES, C_COLUMNS>(a, column);
        return;
    }
    GroupRange range;
    if (SPLIT) {
        range = group_range<GROUPS>(a, threadIdx.x / LANES);
    } else {
        const uint32_t item =
            min((blockIdx.x * GROUPS + threadIdx.x / LANES) * a.items_per_group, a.item_count);
        range.start = min(__ldg(a.item_start + item), a.nnz);
        range.end = min(__ldg(a.item_start + min(item + a.items_per_group, a.item_count)), a.nnz);
        range.rank = __ldg(a.item_rank + item);
    }
    const uint32_t start = range.start, end = range.end;

    // Lanes past n compute column 0 again and store nothing.
    const char *b = reinterpret_cast<const char *>(a.b + (column < a.n ? column : 0));
    uint32_t p = start & ~3u; // quads are aligned
    uint32_t rank = range.rank & ~SPMMI_ITEM_INSIDE;
    uint32_t row = row_of(a, rank);

    __shared__ Shared<T, VEC, LANES> s; // takes no space where it is not used
    bool inside = SPLIT && (range.rank & SPMMI_ITEM_INSIDE) != 0 && start < end;
    GroupEdge edge{false, SPLIT && range.goes_on, SPLIT && range.is_last, rank, rank};
    Vector<T, VEC> sum{};

    // Nothing above reads B or C, which the previous kernel may still convert.
    wait_for_previous();

    // Main loop: load 4 * QUADS nonzeros, then their rows of B, then sum. Fetching the next nonzeros ahead
    // costs more in registers, and so in blocks a multiprocessor, than it hides.
    while (p < end) {
        Quad<T> quad[QUADS];
#pragma unroll
        for (int q = 0; q < QUADS; q++)
            quad[q] = load_quad<T>(a.columns, a.values, p + 4 * q);
        Vector<T, VEC> x[QUADS][4];
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            const uint32_t col[4] = {quad[q].column.x, quad[q].column.y, quad[q].column.z, quad[q].column.w};
#pragma unroll
            for (int e = 0; e < 4; e++)
                x[q][e] = load_vector_const<T, VEC>(
                    reinterpret_cast<const T *>(b + (uint64_t)(col[e] & ~SPMMI_ROW_END) * a.ldb_bytes));
        }
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            const uint4 col = quad[q].column;
            if (QUADS > 1 && p + 4 * q >= end)
                break;                                       // a range ends on a quad, not on a pair of them
            if ((int)(col.x | col.y | col.z | col.w) >= 0) { // no row ends here
#pragma unroll
                for (int e = 0; e < 4; e++)
                    sum.fma(quad[q].value[e], x[q][e]);
            } else {
                const uint32_t flag[4] = {col.x, col.y, col.z, col.w};
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    sum.fma(quad[q].value[e], x[q][e]);
                    if ((int)flag[e] < 0) {
                        const uint32_t at = p + 4 * q + e;
                        if (at >= start && at < end) {
                            if (SPLIT && inside) {
                                store_vector<T, VEC>(&s.head[threadIdx.x / LANES][offset], sum);
                                edge.has_head = true;
                                inside = false;
                            } else {
                                store_row<T, VEC, C_COLUMNS>(a, row, column, sum);
                            }
                            rank++;
                            row = row_of(a, rank);
                        }
                        sum = Vector<T, VEC>{};
                    }
                }
            }
        }
        p += 4 * QUADS;
    }

    if (SPLIT) {
        edge.tail_rank = rank; // of the row that is still open, if it goes on
        if (edge.has_tail)
            store_vector<T, VEC>(&s.tail[threadIdx.x / LANES][offset], sum);
        __syncwarp();
        const uint32_t through = __ballot_sync(0xffffffffu, inside);
        if (threadIdx.x % 32 == 0)
            s.through[threadIdx.x / 32] = through;
        join_rows<T, VEC, LANES, C_COLUMNS>(a, s, edge, range.block_alone, column, offset);
    }
}

} // namespace spmmi
