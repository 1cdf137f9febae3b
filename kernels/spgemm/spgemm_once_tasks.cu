// SPDX-License-Identifier: Apache-2.0
// Products without a plan: tasks of the rows that are not of tables; the tasks of 32 pieces are written together.
//
// many rows   a warp takes a row; where it is cut in k, 512 entries of A are loaded together
// few rows    a block takes a row; where it is cut in k, its threads add up the products of its entries, whose sums are
//             in shared memory, and find for each where a piece ends that begins with it; one warp follows these. Of
//             longer rows the sums of chunks of entries are there, and the warp finds the ends by bisection
// overlap     these run beside each other and beside the kernels that find columns: neither may read what the other
//             writes
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

// Pieces of a row: a lane holds one of up to 32 until their tasks are written together. Called by all lanes of a warp.
struct Pieces {
    spmmi_once_task task; // of this lane
    uint32_t held, count; // count: written
    uint32_t ranges, entries;
    bool is_of_warps;
    uint64_t partial;

    // Room for so many tasks, by one lane.
    __device__ __forceinline__ uint64_t take(const spmmi_once_work &w, unsigned long long tasks) const
    {
        return is_of_warps ? w.tasks_room - tasks - atomicAdd(&w.counts->warp_taken, tasks)
                           : atomicAdd(&w.counts->tasks_taken, tasks);
    }

