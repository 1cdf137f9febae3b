// SPDX-License-Identifier: Apache-2.0
// Products without a plan: puts rows in classes, and scans row pointers.
//
// lists     a block gathers the rows of a class in shared memory and reserves room for them at once; their
//           order does not matter
// scan      sums over blocks of 1024 rows; then one block adds up the sums in front of each; once there is
//           memory for C, row pointers from both
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned SCAN_THREADS = 1024, SCAN_WARPS = SCAN_THREADS / 32;

// Rows with more products do not try a table: one warp would take too long.
constexpr unsigned long long TRIED_PRODUCTS = 4096;
// With few rows, the longest ones determine the time: they get more lanes from an eighth of the chunks on,
// and blocks from a quarter of the products on, if the bitmap for that is small. One H100: 10 blocks with 16
// lanes per row took 72 us for mip_fast0507 (507 rows), and 13 with these limits.
constexpr int64_t FEWER_CHUNKS = 8, FEWER_PRODUCTS = 4;
constexpr uint32_t FEW_WORDS = 2048; // of a bitmap: 8 per thread of a block

__device__ __forceinline__ bool has_few_rows(const spmmi_once_work &w)
{
    return w.a.rows <= BLOCK_ROWS_MAX && w.bitmap_words <= FEW_WORDS;
}
// Rows with more products get a large block that finds their columns.
constexpr unsigned long long GIANT_PRODUCTS = 16384;
// Maximum number of chunks that few lanes process one after the other. 16 lanes are as fast as a warp for 729
// products per row, because they need fewer instructions (gen:lap27:80 on an H200: 8.0 and 9.3 ms).
constexpr unsigned long long CHUNKS_MAX = 16, LONGER_CHUNKS_MAX = 64;

// Reserves room in the lists of classes for the rows of a block.
struct Binning {
    unsigned int *taken; // for each class, in shared memory
    unsigned int *base;

    // Returns where to put the row. All threads of the block call it. row_class: SPMMI_ONCE_CLASSES if the
    // row is in no class.
    __device__ __forceinline__ unsigned int place(int row_class, unsigned int *rows)
    {
        if (threadIdx.x < SPMMI_ONCE_CLASSES)
            taken[threadIdx.x] = 0;
        __syncthreads();
        const unsigned int at = row_class < SPMMI_ONCE_CLASSES ? atomicAdd(taken + row_class, 1u) : 0;
        __syncthreads();
        if (threadIdx.x < SPMMI_ONCE_CLASSES)
            base[threadIdx.x] = atomicAdd(rows + threadIdx.x, taken[threadIdx.x]);
        __syncthreads();
        return at + (row_class < SPMMI_ONCE_CLASSES ? base[row_class] : 0);
    }
};

// Returns the class of tables for a row with up to this many entries.
__device__ __forceinline__ int table_of(const spmmi_once_work &w, unsigned long long entries,
                                        unsigned long long products)
{
    const unsigned long long fewer = has_few_rows(w) ? FEWER_CHUNKS : 1;
    if (entries <= 8 && products * fewer <= 4 * CHUNKS_MAX)
        return SPMMI_ONCE_MERGES;
    if (entries <= 32 && products * fewer <= 8 * CHUNKS_MAX)
        return SPMMI_ONCE_MERGES + 1;
    if (entries <= 128 && products * fewer <= 16 * LONGER_CHUNKS_MAX)
        return SPMMI_ONCE_MERGES + 2;
    return entries <= 256 ? SPMMI_ONCE_MERGES + 3 : SPMMI_ONCE_WIDE - 1;
}

// Returns the class of merges or tables for such a row.
__device__ __forceinline__ int group_class(const spmmi_once_work &w, unsigned long long entries,
                                           unsigned long long products)
{
    if (!w.has_merges || products > SPMMI_ONCE_MERGED)
        return table_of(w, entries, products);
    return products <= SPMMI_ONCE_MERGED / 4 ? 0 : products <= SPMMI_ONCE_MERGED / 2 ? 1 : 2;
}

