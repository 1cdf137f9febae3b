// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows of C that do not fit in a table: finds their columns by a bitmap over all
// columns. For values see spgemm_once_values.cu.
//
// columns   blocks of 256 threads, or 1024 for giant rows, process rows of the list in turn; their warps
//           process entries of the left factor in turn, and lanes set the bits of its products. If there are
//           few giant rows, each has a cluster of blocks, which join their bitmaps: a block then has one part
//           of them
// bitmaps   in shared memory if they fit, else in global memory, one per block
// overlap   the kernels of tables and of tasks may run beside this one, and this one beside itself if bitmaps
//           are in shared memory: neither may read what the other writes
#include "kernels/shared/cluster.cuh"
#include "spgemm_once_bitmap.cuh"

namespace spmmi {
namespace spgemm {

// Maximum number of giant rows that have clusters: half the multiprocessors of an H200. With a block per row,
// 436 rows of email-Enron took 62 us, with clusters 418; 55 rows of a9a_T took 145 and 48.
constexpr unsigned CLUSTER_BLOCKS = 8, CLUSTER_ROWS_MAX = 66;

// Sets the bits of columns.
struct Marker {
    uint32_t *words;

    __device__ __forceinline__ void take(int32_t column, float, float, bool is_there, unsigned, unsigned)
    {
        if (!is_there)
            return;
        uint32_t *const word = words + (uint32_t)column / 32;
        const uint32_t bit = 1u << (uint32_t)column % 32;
        if (!(read_word(word) & bit)) // in rows with many products most bits are already set
            atomicOr(word, bit);
    }

    __device__ __forceinline__ bool is_full() const
    {
        return false;
    }
};

// The share of a block of a cluster in a row: part number `rank` of `blocks`; without clusters the whole row.
struct Part {
    uint32_t rank, blocks;
};

template <bool HAS_CLUSTERS> __device__ __forceinline__ Part own_part()
{
    return HAS_CLUSTERS ? Part{cluster_rank(), cluster_blocks()} : Part{0, 1};
}

// Sets the bits of all columns of a row of C. In a cluster, a block does this for its share of the entries of
// the left factor.
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

// Joins the words [first, end) of the bitmaps of all blocks of a cluster: this block's part of the row.
__device__ __forceinline__ void join_words(uint32_t *words, uint32_t first, uint32_t end, Part part)
{
    cluster_sync();
    for (uint32_t i = first + threadIdx.x; i < end; i += blockDim.x) {
        uint32_t bits = 0;
        for (uint32_t rank = 0; rank < part.blocks; rank++)
            bits |= load_of_block(words + i, rank);
        words[i] = bits; // other blocks do not read these words
    }
    __syncthreads();
}

// Number of columns of a row in blocks of lower rank of the cluster, and in all blocks.
struct Columns {
    uint32_t before, all;
};

// Adds up the columns of the blocks of a cluster. total: one per block, in its shared memory.
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
    release_dependents();
    uint32_t *const words = IS_SHARED ? reinterpret_cast<uint32_t *>(shared_memory)
                                      : w.bitmaps + (uint64_t)blockIdx.x * 2 * w.bitmap_words;
    uint32_t *const before = words + w.bitmap_words;
    const uint32_t rows = w.c_columns == nullptr ? w.counts->tried[row_class] : w.counts->rows[row_class];
    const Part part = own_part<HAS_CLUSTERS>();
    const uint32_t share = (w.bitmap_words + part.blocks - 1) / part.blocks,
                   first = min(part.rank * share, w.bitmap_words), end = min(first + share, w.bitmap_words);
    for (uint32_t at = blockIdx.x / part.blocks; at < rows; at += gridDim.x / part.blocks) {
        const uint32_t row = *listed(w, row_class, at);
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
        cluster_sync(); // other blocks may still read the memory of this one
    end_after_previous();
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_columns_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent,
                            void *stream)
{
    using namespace spmmi;
    const dim3 grid(spgemm::grid_of(w, rows));
    const bool is_giant = row_class == SPMMI_ONCE_GIANT;
    const unsigned threads = is_giant ? spgemm::GIANT_THREADS : spgemm::WIDE_THREADS;
    if (w->bitmaps != nullptr) // the kernel before may still use the same bitmaps
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
    return launch_kernel(kernel, grid, threads, bytes, stream, is_dependent != 0, *w, row_class);
}
