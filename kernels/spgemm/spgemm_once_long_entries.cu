// SPDX-License-Identifier: Apache-2.0
// Products without a plan: the long entries of long tasks, which have a list (spgemm_once_long.cu).
//
// block     512 threads: an entry of a task. Its 16 warps count the products that each 16th of the task has; so it is
//           known where stretches begin. Then a group of warps takes a stretch: 16 of one stretch, 8 of two, one of 9
//           or more, as a stretch of few products in each row would keep one warp for the whole task
// lanes     a lane looks the column up in the rows of B of several entries of the left factor side by side
// sums      a stretch is added by ascending k from 0, fused, by one lane; stretches then one after the other
// overlap   what follows may run beside this; the list is complete before it begins
#include "spgemm_once_range.cuh"
#include "spgemm_products.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned ENTRY_THREADS = 512, ENTRY_WARPS = ENTRY_THREADS / 32;
constexpr uint32_t COUNTED = 16, ADDED = 4; // entries of the left factor of a lane, where products are
constexpr uint32_t CHUNK = 32 * ADDED;      // entries of a warp whose products lie in shared memory together
constexpr uint32_t NO_PRODUCT = UINT32_MAX; // B has fewer entries

template <typename Real> struct EntryMemory {
    Product<Real> products[ENTRY_WARPS][CHUNK];
    uint32_t found[ENTRY_WARPS];  // products of each chunk
    uint32_t counts[ENTRY_WARPS]; // products of each part of the task
    Real sums[ENTRY_WARPS];       // of stretches
};

// Entries [begin, begin + length) of the left factor, and the column of an entry of C.
struct LongEntry {
    int64_t begin;
    uint32_t length, part; // part: of a warp, a multiple of CHUNK
    int32_t column;
};

// The products of entries at + 32 i + lane: entries of B.
template <uint32_t OF_LANE>
__device__ __forceinline__ void find_products(const spmmi_once_work &w, const LongEntry &entry, uint32_t at,
                                              uint32_t end, uint32_t (&found)[OF_LANE])
{
    Factor<float> row[OF_LANE];
    uint32_t longest = 0;
#pragma unroll
    for (uint32_t i = 0; i < OF_LANE; i++) {
        const uint32_t t = at + 32 * i + threadIdx.x % 32;
        row[i] = load_factor<float, false>(w, entry.begin + t, t < end);
        longest = max(longest, row[i].length);
    }
    for (; longest > 1; longest -= longest / 2)
#pragma unroll
        for (uint32_t i = 0; i < OF_LANE; i++) { // steps of place_of
            const uint32_t half = row[i].length / 2;
            if (half > 0 && w.b.columns[row[i].start + half] <= entry.column)
                row[i].start += half;
            row[i].length -= half;
        }
#pragma unroll
    for (uint32_t i = 0; i < OF_LANE; i++)
        found[i] = row[i].length > 0 && w.b.columns[row[i].start] == entry.column ? row[i].start : NO_PRODUCT;
}

// Products of the part of this warp.
__device__ __forceinline__ uint32_t count_part(const spmmi_once_work &w, const LongEntry &entry)
{
    const uint32_t first = threadIdx.x / 32 * entry.part, end = min(first + entry.part, entry.length);
    uint32_t count = 0, found[COUNTED];
    for (uint32_t at = first; at < end; at += 32 * COUNTED) {
        find_products<COUNTED>(w, entry, at, end, found);
#pragma unroll
        for (uint32_t i = 0; i < COUNTED; i++)
            count += (uint32_t)__popc(__ballot_sync(EVERY_LANE, found[i] != NO_PRODUCT));
    }
    return count;
}

// The products of a chunk; how many?
template <typename Real>
__device__ __forceinline__ uint32_t load_chunk(const spmmi_once_work &w, const LongEntry &entry, uint32_t at,
                                               Product<Real> *products)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t found[ADDED], count = 0;
    find_products<ADDED>(w, entry, at, entry.length, found);
#pragma unroll
    for (uint32_t i = 0; i < ADDED; i++) {
        const unsigned lanes = __ballot_sync(EVERY_LANE, found[i] != NO_PRODUCT);
        if (found[i] != NO_PRODUCT)
            products[count + (uint32_t)__popc(lanes & ((1u << lane) - 1))] = {
                static_cast<const Real *>(w.a.values)[entry.begin + at + 32 * i + lane],
                static_cast<const Real *>(w.b.values)[found[i]]};
        count += (uint32_t)__popc(lanes);
    }
    return count;
}

