// SPDX-License-Identifier: Apache-2.0
// Values of A into tensor-core blocks without a map: a row's columns ascend from step to step, so that the bits of its
// blocks say where its next value goes. What is written beyond the tables, should they be damaged, is left out.
//
// thread   a row of a unit, which walks the steps of the unit; those of a warp read the same words of the tables
// bound    the L2 cache: values of A are read row by row, written a block at a time
#include <cuda_runtime.h>

#include "tcblock_scatter.h"
#include "tcblock_shape.h"
#include "kernels/shared/launch.cuh"

namespace spmmi {

constexpr unsigned SCATTER_THREADS = 256;
constexpr uint32_t SCATTER_BLOCKS_MAX = SPMMI_TCBLOCK_PANEL_STEP / 8; // of a row window in a step

// The row of one thread: of its unit, and where its next value is.
struct ScatterRow {
    uint32_t unit, row, next;
};

// First item at or behind this unit.
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

// A step of a block-row group; false: tables are damaged.
template <typename Word>
__device__ __forceinline__ bool scatter_wide_step(const Scatter<Word> &to, uint32_t step, ScatterRow &at)
{
    const struct spmmi_tcblocks &l = to.p.layout;
    const uint32_t width = l.block_columns, r = at.row % l.block_rows;
    const uint32_t shift = SPMMI_TCBLOCK_WIDE_STEP * (at.row / l.block_rows), mask = l.masks[step];
    uint32_t block = l.block_first[step] + __popc(mask & ((1u << shift) - 1));
    for (uint32_t left = mask >> shift & ((1u << SPMMI_TCBLOCK_WIDE_STEP) - 1); left != 0;
         left &= left - 1, block++) {
        if (block >= l.block_count)
            return false;
        const uint64_t word = l.bitmaps[(uint64_t)block * (width / 4) + r * width / 64];
        for (uint32_t bits = (uint32_t)(word >> r * width % 64) & ((1u << width) - 1); bits != 0;
             bits &= bits - 1)
            to.put((uint64_t)block * l.block_rows * width +
                       spmmi_tcblock_wide_position((uint32_t)sizeof(Word), r, (uint32_t)__ffs((int)bits) - 1),
                   at.next++);
    }
    return true;
}

// The columns of a row in the blocks of its window in a step: a bit for each local row.
struct LocalRows {
    uint64_t low, high;

    __device__ __forceinline__ void add(uint32_t local)
    {
        (local < 64 ? low : high) |= UINT64_C(1) << local % 64;
    }
    __device__ __forceinline__ uint32_t before(uint32_t local) const
    {
        const uint64_t below = (UINT64_C(1) << local % 64) - 1;
        return local < 64 ? __popcll(low & below) : __popcll(low) + __popcll(high & below);
    }
    __device__ __forceinline__ uint32_t count() const
    {
        return __popcll(low) + __popcll(high);
    }
};

// Bit i of a row of a block: its local row, or column in the step of a window.
__device__ __forceinline__ uint32_t local_of(const struct spmmi_tcblocks &l, uint32_t block, uint32_t i)
{
    return l.has_locals ? l.locals[(uint64_t)block * 8 + i] % SPMMI_TCBLOCK_PANEL_STEP : i / 2 + 4 * (i % 2);
}

// A step of a row window; false: tables are damaged.
template <typename Word>
__device__ __forceinline__ bool scatter_window_step(const Scatter<Word> &to, uint32_t step, ScatterRow &at)
{
    const struct spmmi_tcblocks &l = to.p.layout;
    const uint32_t r = at.row % 8, run = step * (l.unit_rows / 8) + at.row / 8;
    const uint32_t first = l.has_locals ? l.block_first[run] : step;
    const uint32_t end = l.has_locals ? l.block_first[run + 1] : step + 1;
    LocalRows rows = {0, 0};
    if (end < first || end - first > SCATTER_BLOCKS_MAX || end > l.block_count)
        return false;
    for (uint32_t block = first; block < end; block++)
        for (uint32_t bits = (uint32_t)(l.bitmaps[block] >> 8 * r) & 0xff; bits != 0; bits &= bits - 1)
            rows.add(local_of(l, block, (uint32_t)__ffs((int)bits) - 1));
    for (uint32_t block = first; block < end; block++) {
        const uint64_t bitmap = l.bitmaps[block];
        for (uint32_t bits = (uint32_t)(bitmap >> 8 * r) & 0xff; bits != 0; bits &= bits - 1) {
            const uint32_t i = (uint32_t)__ffs((int)bits) - 1, bit = 8 * r + i;
            const uint64_t position =
                l.is_packed
                    ? (uint64_t)l.value_first[block] + (uint32_t)__popcll(bitmap & ((UINT64_C(1) << bit) - 1))
                    : (uint64_t)block * SPMMI_TCBLOCK_VALUES + bit;
            to.put(position, at.next + rows.before(local_of(l, block, i)));
        }
    }
    at.next += rows.count();
    return true;
}

template <typename Word>
__global__ void __launch_bounds__(SCATTER_THREADS) tcblock_scatter_kernel(const spmmi_tcblock_scatter p)
{
    const struct spmmi_tcblocks &l = p.layout;
    const uint64_t thread = (uint64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x;
    if (thread >= (uint64_t)l.unit_count * l.unit_rows)
        return;
    const Scatter<Word> to{p};
    ScatterRow at = {(uint32_t)(thread / l.unit_rows), (uint32_t)(thread % l.unit_rows), p.row_start[thread]};
    const uint32_t first = item_of(l, at.unit), end = item_of(l, at.unit + 1);
    if (first == end)
        return;
    const uint32_t last_step = min(l.items[end - 1].end, l.step_count);
    for (uint32_t step = l.items[first].begin; step < last_step; step++)
        if (!(l.has_masks ? scatter_wide_step<Word>(to, step, at) : scatter_window_step<Word>(to, step, at)))
            return;
}

template <typename Word> int scatter_launch(const spmmi_tcblock_scatter &p)
{
    const uint64_t threads = (uint64_t)p.layout.unit_count * p.layout.unit_rows;
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
