// SPDX-License-Identifier: Apache-2.0
// Products without a plan: computes the values of long tasks, without those of hubs (spgemm_once_lists.cu).
//
// block     512 threads per task. They look up the products of its list side by side, in tiles of 2,048
// sums      in shared memory; those of one warp are contiguous. A warp has every 16th entry, because entries
//           with many products may be neighbours. It adds the products of the tile that belong to its
//           entries, by ascending k from 0, fused
// overlap   this may run beside the kernels of other values: neither reads or writes what the other writes
#include "spgemm_once_range.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned TILE_THREADS = 512, TILE_WARPS = TILE_THREADS / 32;
constexpr unsigned OF_THREAD = 4, TILE = OF_THREAD * TILE_THREADS, CHUNKS = TILE / 32; // of products
constexpr uint32_t QUEUE = 64, NO_SUM = UINT16_MAX;
constexpr uint32_t MAP_WORDS =
    2048; // for a range of up to 65,536 columns; columns of a wider range are searched

template <typename Real> struct TileMemory {
    Real sums[SPMMI_ONCE_RANGE];
    // For each product of the tile:
    Real a[TILE], b[TILE];
    uint16_t sum[TILE];
    uint32_t owners[CHUNKS];            // for 32 products each: a bit per warp that adds some of them
    uint16_t queues[TILE_WARPS][QUEUE]; // for each warp, its waiting products, in a ring
    uint32_t words[MAP_WORDS],
        before[MAP_WORDS]; // bits of the columns of the range, and number of columns in front of each word
    uint32_t shared[TILE_WARPS];
};

// Returns the index of the sum of an entry of the range.
__device__ __forceinline__ uint32_t sum_of(uint32_t place)
{
    return place % TILE_WARPS * (SPMMI_ONCE_RANGE / TILE_WARPS) + place / TILE_WARPS;
}

__device__ __forceinline__ uint32_t owner_of(uint32_t sum)
{
    return sum / (SPMMI_ONCE_RANGE / TILE_WARPS);
}

template <typename Real> __device__ __forceinline__ void open_range(TileMemory<Real> &memory)
{
    for (uint32_t e = threadIdx.x; e < SPMMI_ONCE_RANGE; e += TILE_THREADS)
        memory.sums[e] = Real(0);
}

// Writes the sums of a range. Entries of hubs are 0 until their own kernel writes them.
template <typename Real>
__device__ __forceinline__ void close_range(const spmmi_once_work &w, const spmmi_once_task &task,
                                            const Range &r, const TileMemory<Real> &memory)
{
    Real *const to = target_of<Real>(w, task);
    for (uint32_t e = threadIdx.x; e < r.count; e += TILE_THREADS)
        to[e] = memory.sums[sum_of(e)];
}

// The products of a thread, every 512th of a tile: entries of A and B, and the place in the range. After the
// end of the list, the last product is repeated.
struct Found {
    spmmi_spgemm_word word[OF_THREAD];
    uint32_t place[OF_THREAD];
};

// Finds the products of a thread. Their searches run side by side, because each step waits for memory.
template <typename Real>
__device__ __forceinline__ Found find_products(const spmmi_once_work &w, const Range &r,
                                               const spmmi_spgemm_stretch &list, uint32_t first,
                                               const TileMemory<Real> &memory)
{
    Found f;
    int32_t column[OF_THREAD];
#pragma unroll
    for (uint32_t i = 0; i < OF_THREAD; i++)
        f.word[i] =
            w.long_lists.words[list.first + min(first + i * TILE_THREADS + threadIdx.x, list.count - 1)];
#pragma unroll
    for (uint32_t i = 0; i < OF_THREAD; i++) {
        column[i] = w.b.columns[f.word[i].right];
        f.place[i] = 0;
    }
    if (r.words <= MAP_WORDS) {
#pragma unroll
        for (uint32_t i = 0; i < OF_THREAD; i++) {
            const uint32_t word = (uint32_t)column[i] / 32 - r.first_word, bit = (uint32_t)column[i] % 32;
            f.place[i] = memory.before[word] + (uint32_t)__popc(memory.words[word] & ((1u << bit) - 1));
        }
        return f;
    }
    for (uint32_t count = r.count; count > 1; count -= count / 2) // as in place_of
#pragma unroll
        for (uint32_t i = 0; i < OF_THREAD; i++)
            f.place[i] += __ldg(w.c_columns + r.first + f.place[i] + count / 2) <= column[i] ? count / 2 : 0;
    return f;
}