// The sums of up to 16 stretches, of which product `first` begins the first, and the last ends with product total - 1.
template <typename Real>
__device__ __forceinline__ void add_stretches(const spmmi_once_work &w, const LongEntry &entry,
                                              uint32_t first, uint32_t total, EntryMemory<Real> &memory)
{
    const uint32_t warp = threadIdx.x / 32,
                   stretches = min((total - first + w.stretch - 1) / w.stretch, ENTRY_WARPS);
    uint32_t group = ENTRY_WARPS; // warps of a stretch
    while (group * stretches > ENTRY_WARPS)
        group /= 2;
    const uint32_t own = warp / group, begin = own * group, // the group's first warp
        from = first + own * w.stretch, end = min(from + w.stretch, total);
    uint32_t number = 0, at = 0; // products before entry at
    bool is_done = own >= stretches;
    for (uint32_t part = 0; !is_done && number + memory.counts[part] <= from; part++) {
        number += memory.counts[part];
        at += entry.part;
    }
    Real sum = Real(0);
    for (at += (warp - begin) * CHUNK; __syncthreads_or(!is_done);
         at += group * CHUNK) { // the chunks are added
        const uint32_t count = is_done ? 0 : load_chunk(w, entry, at, memory.products[warp]);
        if (threadIdx.x % 32 == 0)
            memory.found[warp] = count;
        __syncthreads();
        for (uint32_t v = begin; !is_done && v < begin + group; v++) {
            const uint32_t found = memory.found[v], skipped = from > number ? min(from - number, found) : 0,
                           last = end > number ? min(end - number, found) : 0;
            if (threadIdx.x == 32 * begin && last > skipped)
                sum = add_in_order(memory.products[v] + skipped, last - skipped, sum);
            number += found;
        }
        is_done = is_done || number >= end;
    }
    if (threadIdx.x == 32 * begin && own < stretches)
        memory.sums[own] = sum;
}

// The sum of the entry, of thread 0.
template <typename Real>
__device__ __forceinline__ Real add_entry(const spmmi_once_work &w, const LongEntry &entry,
                                          EntryMemory<Real> &memory)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, count = count_part(w, entry);
    if (lane == 0)
        memory.counts[warp] = count;
    __syncthreads();
    uint32_t total = 0;
    for (uint32_t i = 0; i < ENTRY_WARPS; i++)
        total += memory.counts[i];
    Real sum = Real(0);
    for (uint32_t first = 0; first < total; first += ENTRY_WARPS * w.stretch) {
        add_stretches(w, entry, first, total, memory);
        __syncthreads();
        for (uint32_t i = 0; threadIdx.x == 0 && i < ENTRY_WARPS && first + i * w.stretch < total; i++)
            sum = first + i == 0 ? memory.sums[0] : sum + memory.sums[i];
        __syncthreads();
    }
    return sum;
}

template <typename Real>
__global__ void __launch_bounds__(ENTRY_THREADS)
    long_entries_kernel(const __grid_constant__ spmmi_once_work w)
{
    __shared__ EntryMemory<Real> memory;
    release_dependents();
    for (uint32_t at = blockIdx.x; at < w.counts->long_entries; at += gridDim.x) {
        const uint32_t place = w.long_entries[at].place;
        const spmmi_once_task task = w.long_tasks[w.long_entries[at].task];
        const Range r = range_of(w, task);
        const uint32_t length = task.end - task.begin,
                       part = (length + ENTRY_WARPS * CHUNK - 1) / (ENTRY_WARPS * CHUNK) * CHUNK;
        const LongEntry entry = {row_begin(w.a, task.row) + task.begin, length, part,
                                 w.c_columns[r.first + place]};
        const Real sum = add_entry(w, entry, memory);
        if (threadIdx.x == 0)
            target_of<Real>(w, task, r)[place] = sum;
        __syncthreads(); // the counts are read
    }
    end_after_previous();
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_long_entries_cuda(const struct spmmi_once_work *w, uint32_t entries, int is_f64, void *stream)
{
    using namespace spmmi;
    const dim3 grid(min(entries, spgemm::FULL_GRID));
    return is_f64 ? launch_kernel(spgemm::long_entries_kernel<double>, grid, spgemm::ENTRY_THREADS, 0, stream,
                                  false, *w)
                  : launch_kernel(spgemm::long_entries_kernel<float>, grid, spgemm::ENTRY_THREADS, 0, stream,
                                  false, *w);
}
