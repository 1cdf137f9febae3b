// SPDX-License-Identifier: Apache-2.0
// Products without a plan: ranges of the entries of a row. A bitmap gives the position of each product.
#pragma once
#include "spgemm_lookup.cuh"
#include "spgemm_once_bitmap.cuh"

namespace spmmi {
namespace spgemm {

// The range of a task: entries [first, first + count) of C, whose columns begin in word first_word of a
// bitmap and span `words` words.
struct Range {
    int64_t first;
    uint32_t count, first_word, words;
};

__device__ __forceinline__ Range range_of(const spmmi_once_work &w, const spmmi_once_task &task)
{
    Range r;
    r.first = w.c_row_ptr[task.row] + (int64_t)task.range * SPMMI_ONCE_RANGE;
    const int64_t left = w.c_row_ptr[(int64_t)task.row + 1] - r.first;
    r.count = left < SPMMI_ONCE_RANGE ? (uint32_t)left : SPMMI_ONCE_RANGE;
    r.first_word = (uint32_t)w.c_columns[r.first] / 32;
    r.words = (uint32_t)w.c_columns[r.first + r.count - 1] / 32 - r.first_word + 1;
    return r;
}

// Adds products to the sums of a range.
template <typename Real> struct RangeAdder {
    const uint32_t *words, *before;
    Real *sums;
    uint32_t first_word;

    __device__ __forceinline__ void take(int32_t column, Real a, Real b, bool is_there, unsigned starts,
                                         unsigned below)
    {
        uint32_t position = 0;
        if (is_there) {
            const uint32_t word = (uint32_t)column / 32 - first_word, bit = (uint32_t)column % 32;
            position = before[word] + __popc(read_word(words + word) & ((1u << bit) - 1));
        }
        add_chunk<Real, 32>(a, b, position, is_there, sums, starts, below);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

// Sets the bits of the columns of a range, and counts the columns in front of each word.
__device__ __forceinline__ void map_range(const spmmi_once_work &w, const Range &r, uint32_t *words,
                                          uint32_t *before, uint32_t *shared)
{
    clear_words(words, r.words);
    for (uint32_t e = threadIdx.x; e < r.count; e += blockDim.x) {
        const uint32_t column = (uint32_t)w.c_columns[r.first + e];
        atomicOr(words + column / 32 - r.first_word, 1u << column % 32);
    }
    __syncthreads();
    (void)count_columns(words, r.words, before, shared);
}

// Adds the products of a task with columns in [from, to), which belong to one warp; IS_WHOLE: adds all
// products.
template <typename Real, bool IS_WHOLE>
__device__ __forceinline__ void add_task(const spmmi_once_work &w, const spmmi_once_task &task, int32_t from,
                                         int32_t to, Step<Real> *steps, RangeAdder<Real> &adder)
{
    const uint32_t lane = threadIdx.x % 32;
    const int64_t begin = row_begin(w.a, task.row);
    for (uint32_t t = task.begin; t < task.end; t += 32) {
        Factor<Real> own = load_factor<Real, true>(w, begin + t + lane, t + lane < task.end);
        if (!IS_WHOLE)
            keep_columns(w.b.columns, own, from, to);
        (void)walk_round<Real, 32, true>(w.b, own, steps, lane, adder);
    }
}

// Returns where the sums of a row, or of a piece of it, are stored.
template <typename Real>
__device__ __forceinline__ Real *target_of(const spmmi_once_work &w, uint32_t row, uint64_t partial)
{
    return partial == SPMMI_ONCE_WHOLE ? static_cast<Real *>(w.c_values) + w.c_row_ptr[row]
                                       : static_cast<Real *>(w.partials) + partial;
}

// Returns where the sums of the range of a task are stored.
template <typename Real>
__device__ __forceinline__ Real *target_of(const spmmi_once_work &w, const spmmi_once_task &task)
{
    return target_of<Real>(w, task.row, task.partial) + (uint64_t)task.range * SPMMI_ONCE_RANGE;
}

} // namespace spgemm
} // namespace spmmi
