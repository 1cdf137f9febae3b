// SPDX-License-Identifier: Apache-2.0
// Products without a plan: lists the products of long pieces (spgemm_once_piece.cuh) in order, by entries of
// hubs (spgemm_once_hubs.cu) and by ranges of the other entries. Entries of hubs are then summed here, ranges
// by spgemm_once_long.cu.
//
// portions  first a warp counts the products of each portion of a piece; all portions have the same number of
//           entries of A
// counts    a warp has a part of a piece; all parts have the same number of products. It counts the products
//           of each bucket, in shared memory if the counts fit. Then it is known where each part of a bucket
//           begins
// lists     a warp writes the products of its part there: entries of A and of B
// stretches of entries of hubs: a block adds four at once (spgemm_long.cuh). Then a thread adds the stretches
//           of an entry
#include "spgemm_long.cuh"
#include "spgemm_once_piece.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned LIST_THREADS = 256, LIST_WARPS = LIST_THREADS / 32;
// Maximum counts of a warp in shared memory. Tests use fewer.
#ifndef SPMMI_ONCE_BUCKETS_SHARED
#define SPMMI_ONCE_BUCKETS_SHARED 512
#endif
constexpr uint32_t BUCKETS_SHARED = SPMMI_ONCE_BUCKETS_SHARED;

struct ListMemory {
    uint32_t counts[LIST_WARPS][BUCKETS_SHARED];
    Step<uint32_t> steps[LIST_THREADS];
};

struct BucketCounter {
    const LongPiece &piece;
    uint32_t *counts;

