// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: loads items, lists, positions and values of a small product into the L2 cache before
// they are needed. An item finds its list, then positions and values, and on a cold cache it waits for memory
// each time.
#pragma once
#include "kernels/shared/grid.cuh"
#include "spgemm_operands.cuh"

namespace spmmi {
namespace spgemm {

// Arrays that are loaded. Their total is at most AHEAD_BYTES, which stay in the cache, and the first
// AHEAD_BLOCKS thread blocks load them: more are not resident at once.
constexpr int AHEAD_ARRAYS = 5;
constexpr uint32_t AHEAD_LINE = 128, AHEAD_BLOCKS = 1056;
constexpr uint64_t AHEAD_BYTES = UINT64_C(24) << 20;

struct Ahead {
    const char *from[AHEAD_ARRAYS];
    uint32_t lines[AHEAD_ARRAYS];
    bool is_taken;
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

// Returns the arrays of a product. None is taken if they are too large.
template <typename Real> Ahead ahead_of(const spmmi_spgemm_tables &tables, const Operands<Real> &values)
{
    const struct {
        const void *from;
        uint64_t bytes;
    } arrays[AHEAD_ARRAYS] = {{tables.items, tables.item_count * sizeof *tables.items},
                              {tables.rows, tables.row_count * sizeof *tables.rows},
                              {tables.positions, tables.position_bytes},
                              {values.left, tables.direct * sizeof(Real)},
                              {values.right, tables.right_count * sizeof(Real)}};
    Ahead ahead = {};
    uint64_t all = 0;
    for (const auto &array : arrays)
        all += array.bytes;
    ahead.is_taken = all <= AHEAD_BYTES;
    for (int r = 0; r < AHEAD_ARRAYS && ahead.is_taken; r++) {
        ahead.from[r] = static_cast<const char *>(arrays[r].from);
        ahead.lines[r] = (uint32_t)((arrays[r].bytes + AHEAD_LINE - 1) / AHEAD_LINE);
    }
    return ahead;
}

} // namespace spgemm
} // namespace spmmi