// Loads a tile of products to shared memory, and which warps add some of them.
template <typename Real>
__device__ __forceinline__ void load_tile(const spmmi_once_work &w, const Range &r,
                                          const spmmi_spgemm_stretch &list, uint32_t first,
                                          TileMemory<Real> &memory)
{
    const Found f = find_products(w, r, list, first, memory);
#pragma unroll
    for (uint32_t i = 0; i < OF_THREAD; i++) {
        const uint32_t q = i * TILE_THREADS + threadIdx.x;
        const bool is_there = first + q < list.count;
        const uint32_t sum = is_there ? sum_of(f.place[i]) : NO_SUM;
        memory.sum[q] = (uint16_t)sum;
        if (is_there) {
            memory.a[q] = static_cast<const Real *>(w.a.values)[f.word[i].left];
            memory.b[q] = static_cast<const Real *>(w.b.values)[f.word[i].right];
        }
        const uint32_t owners = __reduce_or_sync(EVERY_LANE, is_there ? 1u << owner_of(sum) : 0u);
        if (threadIdx.x % 32 == 0)
            memory.owners[q / 32] = owners;
    }
}

// Adds up to 32 products of the queue, from number `first` on.
template <typename Real>
__device__ __forceinline__ void add_queued(TileMemory<Real> &memory, const uint16_t *queue, uint32_t first,
                                           uint32_t count)
{
    const uint32_t lane = threadIdx.x % 32;
    const bool is_there = lane < count;
    __syncwarp();
    const uint32_t q = is_there ? queue[(first + lane) % QUEUE] : 0, sum = is_there ? memory.sum[q] : 0;
    const Real a = is_there ? memory.a[q] : Real(0), b = is_there ? memory.b[q] : Real(0);
    const unsigned turn = turn_of<32>(sum, is_there);
    add_turns(a, b, sum, is_there, turn, __reduce_max_sync(EVERY_LANE, turn), memory.sums);
}

// Adds the products of this warp's entries, 32 of them side by side.
template <typename Real> __device__ __forceinline__ void add_tile(TileMemory<Real> &memory)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint16_t *const queue = memory.queues[warp];
    uint32_t begin = 0, end = 0; // of the waiting products
    for (uint32_t first = 0; first < CHUNKS; first += 32) {
        unsigned left = __ballot_sync(EVERY_LANE, memory.owners[first + lane] >> warp & 1);
        for (; left != 0; left &= left - 1) {
            const uint32_t q = 32 * (first + (uint32_t)__ffs((int)left) - 1) + lane, sum = memory.sum[q];
            const bool is_own = sum != NO_SUM && owner_of(sum) == warp;
            const unsigned own = __ballot_sync(EVERY_LANE, is_own);
            if (is_own)
                queue[(end + (uint32_t)__popc(own & ((1u << lane) - 1))) % QUEUE] = (uint16_t)q;
            end += (uint32_t)__popc(own);
            if (end - begin < 32)
                continue;
            add_queued(memory, queue, begin, 32);
            begin += 32;
        }
    }
    if (begin < end)
        add_queued(memory, queue, begin, end - begin);
}

template <typename Real>
__device__ __forceinline__ void add_products(const spmmi_once_work &w, const Range &r,
                                             const spmmi_spgemm_stretch &list, TileMemory<Real> &memory)
{
    for (uint32_t first = 0; first < list.count; first += TILE) {
        load_tile(w, r, list, first, memory);
        __syncthreads();
        add_tile(memory);
        __syncthreads();
    }
}

template <typename Real>
__global__ void __launch_bounds__(TILE_THREADS) long_tasks_kernel(const __grid_constant__ spmmi_once_work w)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    release_dependents();
    TileMemory<Real> &memory = *reinterpret_cast<TileMemory<Real> *>(shared_memory);
    const uint64_t count = w.counts->long_taken;
    for (uint64_t at = blockIdx.x; at < count; at += gridDim.x) {
        const spmmi_once_task task = w.long_tasks[at];
        const Range r = range_of(w, task);
        open_range(memory);
        if (r.words <= MAP_WORDS)
            map_range(w, r, memory.words, memory.before, memory.shared);
        __syncthreads();
        add_products(w, r, w.long_lists.buckets[task.begin], memory);
        close_range(w, task, r, memory);
        __syncthreads();
    }
    end_after_previous();
}

template <typename Real>
int launch_long_tasks(const spmmi_once_work *w, uint64_t tasks, bool is_dependent, void *stream)
{
    constexpr uint32_t bytes = sizeof(TileMemory<Real>);
    const cudaError_t error = allow_shared(long_tasks_kernel<Real>, bytes, bytes);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(long_tasks_kernel<Real>, full_grid(tasks, 1), TILE_THREADS, bytes, stream,
                         is_dependent, *w);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_long_tasks_cuda(const struct spmmi_once_work *w, uint64_t tasks, int is_f64, int is_dependent,
                               void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_long_tasks<double>(w, tasks, is_dependent != 0, stream)
                  : spmmi::spgemm::launch_long_tasks<float>(w, tasks, is_dependent != 0, stream);
}