// Returns the maximum number of products of a row that a warp computes.
__device__ __forceinline__ unsigned long long warp_products(const spmmi_once_work &w)
{
    return has_few_rows(w) ? TRIED_PRODUCTS / FEWER_PRODUCTS : TRIED_PRODUCTS;
}

__device__ __forceinline__ int block_class(unsigned long long products)
{
    return products > GIANT_PRODUCTS ? SPMMI_ONCE_GIANT : SPMMI_ONCE_WIDE;
}

__device__ __forceinline__ uint32_t row_length(const spmmi_once_matrix &m, int64_t row)
{
    return (uint32_t)(row_begin(m, row + 1) - row_begin(m, row));
}

// Puts each row in a class by its number of products, and adds up what the symbolic phase needs to know.
__global__ void __launch_bounds__(ROW_THREADS) bin_products(const __grid_constant__ spmmi_once_work w)
{
    __shared__ unsigned int taken[SPMMI_ONCE_CLASSES], base[SPMMI_ONCE_CLASSES];
    __shared__ unsigned long long shared[ROW_WARPS];
    const int64_t i = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    Binning binning = {taken, base};
    const unsigned long long products = i < w.a.rows ? w.products[i] : 0;
    unsigned long long total;
    (void)sum_before(products, shared, &total);
    if (threadIdx.x == 0)
        atomicAdd(&w.counts->products, total);
    add_to(&w.counts->heavy_rows, products >= w.heavy_products ? 1u : 0u);
    add_to(&w.counts->long_rows, products > w.stretch && row_length(w.a, i) > w.stretch ? 1u : 0u);
    const int row_class = products == 0                               ? SPMMI_ONCE_CLASSES
                          : w.all_wide || products > warp_products(w) ? block_class(products)
                                                                      : group_class(w, products, products);
    const unsigned int to = binning.place(row_class, w.counts->tried);
    if (row_class < SPMMI_ONCE_CLASSES)
        *listed(w, row_class, to) = (uint32_t)i;
    else if (i < w.a.rows)
        w.entries[i] = 0;
}

// Adds what the long pieces of a warp's rows need; is_there: this lane has some.
__device__ __forceinline__ void add_need(spmmi_once_long_need *sum, const spmmi_once_long_need &own,
                                         bool is_there)
{
    if (!__any_sync(EVERY_LANE, is_there))
        return;
    add_to(&sum->pieces, is_there ? own.pieces : 0);
    add_to(&sum->tasks, is_there ? own.tasks : 0);
    add_to(&sum->buckets, is_there ? own.buckets : 0);
    add_to(&sum->products, is_there ? own.products : 0);
    const unsigned int most = __reduce_max_sync(EVERY_LANE, is_there ? own.piece_products : 0);
    if (threadIdx.x % 32 == 0)
        atomicMax(&sum->piece_products, most);
}

// Puts each row in a class by its number of entries, and adds up what the rows without tables need.
__global__ void __launch_bounds__(ROW_THREADS) bin_entries(const __grid_constant__ spmmi_once_work w)
{
    __shared__ unsigned int taken[SPMMI_ONCE_CLASSES], base[SPMMI_ONCE_CLASSES];
    const int64_t i = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    Binning binning = {taken, base};
    const uint32_t entries = i < w.a.rows ? w.entries[i] : 0;
    const unsigned long long products = entries > 0 ? w.products[i] : 0, piece = piece_of(w, entries);
    const uint32_t length = entries > 0 ? row_length(w.a, i) : 0;
    const bool has_long =
        w.has_long != 0 && length > w.stretch && products > w.stretch; // with tables there are no tasks
    const bool is_of_table = !w.all_wide && !has_long && products <= piece &&
                             entries <= SPMMI_ONCE_ENTRIES_MAX &&
                             (!has_few_rows(w) || products <= warp_products(w));
    const int row_class = entries == 0  ? SPMMI_ONCE_CLASSES
                          : is_of_table ? group_class(w, entries, products)
                                        : block_class(products);
    const unsigned int to = binning.place(row_class, w.counts->rows);
    if (entries > 0)
        *listed(w, row_class, to) = (uint32_t)i;
    const Room room = entries == 0 || is_of_table ? Room{0, 0, 0} : room_of(products, entries, piece);
    add_to(&w.counts->tasks, room.tasks);
    add_to(&w.counts->warp_tasks, has_warp_tasks(room, entries) ? room.tasks : 0);
    add_to(&w.counts->partials, room.partials);
    add_to(&w.counts->cuts, room.pieces > 1 ? 1u : 0u);
    if (w.has_long == 0)
        return;
    const unsigned int pieces = long_pieces_of(w, length, room, piece);
    const spmmi_once_long_need need = {pieces, (unsigned int)min(products, piece),
                                       pieces == 0 ? 0 : pieces * (room.tasks / room.pieces),
                                       (unsigned long long)pieces * Buckets(w, entries).all(), products};
    add_need(&w.counts->longer, need, pieces > 0 && length > w.stretch);
    add_need(&w.counts->shorter, need, pieces > 0 && length <= w.stretch);
}