    __device__ __forceinline__ void write(const spmmi_once_work &w)
    {
        const uint32_t lane = threadIdx.x % 32;
        const bool is_there = lane < held, is_long = is_there && task.end - task.begin > w.stretch;
        const unsigned others = __ballot_sync(EVERY_LANE, is_there && !is_long);
        unsigned long long base = 0;
        if (lane == 0)
            base = take(w, (unsigned long long)__popc(others) * ranges);
        base = __shfl_sync(EVERY_LANE, base, 0);
        if (is_there && partial != SPMMI_ONCE_WHOLE)
            task.partial = partial + (uint64_t)(count + lane) * entries;
        spmmi_once_task *to = w.tasks + base + (uint64_t)__popc(others & ((1u << lane) - 1)) * ranges;
        if (is_long)
            to = w.long_tasks + atomicAdd(&w.counts->long_taken, (unsigned long long)ranges);
        for (uint32_t r = 0; is_there && r < ranges; r++) {
            task.range = r;
            to[r] = task;
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

// A row of the list.
struct TaskRow {
    uint32_t row, entries, length;
    unsigned long long piece;
    Room room;

    __device__ __forceinline__ TaskRow(const spmmi_once_work &w, int row_class, uint32_t at)
        : row(w.list[row_class][at]), entries(w.entries[row]),
          length((uint32_t)(row_begin(w.a, (int64_t)row + 1) - row_begin(w.a, row))),
          piece(piece_of(w, entries)), room(room_of(w.products[row], entries, piece))
    {
    }

    // By a warp: cut(pieces) adds all pieces of the row, if it is cut.
    template <typename Cut> __device__ __forceinline__ void write(const spmmi_once_work &w, Cut cut) const
    {
        const uint32_t ranges = (entries + SPMMI_ONCE_RANGE - 1) / SPMMI_ONCE_RANGE;
        Pieces pieces = {{row, 0, 0, 0, SPMMI_ONCE_WHOLE},
                         0,
                         0,
                         ranges,
                         entries,
                         has_warp_tasks(room, entries),
                         SPMMI_ONCE_WHOLE};
        if (room.pieces == 1) {
            pieces.add(w, 0, length);
            pieces.write(w);
            return;
        }
        unsigned long long partial = 0;
        if (threadIdx.x % 32 == 0)
            partial = atomicAdd(&w.counts->partials_taken, room.partials);
        pieces.partial = partial = __shfl_sync(EVERY_LANE, partial, 0);
        cut(pieces);
        pieces.write(w);
        if (threadIdx.x % 32 == 0)
            w.cuts[atomicSub(&w.counts->cuts, 1u) - 1] = {partial, row, pieces.count};
    }
};

// A warp takes a row of the list.
__global__ void __launch_bounds__(ROW_THREADS)
    tasks_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    const uint32_t at = blockIdx.x * ROW_WARPS + threadIdx.x / 32;
    release_dependents();
    if (at < rows) {
        const TaskRow r(w, row_class, at);
        r.write(w, [&](Pieces &pieces) { cut_row(w, r.length, r.piece, pieces); });
    }
    end_after_previous();
}

// Products of the entries of a row up to the end of each chunk; of each entry where there is room for that.
template <typename Sum> struct ChunkSums {
    Sum *to;
    uint16_t *jumps;      // of each entry, where chunks are single entries: see make_jumps
    uint32_t count, each; // each: entries of a chunk
};

constexpr uint32_t JUMP_MAX = UINT16_MAX; // entries and one

// By all threads of a block.
template <unsigned THREADS, typename Sum>
__device__ __forceinline__ void sum_chunks(const spmmi_once_work &w, const TaskRow &r,
                                           const ChunkSums<Sum> &sums, Sum *shared)
{
    constexpr uint32_t TURN = 8;
    const int64_t begin = row_begin(w.a, r.row);
    for (uint32_t i = threadIdx.x; i < sums.count; i += THREADS)
        sums.to[i] = 0;
    __syncthreads();
    for (uint32_t e = threadIdx.x; e < r.length; e += TURN * THREADS) {
        uint32_t products[TURN];
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++)
            products[i] =
                load_factor<float, false>(w, begin + e + i * THREADS, e + i * THREADS < r.length).length;
#pragma unroll
        for (uint32_t i = 0; i < TURN; i++)
            if (e + i * THREADS < r.length)
                atomicAdd(sums.to + (e + i * THREADS) / sums.each, (Sum)products[i]);
    }
    __syncthreads();
    const uint32_t share = (sums.count + THREADS - 1) / THREADS | 1, // odd: threads meet other banks
        first = min(threadIdx.x * share, sums.count), end = min(first + share, sums.count);
    Sum own = 0, total;
    for (uint32_t i = first; i < end; i++)
        own += sums.to[i];
    own = sum_before(own, shared, &total);
    for (uint32_t i = first; i < end; i++)
        sums.to[i] = own += sums.to[i];
    __syncthreads();
}

// The entry from `from` on that brings the products of the row to `wanted`, which is the sum up to it afterwards;
// length: none does. Those up to `from` are less than wanted. step: distance of the first 32 probes.
template <typename Sum>
__device__ __forceinline__ uint32_t find_entry(const spmmi_once_work &w, const TaskRow &r,
                                               const ChunkSums<Sum> &sums, uint32_t from, uint32_t step,
                                               unsigned long long *wanted)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t low = from / sums.each, count = sums.count - low; // chunks before low end below wanted
    while (count > 0) {
        const uint32_t probe = low + (lane + 1) * step - 1;
        const bool is_below = probe < low + count && sums.to[probe] < *wanted;
        const uint32_t below = (uint32_t)__popc(__ballot_sync(EVERY_LANE, is_below));
        const uint32_t skipped = min(below * step, count);
        low += skipped;
        count = below == 32 ? count - skipped : min(step - 1, count - skipped);
        step = count / 32 + 1; // of 31 probes at most one in 32 chunks is left
    }
    if (low >= sums.count)
        return r.length;
    unsigned long long so_far = low > 0 ? sums.to[low - 1] : 0;
    const int64_t begin = row_begin(w.a, r.row);
    const uint32_t first = low * sums.each, end = min(first + sums.each, r.length);
    for (uint32_t e = first; e < end; e += 32) {
        unsigned long long sum = load_factor<float, false>(w, begin + e + lane, e + lane < end).length;
        for (unsigned d = 1; d < 32; d *= 2) {
            const unsigned long long other = __shfl_up_sync(EVERY_LANE, sum, d);
            sum += lane >= d ? other : 0;
        }
        sum += so_far;
        const unsigned reached = __ballot_sync(EVERY_LANE, sum >= *wanted);
        if (reached != 0) {
            const int last = __ffs((int)reached) - 1;
            *wanted = __shfl_sync(EVERY_LANE, sum, last);
            return e + (uint32_t)last;
        }
        so_far = __shfl_sync(EVERY_LANE, sum, 31);
    }
    return r.length; // not reached: the chunk has the products
}

