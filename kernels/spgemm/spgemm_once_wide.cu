// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows of C that no table holds: their columns by a bitmap over all columns; then values by
// tasks, a range of the entries of a row and, if it is cut, a piece of k.
//
// columns   a block of 256 threads, or 1024 for giant rows, takes every so-manyth row of the list; warps take every
//           so-manyth entry of the left factor, and lanes set the bits of its products. Few giant rows have a cluster
//           of blocks each, which join their bitmaps: a block has one part of them
// values    a block of 256 threads takes every so-manyth task; a bitmap of the columns of its range with the count of
//           the columns before each word says where a product belongs; each warp has an eighth of the range, whose
//           part of each row of the right factor is found by bisection. Of pieces of narrow rows a block takes eight
//           together, a warp each
// bitmaps   in shared memory if they fit, else in global memory, of each block its own
// sums      in shared memory, by ascending k from 0, fused (add_chunk); those of a piece go to the partial sums, which
//           are then added in order
#include "kernels/shared/cluster.cuh"
#include "spgemm_join.cuh"
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned WIDE_THREADS = 256, GIANT_THREADS = 1024, WARPS_MAX = GIANT_THREADS / 32;
constexpr unsigned VALUE_THREADS = 256, VALUE_WARPS = VALUE_THREADS / 32;
static_assert(SPMMI_ONCE_NARROW * VALUE_WARPS <= SPMMI_ONCE_RANGE,
              "each warp has room for the sums of a piece");
// Static shared memory of a kernel here, at most; without the attribute it counts too.
constexpr uint32_t STATIC_SHARED = GIANT_THREADS * sizeof(Step<float>) + 1024;
constexpr unsigned FULL_GRID = 132 * 16; // blocks that take rows in turn: several waves of an H200
// Giant rows that have clusters: half as many as an H200 has multiprocessors. 436 of email-Enron took 62 us a block
// each and 418 with clusters, 55 of a9a_T 145 and 48.
constexpr unsigned CLUSTER_BLOCKS = 8, CLUSTER_ROWS_MAX = 66;

// A word of a bitmap whose bits were set by atomics, which a line in the L1 cache may not show.
__device__ __forceinline__ uint32_t read_word(const uint32_t *word)
{
    return *const_cast<const volatile uint32_t *>(word);
}

// Sets the bits of columns.
struct Marker {
    uint32_t *words;