// Returns the entries of the rows of the block in front of this thread's row; *total: of all rows of the
// block.
__device__ __forceinline__ int64_t entries_before(const spmmi_once_work &w, int64_t *total)
{
    __shared__ int64_t shared[SCAN_WARPS];
    const int64_t i = (int64_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    return sum_before<int64_t>(i < w.a.rows ? w.entries[i] : 0, shared, total);
}

__global__ void __launch_bounds__(SCAN_THREADS) sum_rows(const __grid_constant__ spmmi_once_work w)
{
    int64_t total;
    (void)entries_before(w, &total);
    if (threadIdx.x == 0)
        w.sums[blockIdx.x] = total;
}

// Replaces the sum of each block by the sum over all blocks in front of it.
__global__ void __launch_bounds__(SCAN_THREADS)
    scan_sums(const __grid_constant__ spmmi_once_work w, int64_t count)
{
    __shared__ int64_t shared[SCAN_WARPS];
    int64_t so_far = 0;
    for (int64_t first = 0; first < count; first += SCAN_THREADS) {
        const int64_t i = first + threadIdx.x;
        int64_t total;
        const int64_t before = sum_before(i < count ? w.sums[i] : 0, shared, &total);
        if (i < count)
            w.sums[i] = so_far + before;
        so_far += total;
    }
    if (threadIdx.x == 0)
        w.counts->nnz = (unsigned long long)so_far;
}

__global__ void __launch_bounds__(SCAN_THREADS) write_row_ptr(const __grid_constant__ spmmi_once_work w)
{
    const int64_t i = (int64_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    int64_t total;
    const int64_t before = entries_before(w, &total);
    if (i <= w.a.rows)
        w.c_row_ptr[i] = w.sums[blockIdx.x] + before;
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_bin_products_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::bin_products, spgemm::blocks_of(w->a.rows, spgemm::ROW_THREADS),
                         spgemm::ROW_THREADS, 0, stream, false, *w);
}

int spmmi_once_bin_entries_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::bin_entries, spgemm::blocks_of(w->a.rows, spgemm::ROW_THREADS),
                         spgemm::ROW_THREADS, 0, stream, false, *w);
}

uint64_t spmmi_once_scan_blocks(int64_t rows)
{
    return (uint64_t)rows / spmmi::spgemm::SCAN_THREADS + 1;
}

int spmmi_once_sum_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    const dim3 blocks((unsigned)spmmi_once_scan_blocks(w->a.rows));
    const int error = launch_kernel(spgemm::sum_rows, blocks, spgemm::SCAN_THREADS, 0, stream, false, *w);
    return error != cudaSuccess ? error
                                : launch_kernel(spgemm::scan_sums, dim3(1), spgemm::SCAN_THREADS, 0, stream,
                                                false, *w, (int64_t)blocks.x);
}

int spmmi_once_row_ptr_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    const dim3 blocks((unsigned)spmmi_once_scan_blocks(w->a.rows));
    return launch_kernel(spgemm::write_row_ptr, blocks, spgemm::SCAN_THREADS, 0, stream, false, *w);
}
