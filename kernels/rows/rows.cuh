// SPDX-License-Identifier: Apache-2.0
// rows: row segments on CUDA cores.  C(m x n) = alpha * P * B(k x n) + beta * C; B row-major, C either.
//
// layout      the stream of rows_kernel.h: nonzeros row by row; the sign bit of a column index, or a separate
//             bit for 16-bit indices, marks the last nonzero of a row
// block       256 threads = 256 / LANES groups; blockIdx.x selects consecutive groups, blockIdx.y a column
//             tile
// group       LANES lanes own consecutive nonzeros (whole items) and LANES * VEC columns of B and C
// types       T has the types of A, B and C (rows_types.cuh); sums, in registers and memory, are f32 or f64
// lane        VEC columns: one 16-byte load of B per nonzero. If B, C or n is not aligned to that, VEC is 2
//             if they are even (8 bytes of f32, 4 of 16-bit types), else 1, or 3 columns of f32 that are
//             LANES apart
// in flight   4 * QUADS rows of B per group, whatever the row lengths: loads never wait for the end of a row
// schedules   row split: items end with their rows, and groups share no row.
//             nonzero split: blocks are about equally long, and so are the groups of a block. A row that a
//             group boundary cuts is summed through shared memory. A row that a block boundary cuts is summed
//             through slots in global memory; the last block to arrive adds the slots in ascending order.
//             There are no floating-point atomics: the launch shape fixes the order of every sum, so results
//             are bitwise repeatable.
// bounds      positions, ranks, rows and columns read from tables are clamped to the sizes of the arrays, B
//             and C: damaged tables cannot make a kernel read or write elsewhere (docs/decisions/0037)
// residue     the stream is padded; entries past an item's end are computed and dropped, never stored
// memory      shared memory: a nonzero split has two sums per thread and column, a row split none; blocks
//             that keep columns of C (rows_columns.cuh) have 36 KiB more.
//             registers: 48, or 64 for f64 and for eight columns per lane in a nonzero split; this allows 5
//             or 4 blocks per multiprocessor. Row splits of f32 also have instances of 40, if 6 blocks save
//             a wave
// measured    docs/performance.md, on an H200
// source      paper 004 (row split, nonzero split with carry-out), paper 002 (strict nonzero splitting)
#pragma once
#include "rows_columns.cuh"
#include "rows_join.cuh"
#include "kernels/shared/launch.cuh"

