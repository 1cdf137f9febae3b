// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows whose columns fit in hash tables in shared memory: how many entries, which columns,
// which values.
//
// block     128 threads (64 for ranges of wide rows): groups of 8, 16 or 32 lanes, a row of C or a range of one each
// shared    a table of 64, 256, 1024 or 2048 slots a group, at most half full; with values as many sums
// sums      by ascending k from 0, fused; columns of one k differ, so lanes never meet: bitwise repeatable
// sorting   bitonic, in shared memory
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

// Work of a group: a row of C and a range of its entries.
struct Task {
    uint32_t row, range, length; // length: of the row of the left factor; 0 where there is none
    int64_t begin;
    bool is_there;
};

template <int LANES>
__device__ __forceinline__ Task task_of(const spmmi_once_work &w, int row_class, uint32_t rows)
{
    const uint32_t at = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
    Task task = {0, 0, 0, 0, at < rows};
    if (!task.is_there)
        return task;
    task.row = w.list[row_class][at];
    task.range = row_class == SPMMI_ONCE_WIDE ? w.range[at] : 0;
    task.begin = row_begin(w.a, task.row);
    task.length = (uint32_t)(row_begin(w.a, (int64_t)task.row + 1) - task.begin);
    return task;
}

// Adds the columns of a row of C to the table; those that are new are counted, and with FOUND kept. Stops where more
// are found than half of the slots.
template <int LANES, int SLOTS, bool FOUND>
__device__ __forceinline__ void add_columns(const spmmi_once_work &w, const Task &task, Table<SLOTS> table,
                                            unsigned int *count, int32_t *found, uint32_t lane)
{
    const uint32_t steps = warp_max<LANES>(task.length);
    bool is_full = false;
    for (uint32_t t = 0; t < steps; t++) {
        int64_t start = 0;
        uint32_t length = 0;
        if (t < task.length) {
            const int64_t k = w.a.columns[task.begin + t];
            start = row_begin(w.b, k);
            length = (uint32_t)(row_begin(w.b, k + 1) - start);
        }
        const uint32_t longest = warp_max<LANES>(length);
        for (uint32_t first = 0; first < longest; first += LANES) {
            if (first + lane < length && !is_full) {
                const int32_t column = w.b.columns[start + first + lane];
                if (table.insert(column)) {
                    const unsigned int at = atomicAdd(count, 1u);
                    if (FOUND)
                        found[at] = column;
                }
            }
            __syncwarp();
            if (!FOUND)
                is_full = *count > SLOTS / 2;
            __syncwarp();
            if (LANES == 32 && is_full) // all lanes have read the same count
                return;
        }
    }
}

// Ascending; size: a power of two, the same in all of the warp.
template <int LANES>
__device__ __forceinline__ void sort_columns(int32_t *found, uint32_t size, uint32_t lane)
{
    for (uint32_t run = 2; run <= size; run *= 2)
        for (uint32_t step = run / 2; step > 0; step /= 2) {
            for (uint32_t pair = lane; pair < size / 2; pair += LANES) {
                const uint32_t low = (pair & ~(step - 1)) << 1 | (pair & (step - 1)), high = low + step;
                const int32_t x = found[low], y = found[high];
                if ((x > y) == ((low & run) == 0)) {
                    found[low] = y;
                    found[high] = x;
                }
            }
            __syncwarp();
        }
}

