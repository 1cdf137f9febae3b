// SPDX-License-Identifier: Apache-2.0
// Products without a plan: makes the tasks of rows that do not use tables. The tasks of 32 pieces are written
// together.
//
// many rows one warp per row; if the row is cut in k, 512 entries of A are loaded together
// few rows  one block per row; if the row is cut in k, the threads add up the products of a window of its
//           entries, as many as fit in shared memory, and find for each entry where a piece that begins there
//           would end; one warp follows these jumps
// overlap   these kernels run beside each other and beside the kernels that find columns: neither may read
//           what the other writes
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

// Collects the pieces of a row: each lane holds one of up to 32 pieces, whose tasks are then written
// together. All lanes of a warp call these functions.
struct Pieces {
    spmmi_once_task task;              // of this lane
    uint32_t held, count;              // count: written pieces
    uint32_t ranges, entries, longest; // longest: maximum entries of A of a piece that is not long
    bool is_of_warps;
    uint64_t partial;

    // Reserves room for this many tasks. Called by one lane.
    __device__ __forceinline__ uint64_t take(const spmmi_once_work &w, unsigned long long tasks) const
    {
        return is_of_warps ? w.tasks_room - tasks - atomicAdd(&w.counts->warp_taken, tasks)
                           : atomicAdd(&w.counts->tasks_taken, tasks);
    }

    // Adds the long piece of this lane. Its tasks begin with the bucket of the first range.
    __device__ __forceinline__ void add_long(const spmmi_once_work &w)
    {
        const Buckets own(w, entries);
        const uint32_t bucket = atomicAdd(&w.counts->buckets, own.all());
        w.long_pieces[atomicAdd(&w.counts->long_pieces_taken, 1u)] = {task.row, task.begin, task.end, bucket,
                                                                      task.partial};
        task.begin = bucket + own.hubs;
    }

