// SPDX-License-Identifier: Apache-2.0
// Products without a plan: columns of B of more entries than a stretch of products has, which alone may have long
// entries of C.
//
// counts    a thread takes an entry of B; a column that is known to be long is not counted on, as all would wait for
//           one counter
#include "spgemm_once_bitmap.cuh"
#include "spgemm_once_rows.cuh"

namespace spmmi {
namespace spgemm {

__global__ void __launch_bounds__(ROW_THREADS) count_column_entries(const __grid_constant__ spmmi_once_work w)
{
    const int64_t p = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    if (p >= w.b.nnz)
        return;
    uint32_t *const entries = w.column_entries + w.b.columns[p];
    if (read_word(entries) <= w.stretch)
        atomicAdd(entries, 1u);
}

// Their order does not count.
__global__ void __launch_bounds__(ROW_THREADS) list_long_columns(const __grid_constant__ spmmi_once_work w)
{
    const int64_t j = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
    if (j < w.b.cols && w.column_entries[j] > w.stretch)
        w.long_columns[atomicAdd(&w.counts->long_columns, 1u)] = (int32_t)j;
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_long_columns_cuda(const struct spmmi_once_work *w, void *stream)
{
    using namespace spmmi;
    const int error =
        launch_kernel(spgemm::count_column_entries, spgemm::blocks_of(w->b.nnz, spgemm::ROW_THREADS),
                      spgemm::ROW_THREADS, 0, stream, false, *w);
    return error != cudaSuccess
               ? error
               : launch_kernel(spgemm::list_long_columns, spgemm::blocks_of(w->b.cols, spgemm::ROW_THREADS),
                               spgemm::ROW_THREADS, 0, stream, false, *w);
}
