// SPDX-License-Identifier: Apache-2.0
// Products without a plan: the values of tasks that may have long entries.
//
// block     512 threads: a task, those of warps too, found and mapped as by spgemm_once_values.cu
// shares    the products of each entry are counted, and warps have entries of about equally many products together: a
//           few entries may have most of them
// sums      in shared memory, with the number of products of the entry: where a stretch of them ends, its sum goes to
//           that of those before it
#include "spgemm_once_range.cuh"

namespace spmmi {
namespace spgemm {

// Of entries that may be long: the sum of a stretch, and how many products it has. The sum of those before it lies
// where the task's result goes, which only its warp touches.
template <typename Real> struct LongSums {
    Real *sums, *to;
    uint16_t *counts;
    uint32_t stretch;

    static constexpr uint32_t HAS_MORE = 0x8000; // of a count: there are stretches before

    __device__ __forceinline__ Real end(uint32_t e) const
    {
        return (counts[e] & HAS_MORE) != 0 ? to[e] + sums[e] : sums[e];
    }
};

template <typename Real>
__device__ __forceinline__ void add_product(const LongSums<Real> &s, uint32_t position, Real a, Real b)
{
    uint32_t count = s.counts[position];
    if ((count & ~s.HAS_MORE) == s.stretch) {
        s.to[position] = s.end(position);
        s.sums[position] = Real(0);
        count = s.HAS_MORE;
    }
    s.counts[position] = (uint16_t)(count + 1);
    s.sums[position] = fused(a, b, s.sums[position]);
}

// Counts products.
template <typename Real> struct RangeCounter {
    const uint32_t *words, *before;
    uint32_t *counts;
    uint32_t first_word;

    __device__ __forceinline__ void take(int32_t column, Real, Real, bool is_there, unsigned, unsigned)
    {
        if (is_there)
            atomicAdd(counts + position_of(words, before, first_word, column), 1u);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

// The products of each entry of the range; warps take 32 entries of the left factor in turn.
template <typename Real>
__device__ __forceinline__ void count_products(const spmmi_once_work &w, const spmmi_once_task &task,
                                               const Range &r, Step<Real> *steps, RangeCounter<Real> &counter)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t begin = row_begin(w.a, task.row);
    const int32_t from = w.c_columns[r.first], to = w.c_columns[r.first + r.count - 1] + 1;
    for (uint32_t t = task.begin + 32 * warp; t < task.end; t += LONG_VALUE_THREADS) {
        Factor<Real> own = load_factor<Real, false>(w, begin + t + lane, t + lane < task.end);
        keep_columns(w.b.columns, own, from, to);
        (void)walk_round<Real, 32, false>(w.b, own, steps, lane, counter);
    }
    __syncthreads();
}

// begins[i]: the first entry of warp i. That with so many products before it is of the warp at this share of the total.
__device__ __forceinline__ void share_entries(const uint32_t *counts, uint32_t entries, uint32_t *begins,
                                              unsigned long long *shared)
{
    const uint32_t share = (entries + LONG_VALUE_THREADS - 1) / LONG_VALUE_THREADS,
                   first = min(threadIdx.x * share, entries), end = min(first + share, entries);
    unsigned long long own = 0, total;
    if (threadIdx.x <= LONG_VALUE_WARPS)
        begins[threadIdx.x] = threadIdx.x == 0 ? 0 : entries;
    for (uint32_t e = first; e < end; e++)
        own += counts[e];
    unsigned long long sum = sum_before(own, shared, &total);
    total = max(total, 1ull); // a piece may have none of the range
    for (uint32_t e = first; e < end; e++) {
        const unsigned long long before = e > 0 ? sum - counts[e - 1] : 0;
        for (uint32_t i = (uint32_t)(before * LONG_VALUE_WARPS / total) + 1;
             i <= (uint32_t)(sum * LONG_VALUE_WARPS / total); i++)
            begins[i] = e;
        sum += counts[e];
    }
    __syncthreads();
}

template <typename Real, bool IS_SHARED>
__global__ void __launch_bounds__(LONG_VALUE_THREADS)
    long_values_kernel(const __grid_constant__ spmmi_once_work w)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ uint32_t shared[LONG_VALUE_WARPS], begins[LONG_VALUE_WARPS + 1];
    __shared__ unsigned long long shared_sums[LONG_VALUE_WARPS];
    LongValueMemory<Real> &memory = *reinterpret_cast<LongValueMemory<Real> *>(shared_memory);
    uint32_t *const words = IS_SHARED ? reinterpret_cast<uint32_t *>(shared_memory + sizeof memory)
                                      : w.bitmaps + (uint64_t)blockIdx.x * 2 * w.bitmap_words;
    uint32_t *const before = words + w.bitmap_words, *const products =
                                                         reinterpret_cast<uint32_t *>(memory.sums);
    const uint64_t others = w.counts->tasks_taken, of_warps = w.counts->warp_taken;
    const uint32_t warp = threadIdx.x / 32;
    for (uint64_t at = blockIdx.x; at < others + of_warps; at += gridDim.x) {
        const spmmi_once_task task = w.tasks[at < others ? at : w.tasks_room - of_warps + (at - others)];
        if (!is_long(w, task))
            continue;
        const Range r = range_of(w, task);
        map_range(w, r, words, before, shared);
        RangeCounter<Real> counter = {words, before, products, r.first_word};
        clear_sums(products, r.count); // which lie where sums do
        count_products(w, task, r, memory.steps + warp * 32, counter);
        share_entries(products, r.count, begins, shared_sums);
        const LongSums<Real> sums = {memory.sums, target_of<Real>(w, task, r), memory.counts, w.stretch};
        RangeAdder<Real, LongSums<Real>> adder = {words, before, sums, r.first_word};
        for (uint32_t e = threadIdx.x; e < r.count; e += LONG_VALUE_THREADS)
            memory.counts[e] = 0;
        clear_sums(memory.sums, r.count);
        add_entries(w, task, r, begins[warp], begins[warp + 1], memory.steps + warp * 32, adder);
        __syncthreads();
        for (uint32_t e = threadIdx.x; e < r.count; e += LONG_VALUE_THREADS)
            sums.to[e] = sums.end(e);
        __syncthreads();
    }
}

template <typename Real> int launch_long_values(const spmmi_once_work *w, uint64_t tasks, void *stream)
{
    const uint32_t own = (uint32_t)sizeof(LongValueMemory<Real>),
                   bytes =
                       own + (w->bitmaps == nullptr ? 2 * w->bitmap_words * (uint32_t)sizeof(uint32_t) : 0),
                   most = shared_of<LongValueMemory>(w->long_words_max);
    const dim3 grid(grid_of(w, tasks));
    const auto kernel =
        w->bitmaps == nullptr ? long_values_kernel<Real, true> : long_values_kernel<Real, false>;
    const cudaError_t error = allow_shared(kernel, bytes + STATIC_SHARED, most);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(kernel, grid, LONG_VALUE_THREADS, bytes, stream, false, *w);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_long_values_cuda(const struct spmmi_once_work *w, uint64_t tasks, int is_f64, void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_long_values<double>(w, tasks, stream)
                  : spmmi::spgemm::launch_long_values<float>(w, tasks, stream);
}