template <int LANES, int SLOTS, bool WRITES>
__global__ void __launch_bounds__(ONCE_THREADS)
    columns_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    constexpr int WORDS = 1 + SLOTS + (WRITES ? SLOTS / 2 : 0);
    const uint32_t lane = threadIdx.x % LANES;
    int32_t *const memory = reinterpret_cast<int32_t *>(shared_memory) + threadIdx.x / LANES * WORDS;
    unsigned int *const count = reinterpret_cast<unsigned int *>(memory);
    Table<SLOTS> table = {memory + 1};
    int32_t *const found = memory + 1 + SLOTS;
    const Task task = task_of<LANES>(w, row_class, rows);
    table.clear(lane, LANES);
    for (uint32_t e = lane; WRITES && e < SLOTS / 2; e += LANES)
        found[e] = BEHIND_ALL;
    if (lane == 0)
        *count = 0;
    __syncwarp();
    add_columns<LANES, SLOTS, WRITES>(w, task, table, count, found, lane);
    const uint32_t entries = *count;
    if (WRITES) {
        const uint32_t most = warp_max<LANES>(entries);
        uint32_t size = 1;
        while (size < most)
            size *= 2;
        sort_columns<LANES>(found, size, lane);
        for (uint32_t e = lane; task.is_there && e < entries; e += LANES)
            w.c_columns[w.c_row_ptr[task.row] + e] = found[e];
    } else if (task.is_there && lane == 0) {
        if (entries <= SLOTS / 2)
            w.bound[task.row] = entries;
        else
            w.list[SPMMI_ONCE_WIDE][atomicAdd(w.counts->rows + SPMMI_ONCE_WIDE, 1u)] = task.row;
    }
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

// An entry of the left factor, and the part of a row of the right one that it multiplies.
template <typename Real> struct Factor {
    Real a;
    uint32_t start, length;
};

template <typename Real, bool IS_RANGE>
__device__ __forceinline__ Factor<Real> factor_at(const spmmi_once_work &w, const Task &task, uint32_t t,
                                                  int32_t first, int32_t last)
{
    Factor<Real> f = {Real(0), 0, 0};
    if (t >= task.length)
        return f;
    const int64_t k = w.a.columns[task.begin + t];
    f.a = static_cast<const Real *>(w.a.values)[task.begin + t];
    f.start = (uint32_t)row_begin(w.b, k);
    f.length = (uint32_t)row_begin(w.b, k + 1) - f.start;
    if (IS_RANGE) {
        const uint32_t from = first_from(w.b.columns + f.start, f.length, first);
        f.start += from;
        f.length = first_from(w.b.columns + f.start, f.length - from, last + 1);
    }
    return f;
}

// All products of a row or range, one k after the other; entries of the left factor are loaded LANES at a time.
template <typename Real, int LANES, int SLOTS, bool IS_RANGE>
__device__ __forceinline__ void add_products(const spmmi_once_work &w, const Task &task,
                                             const Table<SLOTS> &table, Real *sums, int32_t first_column,
                                             int32_t last_column, uint32_t lane)
{
    const Real *const values = static_cast<const Real *>(w.b.values);
    const uint32_t steps = warp_max<LANES>(task.length);
    for (uint32_t t = 0; t < steps; t += LANES) {
        const Factor<Real> own = factor_at<Real, IS_RANGE>(w, task, t + lane, first_column, last_column);
        for (uint32_t u = 0; u < LANES && t + u < steps; u++) {
            const Real a = __shfl_sync(EVERY_LANE, own.a, (int)u, LANES);
            const uint32_t start = __shfl_sync(EVERY_LANE, own.start, (int)u, LANES);
            const uint32_t length = __shfl_sync(EVERY_LANE, own.length, (int)u, LANES);
            const uint32_t longest = warp_max<LANES>(length);
            for (uint32_t first = 0; first < longest; first += LANES) {
                const uint32_t j = first + lane;
                if (j < length) {
                    const Real b = values[start + j];
                    Real *const sum = sums + table.find(w.b.columns[start + j]);
                    *sum = fused(a, b, *sum);
                }
            }
            __syncwarp();
        }
    }
}