    __device__ __forceinline__ void write(const spmmi_once_work &w)
    {
        const uint32_t lane = threadIdx.x % 32;
        const bool is_there = lane < held, is_long = is_there && task.end - task.begin > longest;
        const unsigned others = __ballot_sync(EVERY_LANE, is_there && !is_long);
        unsigned long long base = 0;
        if (lane == 0)
            base = take(w, (unsigned long long)__popc(others) * ranges);
        base = __shfl_sync(EVERY_LANE, base, 0);
        if (is_there && partial != SPMMI_ONCE_WHOLE)
            task.partial = partial + (uint64_t)(count + lane) * entries;
        spmmi_once_task *to = w.tasks + base + (uint64_t)__popc(others & ((1u << lane) - 1)) * ranges;
        if (is_long) {
            to = w.long_tasks + atomicAdd(&w.counts->long_taken, (unsigned long long)ranges);
            add_long(w);
        }
        for (uint32_t r = 0; is_there && r < ranges; r++) {
            task.range = r;
            to[r] = task;
            task.begin += is_long ? 1 : 0;
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

// Cuts a row of A into pieces as the units of a plan: each ends with the entry that brings its products to
// `piece`, or with the last entry.
__device__ __forceinline__ void cut_row(const spmmi_once_work &w, uint32_t length, unsigned long long piece,
                                        Pieces &pieces)
{
    const uint32_t lane = threadIdx.x % 32;
    const int64_t row = row_begin(w.a, pieces.task.row);
    uint32_t begin = 0, ahead[ROUNDS];
    unsigned long long so_far = 0; // products of this piece in earlier rounds
    for (uint32_t first = 0; first < length; first += 32 * ROUNDS) {
#pragma unroll
        for (uint32_t i = 0; i < ROUNDS; i++) {
            const uint32_t at = first + 32 * i + lane;
            ahead[i] = load_factor<float, false>(w, row + at, at < length).length;
        }
#pragma unroll
        for (uint32_t i = 0; i < ROUNDS; i++) {
            const uint32_t total = __reduce_add_sync(EVERY_LANE, ahead[i]); // below 2^32: rows of B differ
            if (so_far + total < piece) {
                so_far += total;
                continue;
            }
            const uint32_t end = sum_up_to(ahead[i]);
            uint32_t used = 0; // by pieces that ended in this round
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

// A row of the list of a class, and what it needs.
struct TaskRow {
    uint32_t row, entries, length;
    unsigned long long piece;
    Room room;

    __device__ __forceinline__ TaskRow(const spmmi_once_work &w, int row_class, uint32_t at)
        : row(*listed(w, row_class, at)), entries(w.entries[row]),
          length((uint32_t)(row_begin(w.a, (int64_t)row + 1) - row_begin(w.a, row))),
          piece(piece_of(w, entries)), room(room_of(w.products[row], entries, piece))
    {
    }

    __device__ __forceinline__ bool is_cut() const
    {
        return room.pieces > 1;
    }

    // Starts the pieces of the row. Called by a warp, which then adds all pieces.
    __device__ __forceinline__ Pieces open(const spmmi_once_work &w) const
    {
        const uint32_t ranges = (entries + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE;
        unsigned long long partial = SPMMI_ONCE_WHOLE;
        if (is_cut()) {
            if (threadIdx.x % 32 == 0)
                partial = atomicAdd(&w.counts->partials_taken, room.partials);
            partial = __shfl_sync(EVERY_LANE, partial, 0);
        }
        return {{row, 0, 0, 0, SPMMI_ONCE_WHOLE}, 0,      0, ranges, entries, short_length(w, length),
                has_warp_tasks(room, entries),    partial};
    }

    __device__ __forceinline__ void close(const spmmi_once_work &w, Pieces &pieces) const
    {
        pieces.write(w);
        if (is_cut() && threadIdx.x % 32 == 0)
            w.cuts[atomicSub(&w.counts->cuts, 1u) - 1] = {pieces.partial, row, pieces.count};
    }
};

// Makes the tasks of rows of the list, one warp per row.
__global__ void __launch_bounds__(ROW_THREADS)
    tasks_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    const uint32_t at = blockIdx.x * ROW_WARPS + threadIdx.x / 32;
    release_dependents();
    if (at < rows) {
        const TaskRow r(w, row_class, at);
        Pieces pieces = r.open(w);
        if (r.is_cut())
            cut_row(w, r.length, r.piece, pieces);
        else
            pieces.add(w, 0, r.length);
        r.close(w, pieces);
    }
    end_after_previous();
}

// Entries [first, first + count) of a row. sums: products from the first entry up to the end of each; jumps:
// see make_jumps.
template <typename Sum> struct Window {
    Sum *sums;
    uint16_t *jumps;
    uint32_t first, count;
};

constexpr uint32_t JUMP_MAX = UINT16_MAX; // maximum entries of a window, plus one

// Fills the sums of a window. Called by all threads of a block.
template <unsigned THREADS, typename Sum>
__device__ __forceinline__ void sum_window(const spmmi_once_work &w, const TaskRow &r,
                                           const Window<Sum> &window, Sum *shared)
{
    constexpr uint32_t TURN = 8;
    const int64_t begin = row_begin(w.a, r.row) + window.first;
    for (uint32_t e = threadIdx.x; e < window.count; e += TURN * THREADS) {
        uint32_t products[TURN];
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++)
            products[i] =
                load_factor<float, false>(w, begin + e + i * THREADS, e + i * THREADS < window.count).length;
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++)
            if (e + i * THREADS < window.count)
                window.sums[e + i * THREADS] = products[i];
    }
    __syncthreads();
    const uint32_t share = (window.count + THREADS - 1) / THREADS | 1, // odd, to avoid bank conflicts
        first = min(threadIdx.x * share, window.count), end = min(first + share, window.count);
    Sum own = 0, total;
    for (uint32_t i = first; i < end; i++)
        own += window.sums[i];
    own = sum_before(own, shared, &total);
    for (uint32_t i = first; i < end; i++)
        window.sums[i] = own += window.sums[i];
    __syncthreads();
}

// Returns the first entry of the window, from `from` on, whose sum reaches `wanted`; count if there is none.
template <typename Sum>
__device__ __forceinline__ uint32_t find_sum(const Window<Sum> &window, uint32_t from,
                                             unsigned long long wanted)
{
    // Steps of doubling length, then bisection: most ends are near.
    uint32_t last = from, count = 1;
    for (; last + count <= window.count && window.sums[last + count - 1] < wanted; count *= 2)
        last += count;
    for (count = min(count, window.count - last); count > 0;) {
        const uint32_t half = count / 2, is_below = window.sums[last + half] < wanted;
        last += is_below ? half + 1 : 0;
        count = is_below ? count - half - 1 : half;
    }
    return last;
}

// Sets for each entry, as if a piece began with it, the distance to the first entry of the next piece; if the
// window ends before, to one past its end. Called by all threads of a block. Ends ascend, so each search
// begins at the end before it.
template <unsigned THREADS, typename Sum>
__device__ __forceinline__ void make_jumps(const Window<Sum> &window, unsigned long long piece)
{
    const uint32_t share = (window.count + THREADS - 1) / THREADS | 1,
                   first = min(threadIdx.x * share, window.count), end = min(first + share, window.count);
    uint32_t last = first;
    for (uint32_t e = first; e < end; e++) {
        last = find_sum(window, last, (e > 0 ? window.sums[e - 1] : 0) + piece);
        window.jumps[e] = (uint16_t)(last + 1 - e);
    }
    __syncthreads();
}

// The piece that has begun: its first entry, and its products in earlier windows.
struct Begun {
    uint32_t begin;
    unsigned long long products;
};

// Adds the pieces that end in the window. Called by a warp.
template <typename Sum>
__device__ __forceinline__ void follow_jumps(const spmmi_once_work &w, const Window<Sum> &window,
                                             unsigned long long piece, Begun &begun, Pieces &pieces)
{
    uint32_t at = 0; // in the window, as is next
    uint32_t next = begun.products > 0 ? find_sum(window, 0, piece - begun.products) + 1 : window.jumps[0];
    while (next <= window.count) {
        pieces.add(w, begun.begin, window.first + next);
        begun = {window.first + next, 0};
        at = next;
        next = at < window.count ? at + window.jumps[at] : window.count + 1;
    }
    if (at < window.count)
        begun.products += window.sums[window.count - 1] - (at > 0 ? window.sums[at - 1] : 0);
}

// Makes the tasks of rows of the list, one block per row. slots: entries that fit in its shared memory.
template <unsigned THREADS, typename Sum>
__global__ void __launch_bounds__(THREADS, 2048 / THREADS)
    block_tasks_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t slots)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ Sum shared[THREADS / 32];
    release_dependents();
    const TaskRow r(w, row_class, blockIdx.x);
    Sum *const sums = reinterpret_cast<Sum *>(shared_memory);
    const bool is_writer = threadIdx.x < 32;
    Begun begun = {0, 0};
    Pieces pieces;
    if (is_writer)
        pieces = r.open(w);
    for (uint32_t first = 0; r.is_cut() && first < r.length; first += slots) {
        const Window<Sum> window = {sums, reinterpret_cast<uint16_t *>(sums + slots), first,
                                    min(slots, r.length - first)};
        sum_window<THREADS>(w, r, window, shared);
        make_jumps<THREADS>(window, r.piece);
        if (is_writer)
            follow_jumps(w, window, r.piece, begun, pieces);
        __syncthreads();
    }
    if (is_writer) {
        if (begun.begin < r.length)
            pieces.add(w, begun.begin, r.length);
        r.close(w, pieces);
    }
    end_after_previous();
}

// Up to this many rows get a multiprocessor of an H200 each, with all its shared memory. With more rows, the
// memory of a block lets two giant blocks, or eight others, run on a multiprocessor.
constexpr uint32_t ALONE_ROWS_MAX = 132, GIANT_BYTES = 64 * 1024, WIDE_BYTES = 16 * 1024;

template <unsigned THREADS, typename Sum>
int launch_block_tasks(const spmmi_once_work *w, uint32_t usual, int row_class, uint32_t rows,
                       bool is_dependent, void *stream)
{
    const uint32_t most = 2 * w->words_max * (uint32_t)sizeof(uint32_t), // as for bitmaps
        room = rows <= ALONE_ROWS_MAX ? most : min(most, usual);
    const uint64_t entries = (uint64_t)min(w->a.cols, w->a.nnz); // maximum of a row
    const uint32_t of_slot = sizeof(Sum) + sizeof(uint16_t), fit = min(room / of_slot, JUMP_MAX - 1),
                   slots = (uint32_t)min((uint64_t)fit, entries), bytes = slots * of_slot;
    // Without the attribute, the static shared memory of the kernel counts too.
    const uint32_t taken = bytes + THREADS / 32 * (uint32_t)sizeof(Sum);
    const cudaError_t error = allow_shared(block_tasks_kernel<THREADS, Sum>, taken, most);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(block_tasks_kernel<THREADS, Sum>, dim3(rows), THREADS, bytes, stream, is_dependent,
                         *w, row_class, slots);
}

template <typename Sum>
int launch_blocks(const spmmi_once_work *w, int row_class, uint32_t rows, bool is_dependent, void *stream)
{
    return row_class == SPMMI_ONCE_GIANT
               ? launch_block_tasks<1024, Sum>(w, GIANT_BYTES, row_class, rows, is_dependent, stream)
               : launch_block_tasks<256, Sum>(w, WIDE_BYTES, row_class, rows, is_dependent, stream);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_tasks_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, uint64_t products,
                          int is_dependent, void *stream)
{
    using namespace spmmi;
    if (rows <= spgemm::BLOCK_ROWS_MAX)
        return products <= UINT32_MAX
                   ? spgemm::launch_blocks<uint32_t>(w, row_class, rows, is_dependent != 0, stream)
                   : spgemm::launch_blocks<unsigned long long>(w, row_class, rows, is_dependent != 0, stream);
    return launch_kernel(spgemm::tasks_kernel, spgemm::blocks_of(rows, spgemm::ROW_WARPS),
                         spgemm::ROW_THREADS, 0, stream, is_dependent != 0, *w, row_class, rows);
}