namespace spmmi {

// The nonzeros that a lane group sums. A row split sets start, end and rank only.
struct GroupRange {
    uint32_t start, end;
    uint32_t rank; // rank of the row of the first nonzero, with the flag SPMMI_ITEM_INSIDE
    bool goes_on;  // the row of the last nonzero continues after it
    bool is_last;
    bool block_alone; // the block shares no row with another block
};

// Returns the calling group's share of the nonzeros between two boundaries (of a block or of a turn). Shares
// are equal numbers of whole items, because ranks are known at multiples of the item size.
template <int GROUPS, typename T>
__device__ __forceinline__ GroupRange group_range(const RowsArgs<T> &a, uint2 block, uint2 next)
{
    const uint32_t group = threadIdx.x * GROUPS / THREADS;
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

// Returns the nonzeros of the calling group: in a row split items_per_group whole items, else a share of its
// block.
template <int GROUPS, bool SPLIT, typename T>
__device__ __forceinline__ GroupRange block_range(const RowsArgs<T> &a)
{
    GroupRange r{};
    if (SPLIT)
        return group_range<GROUPS>(a, __ldg(a.blocks + blockIdx.x), __ldg(a.blocks + blockIdx.x + 1));
    const uint32_t group = blockIdx.x * GROUPS + threadIdx.x * GROUPS / THREADS;
    const uint32_t item = min(group * a.items_per_group, a.item_count);
    r.start = min(__ldg(a.item_start + item), a.nnz);
    r.end = min(__ldg(a.item_start + min(item + a.items_per_group, a.item_count)), a.nnz);
    r.rank = __ldg(a.item_rank + item);
    return r;
}

// Sums the rows of a block, or of a turn of a block. Stores them in C, or in `kept` if C_WAY is C_KEPT.
template <typename T, int VEC, int LANES, int QUADS, bool SPLIT, CWay C_WAY>
__device__ __forceinline__ void sum_rows(const RowsArgs<T> &a, const GroupRange &range, uint32_t column,
                                         Shared<T, VEC, LANES> &s, KeptOf<T, VEC, LANES, C_WAY> &kept)
{
    using A = typename T::A;
    using B = typename T::B;
    using Sum = typename T::Sum;
    constexpr uint32_t STEP = LaneColumns<VEC, LANES>::STEP;
    const uint32_t offset = threadIdx.x % LANES * VEC; // in shared memory and slots
    const uint32_t start = range.start, end = range.end;

    // Lanes past n load column 0, or their first column again, and store nothing.
    const char *b = reinterpret_cast<const char *>(a.b + (column < a.n ? column : 0));
    const ColumnOffsets<VEC, STEP> offsets(column, a.n);
    uint32_t p = start & ~3u; // a quad starts at a multiple of 4
    uint32_t rank = range.rank & ~SPMMI_ITEM_INSIDE;
    uint32_t row = row_of(a, rank);

    bool inside = SPLIT && (range.rank & SPMMI_ITEM_INSIDE) != 0 && start < end;
    GroupEdge edge{false, SPLIT && range.goes_on, SPLIT && range.is_last, rank, rank};
    Vector<Sum, VEC> sum{};

    if (a.prefetches)
        prefetch_nonzeros(a, start, end, threadIdx.x % LANES, LANES);

    // Nothing above reads what the previous kernel may still write (values, B and C). The read-only loads
    // below do not either.
    wait_for_previous();

    // Main loop: loads 4 * QUADS nonzeros, then their rows of B, then sums. Values are loaded before columns,
    // because the loads of B wait for the columns. Prefetching the next nonzeros does not pay: the registers
    // for it reduce the blocks per multiprocessor.
    while (p < end) {
        Quad<A> quad[QUADS];
        QuadColumns columns[QUADS];
#pragma unroll
        for (int q = 0; q < QUADS; q++)
            quad[q].load_values(a.values + p + 4 * q);
#pragma unroll
        for (int q = 0; q < QUADS; q++)
            columns[q] = load_columns(a, p + 4 * q);
        Vector<B, VEC> x[QUADS][4];
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                x[q][e] = offsets.load(
                    reinterpret_cast<const B *>(b + (uint64_t)columns[q].column[e] * a.ldb_bytes));
        }
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            const uint32_t ends = columns[q].ends;
            if (QUADS > 1 && p + 4 * q >= end)
                break;       // a range may end between the quads of an iteration
            if (ends == 0) { // no row ends here
#pragma unroll
                for (int e = 0; e < 4; e++)
                    add_product(sum, factor_of(a, quad[q].value(e)), x[q][e]);
            } else {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    add_product(sum, factor_of(a, quad[q].value(e)), x[q][e]);
                    if ((ends >> e & 1) != 0) {
                        const uint32_t at = p + 4 * q + e;
                        if (at >= start && at < end) {
                            if (SPLIT && inside) {
                                store_vector<Sum, VEC>(&s.head[threadIdx.x / LANES][offset], sum);
                                edge.has_head = true;
                                inside = false;
                            } else if constexpr (C_WAY == C_KEPT) {
                                kept.put(a, rank, offset, sum);
                            } else {
                                store_row<T, VEC, LANES, C_WAY != C_ROWS>(a, row, column, sum);
                            }
                            rank++;
                            row = row_of(a, rank);
                        }
                        sum = Vector<Sum, VEC>{};
                    }
                }
            }
        }
        p += 4 * QUADS;
    }

    if (SPLIT) {
        edge.tail_rank = rank; // the row that is still open, if it continues in the next group
        if (edge.has_tail)
            store_vector<Sum, VEC>(&s.tail[threadIdx.x / LANES][offset], sum);
        __syncwarp();
        const uint32_t through = __ballot_sync(0xffffffffu, inside);
        if (threadIdx.x % 32 == 0)
            s.through[threadIdx.x / 32] = through;
        join_rows<T, VEC, LANES, C_WAY>(a, s, kept, edge, range.block_alone, column, offset);
    }
}

// MORE: blocks per multiprocessor in addition to SPMMI_ROWS_BOUND.
template <typename T, int VEC, int LANES, int QUADS, bool SPLIT, CWay C_WAY, int MORE = 0>
__global__ void __launch_bounds__(THREADS, (int)SPMMI_ROWS_BOUND(sizeof(typename T::B), VEC, SPLIT) + MORE)
    rows_kernel(const RowsArgs<T> a)
{
    constexpr uint32_t GROUPS = THREADS / LANES;
    constexpr auto sum = sum_rows<T, VEC, LANES, QUADS, SPLIT, C_WAY>;
    const uint32_t column = blockIdx.y * (LANES * VEC) + LaneColumns<VEC, LANES>::first();
    __shared__ Shared<T, VEC, LANES> s; // takes no space if it is not used
    __shared__ KeptOf<T, VEC, LANES, C_WAY> kept;
    release_dependents();
    if (blockIdx.x >= a.work_blocks) {
        wait_for_previous();
        scale_empty_rows<T, VEC, LANES, C_WAY != C_ROWS>(a, column);
        return;
    }
    if constexpr (C_WAY != C_KEPT) {
        sum(a, block_range<GROUPS, SPLIT>(a), column, s, kept);
    } else if constexpr (!SPLIT) {
        kept.take_items(a, blockIdx.x * GROUPS, (blockIdx.x + 1) * GROUPS);
        sum(a, block_range<GROUPS, SPLIT>(a), column, s, kept);
        store_kept(a, kept);
    } else {
        kept.take_block(a);
        do {
            sum(a, group_range<GROUPS>(a, kept.from, kept.to), column, s, kept);
            store_kept(a, kept);
        } while (kept.goes_on(a));
    }
}

} // namespace spmmi