    __device__ __forceinline__ void take(int32_t column, float, float, bool is_there, unsigned, unsigned)
    {
        if (!is_there)
            return;
        uint32_t *const word = words + (uint32_t)column / 32;
        const uint32_t bit = 1u << (uint32_t)column % 32;
        if (!(read_word(word) & bit)) // most are set in rows of many products
            atomicOr(word, bit);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

__device__ __forceinline__ void clear_words(uint32_t *words, uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
}

// What a block of a cluster does: part number rank of a row; without clusters all of it.
struct Part {
    uint32_t rank, blocks;
};

template <bool HAS_CLUSTERS> __device__ __forceinline__ Part own_part()
{
    return HAS_CLUSTERS ? Part{cluster_rank(), cluster_blocks()} : Part{0, 1};
}

// The bits of all columns of a row of C; in a cluster, of every so-manyth entry of the left factor.
__device__ __forceinline__ void mark_row(const spmmi_once_work &w, uint32_t row, Part part, uint32_t *words,
                                         Step<float> *steps)
{
    const uint32_t lane = threadIdx.x % 32, own_warps = blockDim.x / 32, warps = own_warps * part.blocks,
                   warp = part.rank * own_warps + threadIdx.x / 32;
    const int64_t begin = row_begin(w.a, row);
    const uint32_t length = (uint32_t)(row_begin(w.a, (int64_t)row + 1) - begin);
    Marker marker = {words};
    uint32_t at = warp + lane * warps;
    Factor<float> next = load_factor<float, false>(w, begin + at, at < length);
    for (uint32_t t = warp; t < length; t += 32 * warps) {
        const Factor<float> own = next;
        at += 32 * warps;
        next = load_factor<float, false>(w, begin + at, at < length);
        (void)walk_round<float, 32, false>(w.b, own, steps + threadIdx.x / 32 * 32, lane, marker);
    }
    __syncthreads();
}

// before[i]: columns before word i. Returns how many there are.
__device__ __forceinline__ uint32_t count_columns(const uint32_t *words, uint32_t count, uint32_t *before,
                                                  uint32_t *shared)
{
    const uint32_t share = (count + blockDim.x - 1) / blockDim.x, first = min(threadIdx.x * share, count),
                   end = min(first + share, count);
    uint32_t own = 0, total;
    for (uint32_t i = first; i < end; i++)
        own += __popc(read_word(words + i));
    own = sum_before(own, shared, &total);
    for (uint32_t i = first; i < end; i++) {
        before[i] = own;
        own += __popc(read_word(words + i));
    }
    __syncthreads();
    return total;
}

// Words [first, end) of the bitmaps of all blocks of a cluster, which is what this block has of the row.
__device__ __forceinline__ void join_words(uint32_t *words, uint32_t first, uint32_t end, Part part)
{
    cluster_sync();
    for (uint32_t i = first + threadIdx.x; i < end; i += blockDim.x) {
        uint32_t bits = 0;
        for (uint32_t rank = 0; rank < part.blocks; rank++)
            bits |= load_of_block(words + i, rank);
        words[i] = bits; // which other blocks do not read
    }
    __syncthreads();
}

// Columns of a row in blocks of the cluster before this one, and in all.
struct Columns {
    uint32_t before, all;
};

// total: of each block, in its shared memory.
__device__ __forceinline__ Columns sum_blocks(uint32_t own, uint32_t *total, Part part)
{
    Columns sum = {0, 0};
    if (threadIdx.x == 0)
        *total = own;
    cluster_sync();
    for (uint32_t rank = 0; rank < part.blocks; rank++) {
        const uint32_t count = load_of_block(total, rank);
        sum.before += rank < part.rank ? count : 0;
        sum.all += count;
    }
    return sum;
}

template <bool IS_SHARED, bool HAS_CLUSTERS>
__global__ void __launch_bounds__(GIANT_THREADS)
    columns_kernel(const __grid_constant__ spmmi_once_work w, int row_class)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ uint32_t shared[WARPS_MAX], total;
    __shared__ Step<float> steps[GIANT_THREADS];
    uint32_t *const words = IS_SHARED ? reinterpret_cast<uint32_t *>(shared_memory)
                                      : w.bitmaps + (uint64_t)blockIdx.x * 2 * w.bitmap_words;
    uint32_t *const before = words + w.bitmap_words;
    const uint32_t rows = w.c_columns == nullptr ? w.counts->tried[row_class] : w.counts->rows[row_class];
    const Part part = own_part<HAS_CLUSTERS>();
    const uint32_t share = (w.bitmap_words + part.blocks - 1) / part.blocks,
                   first = min(part.rank * share, w.bitmap_words), end = min(first + share, w.bitmap_words);
    for (uint32_t at = blockIdx.x / part.blocks; at < rows; at += gridDim.x / part.blocks) {
        const uint32_t row = w.list[row_class][at];
        clear_words(words, w.bitmap_words);
        mark_row(w, row, part, words, steps);
        if (HAS_CLUSTERS)
            join_words(words, first, end, part);
        Columns columns = {0, count_columns(words + first, end - first, before + first, shared)};
        if (HAS_CLUSTERS)
            columns = sum_blocks(columns.all, &total, part);
        if (w.c_columns == nullptr && threadIdx.x == 0 && part.rank == 0)
            w.entries[row] = columns.all;
        for (uint32_t i = first + threadIdx.x; w.c_columns != nullptr && i < end; i += blockDim.x) {
            int32_t *to = w.c_columns + w.c_row_ptr[row] + columns.before + before[i];
            for (uint32_t bits = read_word(words + i); bits != 0; bits &= bits - 1)
                *to++ = (int32_t)(32 * i + (uint32_t)__ffs((int)bits) - 1);
        }
        __syncthreads();
    }
    if (HAS_CLUSTERS)
        cluster_sync(); // others may still read this block's memory
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

// The range of a task: entries [first, first + count) of C, whose columns begin in word first_word of a bitmap.
struct Range {
    int64_t first;
    uint32_t count, first_word, words;
};

__device__ __forceinline__ Range range_of(const spmmi_once_work &w, const spmmi_once_task &task)
{
    Range r;
    r.first = w.c_row_ptr[task.row] + (int64_t)task.range * SPMMI_ONCE_RANGE;
    const int64_t left = w.c_row_ptr[(int64_t)task.row + 1] - r.first;
    r.count = left < SPMMI_ONCE_RANGE ? (uint32_t)left : SPMMI_ONCE_RANGE;
    r.first_word = (uint32_t)w.c_columns[r.first] / 32;
    r.words = (uint32_t)w.c_columns[r.first + r.count - 1] / 32 - r.first_word + 1;
    return r;
}

// Adds products to the sums of a range.
template <typename Real> struct RangeAdder {
    const uint32_t *words, *before;
    Real *sums;
    uint32_t first_word;

    __device__ __forceinline__ void take(int32_t column, Real a, Real b, bool is_there, unsigned starts,
                                         unsigned below)
    {
        uint32_t position = 0;
        if (is_there) {
            const uint32_t word = (uint32_t)column / 32 - first_word, bit = (uint32_t)column % 32;
            position = before[word] + __popc(read_word(words + word) & ((1u << bit) - 1));
        }
        add_chunk<Real, 32>(a, b, position, is_there, sums, starts, below);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

// Bits of the range, and the columns before each word.
__device__ __forceinline__ void map_range(const spmmi_once_work &w, const Range &r, uint32_t *words,
                                          uint32_t *before, uint32_t *shared)
{
    clear_words(words, r.words);
    for (uint32_t e = threadIdx.x; e < r.count; e += VALUE_THREADS) {
        const uint32_t column = (uint32_t)w.c_columns[r.first + e];
        atomicOr(words + column / 32 - r.first_word, 1u << column % 32);
    }
    __syncthreads();
    (void)count_columns(words, r.words, before, shared);
}

// The products of a task that belong to columns [from, to), which are those of one warp; IS_WHOLE: all of them.
template <typename Real, bool IS_WHOLE>
__device__ __forceinline__ void add_task(const spmmi_once_work &w, const spmmi_once_task &task, int32_t from,
                                         int32_t to, Step<Real> *steps, RangeAdder<Real> &adder)
{
    const uint32_t lane = threadIdx.x % 32;
    const int64_t begin = row_begin(w.a, task.row);
    for (uint32_t t = task.begin; t < task.end; t += 32) {
        Factor<Real> own = load_factor<Real, true>(w, begin + t + lane, t + lane < task.end);
        if (!IS_WHOLE) {
            const uint32_t skipped = first_from(w.b.columns + own.start, own.length, from);
            own.start += skipped;
            own.length = first_from(w.b.columns + own.start, own.length - skipped, to);
        }
        (void)walk_round<Real, 32, true>(w.b, own, steps, lane, adder);
    }
}

template <typename Real> struct ValueMemory {
    Real sums[SPMMI_ONCE_RANGE];
    Step<Real> steps[VALUE_THREADS];
};

// Where the sums of a task go.
template <typename Real>
__device__ __forceinline__ Real *target_of(const spmmi_once_work &w, const spmmi_once_task &task,
                                           const Range &r)
{
    return task.partial == SPMMI_ONCE_WHOLE
               ? static_cast<Real *>(w.c_values) + r.first
               : static_cast<Real *>(w.partials) + task.partial + (uint64_t)task.range * SPMMI_ONCE_RANGE;
}

// One task by a block: each warp has an eighth of the entries.
template <typename Real>
__device__ __forceinline__ void run_task(const spmmi_once_work &w, const spmmi_once_task &task,
                                         const Range &r, ValueMemory<Real> &memory, RangeAdder<Real> &adder)
{
    const uint32_t warp = threadIdx.x / 32, share = (r.count + VALUE_WARPS - 1) / VALUE_WARPS,
                   first = warp * share, end = min(first + share, r.count);
    if (first < end)
        add_task<Real, false>(w, task, w.c_columns[r.first + first], w.c_columns[r.first + end - 1] + 1,
                              memory.steps + warp * 32, adder);
    __syncthreads();
    Real *const to = target_of<Real>(w, task, r);
    for (uint32_t e = threadIdx.x; e < r.count; e += VALUE_THREADS)
        to[e] = memory.sums[e];
}

// Pieces of one narrow row, a warp each: they share the map of its columns.
template <typename Real>
__device__ __forceinline__ void run_pieces(const spmmi_once_work &w, const spmmi_once_task *tasks,
                                           uint32_t pieces, const Range &r, ValueMemory<Real> &memory,
                                           RangeAdder<Real> adder)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp >= pieces)
        return;
    const spmmi_once_task task = tasks[warp];
    adder.sums += warp * SPMMI_ONCE_NARROW;
    for (uint32_t e = lane; e < r.count; e += 32)
        adder.sums[e] = Real(0);
    __syncwarp();
    add_task<Real, true>(w, task, 0, 0, memory.steps + warp * 32, adder);
    __syncwarp();
    Real *const to = target_of<Real>(w, task, r);
    for (uint32_t e = lane; e < r.count; e += 32)
        to[e] = adder.sums[e];
}

// Tasks from this one on that are pieces of one row, at most so many; all threads find the same.
__device__ __forceinline__ uint32_t count_pieces(const spmmi_once_task *tasks, uint32_t most)
{
    uint32_t count = 1;
    while (count < most && tasks[count].row == tasks[0].row)
        count++;
    return count;
}

// NARROW: a block takes as many pieces of narrow rows as it has warps, and of others one task.
template <typename Real, bool IS_SHARED, bool NARROW>
__global__ void __launch_bounds__(VALUE_THREADS) values_kernel(const __grid_constant__ spmmi_once_work w)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ uint32_t shared[VALUE_WARPS];
    ValueMemory<Real> &memory = *reinterpret_cast<ValueMemory<Real> *>(shared_memory);
    uint32_t *const words = IS_SHARED ? reinterpret_cast<uint32_t *>(shared_memory + sizeof memory)
                                      : w.bitmaps + (uint64_t)blockIdx.x * 2 * w.bitmap_words;
    uint32_t *const before = words + w.bitmap_words;
    const uint64_t count = NARROW ? w.counts->narrow_taken : w.counts->tasks_taken;
    const spmmi_once_task *const tasks = w.tasks + (NARROW ? w.tasks_room - count : 0);
    constexpr uint32_t TOGETHER = NARROW ? VALUE_WARPS : 1;
    for (uint64_t at = (uint64_t)blockIdx.x * TOGETHER; at < count; at += (uint64_t)gridDim.x * TOGETHER) {
        const uint32_t some = (uint32_t)min((uint64_t)TOGETHER, count - at);
        for (uint32_t done = 0, pieces; done < some; done += pieces) {
            const spmmi_once_task *const first = tasks + at + done;
            const Range r = range_of(w, *first);
            pieces = count_pieces(first, some - done);
            for (uint32_t e = threadIdx.x; e < r.count && !NARROW; e += VALUE_THREADS)
                memory.sums[e] = Real(0);
            map_range(w, r, words, before, shared);
            RangeAdder<Real> adder = {words, before, memory.sums, r.first_word};
            if (NARROW)
                run_pieces(w, first, pieces, r, memory, adder);
            else
                run_task(w, *first, r, memory, adder);
            __syncthreads();
        }
    }
}

// Blocks of one row that is cut take its slices in turn.
constexpr unsigned JOIN_BLOCKS = 32;

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

inline unsigned grid_of(const spmmi_once_work *w, uint64_t most)
{
    const unsigned blocks = w->bitmaps != nullptr ? w->blocks : FULL_GRID;
    return most < blocks ? (unsigned)most : blocks;
}

// The attribute is for the largest bitmaps of this GPU, so that launches of other threads do not lower it.
inline uint32_t shared_of(uint32_t words)
{
    return (uint32_t)sizeof(ValueMemory<double>) + 2 * words * (uint32_t)sizeof(uint32_t);
}

template <typename Real, bool NARROW>
int launch_values(const spmmi_once_work *w, uint64_t tasks, void *stream)
{
    const uint32_t own = (uint32_t)sizeof(ValueMemory<Real>), together = NARROW ? VALUE_WARPS : 1;
    const dim3 grid(grid_of(w, (tasks + together - 1) / together));
    if (tasks == 0)
        return cudaSuccess;
    if (w->bitmaps != nullptr)
        return launch_kernel(values_kernel<Real, false, NARROW>, grid, VALUE_THREADS, own, stream, false, *w);
    const uint32_t bytes = own + 2 * w->bitmap_words * (uint32_t)sizeof(uint32_t);
    const cudaError_t error =
        allow_shared(values_kernel<Real, true, NARROW>, bytes + STATIC_SHARED, shared_of(w->words_max));
    if (error != cudaSuccess)
        return error;
    return launch_kernel(values_kernel<Real, true, NARROW>, grid, VALUE_THREADS, bytes, stream, false, *w);
}

template <typename Real>
int launch_all_values(const spmmi_once_work *w, uint64_t tasks, uint64_t narrow_tasks, void *stream)
{
    const int error = launch_values<Real, false>(w, tasks - narrow_tasks, stream);
    return error != cudaSuccess ? error : launch_values<Real, true>(w, narrow_tasks, stream);
}

} // namespace spgemm
} // namespace spmmi

