// SPDX-License-Identifier: Apache-2.0
// spgemm, numeric phase: computes the values of C by looking up the column of each product among the columns
// of C, so that nothing is stored per product.
//
// ranges    128 threads: groups of 4, 8, 16 or 32 lanes, one range of a row of C each
// pieces    of rows that the plan cuts: a block has a range and computes 16 pieces of it at a time, or 4 if
//           the row has more than 128 entries, one warp per piece; then threads add the sums of an entry to
//           those of the pieces before
// shared    for each group or block, a table of the columns of a range, at most half full if scattered; for
//           each group or warp, a sum per slot, and the steps of a round
// slots     columns that are close together go to slots in their order, without collisions; others are hashed
// parts     for ranges of long rows: the part of each row of the right factor is found by bisection, each
//           time anew
// sums      by ascending k from 0, fused (add_chunk): bitwise repeatable, and the bits of the CPU
// banks     groups of a warp read from different banks at a time: see Skew
// overlap   ranges of different classes are independent: kernels of several classes run concurrently
#include "kernels/shared/launch.cuh"
#include "spgemm_columns.h"
#include "spgemm_lookup.cuh"
#include "spgemm_operands.cuh"
#include "spgemm_rounds.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned RANGE_THREADS = 128;

// A range, with its columns.
struct ColumnRange {
    spmmi_spgemm_range_counts counts;
    uint32_t first, out;
    int32_t base;
    const uint32_t *words;

    // Returns column e, relative to the first column of the range.
    __device__ __forceinline__ int32_t column(uint32_t e) const
    {
        return counts.is_wide ? (int32_t)__ldg(words + e)
                              : (int32_t)__ldg(reinterpret_cast<const uint16_t *>(words) + e);
    }
};

__device__ __forceinline__ ColumnRange open_range(const spmmi_spgemm_column_tables &tables,
                                                  const spmmi_spgemm_range &range)
{
    return {spmmi_spgemm_range_unpack(range.counts), range.first, range.out, range.base,
            tables.words + range.columns};
}

// Loads what is multiplied: entry `first` + t of the left factor, and its row, or part of a row, of the right
// factor.
template <typename Real> struct RangeFactors {
    const spmmi_spgemm_column_tables &tables;
    const Operands<Real> &values;
    uint32_t first;
    bool is_part;
    int32_t from, to; // columns [from, to) of the part

    __device__ __forceinline__ Factor<Real> operator()(uint32_t t, bool is_there) const
    {
        Factor<Real> f = {Real(0), 0, 0};
        if (!is_there)
            return f;
        const int32_t k = __ldg(tables.left_columns + first + t);
        f.start = __ldg(tables.right_row_ptr + k);
        f.length = __ldg(tables.right_row_ptr + k + 1) - f.start;
        if (is_part)
            keep_columns(tables.right_columns, f, from, to);
        f.a = values.left[first + t];
        if (values.diagonal != nullptr)
            f.a = times(f.a, values.diagonal[k]);
        return f;
    }
};

template <typename Real>
__device__ __forceinline__ RangeFactors<Real>
factors_of(const spmmi_spgemm_column_tables &tables, const Operands<Real> &values, const ColumnRange &range)
{
    const int32_t last = range.column(range.counts.entries - 1);
    return {tables, values, range.first, range.counts.is_part != 0, range.base, range.base + last + 1};
}

struct RightFactor {
    const int32_t *columns;
    const void *values;
};

