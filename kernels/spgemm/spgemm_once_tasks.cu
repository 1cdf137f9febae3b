// SPDX-License-Identifier: Apache-2.0
// Products without a plan: tasks of the rows that are not of tables; the tasks of 32 pieces are written together.
//
// many rows   a warp takes a row; where it is cut in k, 512 entries of A are loaded together
// few rows    a block takes a row; where it is cut in k, its threads add up the products of chunks of entries, whose
//             sums are in shared memory, and one warp finds the ends of pieces by bisection
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

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
        Pieces pieces = {{row, 0, 0, 0, SPMMI_ONCE_WHOLE}, 0, 0, ranges, entries, SPMMI_ONCE_WHOLE};
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
    if (at >= rows)
        return;
    const TaskRow r(w, row_class, at);
    r.write(w, [&](Pieces &pieces) { cut_row(w, r.length, r.piece, pieces); });
}

// Products of the entries of a row up to the end of each chunk.
struct ChunkSums {
    unsigned long long *to; // CHUNKS of them
    uint32_t each;          // entries of a chunk
};

// By all threads of a block.
template <unsigned THREADS, uint32_t CHUNKS>
__device__ __forceinline__ void sum_chunks(const spmmi_once_work &w, const TaskRow &r, const ChunkSums &sums,
                                           unsigned long long *shared)
{
    constexpr uint32_t OWN = CHUNKS / THREADS, TURN = 8;
    const int64_t begin = row_begin(w.a, r.row);
    unsigned long long own = 0, total;
    for (uint32_t i = threadIdx.x; i < CHUNKS; i += THREADS)
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
                atomicAdd(sums.to + (e + i * THREADS) / sums.each, (unsigned long long)products[i]);
    }
    __syncthreads();
    for (uint32_t i = 0; i < OWN; i++)
        own += sums.to[threadIdx.x * OWN + i];
    own = sum_before(own, shared, &total);
    for (uint32_t i = 0; i < OWN; i++)
        sums.to[threadIdx.x * OWN + i] = own += sums.to[threadIdx.x * OWN + i];
    __syncthreads();
}

// The entry that brings the products of the row to `wanted`, which is the sum up to it afterwards; length: none does.
template <uint32_t CHUNKS>
__device__ __forceinline__ uint32_t find_entry(const spmmi_once_work &w, const TaskRow &r,
                                               const ChunkSums &sums, unsigned long long *wanted)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t low = 0, count = CHUNKS; // chunks before low end below wanted
    while (count > 0) {               // 31 probes leave a 32nd of them
        const uint32_t step = count / 32 + 1, probe = low + (lane + 1) * step - 1;
        const bool is_below = probe < low + count && sums.to[probe] < *wanted;
        const uint32_t below = (uint32_t)__popc(__ballot_sync(EVERY_LANE, is_below));
        const uint32_t skipped = min(below * step, count);
        low += skipped;
        count = min(step - 1, count - skipped);
    }
    if (low >= CHUNKS)
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

// A block takes a row of the list.
template <unsigned THREADS, uint32_t CHUNKS>
__global__ void __launch_bounds__(THREADS)
    block_tasks_kernel(const __grid_constant__ spmmi_once_work w, int row_class)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    __shared__ unsigned long long shared[THREADS / 32];
    const TaskRow r(w, row_class, blockIdx.x);
    const ChunkSums sums = {reinterpret_cast<unsigned long long *>(shared_memory), r.length / CHUNKS + 1};
    if (r.room.pieces > 1)
        sum_chunks<THREADS, CHUNKS>(w, r, sums, shared);
    if (threadIdx.x >= 32)
        return;
    r.write(w, [&](Pieces &pieces) {
        unsigned long long wanted = r.piece;
        uint32_t begin = 0;
        for (;;) {
            const uint32_t last = find_entry<CHUNKS>(w, r, sums, &wanted);
            if (last >= r.length)
                break;
            pieces.add(w, begin, last + 1);
            begin = last + 1;
            wanted += r.piece;
        }
        if (begin < r.length)
            pieces.add(w, begin, r.length);
    });
}

constexpr uint32_t BLOCK_ROWS_MAX =
    132 * 8; // rows that have a block each; more keep an H200 busy, a warp each

template <unsigned THREADS, uint32_t CHUNKS>
int launch_block_tasks(const spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    constexpr uint32_t bytes = CHUNKS * sizeof(unsigned long long);
    const cudaError_t error = allow_shared(block_tasks_kernel<THREADS, CHUNKS>, bytes, bytes);
    if (error != cudaSuccess)
        return error;
    return launch_kernel(block_tasks_kernel<THREADS, CHUNKS>, dim3(rows), THREADS, bytes, stream, false, *w,
                         row_class);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_tasks_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    using namespace spmmi;
    if (rows <= spgemm::BLOCK_ROWS_MAX)
        return row_class == SPMMI_ONCE_GIANT
                   ? spgemm::launch_block_tasks<1024, 8192>(w, row_class, rows, stream)
                   : spgemm::launch_block_tasks<256, 2048>(w, row_class, rows, stream);
    return launch_kernel(spgemm::tasks_kernel, spgemm::blocks_of(rows, spgemm::ROW_WARPS),
                         spgemm::ROW_THREADS, 0, stream, false, *w, row_class, rows);
}