template <typename Real, int LANES, int SLOTS, bool IS_RANGE>
__global__ void __launch_bounds__(ONCE_THREADS)
    values_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    const uint32_t lane = threadIdx.x % LANES, group = threadIdx.x / LANES, groups = blockDim.x / LANES;
    Real *const sums = reinterpret_cast<Real *>(shared_memory) + group * SLOTS;
    Table<SLOTS> table = {reinterpret_cast<int32_t *>(shared_memory + (size_t)groups * SLOTS * sizeof(Real)) +
                          group * SLOTS};
    const Task task = task_of<LANES>(w, row_class, rows);
    int64_t c = 0;
    uint32_t entries = 0;
    if (task.is_there) {
        c = w.c_row_ptr[task.row] + (int64_t)task.range * SPMMI_ONCE_RANGE;
        entries = (uint32_t)(w.c_row_ptr[(int64_t)task.row + 1] - c);
        entries = IS_RANGE ? min(entries, (uint32_t)SPMMI_ONCE_RANGE) : entries;
    }
    table.clear(lane, LANES);
    for (uint32_t s = lane; s < SLOTS; s += LANES)
        sums[s] = Real(0);
    __syncwarp();
    for (uint32_t e = lane; e < entries; e += LANES)
        (void)table.insert(w.c_columns[c + e]);
    __syncwarp();
    add_products<Real, LANES, SLOTS, IS_RANGE>(w, task, table, sums, entries > 0 ? w.c_columns[c] : 0,
                                               entries > 0 ? w.c_columns[c + entries - 1] : -1, lane);
    for (uint32_t e = lane; e < entries; e += LANES)
        static_cast<Real *>(w.c_values)[c + e] = sums[table.find(w.c_columns[c + e])];
}

template <int LANES, int SLOTS, bool WRITES>
int launch_columns(const spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    constexpr unsigned groups = ONCE_THREADS / LANES,
                       bytes = groups * (1 + SLOTS + (WRITES ? SLOTS / 2 : 0)) * sizeof(int32_t);
    return launch_kernel(columns_kernel<LANES, SLOTS, WRITES>, dim3((rows + groups - 1) / groups),
                         ONCE_THREADS, bytes, stream, false, *w, row_class, rows);
}

template <bool WRITES>
int launch_columns_of(const spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    switch (row_class) {
    case 0:
        return launch_columns<8, 64, WRITES>(w, row_class, rows, stream);
    case 1:
        return launch_columns<16, 256, WRITES>(w, row_class, rows, stream);
    default:
        return launch_columns<32, 1024, WRITES>(w, row_class, rows, stream);
    }
}

template <typename Real, int LANES, int SLOTS, bool IS_RANGE>
int launch_values(const spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    constexpr unsigned threads = IS_RANGE ? ONCE_THREADS / 2 : ONCE_THREADS, groups = threads / LANES,
                       bytes = groups * SLOTS * (sizeof(Real) + sizeof(int32_t));
    static_assert(bytes <= SHARED_FREE, "no attribute is set");
    return launch_kernel(values_kernel<Real, LANES, SLOTS, IS_RANGE>, dim3((rows + groups - 1) / groups),
                         threads, bytes, stream, false, *w, row_class, rows);
}

template <typename Real>
int launch_values_of(const spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    switch (row_class) {
    case 0:
        return launch_values<Real, 8, 64, false>(w, row_class, rows, stream);
    case 1:
        return launch_values<Real, 16, 256, false>(w, row_class, rows, stream);
    case 2:
        return launch_values<Real, 32, 1024, false>(w, row_class, rows, stream);
    default:
        return launch_values<Real, 32, 2 * SPMMI_ONCE_RANGE, true>(w, row_class, rows, stream);
    }
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    return spmmi::spgemm::launch_columns_of<false>(w, row_class, rows, stream);
}

int spmmi_once_columns_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    return spmmi::spgemm::launch_columns_of<true>(w, row_class, rows, stream);
}

int spmmi_once_values_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                           void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_values_of<double>(w, row_class, rows, stream)
                  : spmmi::spgemm::launch_values_of<float>(w, row_class, rows, stream);
}