// Adds products to the sums in the slots of their columns.
template <typename Real, int LANES, int SLOTS> struct RangeSink {
    Table<SLOTS> table;
    Real *sums;
    int32_t base;

    __device__ __forceinline__ void take(int32_t column, Real a, Real b, bool is_there, unsigned starts,
                                         unsigned below)
    {
        const uint32_t slot = is_there ? table.find(column - base) : 0;
        add_chunk<Real, LANES>(a, b, slot, is_there, sums, starts, below);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

// Returns a table for the columns of a range. The caller clears and fills it.
template <int SLOTS>
__device__ __forceinline__ Table<SLOTS> table_for(const ColumnRange &range, int32_t *keys)
{
    const uint32_t last = (uint32_t)range.column(range.counts.entries - 1);
    return {keys, last < SLOTS ? IN_ORDER : SCATTERED};
}

template <int SLOTS>
__device__ __forceinline__ void fill_table(const ColumnRange &range, Table<SLOTS> &table, uint32_t thread,
                                           uint32_t threads)
{
    uint32_t slot;
    for (uint32_t e = thread; e < range.counts.entries; e += threads)
        (void)table.insert(range.column(e), &slot);
}

template <typename Real, int SLOTS>
__device__ __forceinline__ void clear_sums(Real *sums, uint32_t lane, uint32_t lanes)
{
    for (uint32_t s = lane; s < SLOTS; s += lanes)
        sums[s] = Real(0);
}

// Writes the sums of a range to C.
template <typename Real, int SLOTS>
__device__ __forceinline__ void store_range(const Operands<Real> &values, const ColumnRange &range,
                                            const Table<SLOTS> &table, const Real *sums, uint32_t thread,
                                            uint32_t threads)
{
    for (uint32_t e = thread; e < range.counts.entries; e += threads)
        put(values.c + range.out + e, values.alpha, sums[table.find(range.column(e))], values.beta);
}

template <typename Real, int LANES, int SLOTS> struct RangeArrays {
    Real sums[SLOTS];
    Step<Real> steps[LANES];
    int32_t keys[SLOTS];
};

template <typename Real, int LANES, int SLOTS> struct RangeMemory : RangeArrays<Real, LANES, SLOTS> {
    uint32_t skew[Skew<LANES, sizeof(RangeArrays<Real, LANES, SLOTS>)>::BEHIND];
};

template <typename Real, int LANES, int SLOTS>
__global__ void __launch_bounds__(RANGE_THREADS)
    ranges_kernel(const __grid_constant__ spmmi_spgemm_column_tables tables, const spmmi_spgemm_span span,
                  const __grid_constant__ Operands<Real> values)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    release_dependents();
    const uint32_t lane = threadIdx.x % LANES, i = blockIdx.x * (RANGE_THREADS / LANES) + threadIdx.x / LANES;
    RangeMemory<Real, LANES, SLOTS> &memory =
        reinterpret_cast<RangeMemory<Real, LANES, SLOTS> *>(shared_memory)[threadIdx.x / LANES];
    // Groups after the last range run along without entries, because control is uniform in a warp.
    ColumnRange range = open_range(tables, tables.ranges[span.first + min(i, span.count - 1)]);
    const RangeFactors<Real> load = factors_of(tables, values, range);
    RangeSink<Real, LANES, SLOTS> sink = {table_for<SLOTS>(range, memory.keys), memory.sums, range.base};
    if (i >= span.count)
        range.counts.entries = range.counts.length = 0;
    sink.table.clear(lane, LANES);
    clear_sums<Real, SLOTS>(memory.sums, lane, LANES);
    __syncwarp();
    fill_table(range, sink.table, lane, LANES);
    __syncwarp();
    walk_row<Real, LANES, true>(RightFactor{tables.right_columns, values.right}, load, range.counts.length,
                                memory.steps, lane, sink);
    store_range(values, range, sink.table, memory.sums, lane, LANES);
    end_after_previous();
}

template <typename Real, int WARPS, int SLOTS> struct CutMemory {
    Real sums[WARPS][SLOTS], total[SLOTS];
    Step<Real> steps[WARPS][32];
    int32_t keys[SLOTS];
};

// Adds the sums of the pieces of a round, by slot, in order to the total of the pieces before them.
template <typename Real, int WARPS, int SLOTS>
__device__ __forceinline__ void add_sums(CutMemory<Real, WARPS, SLOTS> &memory, bool is_first,
                                         uint32_t pieces)
{
    for (uint32_t s = threadIdx.x; s < SLOTS; s += 32 * WARPS) {
        Real sum = is_first ? memory.sums[0][s] : memory.total[s];
        for (uint32_t w = is_first ? 1 : 0; w < pieces; w++)
            sum += memory.sums[w][s];
        memory.total[s] = sum;
    }
}

// Computes the piece of this warp in a round of WARPS pieces. steps and sums belong to the warp.
template <typename Real, int SLOTS>
__device__ __forceinline__ void
add_piece(const spmmi_spgemm_column_tables &tables, const void *right, const spmmi_spgemm_cut_range &cut,
          uint32_t piece, RangeFactors<Real> load, Step<Real> *steps, RangeSink<Real, 32, SLOTS> &sink)
{
    const uint32_t lane = threadIdx.x % 32, *const ends = tables.ends + cut.piece;
    load.first = piece == 0 ? cut.range.first : ends[piece - 1];
    clear_sums<Real, SLOTS>(sink.sums, lane, 32);
    __syncwarp();
    walk_row<Real, 32, true>(RightFactor{tables.right_columns, right}, load, ends[piece] - load.first, steps,
                             lane, sink);
}

template <typename Real, int WARPS, int SLOTS>
__global__ void __launch_bounds__(32 * WARPS)
    cut_ranges_kernel(const __grid_constant__ spmmi_spgemm_column_tables tables, const spmmi_spgemm_span span,
                      const __grid_constant__ Operands<Real> values)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    release_dependents();
    CutMemory<Real, WARPS, SLOTS> &memory = *reinterpret_cast<CutMemory<Real, WARPS, SLOTS> *>(shared_memory);
    const spmmi_spgemm_cut_range cut = tables.cuts[span.first + blockIdx.x];
    const ColumnRange range = open_range(tables, cut.range);
    const RangeFactors<Real> load = factors_of(tables, values, range);
    const uint32_t warp = threadIdx.x / 32;
    RangeSink<Real, 32, SLOTS> sink = {table_for<SLOTS>(range, memory.keys), memory.sums[warp], range.base};
    sink.table.clear(threadIdx.x, 32 * WARPS);
    __syncthreads();
    fill_table(range, sink.table, threadIdx.x, 32 * WARPS);
    __syncthreads();
    for (uint32_t first = 0; first < cut.pieces; first += WARPS) {
        if (first + warp < cut.pieces)
            add_piece(tables, values.right, cut, first + warp, load, memory.steps[warp], sink);
        __syncthreads();
        add_sums(memory, first == 0, min(cut.pieces - first, (uint32_t)WARPS));
        __syncthreads();
    }
    store_range(values, range, sink.table, memory.total, threadIdx.x, 32 * WARPS);
    end_after_previous();
}

