// SPDX-License-Identifier: Apache-2.0
// Products without a plan: rules of CSR, products of rows, classes, the scan of row pointers.
//
// rows      a thread takes a row
// entries   a block takes 1024 entries of any rows: columns, and the products of those rows by a scan over the block
// lists     a block gathers the rows of a class in shared memory and takes room for them at once; their order does not
//           count
// scan      blocks of 1024 rows, then their sums by one block, then both together
#include "format/spgemm/spgemm_share.h"
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned ROW_THREADS = 256, ROW_WARPS = ROW_THREADS / 32, SCAN_THREADS = 1024,
                   SCAN_WARPS = SCAN_THREADS / 32;
constexpr unsigned TILE = 1024, TILE_TURNS = TILE / ROW_THREADS; // entries of a block

// Rows of more products do not try a table: one warp would take too long.
constexpr unsigned long long TRIED_PRODUCTS = 4096;
// From here on a large block finds the columns of a row.
constexpr unsigned long long GIANT_PRODUCTS = 16384;
// Chunks that few lanes take one after the other, at most; 16 lanes are as fast as a warp for 729 products a row, by
// their fewer instructions (gen:lap27:80 on an H200: 8.0 and 9.3 ms).
constexpr unsigned long long CHUNKS_MAX = 16, LONGER_CHUNKS_MAX = 64;

__device__ __forceinline__ int64_t column_at(const spmmi_once_matrix &m, int64_t p)
{
    return m.has_wide_columns ? static_cast<const int64_t *>(m.given)[p]
                              : static_cast<const int32_t *>(m.given)[p];
}

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
}

// The last row that begins at or before entry p, found by a warp.
__device__ __forceinline__ int64_t row_of(const spmmi_once_matrix &m, int64_t p)
{
    int64_t low = 0, count = m.rows; // it is one of these
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
    bool is_first[TILE];                 // of its row
    unsigned long long before[TILE + 1]; // products of the entries before it
    unsigned long long shared[ROW_WARPS];
    int64_t rows[2]; // the first and the last one
    uint32_t bad;    // the first entry that breaks a rule
};

// Turns the products of each entry, at before[e + 1], into those before it.
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

// Entries of a tile: rules of columns; of the left factor the products of each.
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
        if (PRODUCTS) { // pointers of the right factor may be wrong: then so are these, and nobody uses them
            const bool has_row = is_there && column >= 0 && column < right.rows;
            tile->before[1 + e] =
                has_row ? (unsigned long long)(row_begin(right, column + 1) - row_begin(right, column)) : 0;
        }
    }
}

// Columns ascend in rows and are inside the matrix. PRODUCTS: adds up those of its rows.
template <bool PRODUCTS>
__global__ void __launch_bounds__(ROW_THREADS)
    check_entries(const __grid_constant__ spmmi_once_matrix m, spmmi_once_bad *bad,
                  const __grid_constant__ spmmi_once_matrix right, unsigned long long *products)
{
    __shared__ Tile tile;
    const int64_t first = (int64_t)blockIdx.x * TILE, left = m.nnz - first,
                  count = left < (int64_t)TILE ? left : (int64_t)TILE;
    if (bad->pointers != 0) // of the kernel before
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
        const unsigned long long own = tile.before[inside(end, count)] - tile.before[inside(begin, count)];
        if (begin >= 0 && end <= count)
            products[row] = own;
        else
            atomicAdd(products + row, own);
    }
}

// Room in the lists of classes for the rows of a block.
struct Binning {
    unsigned int *taken; // of each class, in shared memory
    unsigned int *base;

    // All threads of the block; returns where to put the row. row_class: SPMMI_ONCE_CLASSES of a row of none.
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

// One of tables, of at most so many entries.
__device__ __forceinline__ int table_of(unsigned long long entries, unsigned long long products)
{
    if (entries <= 8 && products <= 4 * CHUNKS_MAX)
        return 0;
    if (entries <= 32 && products <= 8 * CHUNKS_MAX)
        return 1;
    if (entries <= 128 && products <= 16 * LONGER_CHUNKS_MAX)
        return 2;
    return entries <= 256 ? 3 : SPMMI_ONCE_TABLES - 1;
}

__device__ __forceinline__ int block_class(unsigned long long products)
{
    return products > GIANT_PRODUCTS ? SPMMI_ONCE_GIANT : SPMMI_ONCE_WIDE;
}

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
    const int row_class = products == 0                             ? SPMMI_ONCE_CLASSES
                          : w.all_wide || products > TRIED_PRODUCTS ? block_class(products)
                                                                    : table_of(products, products);
    const unsigned int to = binning.place(row_class, w.counts->tried);
    if (row_class < SPMMI_ONCE_CLASSES)
        w.list[row_class][to] = (uint32_t)i;
    else if (i < w.a.rows)
        w.entries[i] = 0;
}

// Most of what a row takes that is not of tables: partial sums, tasks.
struct Room {
    unsigned long long pieces, partials, tasks;
};

