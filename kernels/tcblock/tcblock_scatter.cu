// SPDX-License-Identifier: Apache-2.0
// Writes values of A into tensor-core blocks without a value map. The columns of a row ascend from step to
// step, so the bitmaps of its blocks determine where its next value goes. If tables are damaged, writes
// outside of the arrays are left out.
//
// lanes    four per row of a unit; they walk through the unit's steps, and each takes every fourth block of
//          the row. A warp has eight rows of a row window or block row, so its lanes read the same words
// bound    the L2 cache: values of A are read row by row, but written block by block
#include <cuda_runtime.h>

#include "tcblock_scatter.h"
#include "tcblock_shape.h"
#include "kernels/shared/launch.cuh"

namespace spmmi {

constexpr unsigned SCATTER_THREADS = 256, SCATTER_LANES = 4;
constexpr unsigned ALL_LANES = 0xffffffffu;
// Maximum number of blocks of a row window in a step.
constexpr uint32_t SCATTER_BLOCKS_MAX = SPMMI_TCBLOCK_PANEL_STEP / 8;
static_assert(SCATTER_LANES == SPMMI_TCBLOCK_WIDE_STEP, "a lane has one block of a step");

// State of a lane: its row of a unit, and the CSR position of the row's next value.
struct ScatterRow {
    uint32_t unit, row, lane, next;
};

// Returns the first item of this unit, or of a later unit.
__device__ __forceinline__ uint32_t item_of(const struct spmmi_tcblocks &l, uint32_t unit)
{
    uint32_t low = 0, high = l.item_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (l.items[middle].unit < unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

template <typename Word> struct Scatter {
    const spmmi_tcblock_scatter &p;

    __device__ __forceinline__ void put(uint64_t position, uint32_t q) const
    {
        const uint32_t from = p.order != nullptr && q < p.nnz ? p.order[q] : q;
        if (from < p.nnz && position < p.layout.value_count)
            static_cast<Word *>(p.out)[position] = static_cast<const Word *>(p.in)[from];
    }
};

// Writes the row's values in a step of a block-row group.
template <typename Word>
__device__ __forceinline__ void scatter_wide_step(const Scatter<Word> &to, uint32_t step, ScatterRow &at)
{
    const struct spmmi_tcblocks &l = to.p.layout;
    const uint32_t width = l.block_columns, r = at.row % l.block_rows;
    const uint32_t own = SPMMI_TCBLOCK_WIDE_STEP * (at.row / l.block_rows) + at.lane, mask = l.masks[step];
    const uint32_t block = l.block_first[step] + __popc(mask & ((1u << own) - 1));
    uint32_t bits = 0;
    if ((mask >> own & 1) != 0 && block < l.block_count)
        bits = (uint32_t)(l.bitmaps[(uint64_t)block * (width / 4) + r * width / 64] >> r * width % 64) &
               ((1u << width) - 1);
    uint32_t end = __popc(bits); // number of values in the lanes up to this one
    for (uint32_t i = 1; i < SCATTER_LANES; i *= 2) {
        const uint32_t before = __shfl_up_sync(ALL_LANES, end, i, SCATTER_LANES);
        end += at.lane >= i ? before : 0;
    }
    for (uint32_t q = at.next + end - __popc(bits); bits != 0; bits &= bits - 1)
        to.put((uint64_t)block * l.block_rows * width +
                   spmmi_tcblock_wide_position((uint32_t)sizeof(Word), r, (uint32_t)__ffs((int)bits) - 1),
               q++);
    at.next += __shfl_sync(ALL_LANES, end, SCATTER_LANES - 1, SCATTER_LANES);
}

// The columns of a row in a step: one bit per local row.
struct LocalRows {
    uint32_t word[SPMMI_TCBLOCK_PANEL_STEP / 32];

    __device__ __forceinline__ void add(uint32_t local)
    {
#pragma unroll
        for (uint32_t w = 0; w < SPMMI_TCBLOCK_PANEL_STEP / 32; w++)
            word[w] |= local / 32 == w ? 1u << local % 32 : 0;
    }
    __device__ __forceinline__ void join_lanes()
    {
#pragma unroll
        for (uint32_t w = 0; w < SPMMI_TCBLOCK_PANEL_STEP / 32; w++)
            for (uint32_t i = 1; i < SCATTER_LANES; i *= 2)
                word[w] |= __shfl_xor_sync(ALL_LANES, word[w], i);
    }
    // Returns the number of columns at local rows below `local`.
    __device__ __forceinline__ uint32_t count(uint32_t local) const
    {
        uint32_t ones = 0;
#pragma unroll
        for (uint32_t w = 0; w < SPMMI_TCBLOCK_PANEL_STEP / 32; w++)
            ones += __popc(32 * (w + 1) <= local ? word[w]
                           : local / 32 == w     ? word[w] & ((1u << local % 32) - 1)
                                                 : 0);
        return ones;
    }
};

// Returns the local row (panel), or the column in the step (window), for bit i of a row of the block.
__device__ __forceinline__ uint32_t local_of(const struct spmmi_tcblocks &l, uint32_t block, uint32_t i)
{
    return l.has_locals ? l.locals[(uint64_t)block * 8 + i] % SPMMI_TCBLOCK_PANEL_STEP : i / 2 + 4 * (i % 2);
}

// Writes the row's values in a step of a row window. Skips the step's blocks if tables are damaged.
template <typename Word>
__device__ __forceinline__ void scatter_window_step(const Scatter<Word> &to, uint32_t step, ScatterRow &at)
{
    const struct spmmi_tcblocks &l = to.p.layout;
    const uint32_t shift = 8 * (at.row % 8), run = step * (l.unit_rows / 8) + at.row / 8;
    const uint32_t begin = l.has_locals ? l.block_first[run] : step;
    const uint32_t end = l.has_locals ? l.block_first[run + 1] : step + 1;
    const bool is_valid = begin <= end && end - begin <= SCATTER_BLOCKS_MAX && end <= l.block_count;
    const uint32_t first = is_valid ? begin + at.lane : end;
    LocalRows rows = {};
    for (uint32_t block = first; block < end; block += SCATTER_LANES)
        for (uint32_t bits = (uint32_t)(l.bitmaps[block] >> shift) & 0xff; bits != 0; bits &= bits - 1)
            rows.add(local_of(l, block, (uint32_t)__ffs((int)bits) - 1));
    rows.join_lanes();
    for (uint32_t block = first; block < end; block += SCATTER_LANES) {
        const uint64_t bitmap = l.bitmaps[block];
        for (uint32_t bits = (uint32_t)(bitmap >> shift) & 0xff; bits != 0; bits &= bits - 1) {
            const uint32_t i = (uint32_t)__ffs((int)bits) - 1, bit = shift + i;
            const uint64_t position =
                l.is_packed
                    ? (uint64_t)l.value_first[block] + (uint32_t)__popcll(bitmap & ((UINT64_C(1) << bit) - 1))
                    : (uint64_t)block * SPMMI_TCBLOCK_VALUES + bit;
            to.put(position, at.next + rows.count(local_of(l, block, i)));
        }
    }
    at.next += rows.count(SPMMI_TCBLOCK_PANEL_STEP);
}

template <typename Word>
__global__ void __launch_bounds__(SCATTER_THREADS) tcblock_scatter_kernel(const spmmi_tcblock_scatter p)
{
    const struct spmmi_tcblocks &l = p.layout;
    const uint64_t thread = (uint64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x,
                   row = thread / SCATTER_LANES;
    // Only whole warps return: the rows of a unit are a multiple of eight.
    if (row >= (uint64_t)l.unit_count * l.unit_rows)
        return;
    const Scatter<Word> to{p};
    ScatterRow at = {(uint32_t)(row / l.unit_rows), (uint32_t)(row % l.unit_rows),
                     (uint32_t)(thread % SCATTER_LANES), p.row_start[row]};
    const uint32_t first = item_of(l, at.unit), end = item_of(l, at.unit + 1);
    if (first == end)
        return;
    const uint32_t last_step = min(l.items[end - 1].end, l.step_count);
    for (uint32_t step = l.items[first].begin; step < last_step; step++) {
        if (l.has_masks)
            scatter_wide_step<Word>(to, step, at);
        else
            scatter_window_step<Word>(to, step, at);
    }
}

template <typename Word> int scatter_launch(const spmmi_tcblock_scatter &p)
{
    const uint64_t threads = (uint64_t)p.layout.unit_count * p.layout.unit_rows * SCATTER_LANES;
    const unsigned blocks = (unsigned)((threads + SCATTER_THREADS - 1) / SCATTER_THREADS);
    return blocks == 0 ? (int)cudaSuccess
                       : (int)launch_kernel(tcblock_scatter_kernel<Word>, dim3(blocks), SCATTER_THREADS, 0,
                                            p.cuda_stream, false, p);
}

} // namespace spmmi

int spmmi_tcblock_scatter_cuda(const struct spmmi_tcblock_scatter *p)
{
    return p->value_bytes == 4   ? spmmi::scatter_launch<uint32_t>(*p)
           : p->value_bytes == 8 ? spmmi::scatter_launch<uint64_t>(*p)
                                 : spmmi::scatter_launch<uint16_t>(*p);
}
