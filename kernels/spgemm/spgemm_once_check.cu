// SPDX-License-Identifier: Apache-2.0
// Products without a plan: checks the rules of CSR, and counts the products of each row of A.
//
// rows      one thread per row
// entries   a block checks the columns of 1024 entries of any rows, and adds up the products of these rows by
//           a scan over the block
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned TILE = 1024, TILE_TURNS = TILE / ROW_THREADS; // entries of a block

__device__ __forceinline__ int64_t column_at(const spmmi_once_matrix &m, int64_t p)
{
    return m.has_wide_columns ? static_cast<const int64_t *>(m.given)[p]
                              : static_cast<const int32_t *>(m.given)[p];
}

// Records a row that breaks a rule. The maximum of ~row keeps the first one.
__device__ __forceinline__ void say_bad(unsigned long long *bad, int64_t row)
{
    atomicMax(bad, ~(unsigned long long)row);
}

__global__ void __launch_bounds__(ROW_THREADS)
    check_rows(const __grid_constant__ spmmi_once_matrix m, spmmi_once_bad *bad)
{
    const int64_t i = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    if (i >= m.rows)
        return;
    const int64_t begin = row_begin(m, i), end = row_begin(m, i + 1);
    if (begin < 0 || end < begin || end > m.nnz || (i == 0 && begin != 0) ||
        (i + 1 == m.rows && end != m.nnz))
        say_bad(&bad->pointers, i);
    if (begin == end)
        bad->has_empty_rows = 1;
}

// Returns the last row that begins at or before entry p. The lanes of a warp search together.
__device__ __forceinline__ int64_t row_of(const spmmi_once_matrix &m, int64_t p)
{
    int64_t low = 0, count = m.rows; // the row is one of these
    while (count > 1) {
        const int64_t step = (count + 31) / 32, at = threadIdx.x % 32 * step;
        const unsigned before = __ballot_sync(EVERY_LANE, at < count && row_begin(m, low + at) <= p);
        const int64_t skipped = (__popc(before) - 1) * step;
        low += skipped;
        count = min(step, count - skipped);
    }
    return low;
}

// The entries of a block, in shared memory.
struct Tile {
    bool is_first[TILE];                 // whether the entry is the first one of its row
    unsigned long long before[TILE + 1]; // products of the entries in front of each entry
    unsigned long long shared[ROW_WARPS];
    int64_t rows[2]; // first and last row of the tile
    uint32_t bad;    // first entry that breaks a rule
};

// Turns the products of each entry, at before[e + 1], into sums: before[e] is then the number of products in
// front of entry e.
__device__ __forceinline__ void add_up(Tile *tile)
{
    unsigned long long own[TILE_TURNS], sum = 0, total;
    for (unsigned i = 0; i < TILE_TURNS; i++)
        sum += own[i] = tile->before[1 + threadIdx.x * TILE_TURNS + i];
    unsigned long long before = sum_before(sum, tile->shared, &total);
    for (unsigned i = 0; i < TILE_TURNS; i++)
        tile->before[1 + threadIdx.x * TILE_TURNS + i] = before += own[i];
    if (threadIdx.x == 0)
        tile->before[0] = 0;
    __syncthreads();
}

__device__ __forceinline__ int64_t inside(int64_t p, int64_t count)
{
    return p < 0 ? 0 : p > count ? count : p;
}

// Checks the columns of the entries of a tile. PRODUCTS: this is the left factor, and the products of each
// entry are found too.
template <bool PRODUCTS>
__device__ __forceinline__ void look_at_entries(const spmmi_once_matrix &m, const spmmi_once_matrix &right,
                                                int64_t first, int64_t count, Tile *tile)
{
    for (unsigned e = threadIdx.x; e < TILE; e += ROW_THREADS) {
        const bool is_there = e < count;
        const int64_t p = first + e, column = is_there ? column_at(m, p) : 0;
        if (is_there && (column < 0 || column >= m.cols ||
                         (!tile->is_first[e] && p > 0 && column_at(m, p - 1) >= column)))
            atomicMin(&tile->bad, e);
        if (is_there && m.narrow != nullptr)
            m.narrow[p] = (int32_t)column;
        // If pointers of the right factor are wrong, so are these products, and they are not used.
        if (PRODUCTS) {
            const bool has_row = is_there && column >= 0 && column < right.rows;
            tile->before[1 + e] =
                has_row ? (unsigned long long)(row_begin(right, column + 1) - row_begin(right, column)) : 0;
        }
    }
}

// Checks that columns ascend within rows and are inside the matrix. PRODUCTS: also adds up the products of
// the rows.
template <bool PRODUCTS>
__global__ void __launch_bounds__(ROW_THREADS)
    check_entries(const __grid_constant__ spmmi_once_matrix m, spmmi_once_bad *bad,
                  const __grid_constant__ spmmi_once_matrix right, uint32_t *products)
{
    __shared__ Tile tile;
    const int64_t first = (int64_t)blockIdx.x * TILE, left = m.nnz - first,
                  count = left < (int64_t)TILE ? left : (int64_t)TILE;
    if (bad->pointers != 0) // by check_rows
        return;
    if (threadIdx.x < 64) {
        const int64_t row = row_of(m, threadIdx.x < 32 ? first : first + count - 1);
        tile.rows[threadIdx.x / 32] = row;
    }
    for (unsigned e = threadIdx.x; e < TILE; e += ROW_THREADS)
        tile.is_first[e] = false;
    if (threadIdx.x == 0)
        tile.bad = TILE;
    __syncthreads();
    for (int64_t row = tile.rows[0] + threadIdx.x; row <= tile.rows[1]; row += ROW_THREADS) {
        const int64_t at = row_begin(m, row) - first;
        if (at >= 0 && at < count)
            tile.is_first[at] = true;
    }
    __syncthreads();
    look_at_entries<PRODUCTS>(m, right, first, count, &tile);
    __syncthreads();
    if (PRODUCTS)
        add_up(&tile);
    for (int64_t row = tile.rows[0] + threadIdx.x; row <= tile.rows[1]; row += ROW_THREADS) {
        const int64_t begin = row_begin(m, row) - first, end = row_begin(m, row + 1) - first;
        if (tile.bad < TILE && begin <= tile.bad && tile.bad < end)
            say_bad(&bad->columns, row);
        if (!PRODUCTS)
            continue;
        const uint32_t own = (uint32_t)(tile.before[inside(end, count)] - tile.before[inside(begin, count)]);
        if (begin >= 0 && end <= count)
            products[row] = own;
        else
            atomicAdd(products + row, own);
    }
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_check_cuda(const struct spmmi_once_matrix *m, struct spmmi_once_bad *bad,
                          const struct spmmi_once_work *work, void *stream)
{
    using namespace spmmi;
    int error = cudaSuccess;
    if (m->rows > 0)
        error = launch_kernel(spgemm::check_rows, spgemm::blocks_of(m->rows, spgemm::ROW_THREADS),
                              spgemm::ROW_THREADS, 0, stream, false, *m, bad);
    if (error != cudaSuccess || m->nnz == 0)
        return error;
    const dim3 blocks = spgemm::blocks_of(m->nnz, spgemm::TILE);
    return work == nullptr ? launch_kernel(spgemm::check_entries<false>, blocks, spgemm::ROW_THREADS, 0,
                                           stream, false, *m, bad, *m, static_cast<uint32_t *>(nullptr))
                           : launch_kernel(spgemm::check_entries<true>, blocks, spgemm::ROW_THREADS, 0,
                                           stream, false, *m, bad, work->b, work->products);
}
