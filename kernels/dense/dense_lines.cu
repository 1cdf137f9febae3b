// SPDX-License-Identifier: Apache-2.0
// Other forms of operands of dense products on tensor cores: lines of B are copied to
// scratch, values of A to blocks.
//
// lines    a thread owns 16 bytes of a line of B: one load if B is aligned to that, one to three stores
//          (spmmi_dense_lines); threads of a warp are adjacent in a line, or in several lines if lines are
//          short
// values   a thread owns a value of A
// bound    DRAM, or the L2 cache: each value of B is read once and written once per block
#include <cuda_runtime.h>

#include "dense_kernel.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/tf32.cuh"
#include "kernels/shared/vector.cuh"

namespace spmmi {

constexpr unsigned LINES_THREADS = SPMMI_DENSE_LINE_THREADS, LINES_ROWS_MAX = 32768;

// Loads 16 bytes of the line; elements past its values are zeros.
template <typename Word, int VEC>
__device__ __forceinline__ Vector<Word, VEC> load_line(const Word *line, int64_t first, int64_t values,
                                                       bool is_aligned)
{
    Vector<Word, VEC> x{};
    if (is_aligned && first + VEC <= values)
        return load_vector<Word, VEC>(line + first);
#pragma unroll
    for (int i = 0; i < VEC; i++)
        if (first + i < values)
            x.x[i] = line[first + i];
    return x;
}

// Word: an unsigned type with the bits of a value.
template <typename Word, int BLOCKS>
__global__ void __launch_bounds__(LINES_THREADS)
    lines_kernel(const spmmi_dense_lines p, uint32_t threads_log2, bool is_aligned)
{
    constexpr int VEC = 16 / sizeof(Word);
    release_dependents();
    const uint32_t threads = 1u << threads_log2; // threads per line
    const int64_t first =
        ((int64_t)blockIdx.x * threads + (threadIdx.x & (threads - 1))) * VEC; // value in the line
    if (first >= p.values)
        return;
    const int64_t step = (int64_t)gridDim.y * (LINES_THREADS / threads);
    for (int64_t line = (int64_t)blockIdx.y * (LINES_THREADS / threads) + (threadIdx.x >> threads_log2);
         line < p.lines; line += step) {
        const Word *from = static_cast<const Word *>(p.b) + line * p.ldb;
        Word *to = static_cast<Word *>(p.scratch) + line * p.pitch + first;
        const int64_t values = line < p.lines_of_b ? p.values_of_b : 0;
        const Vector<Word, VEC> x = load_line<Word, VEC>(from, first, values, is_aligned);
        if constexpr (BLOCKS == 0) {
            store_vector<Word, VEC>(to, x);
        } else {
            Vector<uint32_t, VEC> high, low;
#pragma unroll
            for (int i = 0; i < VEC; i++)
                split_tf32(__uint_as_float(x.x[i]), high.x[i], low.x[i]);
            store_vector<uint32_t, VEC>(to, high);
            if constexpr (BLOCKS > 1) {
                store_vector<uint32_t, VEC>(to + p.block_step, low);
                store_vector<uint32_t, VEC>(to + 2 * p.block_step, high);
            }
        }
    }
}

template <typename Word, int BLOCKS> int launch_lines(const spmmi_dense_lines &p)
{
    constexpr int VEC = 16 / sizeof(Word);
    const int64_t words = (p.values + VEC - 1) / VEC;
    const uint32_t threads_log2 = spmmi_dense_line_threads_log2(words);
    const int64_t lines = LINES_THREADS >> threads_log2; // lines per thread block
    const int64_t columns = (words + (1 << threads_log2) - 1) >> threads_log2;
    const int64_t rows = (p.lines + lines - 1) / lines;
    if (rows == 0 || columns == 0)
        return cudaSuccess;
    const bool is_aligned = (uintptr_t)p.b % 16 == 0 && p.ldb % VEC == 0;
    const dim3 grid((unsigned)columns, (unsigned)(rows < LINES_ROWS_MAX ? rows : LINES_ROWS_MAX));
    return launch_kernel(lines_kernel<Word, BLOCKS>, grid, LINES_THREADS, 0, p.cuda_stream, false, p,
                         threads_log2, is_aligned);
}

__global__ void __launch_bounds__(LINES_THREADS)
    split_kernel(uint32_t count, const uint32_t *map, const float *values, float *a, uint32_t room,
                 uint32_t lda, uint32_t *has_special)
{
    const uint32_t q = blockIdx.x * LINES_THREADS + threadIdx.x;
    if (q >= count || map[q] >= room)
        return;
    const uint64_t row = map[q] / lda;
    uint32_t high, low;
    split_tf32(values[q], high, low);
    const bool is_special = !isfinite(__uint_as_float(high));
    float *to = a + map[q] + row * (SPMMI_DENSE_BLOCKS - 1) * lda;
    to[0] = is_special ? values[q] : __uint_as_float(low);
    to[lda] = to[2 * (uint64_t)lda] = __uint_as_float(high);
    if (is_special)
        *has_special = 1;
}

} // namespace spmmi

int spmmi_dense_lines_cuda(const struct spmmi_dense_lines *p)
{
    if (p->blocks == 1)
        return spmmi::launch_lines<uint32_t, 1>(*p);
    return p->blocks > 1 ? spmmi::launch_lines<uint32_t, SPMMI_DENSE_BLOCKS>(*p)
                         : spmmi::launch_lines<uint16_t, 0>(*p);
}

int spmmi_dense_split_cuda(uint32_t count, const uint32_t *map, const float *values, float *a, uint32_t room,
                           uint32_t lda, uint32_t *has_special, void *cuda_stream)
{
    const unsigned blocks = (count + spmmi::LINES_THREADS - 1) / spmmi::LINES_THREADS;
    const int error =
        (int)cudaMemsetAsync(has_special, 0, sizeof *has_special, static_cast<cudaStream_t>(cuda_stream));
    if (error != cudaSuccess || blocks == 0)
        return error;
    return spmmi::launch_kernel(spmmi::split_kernel, dim3(blocks), spmmi::LINES_THREADS, 0, cuda_stream,
                                false, count, map, values, a, room, lda, has_special);
}
