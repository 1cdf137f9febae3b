// SPDX-License-Identifier: Apache-2.0
// Products without a plan: prepares the buckets of long pieces, once the products of each part are counted
// (spgemm_once_lists.cu). The numbers of stretches and entries of hubs are known before memory for them is
// allocated.
#include "spgemm_once_piece.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned BUCKET_THREADS = 32, BUCKET_TURN = 16;
constexpr uint32_t SHORT_LIST = 32; // maximum products of an entry that one thread adds

// Reserves room for what the lanes of a warp need, one lane after the other, with one atomic addition.
// Returns where the room of this lane begins.
template <typename Number> __device__ __forceinline__ uint32_t take_room(Number *taken, uint32_t own)
{
    const uint32_t up_to = sum_up_to(own), total = __shfl_sync(EVERY_LANE, up_to, 31);
    uint32_t first = 0;
    if (threadIdx.x % 32 == 0 && total > 0)
        first = (uint32_t)atomicAdd(taken, (Number)total);
    return __shfl_sync(EVERY_LANE, first, 0) + up_to - own;
}

// Returns the number of stretches of the list of an entry of a hub; 0: one thread adds its products.
__device__ __forceinline__ uint32_t stretches_of(const spmmi_once_work &w, uint32_t products)
{
    return products > SHORT_LIST ? (products + w.stretch - 1) / w.stretch : 0;
}

// The counts of the parts of a bucket. BUCKET_TURN of them are loaded together, because nothing is stored in
// between.
struct PartCounts {
    uint32_t *counts;
    uint32_t buckets, parts;

    __device__ __forceinline__ void load(uint32_t first, uint32_t (&own)[BUCKET_TURN]) const
    {
#pragma unroll
        for (uint32_t i = 0; i < BUCKET_TURN; i++)
            own[i] = first + i < parts ? counts[(uint64_t)(first + i) * buckets] : 0;
    }

    __device__ __forceinline__ uint32_t sum() const
    {
        uint32_t total = 0, own[BUCKET_TURN];
        for (uint32_t first = 0; first < parts; first += BUCKET_TURN) {
            load(first, own);
#pragma unroll
            for (uint32_t i = 0; i < BUCKET_TURN; i++)
                total += own[i];
        }
        return total;
    }

    // Replaces the counts by where each part begins; the first part begins at `next`.
    __device__ __forceinline__ void begin(uint32_t next) const
    {
        uint32_t own[BUCKET_TURN];
        for (uint32_t first = 0; first < parts; first += BUCKET_TURN) {
            load(first, own);
#pragma unroll
            for (uint32_t i = 0; i < BUCKET_TURN; i++) {
                if (first + i < parts)
                    counts[(uint64_t)(first + i) * buckets] = next;
                next += own[i];
            }
        }
    }
};

// The blocks of one piece process its buckets in turn. A thread finds where the list of a bucket begins, and
// where each part begins in it.
__global__ void __launch_bounds__(BUCKET_THREADS) buckets_kernel(const __grid_constant__ spmmi_once_work w)
{
    for (uint32_t number = blockIdx.y; number < w.counts->long_pieces_taken; number += gridDim.y) {
        const LongPiece piece(w, number);
        const uint32_t buckets = piece.buckets.all();
        for (uint32_t base = blockIdx.x * BUCKET_THREADS; base < buckets;
             base += gridDim.x * BUCKET_THREADS) {
            const uint32_t bucket = base + threadIdx.x;
            const PartCounts parts = {piece.counts(w, 0) + bucket, buckets,
                                      bucket < buckets ? w.long_lists.parts : 0};
            const uint32_t total = parts.sum(), first = take_room(&w.counts->words_taken, total);
            const bool is_sum = bucket < piece.buckets.hubs && total > 0;
            add_to(&w.counts->long_sums, is_sum ? 1u : 0u);
            add_to(&w.counts->stretches, is_sum ? stretches_of(w, total) : 0u);
            if (bucket < buckets)
                w.long_lists.buckets[piece.at.bucket + bucket] = {first, total};
            parts.begin(first);
        }
    }
}

// For buckets of hubs: finds where their entries are in the row of C, and makes their stretches.
__global__ void __launch_bounds__(BUCKET_THREADS) place_hubs_kernel(const __grid_constant__ spmmi_once_work w)
{
    for (uint32_t number = blockIdx.y; number < w.counts->long_pieces_taken; number += gridDim.y) {
        const LongPiece piece(w, number);
        for (uint32_t base = blockIdx.x * BUCKET_THREADS; base < piece.buckets.hubs;
             base += gridDim.x * BUCKET_THREADS) {
            const uint32_t bucket = base + threadIdx.x;
            const spmmi_spgemm_stretch list = bucket < piece.buckets.hubs
                                                  ? w.long_lists.buckets[piece.at.bucket + bucket]
                                                  : spmmi_spgemm_stretch{0, 0};
            const uint32_t count = stretches_of(w, list.count),
                           stretch = take_room(&w.counts->stretches_taken, count),
                           at = take_room(&w.counts->long_sums_taken, list.count > 0 ? 1u : 0u);
            for (uint32_t s = 0; s < count; s++)
                w.long_lists.stretches[stretch + s] = {list.first + s * w.stretch,
                                                       min(w.stretch, list.count - s * w.stretch)};
            if (list.count > 0)
                w.long_lists.sums[at] = {number, piece.place(bucket), count > 0 ? stretch : list.first,
                                         count > 0 ? count : list.count, count == 0};
        }
    }
}

// Returns the grid for this many pieces with up to this many buckets each.
inline dim3 buckets_grid(uint32_t pieces, uint64_t buckets)
{
    const uint32_t rows = min(pieces, FULL_GRID);
    return dim3(min(full_grid(buckets, BUCKET_THREADS).x, max(FULL_GRID / rows, 1u)), rows);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_buckets_cuda(const struct spmmi_once_work *w, uint32_t pieces, uint64_t buckets, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::buckets_kernel, spgemm::buckets_grid(pieces, buckets),
                         spgemm::BUCKET_THREADS, 0, stream, false, *w);
}

int spmmi_once_place_hubs_cuda(const struct spmmi_once_work *w, uint32_t pieces, uint64_t hubs, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::place_hubs_kernel, spgemm::buckets_grid(pieces, hubs),
                         spgemm::BUCKET_THREADS, 0, stream, false, *w);
}
