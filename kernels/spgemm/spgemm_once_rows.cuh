// SPDX-License-Identifier: Apache-2.0
// Products without a plan, kernels whose threads or warps process rows: launches, and what rows that do not
// use tables need.
#pragma once
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned ROW_THREADS = 256, ROW_WARPS = ROW_THREADS / 32;
// Maximum number of rows that get one block each. With more rows, a warp per row keeps an H200 busy.
constexpr int64_t BLOCK_ROWS_MAX = 132 * 8;

// Upper bounds of what a row needs that does not use a table: pieces, partial sums, tasks.
struct Room {
    unsigned long long pieces, partials, tasks;
};

// Returns what a row needs. piece: products of a piece; a row with more products is cut.
__device__ __forceinline__ Room room_of(unsigned long long products, uint32_t entries,
                                        unsigned long long piece)
{
    Room room = {1, 0, ((unsigned long long)entries + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE};
    if (products > piece) {
        room.pieces = products / piece + 1; // each piece but the last has at least this many products
        room.partials = room.pieces * entries;
        room.tasks *= room.pieces;
    }
    return room;
}

// Returns the products of a piece, as spmmi_spgemm_piece does.
__device__ __forceinline__ unsigned long long piece_of(const spmmi_once_work &w, uint32_t entries)
{
    return max(w.share, (unsigned long long)entries * w.piece_entries);
}

// Returns the maximum number of entries of A of a piece that is not long, in a row of `length` entries. Hubs
// must have been found.
__device__ __forceinline__ uint32_t short_length(const spmmi_once_work &w, uint32_t length)
{
    const uint64_t of_hubs = (uint64_t)w.counts->hubs * SPMMI_ONCE_LONG_OF_HUB;
    return w.has_long == 0 || (w.has_shorter == 0 && length <= w.stretch)
               ? UINT32_MAX
               : (uint32_t)min(max(of_hubs, (uint64_t)SPMMI_ONCE_LONG), (uint64_t)w.stretch);
}

// Returns the maximum number of long pieces of a row of A. If no row of B is empty, each entry has at least
// one product, so no piece has more entries than products.
__device__ __forceinline__ unsigned int long_pieces_of(const spmmi_once_work &w, uint32_t length,
                                                       const Room &room, unsigned long long piece)
{
    const uint32_t most = short_length(w, length);
    if (room.tasks == 0 || (room.pieces > 1 && w.has_empty_factors == 0 && piece <= most))
        return 0;
    return (unsigned int)min((unsigned long long)(length / ((uint64_t)most + 1)), room.pieces);
}

// The buckets of a long piece: of hubs, as many as its row of C may have entries in, and of ranges.
struct Buckets {
    uint32_t hubs, ranges;

    __device__ __forceinline__ Buckets(const spmmi_once_work &w, uint32_t entries)
        : hubs(min(w.counts->hubs, entries)), ranges((entries + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE)
    {
    }

    __device__ __forceinline__ uint32_t all() const
    {
        return hubs + ranges;
    }
};

// Returns true if the pieces of a row are computed by one warp each. A warp has room for the sums of few
// entries.
__device__ __forceinline__ bool has_warp_tasks(const Room &room, uint32_t entries)
{
    return room.pieces > 1 && entries <= SPMMI_ONCE_WARP_ENTRIES;
}

inline dim3 blocks_of(int64_t count, unsigned threads)
{
    return dim3((unsigned)((count + threads - 1) / threads));
}

} // namespace spgemm
} // namespace spmmi
