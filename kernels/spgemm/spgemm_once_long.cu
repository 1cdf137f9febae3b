// SPDX-License-Identifier: Apache-2.0
// Products without a plan: the values of long tasks, but for long entries, which are listed:
// spgemm_once_long_entries.cu.
//
// block     512 threads: a task. Each takes an entry of the left factor and finds its part of the range, which is done
//           once for all warps; then they load the products of these parts side by side, a tile of 512 of them
// sums      in shared memory. A warp adds those products of the tile that are of its entries, every 16th 32 of the
//           range, by ascending k from 0, fused
// counts    of the products of each entry, in shared memory. An entry that has more than a stretch is long: its further
//           products are left out, those of the first stretch were added in vain
// overlap   this may run beside the kernels of other values: neither reads or writes what the other writes
#include "spgemm_once_range.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned TILE_THREADS = 512, TILE_WARPS = TILE_THREADS / 32;
constexpr uint32_t NO_POSITION = UINT16_MAX;

template <typename Real> struct TileMemory {
    Real sums[SPMMI_ONCE_RANGE];
    // Of entries of the left factor: product number i of them, from begin on, multiplies number start + i of B.
    Real a[TILE_THREADS];
    uint32_t start[TILE_THREADS], begin[TILE_THREADS];
    // Of products.
    Real b[TILE_THREADS];
    uint16_t position[TILE_THREADS], entry[TILE_THREADS];
    uint32_t counts[SPMMI_ONCE_RANGE]; // products of each entry of C
    uint32_t shared[TILE_WARPS];
};

template <typename Real> __device__ __forceinline__ void open_range(const Range &r, TileMemory<Real> &memory)
{
    for (uint32_t e = threadIdx.x; e < r.count; e += TILE_THREADS) {
        memory.sums[e] = Real(0);
        memory.counts[e] = 0;
    }
}

// Sums of the range, and which of its entries are long; their order in the list does not count.
template <typename Real>
__device__ __forceinline__ void close_range(const spmmi_once_work &w, uint64_t task, const Range &r,
                                            const TileMemory<Real> &memory)
{
    Real *const to = target_of<Real>(w, w.long_tasks[task], r);
    for (uint32_t e = threadIdx.x; e < r.count; e += TILE_THREADS)
        if (memory.counts[e] <= w.stretch)
            to[e] = memory.sums[e];
        else
            w.long_entries[atomicAdd(&w.counts->long_entries, 1u)] = {(uint32_t)task, e};
}

// The last of ascending numbers that is at most x, as the first one is.
__device__ __forceinline__ uint32_t last_up_to(const uint32_t (&numbers)[TILE_THREADS], uint32_t x)
{
    uint32_t low = 0;
#pragma unroll
    for (uint32_t step = TILE_THREADS / 2; step > 0; step /= 2)
        low += numbers[low + step] <= x ? step : 0;
    return low;
}

// Product q of the entries of the left factor that the tile has, one for each thread.
template <typename Real>
__device__ __forceinline__ void load_product(const spmmi_once_work &w, const Range &r, uint32_t q,
                                             bool is_there, TileMemory<Real> &memory)
{
    uint32_t position = NO_POSITION;
    if (is_there) {
        const uint32_t entry = last_up_to(memory.begin, q), at = memory.start[entry] + q,
                       place = place_of(w.c_columns + r.first, r.count, w.b.columns[at]);
        // Not counted far beyond a stretch: all products of a hub would wait for one counter.
        uint32_t *const products = memory.counts + place;
        const bool is_added = read_word(products) <= w.stretch && atomicAdd(products, 1u) < w.stretch;
        position = is_added ? place : NO_POSITION;
        memory.b[threadIdx.x] = static_cast<const Real *>(w.b.values)[at];
        memory.entry[threadIdx.x] = (uint16_t)entry;
    }
    memory.position[threadIdx.x] = (uint16_t)position;
}

// The products of a warp's entries among so many of the tile.
template <typename Real> __device__ __forceinline__ void add_tile(TileMemory<Real> &memory, uint32_t count)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (uint32_t q = lane; q - lane < count; q += 32) {
        const uint32_t position = memory.position[q];
        const bool is_own = position != NO_POSITION && position / 32 % TILE_WARPS == warp;
        if (!__any_sync(EVERY_LANE, is_own))
            continue;
        const Real a = is_own ? memory.a[memory.entry[q]] : Real(0), b = is_own ? memory.b[q] : Real(0);
        const unsigned turn = turn_of<32>(position, is_own);
        add_turns(a, b, position, is_own, turn, __reduce_max_sync(EVERY_LANE, turn), memory.sums);
    }
}

template <typename Real>
__device__ __forceinline__ void add_products(const spmmi_once_work &w, const spmmi_once_task &task,
                                             const Range &r, TileMemory<Real> &memory)
{
    const int64_t row = row_begin(w.a, task.row);
    const int32_t from = w.c_columns[r.first], to = w.c_columns[r.first + r.count - 1] + 1;
    uint32_t t = task.begin + threadIdx.x;
    Factor<Real> next = load_factor<Real, true>(w, row + t, t < task.end);
    for (uint32_t first = task.begin; first < task.end; first += TILE_THREADS) {
        Factor<Real> own = next;
        t += TILE_THREADS;
        next = load_factor<Real, true>(w, row + t, t < task.end);
        keep_columns(w.b.columns, own, from, to);
        uint32_t total;
        const uint32_t before = sum_before(own.length, memory.shared, &total);
        memory.a[threadIdx.x] = own.a;
        memory.start[threadIdx.x] = own.start - before;
        memory.begin[threadIdx.x] = before;
        __syncthreads();
        for (uint32_t done = 0; done < total; done += TILE_THREADS) {
            load_product(w, r, done + threadIdx.x, done + threadIdx.x < total, memory);
            __syncthreads();
            add_tile(memory, min(total - done, TILE_THREADS));
            __syncthreads();
        }
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
        open_range(r, memory);
        __syncthreads();
        add_products(w, task, r, memory);
        close_range(w, at, r, memory);
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
    const dim3 grid((unsigned)min(tasks, (uint64_t)FULL_GRID));
    return launch_kernel(long_tasks_kernel<Real>, grid, TILE_THREADS, bytes, stream, is_dependent, *w);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_long_tasks_cuda(const struct spmmi_once_work *w, uint64_t tasks, int is_f64, int is_dependent,
                               void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_long_tasks<double>(w, tasks, is_dependent != 0, stream)
                  : spmmi::spgemm::launch_long_tasks<float>(w, tasks, is_dependent != 0, stream);
}
