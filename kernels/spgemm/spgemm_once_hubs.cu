// SPDX-License-Identifier: Apache-2.0
// Products without a plan: finds hubs, the columns of B with many entries. Only an entry of C in a hub can be
// long: see spgemm_once_lists.cu.
//
// counts    a block collects the columns that it meets in a table in shared memory, because hubs are met
//           everywhere
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

constexpr uint32_t KEPT = 1024, COUNT_TURNS = 16, COUNT_TOGETHER = 4;
constexpr uint32_t COUNTED = ROW_THREADS * COUNT_TURNS; // entries of a block

// Counts the entries of each column. A column has the slot of its number; if another column occupies that
// slot, the count goes to global memory at once.
__global__ void __launch_bounds__(ROW_THREADS) count_columns(const __grid_constant__ spmmi_once_work w)
{
    __shared__ int32_t keys[KEPT];
    __shared__ uint32_t counts[KEPT];
    for (uint32_t s = threadIdx.x; s < KEPT; s += ROW_THREADS) {
        keys[s] = NO_COLUMN;
        counts[s] = 0;
    }
    __syncthreads();
    const int64_t first = (int64_t)blockIdx.x * COUNTED + threadIdx.x;
    for (uint32_t turn = 0; turn < COUNT_TURNS; turn += COUNT_TOGETHER) {
        int32_t columns[COUNT_TOGETHER];
#pragma unroll
        for (uint32_t i = 0; i < COUNT_TOGETHER; i++) {
            const int64_t q = first + (turn + i) * ROW_THREADS;
            columns[i] = q < w.b.nnz ? w.b.columns[q] : NO_COLUMN;
        }
#pragma unroll
        for (uint32_t i = 0; i < COUNT_TOGETHER; i++) {
            const int32_t column = columns[i];
            if (column == NO_COLUMN)
                continue;
            const uint32_t slot = (uint32_t)column % KEPT;
            int32_t before = *const_cast<volatile int32_t *>(keys + slot);
            if (before == NO_COLUMN)
                before = atomicCAS(keys + slot, NO_COLUMN, column);
            atomicAdd(before == NO_COLUMN || before == column ? counts + slot : w.long_lists.numbers + column,
                      1u);
        }
    }
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < KEPT; s += ROW_THREADS)
        if (counts[s] > 0)
            atomicAdd(w.long_lists.numbers + keys[s], counts[s]);
}

// Numbers the hubs, in any order.
__global__ void __launch_bounds__(ROW_THREADS) number_hubs(const __grid_constant__ spmmi_once_work w)
{
    const int64_t j = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    if (j >= w.b.cols)
        return;
    uint32_t number = SPMMI_ONCE_NO_HUB;
    if (w.long_lists.numbers[j] > SPMMI_ONCE_HUB) {
        number = atomicAdd(&w.counts->hubs, 1u);
        w.long_lists.hubs[number] = (int32_t)j;
    }
    w.long_lists.numbers[j] = number;
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_find_hubs_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    const int error = launch_kernel(spgemm::count_columns, spgemm::blocks_of(w->b.nnz, spgemm::COUNTED),
                                    spgemm::ROW_THREADS, 0, stream, false, *w);
    return error != cudaSuccess
               ? error
               : launch_kernel(spgemm::number_hubs, spgemm::blocks_of(w->b.cols, spgemm::ROW_THREADS),
                               spgemm::ROW_THREADS, 0, stream, false, *w);
}