// Parameters of a launch for a span: the ranges of one class.
struct SpanLaunch {
    const spmmi_spgemm_column_tables *tables;
    spmmi_spgemm_span span;
    bool is_dependent;
    void *stream;
};

// Returns the slots of a table for this many entries: scattered columns occupy at most half of them.
template <int ENTRIES> constexpr int slots_for()
{
    constexpr int slots = 2 * ENTRIES;
    static_assert((slots & (slots - 1)) == 0 && slots <= IN_ORDER, "a table has a power of two of slots");
    return slots;
}

template <typename Real, int LANES, int ENTRIES>
int launch_ranges(const SpanLaunch &l, const Operands<Real> &values)
{
    constexpr int SLOTS = slots_for<ENTRIES>();
    constexpr unsigned groups = RANGE_THREADS / LANES,
                       bytes = groups * sizeof(RangeMemory<Real, LANES, SLOTS>);
    const cudaError_t error = allow_shared(ranges_kernel<Real, LANES, SLOTS>, bytes, bytes);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(ranges_kernel<Real, LANES, SLOTS>, dim3((l.span.count + groups - 1) / groups),
                         RANGE_THREADS, bytes, l.stream, l.is_dependent, *l.tables, l.span, values);
}

template <typename Real, int WARPS, int ENTRIES>
int launch_cut_ranges(const SpanLaunch &l, const Operands<Real> &values)
{
    constexpr int SLOTS = slots_for<ENTRIES>();
    constexpr unsigned bytes = sizeof(CutMemory<Real, WARPS, SLOTS>);
    static_assert(bytes <= SHARED_FREE, "a kernel has so much without an attribute");
    return launch_kernel(cut_ranges_kernel<Real, WARPS, SLOTS>, dim3(l.span.count), 32 * WARPS, bytes,
                         l.stream, l.is_dependent, *l.tables, l.span, values);
}

template <typename Real> int launch_span(const SpanLaunch &l, int range_class, const Operands<Real> &values)
{
    switch (range_class) {
#define RANGES(number, entries, lanes) \
    case number:                       \
        return launch_ranges<Real, lanes, entries>(l, values);
        SPMMI_SPGEMM_RANGE_CLASS_TABLE(RANGES)
#undef RANGES
#define CUT_RANGES(number, entries, warps) \
    case number:                           \
        return launch_cut_ranges<Real, warps, entries>(l, values);
        SPMMI_SPGEMM_CUT_CLASS_TABLE(CUT_RANGES)
#undef CUT_RANGES
    default:
        return cudaErrorInvalidValue;
    }
}

} // namespace spgemm
} // namespace spmmi

int spmmi_spgemm_span_cuda(const struct spmmi_spgemm_column_tables *tables, int range_class,
                           struct spmmi_spgemm_span span, const struct spmmi_spgemm_operands *operands,
                           int is_dependent, void *stream)
{
    using namespace spmmi::spgemm;
    const SpanLaunch launch = {tables, span, is_dependent != 0, stream};
    return operands->is_f64 ? launch_span(launch, range_class, operands_of<double>(operands))
                            : launch_span(launch, range_class, operands_of<float>(operands));
}
