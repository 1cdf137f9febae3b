// SPDX-License-Identifier: Apache-2.0
// Copies columns to where they are aligned to 16 bytes. A thread makes words of 16 bytes from two words of the source,
// which begin at multiples of 16 bytes, too; how far they are shifted is the same in all of a column.
#include <cuda_runtime.h>
#include <stdint.h>

#include "convert.h"
#include "kernels/shared/launch.cuh"
#include "kernels/shared/shifted.cuh"

namespace {

constexpr int THREADS = 256, WORDS = 2; // of a thread

// Words of the source that lie in src .. end are read; where one does not, values are.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    columns_align(int64_t rows, const T *__restrict__ src, int64_t lds, T *__restrict__ dst, int64_t ldd)
{
    constexpr int WIDE = 16 / sizeof(T);
    const T *end = src + (gridDim.y - 1) * lds + rows;
    const T *from = src + blockIdx.y * lds;
    T *to = dst + blockIdx.y * ldd;
    const uint32_t shift = (uint32_t)(reinterpret_cast<uintptr_t>(from) % 16);
    spmmi::TwoWords words[WORDS];
    bool is_whole[WORDS];
    spmmi::release_dependents();
#pragma unroll
    for (int i = 0; i < WORDS; i++) { // all loads are under way before the first is used
        const int64_t row = ((int64_t)(blockIdx.x * WORDS + i) * THREADS + threadIdx.x) * WIDE;
        const T *first = from + row - shift / sizeof(T);
        is_whole[i] = row + WIDE <= rows && first >= src && first + 2 * WIDE <= end;
        if (is_whole[i]) {
            words[i].set(0, __ldg(reinterpret_cast<const uint4 *>(first)));
            words[i].set(1, __ldg(reinterpret_cast<const uint4 *>(first) + 1));
        }
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        const int64_t row = ((int64_t)(blockIdx.x * WORDS + i) * THREADS + threadIdx.x) * WIDE;
        if (is_whole[i])
            *reinterpret_cast<uint4 *>(to + row) = words[i].shifted(shift);
        else
            for (int e = 0; e < WIDE && row + e < rows; e++)
                to[row + e] = from[row + e];
    }
}

template <typename T>
int align(int64_t rows, int64_t n, const void *src, int64_t lds, void *dst, int64_t ldd, void *stream)
{
    const int64_t block = THREADS * WORDS * 16 / (int64_t)sizeof(T);
    return (int)spmmi::launch_kernel(
        columns_align<T>, dim3((unsigned)((rows + block - 1) / block), (unsigned)n), THREADS, 0, stream,
        false, rows, static_cast<const T *>(src), lds, static_cast<T *>(dst), ldd);
}

} // namespace

extern "C" int spmmi_columns_align_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds,
                                        void *dst, int64_t ldd, void *cuda_stream)
{
    if (rows == 0 || n == 0)
        return cudaSuccess;
    return dtype == 1   ? align<uint32_t>(rows, n, src, lds, dst, ldd, cuda_stream)
           : dtype == 2 ? align<uint64_t>(rows, n, src, lds, dst, ldd, cuda_stream)
                        : align<uint16_t>(rows, n, src, lds, dst, ldd, cuda_stream);
}
