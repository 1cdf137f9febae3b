// SPDX-License-Identifier: Apache-2.0
// Products without a plan: tasks of the rows that are not of tables. A warp takes a row; where it is cut in k, 512
// entries of A are loaded together, and the tasks of 32 pieces are written together.
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

} // namespace spgemm
} // namespace spmmi

int spmmi_once_tasks_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::tasks_kernel, spgemm::blocks_of(rows, spgemm::ROW_WARPS),
                         spgemm::ROW_THREADS, 0, stream, false, *w, row_class, rows);
}
