// SPDX-License-Identifier: Apache-2.0
// Looks up columns among ascending ones, and hashes where products belong.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {
namespace spgemm {

// Returns the index of a column among ascending columns that contain it.
__device__ __forceinline__ uint32_t place_of(const int32_t *columns, uint32_t count, int32_t column)
{
    uint32_t low = 0;
    while (count > 1) {
        const uint32_t half = count / 2;
        if (__ldg(columns + low + half) <= column)
            low += half;
        count -= half;
    }
    return low;
}

// Returns the index of the first of `count` ascending columns that is not below `column`; `count` if there is
// none.
__device__ __forceinline__ uint32_t first_from(const int32_t *columns, uint32_t count, int32_t column)
{
    uint32_t low = 0;
    while (low < count) {
        const uint32_t middle = low + (count - low) / 2;
        if (columns[middle] < column)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

// Restricts a row, whose columns ascend from row.start on, to the columns in [from, to). Checks the ends of
// the row first: a row that lies inside or outside needs no search, each step of which waits for memory.
template <typename Row>
__device__ __forceinline__ void keep_columns(const int32_t *columns, Row &row, int32_t from, int32_t to)
{
    if (row.length == 0)
        return;
    const int32_t first = columns[row.start], last = columns[row.start + row.length - 1];
    if (first >= to || last < from) {
        row.length = 0;
        return;
    }
    const uint32_t skipped = first >= from ? 0 : first_from(columns + row.start, row.length, from);
    row.start += skipped;
    row.length -= skipped;
    row.length = last < to ? row.length : first_from(columns + row.start, row.length, to);
}

// Hashes the place of a product. Lanes add such hashes, so their order does not matter.
__device__ __forceinline__ unsigned long long hash_of(uint32_t product, uint32_t place)
{
    unsigned long long x = ((unsigned long long)product << 32 | place) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

} // namespace spgemm
} // namespace spmmi
