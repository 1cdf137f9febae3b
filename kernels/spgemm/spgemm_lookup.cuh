// SPDX-License-Identifier: Apache-2.0
// Columns are looked up in ascending ones, and numbers of products hashed.
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

namespace spmmi {
namespace spgemm {

// The place of a column among ascending ones that contain it.
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

// The first of so many ascending columns that is not below this one.
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

// Of a row, of ascending columns from its start on, keeps those in [from, to). Its ends are looked at first: a row that
// lies within or apart needs no search, each step of which waits for memory.
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

// The order in which lanes add these does not count.
__device__ __forceinline__ unsigned long long hash_of(uint32_t product, uint32_t place)
{
    unsigned long long x = ((unsigned long long)product << 32 | place) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

} // namespace spgemm
} // namespace spmmi
