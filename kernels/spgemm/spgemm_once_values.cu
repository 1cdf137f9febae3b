// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows of C that do not fit in a table: computes their values by tasks. A task is a
// range of the entries of a row and, if the row is cut, a piece of k. The columns are known: see
// spgemm_once_wide.cu.
//
// tasks     blocks of 256 threads process tasks in turn. A bitmap of the columns of a range, with the count
//           of columns in front of each word, gives the position of a product. Each warp has an eighth of the
//           range, and finds its part of each row of the right factor by bisection. Tasks of a warp are
//           pieces of rows with few entries: a block processes eight, and those of one row share the bitmap
// bitmaps   in shared memory if they fit, else in global memory, one per block
// sums      in shared memory, by ascending k from 0, fused (add_chunk); sums of a piece go to the partial
//           sums, which are then added in order
#include "spgemm_join.cuh"
#include "spgemm_once_range.cuh"

namespace spmmi {
namespace spgemm {

static_assert(SPMMI_ONCE_WARP_ENTRIES * VALUE_WARPS <= SPMMI_ONCE_RANGE,
              "each warp has room for the sums of a piece");

// Runs one task by a block: each warp has an eighth of the entries.
template <typename Real>
__device__ __forceinline__ void run_task(const spmmi_once_work &w, const spmmi_once_task &task,
                                         const Range &r, ValueMemory<Real> &memory, RangeAdder<Real> &adder)
{
    const uint32_t warp = threadIdx.x / 32, share = (r.count + VALUE_WARPS - 1) / VALUE_WARPS,
                   first = warp * share, end = min(first + share, r.count);
    for (uint32_t e = first + threadIdx.x % 32; e < end; e += 32)
        memory.sums[e] = Real(0);
    __syncwarp();
    if (first < end)
        add_task<Real, false>(w, task, w.c_columns[r.first + first], w.c_columns[r.first + end - 1] + 1,
                              memory.steps + warp * 32, adder);
    __syncthreads();
    Real *const to = target_of<Real>(w, task);
    for (uint32_t e = threadIdx.x; e < r.count; e += VALUE_THREADS)
        to[e] = memory.sums[e];
}

// Runs pieces of one row, one warp per piece. They share the map of the row's columns.
template <typename Real>
__device__ __forceinline__ void run_pieces(const spmmi_once_work &w, const spmmi_once_task *tasks,
                                           uint32_t pieces, const Range &r, ValueMemory<Real> &memory,
                                           RangeAdder<Real> adder)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp >= pieces)
        return;
    const spmmi_once_task task = tasks[warp];
    adder.sums += warp * SPMMI_ONCE_WARP_ENTRIES;
    for (uint32_t e = lane; e < r.count; e += 32)
        adder.sums[e] = Real(0);
    __syncwarp();
    add_task<Real, true>(w, task, 0, 0, memory.steps + warp * 32, adder);
    __syncwarp();
    Real *const to = target_of<Real>(w, task);
    for (uint32_t e = lane; e < r.count; e += 32)
        to[e] = adder.sums[e];
}

// Returns how many tasks, from this one on, are pieces of one row; at most `most`. All threads return the
// same.
__device__ __forceinline__ uint32_t count_pieces(const spmmi_once_task *tasks, uint32_t most)
{
    uint32_t count = 1;
    while (count < most && tasks[count].row == tasks[0].row)
        count++;
    return count;
}

// Runs tasks in turn. OF_WARPS: a block runs as many tasks at once as it has warps; else one.
template <typename Real, bool IS_SHARED, bool OF_WARPS>
__global__ void __launch_bounds__(VALUE_THREADS) values_kernel(const __grid_constant__ spmmi_once_work w)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ uint32_t shared[VALUE_WARPS];
    release_dependents();
    ValueMemory<Real> &memory = *reinterpret_cast<ValueMemory<Real> *>(shared_memory);
    uint32_t *const words = IS_SHARED ? reinterpret_cast<uint32_t *>(shared_memory + sizeof memory)
                                      : w.bitmaps + (uint64_t)blockIdx.x * 2 * w.bitmap_words;
    uint32_t *const before = words + w.bitmap_words;
    const uint64_t count = OF_WARPS ? w.counts->warp_taken : w.counts->tasks_taken;
    const spmmi_once_task *const tasks = w.tasks + (OF_WARPS ? w.tasks_room - count : 0);
    constexpr uint32_t TOGETHER = OF_WARPS ? VALUE_WARPS : 1;
    for (uint64_t at = (uint64_t)blockIdx.x * TOGETHER; at < count; at += (uint64_t)gridDim.x * TOGETHER) {
        const uint32_t some = (uint32_t)min((uint64_t)TOGETHER, count - at);
        for (uint32_t done = 0, pieces; done < some; done += pieces) {
            const spmmi_once_task *const first = tasks + at + done;
            const Range r = range_of(w, *first);
            pieces = count_pieces(first, some - done);
            map_range(w, r, words, before, shared);
            RangeAdder<Real> adder = {words, before, memory.sums, r.first_word};
            if constexpr (OF_WARPS)
                run_pieces(w, first, pieces, r, memory, adder);
            else
                run_task(w, *first, r, memory, adder);
            __syncthreads();
        }
    }
}