// The pieces that cut_row makes, by the sums of the row.
template <typename Sum>
__device__ __forceinline__ void cut_by_sums(const spmmi_once_work &w, const TaskRow &r,
                                            const ChunkSums<Sum> &sums, Pieces &pieces)
{
    const uint32_t pieces_max = (uint32_t)min(r.room.pieces, (unsigned long long)sums.count),
                   step = sums.count / pieces_max / 16 + 1; // half of the probes are behind the usual end
    unsigned long long wanted = r.piece;
    uint32_t begin = 0;
    for (;;) {
        const uint32_t last = find_entry(w, r, sums, begin, step, &wanted);
        if (last >= r.length)
            break;
        pieces.add(w, begin, last + 1);
        begin = last + 1;
        wanted += r.piece;
    }
    if (begin < r.length)
        pieces.add(w, begin, r.length);
}

// For each entry, if a piece begins with it, the distance to the first entry of the next piece; if it has too few
// products, to one behind the end of the row. By all threads of a block: ends ascend, so that each search begins with
// the end before it.
template <unsigned THREADS, typename Sum>
__device__ __forceinline__ void make_jumps(const ChunkSums<Sum> &sums, unsigned long long piece)
{
    const uint32_t share = (sums.count + THREADS - 1) / THREADS | 1,
                   first = min(threadIdx.x * share, sums.count), end = min(first + share, sums.count);
    uint32_t last = first;
    for (uint32_t e = first; e < end; e++) {
        const unsigned long long wanted = (e > 0 ? sums.to[e - 1] : 0) + piece;
        uint32_t count =
            1; // by longer and longer steps, then by bisection: most ends are near the one before
        for (; last + count <= sums.count && sums.to[last + count - 1] < wanted; count *= 2)
            last += count;
        for (count = min(count, sums.count - last); count > 0;) {
            const uint32_t half = count / 2, is_below = sums.to[last + half] < wanted;
            last += is_below ? half + 1 : 0;
            count = is_below ? count - half - 1 : half;
        }
        sums.jumps[e] = (uint16_t)(last + 1 - e);
    }
    __syncthreads();
}

// The pieces that cut_row makes, by the jumps.
template <typename Sum>
__device__ __forceinline__ void cut_by_jumps(const spmmi_once_work &w, const ChunkSums<Sum> &sums,
                                             Pieces &pieces)
{
    uint32_t begin = 0;
    while (begin < sums.count) {
        const uint32_t next = min(begin + sums.jumps[begin], sums.count);
        pieces.add(w, begin, next);
        begin = next;
    }
}

// A block takes a row of the list. slots: sums that its shared memory has room for.
template <unsigned THREADS, typename Sum>
__global__ void __launch_bounds__(THREADS, 2048 / THREADS)
    block_tasks_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t slots)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ Sum shared[THREADS / 32];
    release_dependents();
    const TaskRow r(w, row_class, blockIdx.x);
    const uint32_t each = (r.length + slots - 1) / slots;
    Sum *const to = reinterpret_cast<Sum *>(shared_memory);
    const ChunkSums<Sum> sums = {to, reinterpret_cast<uint16_t *>(to + slots), (r.length + each - 1) / each,
                                 each};
    if (r.room.pieces > 1)
        sum_chunks<THREADS>(w, r, sums, shared);
    if (r.room.pieces > 1 && each == 1)
        make_jumps<THREADS>(sums, r.piece);
    if (threadIdx.x < 32)
        r.write(w, [&](Pieces &pieces) {
            if (each == 1)
                cut_by_jumps(w, sums, pieces);
            else
                cut_by_sums(w, r, sums, pieces);
        });
    end_after_previous();
}

// Rows that may have a multiprocessor of an H200 each, and all its shared memory; blocks of more take so much that two
// giant ones, or eight others, run on each.
constexpr uint32_t ALONE_ROWS_MAX = 132, GIANT_BYTES = 64 * 1024, WIDE_BYTES = 16 * 1024;

template <unsigned THREADS, typename Sum>
int launch_block_tasks(const spmmi_once_work *w, uint32_t usual, int row_class, uint32_t rows,
                       bool is_dependent, void *stream)
{
    const uint32_t most = 2 * w->words_max * (uint32_t)sizeof(uint32_t), // which bitmaps may take
        room = rows <= ALONE_ROWS_MAX ? most : min(most, usual);
    const uint64_t entries = (uint64_t)min(w->a.cols, w->a.nnz); // of a row, at most
    const uint32_t of_slot = sizeof(Sum) + sizeof(uint16_t), fit = min(room / of_slot, JUMP_MAX - 1),
                   slots = (uint32_t)min((uint64_t)fit, entries), bytes = slots * of_slot;
    // Without the attribute the kernel's static shared memory counts too.
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
