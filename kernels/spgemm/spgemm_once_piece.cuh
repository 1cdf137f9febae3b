// SPDX-License-Identifier: Apache-2.0
// Products without a plan: a long piece, whose products are listed by buckets: one per hub, and one per range
// of the other entries of its row of C (docs/decisions/0117). If the row has fewer entries than there are
// hubs, each entry has a bucket instead, so that there are never more buckets than products, regardless of B.
#pragma once
#include "spgemm_once_range.cuh"
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

// A long piece, and the columns of its row of C.
struct LongPiece {
    spmmi_once_piece at;
    const int32_t *columns;
    const int32_t *hub_columns;
    uint32_t entries;
    bool is_of_entries; // the first buckets belong to entries of C, not to hubs
    Buckets buckets;

    __device__ __forceinline__ LongPiece(const spmmi_once_work &w, uint32_t number)
        : at(w.long_pieces[number]), columns(w.c_columns + w.c_row_ptr[at.row]),
          hub_columns(w.long_lists.hubs), entries(w.entries[at.row]), is_of_entries(entries < w.counts->hubs),
          buckets(w, entries)
    {
    }

    // Returns the place, in the row of C, of the entry of a bucket of a hub.
    __device__ __forceinline__ uint32_t place(uint32_t bucket) const
    {
        return is_of_entries ? bucket : place_of(columns, entries, hub_columns[bucket]);
    }

    // Returns the count of bucket 0 of a part; the counts of its other buckets follow.
    __device__ __forceinline__ uint32_t *counts(const spmmi_once_work &w, uint32_t part) const
    {
        return w.long_lists.counts + (uint64_t)at.bucket * w.long_lists.parts +
               (uint64_t)part * buckets.all();
    }

    // Returns the bucket of a product. number: of its hub, or ~column if it is not in a hub.
    __device__ __forceinline__ uint32_t bucket_of(int32_t number) const
    {
        if (number >= 0)
            return is_of_entries ? place_of(columns, entries, hub_columns[number]) : (uint32_t)number;
        uint32_t range = 0;
        for (uint32_t count = buckets.ranges; count > 1;) {
            const uint32_t half = count / 2;
            range += columns[(uint64_t)(range + half) * SPMMI_ONCE_RANGE] <= ~number ? half : 0;
            count -= half;
        }
        return buckets.hubs + range;
    }
};

// What walk_round reads of B instead of columns and values: the number of the hub, or ~column, of an entry;
// and the index of the entry as its value.
struct NumberedColumns {
    const int32_t *columns;
    const uint32_t *numbers;

    __device__ __forceinline__ int32_t operator[](uint32_t entry) const
    {
        const int32_t column = columns[entry];
        const uint32_t number = numbers[column];
        return number != SPMMI_ONCE_NO_HUB ? (int32_t)number : ~column;
    }
};

struct NumberedRight {
    NumberedColumns columns;
};

template <typename Real> __device__ __forceinline__ Real value_of(const NumberedRight &, uint32_t entry)
{
    return entry;
}

// Returns the lanes whose product is in the same bucket as the product of this lane.
__device__ __forceinline__ unsigned same_bucket(uint32_t bucket, bool is_there)
{
    return __match_any_sync(EVERY_LANE, is_there ? bucket : 0x80000000u | threadIdx.x % 32);
}

} // namespace spgemm
} // namespace spmmi
