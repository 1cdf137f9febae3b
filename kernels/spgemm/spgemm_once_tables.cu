// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows of C whose columns fit in hash tables in shared memory: counts the entries;
// then computes columns and values together.
//
// block     128 threads: groups of 4, 8, 16 or 32 lanes, one row of C each
// shared    for each group a table of 16, 64, 256, 512 or 1024 slots, at most half full, and the steps of a
//           round; for values also as many sums, and the columns that were found
// sums      by ascending k from 0, fused (add_chunk)
// sorting   bitonic, in shared memory
// banks     groups of a warp read from different banks at a time: see Skew
// overlap   rows of different classes are independent: kernels of several classes run concurrently
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr int32_t BEHIND_ALL = 0x7fffffff;

// Counts columns. MAY_FILL: columns may take more than half of the slots, which ends the count; only if a
// group is a warp.
template <int SLOTS, bool MAY_FILL> struct Counter {
    Table<SLOTS> table;
    uint32_t found; // by this lane

    __device__ __forceinline__ void take(int32_t column, float, float, bool is_there, unsigned, unsigned)
    {
        uint32_t slot;
        if (is_there && table.insert(column, &slot))
            found++;
    }

    __device__ __forceinline__ bool is_full() const
    {
        return MAY_FILL && __reduce_add_sync(EVERY_LANE, found) > SLOTS / 2;
    }
};

template <int LANES, int SLOTS> struct CountArrays {
    int32_t keys[SLOTS];
    Step<float> steps[LANES];
};

template <int LANES, int SLOTS> struct CountMemory : CountArrays<LANES, SLOTS> {
    uint32_t skew[Skew<LANES, sizeof(CountArrays<LANES, SLOTS>)>::BEHIND];
};

template <int LANES, int SLOTS, bool MAY_FILL>
__global__ void __launch_bounds__(ONCE_THREADS)
    count_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    __shared__ CountMemory<LANES, SLOTS> shared[ONCE_THREADS / LANES];
    release_dependents();
    const uint32_t lane = threadIdx.x % LANES;
    CountMemory<LANES, SLOTS> &memory = shared[threadIdx.x / LANES];
    const Row row = row_of_group<LANES>(w, row_class, rows);
    Counter<SLOTS, MAY_FILL> counter = {{memory.keys}, 0};
    counter.table.clear(lane, LANES);
    __syncwarp();
    walk_row_of<float, LANES, false>(w, row.begin, row.length, memory.steps, lane, counter);
    uint32_t entries = counter.found;
    for (int d = LANES / 2; d > 0; d /= 2)
        entries += __shfl_xor_sync(EVERY_LANE, entries, d, LANES);
    const bool is_writer = row.is_there && lane == 0;
    if (is_writer && (!MAY_FILL || entries <= SLOTS / 2))
        w.entries[row.row] = entries;
    else if (is_writer)
        *listed(w, SPMMI_ONCE_WIDE, atomicAdd(w.counts->tried + SPMMI_ONCE_WIDE, 1u)) = row.row;
    end_after_previous();
}