    __device__ __forceinline__ void take(int32_t number, uint32_t, uint32_t, bool is_there, unsigned,
                                         unsigned below)
    {
        const uint32_t bucket = is_there ? piece.bucket_of(number) : 0;
        const unsigned same = same_bucket(bucket, is_there);
        if (is_there && (same & below) == 0)
            counts[bucket] += (uint32_t)__popc(same);
        __syncwarp();
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

struct BucketLister {
    const LongPiece &piece;
    uint32_t *next; // where the next product of each bucket goes
    spmmi_spgemm_word *words;

    __device__ __forceinline__ void take(int32_t number, uint32_t left, uint32_t right, bool is_there,
                                         unsigned, unsigned below)
    {
        const uint32_t bucket = is_there ? piece.bucket_of(number) : 0;
        const unsigned same = same_bucket(bucket, is_there);
        const uint32_t turn = (uint32_t)__popc(same & below), first = is_there ? next[bucket] : 0;
        __syncwarp();
        if (is_there)
            words[first + turn] = {left, right};
        if (is_there && turn == 0)
            next[bucket] = first + (uint32_t)__popc(same);
        __syncwarp();
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

// A portion of a piece. All portions have the same number of entries of A, regardless of products.
struct Portion {
    int64_t begin;
    uint32_t length;

    __device__ __forceinline__ Portion(const spmmi_once_work &w, const spmmi_once_piece &piece,
                                       uint32_t number)
    {
        const uint32_t all = piece.end - piece.begin, parts = w.long_lists.parts,
                       share = (all + parts - 1) / parts,
                       first = (uint32_t)min((uint64_t)number * share, (uint64_t)all);
        begin = row_begin(w.a, piece.row) + piece.begin + first;
        length = min(share, all - first);
    }
};

// Counts the products of each portion, one warp per portion.
__global__ void __launch_bounds__(LIST_THREADS) portions_kernel(const __grid_constant__ spmmi_once_work w)
{
    const uint64_t portions = (uint64_t)w.counts->long_pieces_taken * w.long_lists.parts;
    for (uint64_t i = (uint64_t)blockIdx.x * LIST_WARPS + threadIdx.x / 32; i < portions;
         i += (uint64_t)gridDim.x * LIST_WARPS) {
        const Portion portion(w, w.long_pieces[i / w.long_lists.parts], (uint32_t)(i % w.long_lists.parts));
        uint32_t products = 0;
#pragma unroll 4
        for (uint32_t t = threadIdx.x % 32; t < portion.length; t += 32)
            products += load_factor<uint32_t, false>(w, portion.begin + t, true).length;
        products = __reduce_add_sync(EVERY_LANE, products);
        if (threadIdx.x % 32 == 0)
            w.long_lists.portions[i] = products;
    }
}

// Where a part begins: its first entry of A, how many products of that entry it skips, and how many products
// it has.
struct PartBegin {
    int64_t entry;
    uint32_t skipped, products;
};

// Finds where a part begins. All parts have the same number of products, so that no warp has a long row of B
// to itself. All lanes of a warp return the same.
__device__ __forceinline__ PartBegin find_part(const spmmi_once_work &w, const spmmi_once_piece &piece,
                                               uint64_t first_portion, uint32_t part)
{
    const uint32_t lane = threadIdx.x % 32, parts = w.long_lists.parts, share = (parts + 31) / 32;
    const uint32_t *const portions = w.long_lists.portions + first_portion;
    const uint32_t first = min(lane * share, parts), end = min(first + share, parts);
    uint32_t own = 0;
    for (uint32_t s = first; s < end; s++)
        own += portions[s];
    const uint32_t up_to = sum_up_to(own), total = __shfl_sync(EVERY_LANE, up_to, 31),
                   products = max((total + parts - 1) / parts, (uint32_t)SPMMI_ONCE_PART_PRODUCTS);
    const uint64_t wanted = (uint64_t)part * products;
    if (wanted >= total)
        return {0, 0, 0};
    PartBegin begin = {0, 0, (uint32_t)min((uint64_t)products, total - wanted)};
    const int owner = __ffs((int)__ballot_sync(EVERY_LANE, up_to > wanted)) - 1;
    uint32_t portion = __shfl_sync(EVERY_LANE, first, owner),
             before = __shfl_sync(EVERY_LANE, up_to - own, owner); // in products
    while (before + portions[portion] <= wanted)
        before += portions[portion++];
    const Portion found(w, piece, portion);
    for (uint32_t t = lane;; t += 32) {
        const uint32_t length = load_factor<uint32_t, false>(w, found.begin + t, t < found.length).length,
                       so_far = before + sum_up_to(length);
        const unsigned reached = __ballot_sync(EVERY_LANE, so_far > wanted);
        before = __shfl_sync(EVERY_LANE, so_far, 31);
        if (reached == 0)
            continue;
        const int at = __ffs((int)reached) - 1;
        begin.skipped = (uint32_t)wanted - __shfl_sync(EVERY_LANE, so_far - length, at);
        begin.entry = found.begin + (t - lane) + at;
        return begin;
    }
}

// Passes the products of a part to the sink, as an entry of A and an entry of B.
template <typename Sink>
__device__ __forceinline__ void walk_part(const spmmi_once_work &w, const spmmi_once_piece &piece,
                                          const PartBegin &part, Step<uint32_t> *steps, Sink &sink)
{
    const uint32_t lane = threadIdx.x % 32;
    const NumberedRight right = {{w.b.columns, w.long_lists.numbers}};
    const int64_t end = row_begin(w.a, piece.row) + piece.end;
    uint32_t left = part.products;
    int64_t p = part.entry + lane;
    Factor<uint32_t> next = load_factor<uint32_t, false>(w, p, left > 0 && p < end);
    if (lane == 0) {
        next.start += part.skipped;
        next.length -= part.skipped;
    }
    while (left > 0) {
        Factor<uint32_t> own = next;
        own.a = (uint32_t)p;
        p += 32;
        next = load_factor<uint32_t, false>(w, p, p < end);
        const uint32_t up_to = sum_up_to(own.length), before = up_to - own.length;
        own.length = before < left ? min(own.length, left - before) : 0;
        left -= min(left, __shfl_sync(EVERY_LANE, up_to, 31));
        (void)walk_round<uint32_t, 32, true>(right, own, steps, lane, sink);
    }
}

// Processes the parts of pieces, one warp per part. IS_COUNT: counts the products of buckets; else lists
// them.
template <bool IS_COUNT>
__global__ void __launch_bounds__(LIST_THREADS) parts_kernel(const __grid_constant__ spmmi_once_work w)
{
    __shared__ ListMemory memory;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t parts = (uint64_t)w.counts->long_pieces_taken * w.long_lists.parts;
    for (uint64_t i = (uint64_t)blockIdx.x * LIST_WARPS + warp; i < parts;
         i += (uint64_t)gridDim.x * LIST_WARPS) {
        const LongPiece piece(w, (uint32_t)(i / w.long_lists.parts));
        const uint32_t part = (uint32_t)(i % w.long_lists.parts), buckets = piece.buckets.all();
        const bool is_shared = buckets <= BUCKETS_SHARED;
        uint32_t *const kept = piece.counts(w, part), *const own = is_shared ? memory.counts[warp] : kept;
        Step<uint32_t> *const steps = memory.steps + warp * 32;
        const PartBegin begin = find_part(w, piece.at, i - part, part);
        for (uint32_t b = lane; b < buckets && (IS_COUNT || is_shared); b += 32)
            own[b] = IS_COUNT ? 0 : kept[b];
        __syncwarp();
        if constexpr (IS_COUNT) {
            BucketCounter counter = {piece, own};
            walk_part(w, piece.at, begin, steps, counter);
            for (uint32_t b = lane; b < buckets && is_shared; b += 32)
                kept[b] = own[b];
        } else {
            BucketLister lister = {piece, own, w.long_lists.words};
            walk_part(w, piece.at, begin, steps, lister);
        }
        __syncwarp();
    }
}

template <typename Real> __device__ __forceinline__ Operands<Real> operands_of(const spmmi_once_work &w)
{
    return {static_cast<const Real *>(w.a.values),
            static_cast<const Real *>(w.b.values),
            nullptr,
            nullptr,
            nullptr,
            Real(1),
            Real(0)};
}

template <typename Real>
__global__ void __launch_bounds__(LONG_THREADS, LONG_BLOCKS)
    stretches_kernel(const __grid_constant__ spmmi_once_work w)
{
    __shared__ LongRing<Real, false> rings[LONG_STRETCHES];
    release_dependents();
    spmmi_spgemm_long_tables tables = {};
    tables.stretches = w.long_lists.stretches;
    tables.words = w.long_lists.words;
    tables.stretch_count = w.counts->stretches;
    for (uint32_t begin = blockIdx.x * LONG_STRETCHES; begin < tables.stretch_count;
         begin += gridDim.x * LONG_STRETCHES) {
        add_long_stretches<Real, false>(tables, operands_of<Real>(w), begin,
                                        static_cast<Real *>(w.long_lists.stretch_sums), rings);
        __syncthreads(); // the last chunk has been added
    }
    end_after_previous();
}

// Computes the entries of hubs, one thread per entry: adds its stretches, or the products of a short list.
template <typename Real>
__global__ void __launch_bounds__(LIST_THREADS) long_sums_kernel(const __grid_constant__ spmmi_once_work w)
{
    const uint32_t i = blockIdx.x * LIST_THREADS + threadIdx.x;
    if (i >= w.counts->long_sums)
        return;
    const spmmi_once_long_sum own = w.long_lists.sums[i];
    const spmmi_once_piece &piece = w.long_pieces[own.piece];
    Real sum = Real(0);
    if (own.is_short) {
        const Operands<Real> values = operands_of<Real>(w);
#pragma unroll 4
        for (uint32_t t = own.first; t < own.first + own.count; t++) {
            const spmmi_spgemm_word word = w.long_lists.words[t];
            sum = fused(values.left[word.left], values.right[word.right], sum);
        }
    } else {
        const Real *const sums = static_cast<const Real *>(w.long_lists.stretch_sums) + own.first;
        sum = sums[0];
        for (uint32_t s = 1; s < own.count; s++)
            sum += sums[s];
    }
    target_of<Real>(w, piece.row, piece.partial)[own.place] = sum;
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_portion_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::portions_kernel,
                         spgemm::full_grid((uint64_t)pieces * w->long_lists.parts, spgemm::LIST_WARPS),
                         spgemm::LIST_THREADS, 0, stream, false, *w);
}

int spmmi_once_count_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::parts_kernel<true>,
                         spgemm::full_grid((uint64_t)pieces * w->long_lists.parts, spgemm::LIST_WARPS),
                         spgemm::LIST_THREADS, 0, stream, false, *w);
}

int spmmi_once_list_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::parts_kernel<false>,
                         spgemm::full_grid((uint64_t)pieces * w->long_lists.parts, spgemm::LIST_WARPS),
                         spgemm::LIST_THREADS, 0, stream, false, *w);
}

int spmmi_once_stretches_cuda(const struct spmmi_once_work *w, uint64_t stretches, int is_f64,
                              int is_dependent, void *stream)
{
    using namespace spmmi;
    const dim3 grid = spgemm::full_grid(stretches, spgemm::LONG_STRETCHES);
    return is_f64 ? launch_kernel(spgemm::stretches_kernel<double>, grid, spgemm::LONG_THREADS, 0, stream,
                                  is_dependent != 0, *w)
                  : launch_kernel(spgemm::stretches_kernel<float>, grid, spgemm::LONG_THREADS, 0, stream,
                                  is_dependent != 0, *w);
}

int spmmi_once_long_sums_cuda(const struct spmmi_once_work *w, uint64_t entries, int is_f64, void *stream)
{
    using namespace spmmi;
    const dim3 grid((unsigned)((entries + spgemm::LIST_THREADS - 1) / spgemm::LIST_THREADS));
    return is_f64 ? launch_kernel(spgemm::long_sums_kernel<double>, grid, spgemm::LIST_THREADS, 0, stream,
                                  false, *w)
                  : launch_kernel(spgemm::long_sums_kernel<float>, grid, spgemm::LIST_THREADS, 0, stream,
                                  false, *w);
}
