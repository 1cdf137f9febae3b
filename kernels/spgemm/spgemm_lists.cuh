// SPDX-License-Identifier: Apache-2.0
// Reads numbers that are stored relative to a base, which neighbours share (spgemm_bases.h).
#pragma once
#include <cuda_runtime.h>

#include "spgemm_launch.h"

namespace spmmi {
namespace spgemm {

// Returns where the row of the right factor starts that entry p of the left factor multiplies.
__device__ __forceinline__ uint32_t start_of(const spmmi_spgemm_tables &tables, uint32_t p)
{
    const uint32_t base = __ldg(tables.starts + (p >> tables.start_shift));
    return tables.near_starts != nullptr ? base + __ldg(tables.near_starts + p) : base;
}

// Returns the entry of the left factor that belongs to entry `at` of `rows`, which is in a list of an item's
// own. counts: of this entry.
__device__ __forceinline__ uint32_t left_of(const spmmi_spgemm_tables &tables, uint32_t at, uint32_t counts)
{
    return __ldg(tables.lefts + ((at - tables.direct) >> tables.left_shift)) + SPMMI_SPGEMM_LEFT(counts);
}

} // namespace spgemm
} // namespace spmmi
