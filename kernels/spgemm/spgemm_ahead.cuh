// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: prefetches items, lists, positions and values of a small product into the L2 cache before
// they are needed. An item finds its list, then positions and values, and on a cold cache it waits for memory
// each time.
#pragma once
#include "kernels/shared/grid.cuh"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

// Limits of a small product: bytes, less than half of the L2 cache of devices whose kernels overlap (50 MB), and lines
// of a thread. The first AHEAD_BLOCKS thread blocks prefetch: on an H200 no more are resident at once.
constexpr int AHEAD_ARRAYS = 5;
constexpr uint32_t AHEAD_LINE = 128, AHEAD_BLOCKS = 1056, AHEAD_LINES_MAX = 4;
constexpr uint64_t AHEAD_BYTES = UINT64_C(24) << 20;

struct Ahead {
    const char *from[AHEAD_ARRAYS];
    uint32_t lines[AHEAD_ARRAYS];
    bool is_small;
};

__device__ __forceinline__ void load_ahead(const Ahead &ahead)
{
    if (blockIdx.x >= AHEAD_BLOCKS)
        return;
    const uint32_t own = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t threads = min(gridDim.x, AHEAD_BLOCKS) * blockDim.x;
#pragma unroll 1
    for (int r = 0; r < AHEAD_ARRAYS; r++)
        for (uint32_t i = own; i < ahead.lines[r]; i += threads)
            prefetch_l2(ahead.from[r] + (size_t)i * AHEAD_LINE);
}

// Returns the arrays of a product whose kernel has this number of thread blocks; none if they are not small.
template <typename Real>
Ahead ahead_of(const spmmi_spgemm_tables &tables, const Operands<Real> &values, uint32_t blocks)
{
    const struct {
        const void *from;
        uint64_t bytes;
    } arrays[AHEAD_ARRAYS] = {
        {tables.items, tables.item_count * sizeof *tables.items},
        {tables.rows, tables.row_count * sizeof *tables.rows},
        {tables.positions, tables.position_bytes},
        {values.left, tables.direct * sizeof(Real)},
        {values.right, values.right == values.left ? 0 : tables.right_count * sizeof(Real)}};
    Ahead ahead = {};
    uint64_t all = 0;
    for (const auto &array : arrays)
        all += array.bytes;
    const uint64_t threads = (uint64_t)(blocks < AHEAD_BLOCKS ? blocks : AHEAD_BLOCKS) * SPMMI_SPGEMM_THREADS;
    ahead.is_small = all <= AHEAD_BYTES && all <= threads * AHEAD_LINES_MAX * AHEAD_LINE;
    for (int r = 0; r < AHEAD_ARRAYS && ahead.is_small; r++) {
        ahead.from[r] = static_cast<const char *>(arrays[r].from);
        ahead.lines[r] = (uint32_t)((arrays[r].bytes + AHEAD_LINE - 1) / AHEAD_LINE);
    }
    return ahead;
}

} // namespace spgemm
} // namespace spmmi