// The blocks of one row that is cut process its slices in turn.
template <typename Real>
__global__ void __launch_bounds__(JOIN_THREADS) join_pieces(const __grid_constant__ spmmi_once_work w)
{
    const spmmi_once_cut cut = w.cuts[blockIdx.x];
    const uint32_t entries = w.entries[cut.row];
    const Real *const partials = static_cast<const Real *>(w.partials) + cut.partial;
    Real *const c = static_cast<Real *>(w.c_values) + w.c_row_ptr[cut.row];
    const uint32_t width = spmmi_spgemm_join_width(cut.pieces);
    for (uint32_t base = blockIdx.y * width; base < entries; base += gridDim.y * width)
        add_pieces(partials, entries, cut.pieces, base, min(entries - base, width), width,
                   [&](uint32_t e, Real sum) { c[e] = sum; });
}

template <typename Real, bool OF_WARPS>
int launch_values(const spmmi_once_work *w, uint64_t tasks, void *stream)
{
    const uint32_t own = (uint32_t)sizeof(ValueMemory<Real>), together = OF_WARPS ? VALUE_WARPS : 1;
    const dim3 grid(grid_of(w, (tasks + together - 1) / together));
    if (tasks == 0)
        return cudaSuccess;
    if (w->bitmaps != nullptr)
        return launch_kernel(values_kernel<Real, false, OF_WARPS>, grid, VALUE_THREADS, own, stream, false,
                             *w);
    const uint32_t bytes = own + 2 * w->bitmap_words * (uint32_t)sizeof(uint32_t);
    const cudaError_t error =
        allow_shared(values_kernel<Real, true, OF_WARPS>, bytes + STATIC_SHARED, shared_of(w->words_max));
    if (error != cudaSuccess)
        return error;
    return launch_kernel(values_kernel<Real, true, OF_WARPS>, grid, VALUE_THREADS, bytes, stream, false, *w);
}

template <typename Real>
int launch_all_values(const spmmi_once_work *w, uint64_t tasks, uint64_t warp_tasks, void *stream)
{
    const int error = launch_values<Real, false>(w, tasks - warp_tasks, stream);
    return error != cudaSuccess ? error : launch_values<Real, true>(w, warp_tasks, stream);
}

} // namespace spgemm
} // namespace spmmi

uint32_t spmmi_once_words_max(uint32_t shared_bytes)
{
    using namespace spmmi::spgemm;
    const uint32_t own = shared_of(0) + 1024; // plus what kernels have in addition
    return shared_bytes < own ? 0 : (shared_bytes - own) / (2 * (uint32_t)sizeof(uint32_t));
}

int spmmi_once_values_cuda(const struct spmmi_once_work *w, uint64_t tasks, uint64_t warp_tasks, int is_f64,
                           void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_all_values<double>(w, tasks, warp_tasks, stream)
                  : spmmi::spgemm::launch_all_values<float>(w, tasks, warp_tasks, stream);
}

int spmmi_once_join_cuda(const struct spmmi_once_work *w, uint32_t cuts, int is_f64, void *stream)
{
    using namespace spmmi;
    const dim3 grid(cuts, cuts < spgemm::FULL_GRID ? spgemm::FULL_GRID / cuts : 1); // enough blocks in all
    return is_f64
               ? launch_kernel(spgemm::join_pieces<double>, grid, spgemm::JOIN_THREADS, 0, stream, false, *w)
               : launch_kernel(spgemm::join_pieces<float>, grid, spgemm::JOIN_THREADS, 0, stream, false, *w);
}