uint32_t spmmi_once_words_max(uint32_t shared_bytes)
{
    const uint32_t own = spmmi::spgemm::shared_of(0) + 1024; // and what kernels have beside it
    return shared_bytes < own ? 0 : (shared_bytes - own) / (2 * (uint32_t)sizeof(uint32_t));
}

int spmmi_once_columns_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    using namespace spmmi;
    const dim3 grid(spgemm::grid_of(w, rows));
    const bool is_giant = row_class == SPMMI_ONCE_GIANT;
    const unsigned threads = is_giant ? spgemm::GIANT_THREADS : spgemm::WIDE_THREADS;
    if (w->bitmaps != nullptr)
        return launch_kernel(spgemm::columns_kernel<false, false>, grid, threads, 0, stream, false, *w,
                             row_class);
    const bool has_clusters = is_giant && w->has_clusters && rows <= spgemm::CLUSTER_ROWS_MAX;
    const auto kernel =
        has_clusters ? spgemm::columns_kernel<true, true> : spgemm::columns_kernel<true, false>;
    const uint32_t word = 2 * (uint32_t)sizeof(uint32_t), bytes = w->bitmap_words * word;
    const cudaError_t error = allow_shared(kernel, bytes + spgemm::STATIC_SHARED, w->words_max * word);
    if (error != cudaSuccess)
        return error;
    if (has_clusters)
        return launch_clusters(kernel, rows * spgemm::CLUSTER_BLOCKS, spgemm::CLUSTER_BLOCKS, threads, bytes,
                               stream, *w, row_class);
    return launch_kernel(kernel, grid, threads, bytes, stream, false, *w, row_class);
}

int spmmi_once_values_cuda(const struct spmmi_once_work *w, uint64_t tasks, uint64_t narrow_tasks, int is_f64,
                           void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_all_values<double>(w, tasks, narrow_tasks, stream)
                  : spmmi::spgemm::launch_all_values<float>(w, tasks, narrow_tasks, stream);
}

int spmmi_once_join_cuda(const struct spmmi_once_work *w, uint32_t cuts, int is_f64, void *stream)
{
    using namespace spmmi;
    const dim3 grid(cuts, spgemm::JOIN_BLOCKS);
    return is_f64
               ? launch_kernel(spgemm::join_pieces<double>, grid, spgemm::JOIN_THREADS, 0, stream, false, *w)
               : launch_kernel(spgemm::join_pieces<float>, grid, spgemm::JOIN_THREADS, 0, stream, false, *w);
}