// piece: products of a piece; the row has more products than that if it is cut.
__device__ __forceinline__ Room room_of(unsigned long long products, uint32_t entries,
                                        unsigned long long piece)
{
    Room room = {1, 0, ((unsigned long long)entries + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE};
    if (products > piece) {
        room.pieces = products / piece + 1; // each but the last has as many products at least
        room.partials = room.pieces * entries;
        room.tasks *= room.pieces;
    }
    return room;
}

// As spmmi_spgemm_share and spmmi_spgemm_piece have it.
__device__ __forceinline__ unsigned long long piece_of(const spmmi_once_work &w, uint32_t entries)
{
    const unsigned long long share = w.counts->products / SPMMI_SPGEMM_SHARES,
                             least = (unsigned long long)entries * SPMMI_SPGEMM_PIECE_ENTRIES,
                             fewest = w.a.rows < SPMMI_SPGEMM_ROWS_FEW ? SPMMI_SPGEMM_SHARE_MIN_FEW
                                                                       : SPMMI_SPGEMM_SHARE_MIN;
    return max(max(share, fewest), least);
}

// What the lanes of a warp have, by one addition.
template <typename Number> __device__ __forceinline__ void add_to(Number *sum, Number x)
{
    if (!__any_sync(EVERY_LANE, x != 0))
        return;
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(EVERY_LANE, x, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, x);
}

__global__ void __launch_bounds__(ROW_THREADS) bin_entries(const __grid_constant__ spmmi_once_work w)
{
    __shared__ unsigned int taken[SPMMI_ONCE_CLASSES], base[SPMMI_ONCE_CLASSES];
    const int64_t i = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    Binning binning = {taken, base};
    const uint32_t entries = i < w.a.rows ? w.entries[i] : 0;
    const unsigned long long products = entries > 0 ? w.products[i] : 0, piece = piece_of(w, entries);
    const bool is_of_table = !w.all_wide && products <= piece && entries <= SPMMI_ONCE_ENTRIES_MAX;
    const int row_class = entries == 0  ? SPMMI_ONCE_CLASSES
                          : is_of_table ? table_of(entries, products)
                                        : block_class(products);
    const unsigned int to = binning.place(row_class, w.counts->rows);
    if (i == 0)
        w.counts->nnz = (unsigned long long)w.c_row_ptr[w.a.rows];
    if (entries > 0)
        w.list[row_class][to] = (uint32_t)i;
    const Room room = entries == 0 || is_of_table ? Room{0, 0, 0} : room_of(products, entries, piece);
    add_to(&w.counts->tasks, room.tasks);
    add_to(&w.counts->partials, room.partials);
    add_to(&w.counts->cuts, room.pieces > 1 ? 1u : 0u);
}

// Pieces of a row: a lane holds one of up to 32 until their tasks are written together. Called by all lanes of a warp.
struct Pieces {
    spmmi_once_task task; // of this lane
    uint32_t held, count; // count: written
    uint32_t ranges, entries;
    uint64_t partial;

    __device__ __forceinline__ void write(const spmmi_once_work &w)
    {
        const uint32_t lane = threadIdx.x % 32;
        unsigned long long base = 0;
        if (lane == 0)
            base = atomicAdd(&w.counts->tasks_taken, (unsigned long long)held * ranges);
        base = __shfl_sync(EVERY_LANE, base, 0);
        if (lane < held && partial != SPMMI_ONCE_WHOLE)
            task.partial = partial + (uint64_t)(count + lane) * entries;
        for (uint32_t r = 0; lane < held && r < ranges; r++) {
            task.range = r;
            w.tasks[base + (uint64_t)lane * ranges + r] = task;
        }
        count += held;
        held = 0;
    }

    __device__ __forceinline__ void add(const spmmi_once_work &w, uint32_t begin, uint32_t end)
    {
        if (threadIdx.x % 32 == held) {
            task.begin = begin;
            task.end = end;
        }
        if (++held == 32)
            write(w);
    }
};

constexpr uint32_t ROUNDS = 16; // of 32 entries, loaded together

// The pieces of a row of A, as units of a plan are: each ends with the entry that brings its products to piece, or with
// the last one.
__device__ __forceinline__ void cut_row(const spmmi_once_work &w, uint32_t length, unsigned long long piece,
                                        Pieces &pieces)
{
    const uint32_t lane = threadIdx.x % 32;
    const int64_t row = row_begin(w.a, pieces.task.row);
    uint32_t begin = 0, ahead[ROUNDS];
    unsigned long long so_far = 0; // products of this piece in the rounds before
    for (uint32_t first = 0; first < length; first += 32 * ROUNDS) {
#pragma unroll
        for (uint32_t i = 0; i < ROUNDS; i++) {
            const uint32_t at = first + 32 * i + lane;
            ahead[i] = load_factor<float, false>(w, row + at, at < length).length;
        }
#pragma unroll
        for (uint32_t i = 0; i < ROUNDS; i++) {
            const uint32_t total = __reduce_add_sync(EVERY_LANE, ahead[i]); // rows of B differ: below 2^32
            if (so_far + total < piece) {
                so_far += total;
                continue;
            }
            uint32_t end = ahead[i], used = 0; // used: by pieces that have ended in this round
            for (unsigned d = 1; d < 32; d *= 2) {
                const uint32_t other = __shfl_up_sync(EVERY_LANE, end, d);
                end += lane >= d ? other : 0;
            }
            for (;;) {
                const unsigned reached = __ballot_sync(EVERY_LANE, end >= used + (piece - so_far));
                if (reached == 0)
                    break;
                const int last = __ffs((int)reached) - 1;
                const uint32_t next = first + 32 * i + (uint32_t)last + 1;
                pieces.add(w, begin, next);
                begin = next;
                used = __shfl_sync(EVERY_LANE, end, last);
                so_far = 0;
            }
            so_far += total - used;
        }
    }
    if (begin < length)
        pieces.add(w, begin, length);
}

// A warp takes a row of the list.
__global__ void __launch_bounds__(ROW_THREADS)
    tasks_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    const uint32_t at = blockIdx.x * ROW_WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (at >= rows)
        return;
    const uint32_t row = w.list[row_class][at], entries = w.entries[row];
    const unsigned long long products = w.products[row], piece = piece_of(w, entries);
    const Room room = room_of(products, entries, piece);
    const uint32_t length = (uint32_t)(row_begin(w.a, (int64_t)row + 1) - row_begin(w.a, row)),
                   ranges = (entries + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE;
    Pieces pieces = {{row, 0, 0, 0, SPMMI_ONCE_WHOLE}, 0, 0, ranges, entries, SPMMI_ONCE_WHOLE};
    if (room.pieces == 1) {
        pieces.add(w, 0, length);
        pieces.write(w);
        return;
    }
    unsigned long long partial = 0;
    if (lane == 0)
        partial = atomicAdd(&w.counts->partials_taken, room.partials);
    pieces.partial = partial = __shfl_sync(EVERY_LANE, partial, 0);
    cut_row(w, length, piece, pieces);
    pieces.write(w);
    if (lane == 0)
        w.cuts[atomicSub(&w.counts->cuts, 1u) - 1] = {partial, row, pieces.count};
}

__global__ void __launch_bounds__(SCAN_THREADS) scan_rows(const __grid_constant__ spmmi_once_work w)
{
    __shared__ int64_t shared[SCAN_WARPS];
    const int64_t i = (int64_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    int64_t total;
    const int64_t before = sum_before<int64_t>(i < w.a.rows ? w.entries[i] : 0, shared, &total);
    if (i <= w.a.rows)
        w.c_row_ptr[i] = before;
    if (threadIdx.x == 0)
        w.sums[blockIdx.x] = total;
}

__global__ void __launch_bounds__(SCAN_THREADS) scan_sums(int64_t *sums, int64_t count)
{
    __shared__ int64_t shared[SCAN_WARPS];
    int64_t so_far = 0;
    for (int64_t first = 0; first < count; first += SCAN_THREADS) {
        const int64_t i = first + threadIdx.x;
        int64_t total;
        const int64_t before = sum_before<int64_t>(i < count ? sums[i] : 0, shared, &total);
        if (i < count)
            sums[i] = so_far + before;
        so_far += total;
    }
}

__global__ void __launch_bounds__(SCAN_THREADS) scan_join(const __grid_constant__ spmmi_once_work w)
{
    const int64_t i = (int64_t)blockIdx.x * SCAN_THREADS + threadIdx.x;
    if (i <= w.a.rows)
        w.c_row_ptr[i] += w.sums[blockIdx.x];
}

inline dim3 blocks_of(int64_t count, unsigned threads)
{
    return dim3((unsigned)((count + threads - 1) / threads));
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
    return work == nullptr
               ? launch_kernel(spgemm::check_entries<false>, blocks, spgemm::ROW_THREADS, 0, stream, false,
                               *m, bad, *m, static_cast<unsigned long long *>(nullptr))
               : launch_kernel(spgemm::check_entries<true>, blocks, spgemm::ROW_THREADS, 0, stream, false, *m,
                               bad, work->b, work->products);
}

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

int spmmi_once_tasks_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::tasks_kernel, spgemm::blocks_of(rows, spgemm::ROW_WARPS),
                         spgemm::ROW_THREADS, 0, stream, false, *w, row_class, rows);
}

uint64_t spmmi_once_scan_blocks(int64_t rows)
{
    return (uint64_t)rows / spmmi::spgemm::SCAN_THREADS + 1;
}

int spmmi_once_scan_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    const dim3 blocks((unsigned)spmmi_once_scan_blocks(w->a.rows));
    int error = launch_kernel(spgemm::scan_rows, blocks, spgemm::SCAN_THREADS, 0, stream, false, *w);
    if (error == cudaSuccess)
        error = launch_kernel(spgemm::scan_sums, dim3(1), spgemm::SCAN_THREADS, 0, stream, false, w->sums,
                              (int64_t)blocks.x);
    if (error == cudaSuccess)
        error = launch_kernel(spgemm::scan_join, blocks, spgemm::SCAN_THREADS, 0, stream, false, *w);
    return error;
}
