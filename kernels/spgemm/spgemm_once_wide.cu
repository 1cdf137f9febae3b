// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows of C that no table holds: their columns by a bitmap over all columns.
//
// block     256 threads and a bitmap of its own in global memory, all 0 before and behind each row; takes every
//           so-manyth row of the list
// adding    a warp takes every eighth row of the right factor, its lanes set bits
// reading   256 words at a time, counted, written in ascending order, and cleared
#include "spgemm_once.cuh"

namespace spmmi {
namespace spgemm {

constexpr unsigned WIDE_THREADS = 256, WIDE_WARPS = WIDE_THREADS / 32;

__device__ __forceinline__ void set_bits(const spmmi_once_work &w, uint32_t row, uint32_t *words)
{
    const int64_t end = row_begin(w.a, (int64_t)row + 1);
    for (int64_t p = row_begin(w.a, row) + threadIdx.x / 32; p < end; p += WIDE_WARPS) {
        const int64_t k = w.a.columns[p], row_end = row_begin(w.b, k + 1);
        for (int64_t q = row_begin(w.b, k) + threadIdx.x % 32; q < row_end; q += 32) {
            const uint32_t column = (uint32_t)w.b.columns[q];
            atomicOr(words + column / 32, 1u << column % 32);
        }
    }
}

template <bool WRITES>
__global__ void __launch_bounds__(WIDE_THREADS)
    wide_kernel(const __grid_constant__ spmmi_once_work w, uint32_t rows)
{
    __shared__ uint32_t shared[WIDE_WARPS];
    uint32_t *const words = w.bitmaps + blockIdx.x * w.bitmap_words;
    for (uint32_t at = blockIdx.x; at < rows; at += gridDim.x) {
        if (WRITES && w.range[at] != 0)
            continue;
        const uint32_t row = w.list[SPMMI_ONCE_WIDE][at];
        set_bits(w, row, words);
        __syncthreads();
        int64_t so_far = WRITES ? w.c_row_ptr[row] : 0;
        for (uint64_t first = 0; first < w.bitmap_words; first += WIDE_THREADS) {
            const uint64_t word = first + threadIdx.x;
            uint32_t bits = word < w.bitmap_words ? __ldcg(words + word) : 0, total;
            if (bits != 0)
                words[word] = 0;
            int64_t to = so_far + sum_before<WIDE_WARPS>((uint32_t)__popc(bits), shared, &total);
            for (; WRITES && bits != 0; bits &= bits - 1)
                w.c_columns[to++] = (int32_t)(32 * word + (uint32_t)__ffs((int)bits) - 1);
            so_far += total;
        }
        if (!WRITES && threadIdx.x == 0)
            w.bound[row] = (uint32_t)so_far;
        __syncthreads();
    }
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_count_wide_cuda(const struct spmmi_once_work *w, uint32_t rows, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::wide_kernel<false>, dim3(w->blocks), spgemm::WIDE_THREADS, 0, stream, false,
                         *w, rows);
}

int spmmi_once_columns_wide_cuda(const struct spmmi_once_work *w, uint32_t ranges, void *stream)
{
    using namespace spmmi;
    return launch_kernel(spgemm::wide_kernel<true>, dim3(w->blocks), spgemm::WIDE_THREADS, 0, stream, false,
                         *w, ranges);
}