// Finds columns and adds products.
template <typename Real, int LANES, int SLOTS> struct Adder {
    Table<SLOTS> table;
    Real *sums;

    __device__ __forceinline__ void take(int32_t column, Real a, Real b, bool is_there, unsigned starts,
                                         unsigned below)
    {
        uint32_t slot = 0;
        if (is_there)
            (void)table.insert(column, &slot);
        add_chunk<Real, LANES>(a, b, slot, is_there, sums, starts, below);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

template <typename Real, int LANES, int SLOTS> struct RowArrays {
    Real sums[SLOTS];
    Step<Real> steps[LANES];
    int32_t keys[SLOTS];
    int32_t found[SLOTS / 2];
};

template <typename Real, int LANES, int SLOTS> struct RowMemory : RowArrays<Real, LANES, SLOTS> {
    uint32_t skew[Skew<LANES, sizeof(RowArrays<Real, LANES, SLOTS>)>::BEHIND];
};

// Collects the columns of a table, in any order. Returns their number.
template <int LANES, int SLOTS>
__device__ __forceinline__ uint32_t collect(const Table<SLOTS> &table, int32_t *found, uint32_t lane)
{
    uint32_t count = 0;
    for (uint32_t s = lane; s < SLOTS; s += LANES) {
        const int32_t column = table.keys[s];
        const unsigned taken = group_bits<LANES>(__ballot_sync(EVERY_LANE, column != NO_COLUMN));
        if (column != NO_COLUMN)
            found[count + __popc(taken & ((1u << lane) - 1))] = column;
        count += __popc(taken);
    }
    return count;
}

// Sorts columns in ascending order. size: a power of two, uniform in the warp.
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

template <typename Real, int LANES, int SLOTS>
__global__ void __launch_bounds__(ONCE_THREADS)
    rows_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    release_dependents();
    const uint32_t lane = threadIdx.x % LANES;
    RowMemory<Real, LANES, SLOTS> &memory =
        reinterpret_cast<RowMemory<Real, LANES, SLOTS> *>(shared_memory)[threadIdx.x / LANES];
    const Row row = row_of_group<LANES>(w, row_class, rows);
    Adder<Real, LANES, SLOTS> adder = {{memory.keys}, memory.sums};
    adder.table.clear(lane, LANES);
    for (uint32_t s = lane; s < SLOTS; s += LANES)
        memory.sums[s] = Real(0);
    __syncwarp();
    walk_row_of<Real, LANES, true>(w, row.begin, row.length, memory.steps, lane, adder);
    const uint32_t entries = collect<LANES, SLOTS>(adder.table, memory.found, lane),
                   most = warp_max<LANES>(entries);
    uint32_t size = 1;
    while (size < most)
        size *= 2;
    for (uint32_t e = entries + lane; e < size; e += LANES)
        memory.found[e] = BEHIND_ALL;
    __syncwarp();
    sort_columns<LANES>(memory.found, size, lane);
    const int64_t c = row.is_there ? w.c_row_ptr[row.row] : 0; // without a row there are no entries
    for (uint32_t e = lane; e < entries; e += LANES) {
        const int32_t column = memory.found[e];
        w.c_columns[c + e] = column;
        static_cast<Real *>(w.c_values)[c + e] = memory.sums[adder.table.find(column)];
    }
    end_after_previous();
}

template <int LANES, int SLOTS, bool MAY_FILL>
int launch_count(const spmmi_once_work *w, int row_class, uint32_t rows, bool is_dependent, void *stream)
{
    constexpr unsigned groups = ONCE_THREADS / LANES;
    return launch_kernel(count_kernel<LANES, SLOTS, MAY_FILL>, dim3((rows + groups - 1) / groups),
                         ONCE_THREADS, 0, stream, is_dependent, *w, row_class, rows);
}

template <typename Real, int LANES, int SLOTS>
int launch_rows(const spmmi_once_work *w, int row_class, uint32_t rows, bool is_dependent, void *stream)
{
    constexpr unsigned groups = ONCE_THREADS / LANES, bytes = groups * sizeof(RowMemory<Real, LANES, SLOTS>);
    const cudaError_t error = allow_shared(rows_kernel<Real, LANES, SLOTS>, bytes, bytes);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(rows_kernel<Real, LANES, SLOTS>, dim3((rows + groups - 1) / groups), ONCE_THREADS,
                         bytes, stream, is_dependent, *w, row_class, rows);
}

template <typename Real>
int launch_rows_of(const spmmi_once_work *w, int row_class, uint32_t rows, bool is_dependent, void *stream)
{
    switch (row_class) {
    case SPMMI_ONCE_MERGES:
        return launch_rows<Real, 4, 16>(w, row_class, rows, is_dependent, stream);
    case SPMMI_ONCE_MERGES + 1:
        return launch_rows<Real, 8, 64>(w, row_class, rows, is_dependent, stream);
    case SPMMI_ONCE_MERGES + 2:
        return launch_rows<Real, 16, 256>(w, row_class, rows, is_dependent, stream);
    case SPMMI_ONCE_MERGES + 3:
        return launch_rows<Real, 32, 512>(w, row_class, rows, is_dependent, stream);
    default:
        return launch_rows<Real, 32, 1024>(w, row_class, rows, is_dependent, stream);
    }
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent,
                          void *stream)
{
    using namespace spmmi::spgemm;
    switch (row_class) {
    case SPMMI_ONCE_MERGES:
        return launch_count<4, 16, false>(w, row_class, rows, is_dependent != 0, stream);
    case SPMMI_ONCE_MERGES + 1:
        return launch_count<8, 64, false>(w, row_class, rows, is_dependent != 0, stream);
    case SPMMI_ONCE_MERGES + 2:
        return launch_count<16, 256, false>(w, row_class, rows, is_dependent != 0, stream);
    case SPMMI_ONCE_MERGES + 3:
        return launch_count<32, 512, false>(w, row_class, rows, is_dependent != 0, stream);
    default:
        return launch_count<32, 2 * SPMMI_ONCE_ENTRIES_MAX, true>(w, row_class, rows, is_dependent != 0,
                                                                  stream);
    }
}

int spmmi_once_rows_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                         int is_dependent, void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_rows_of<double>(w, row_class, rows, is_dependent != 0, stream)
                  : spmmi::spgemm::launch_rows_of<float>(w, row_class, rows, is_dependent != 0, stream);
}
