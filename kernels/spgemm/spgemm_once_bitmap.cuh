// SPDX-License-Identifier: Apache-2.0
// Products without a plan: what kernels with bitmaps over the columns of C share.
#pragma once
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned WIDE_THREADS = 256, GIANT_THREADS = 1024, WARPS_MAX = GIANT_THREADS / 32;
constexpr unsigned VALUE_THREADS = 256, VALUE_WARPS = VALUE_THREADS / 32;
// Upper bound of the static shared memory of a kernel here. It counts towards what a launch may use without
// the attribute.
constexpr uint32_t STATIC_SHARED = GIANT_THREADS * sizeof(Step<float>) + 1024;
// Maximum number of blocks of a kernel whose blocks process rows or tasks in turn: several waves of an H200.
// Tests use few, so that each block processes several.
#ifndef SPMMI_ONCE_FULL_GRID
#define SPMMI_ONCE_FULL_GRID (132 * 16)
#endif
constexpr unsigned FULL_GRID = SPMMI_ONCE_FULL_GRID;

inline dim3 full_grid(uint64_t most, unsigned of_block)
{
    return dim3((unsigned)min((most + of_block - 1) / of_block, (uint64_t)FULL_GRID));
}

// Reads a word of a bitmap whose bits were set by atomics. The read is volatile, because a line in the L1
// cache may be stale.
__device__ __forceinline__ uint32_t read_word(const uint32_t *word)
{
    return *const_cast<const volatile uint32_t *>(word);
}

__device__ __forceinline__ void clear_words(uint32_t *words, uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
}

// Sets before[i] to the number of columns in the words in front of word i. Returns the number of all columns.
__device__ __forceinline__ uint32_t count_columns(const uint32_t *words, uint32_t count, uint32_t *before,
                                                  uint32_t *shared)
{
    const uint32_t share = (count + blockDim.x - 1) / blockDim.x, first = min(threadIdx.x * share, count),
                   end = min(first + share, count);
    uint32_t own = 0, total;
    for (uint32_t i = first; i < end; i++)
        own += __popc(read_word(words + i));
    own = sum_before(own, shared, &total);
    for (uint32_t i = first; i < end; i++) {
        before[i] = own;
        own += __popc(read_word(words + i));
    }
    __syncthreads();
    return total;
}

template <typename Real> struct ValueMemory {
    Real sums[SPMMI_ONCE_RANGE];
    Step<Real> steps[VALUE_THREADS];
};

inline unsigned grid_of(const spmmi_once_work *w, uint64_t most)
{
    const unsigned blocks = w->bitmaps != nullptr ? w->blocks : FULL_GRID;
    return most < blocks ? (unsigned)most : blocks;
}

// Returns the shared memory for bitmaps of this many words. The attribute is set for the largest bitmaps of
// this GPU, so that launches of other threads do not lower it.
inline uint32_t shared_of(uint32_t words)
{
    return (uint32_t)sizeof(ValueMemory<double>) + 2 * words * (uint32_t)sizeof(uint32_t);
}

} // namespace spgemm
} // namespace spmmi
