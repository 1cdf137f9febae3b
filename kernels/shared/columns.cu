// SPDX-License-Identifier: Apache-2.0
// Copies columns that may begin at any address. A thread makes each 16-byte word of the destination from two
// words of the source. All words begin at multiples of 16 bytes, and the shift is the same throughout a
// column.
#include <algorithm>
#include <cuda_runtime.h>
#include <stdint.h>

#include "convert.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/shifted.cuh"

namespace {

constexpr int THREADS = 256, WORDS = 2; // per thread
constexpr int64_t COLUMNS_MAX = 65535;  // limit of a grid's y

// Reads whole words of the source if they are within src .. end, else single values. The first word of a
// column of dst may begin in front of the column: values outside the column are not stored. The previous
// kernel may write either matrix, so there is no __restrict__ (launch.cuh).
template <typename T>
__global__ void __launch_bounds__(THREADS)
    columns_move(int64_t rows, const T *src, int64_t lds, T *dst, int64_t ldd)
{
    constexpr int WIDE = 16 / sizeof(T);
    const T *end = src + (gridDim.y - 1) * lds + rows;
    const T *from = src + blockIdx.y * lds;
    T *to = dst + blockIdx.y * ldd;
    const int64_t before = (int64_t)(reinterpret_cast<uintptr_t>(to) % 16 / sizeof(T));
    const uint32_t shift = (uint32_t)(reinterpret_cast<uintptr_t>(from - before) % 16);
    spmmi::TwoWords words[WORDS];
    bool is_whole[WORDS];
    spmmi::release_dependents();
    spmmi::wait_for_previous();
#pragma unroll
    for (int i = 0; i < WORDS; i++) { // all loads are issued before the first result is used
        const int64_t row = ((int64_t)(blockIdx.x * WORDS + i) * THREADS + threadIdx.x) * WIDE - before;
        const T *first = from + row - shift / sizeof(T);
        is_whole[i] = row >= 0 && row + WIDE <= rows && first >= src && first + 2 * WIDE <= end;
        if (is_whole[i]) {
            words[i].set(0, *reinterpret_cast<const uint4 *>(first));
            words[i].set(1, *(reinterpret_cast<const uint4 *>(first) + 1));
        }
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        const int64_t row = ((int64_t)(blockIdx.x * WORDS + i) * THREADS + threadIdx.x) * WIDE - before;
        if (is_whole[i])
            *reinterpret_cast<uint4 *>(to + row) = words[i].shifted(shift);
        else
            for (int e = 0; e < WIDE; e++)
                if (row + e >= 0 && row + e < rows)
                    to[row + e] = from[row + e];
    }
}

template <typename T>
int move(int64_t rows, int64_t n, const void *src, int64_t lds, void *dst, int64_t ldd, void *stream,
         bool is_dependent)
{
    const int64_t block = THREADS * WORDS * 16 / (int64_t)sizeof(T), wide = 16 / (int64_t)sizeof(T);
    const auto blocks = (unsigned)((rows + wide - 1 + block - 1) / block);
    cudaError_t error = cudaSuccess;
    for (int64_t first = 0; first < n && error == cudaSuccess; first += COLUMNS_MAX)
        error = spmmi::launch_kernel(columns_move<T>,
                                     dim3(blocks, (unsigned)std::min(n - first, COLUMNS_MAX)), THREADS, 0,
                                     stream, is_dependent, rows, static_cast<const T *>(src) + first * lds,
                                     lds, static_cast<T *>(dst) + first * ldd, ldd);
    return (int)error;
}

} // namespace

extern "C" int spmmi_columns_copy_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds,
                                       void *dst, int64_t ldd, void *cuda_stream, int is_dependent)
{
    if (rows == 0 || n == 0)
        return cudaSuccess;
    const bool waits = is_dependent != 0;
    return dtype == 1   ? move<uint32_t>(rows, n, src, lds, dst, ldd, cuda_stream, waits)
           : dtype == 2 ? move<uint64_t>(rows, n, src, lds, dst, ldd, cuda_stream, waits)
                        : move<uint16_t>(rows, n, src, lds, dst, ldd, cuda_stream, waits);
}
