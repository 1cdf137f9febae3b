// SPDX-License-Identifier: Apache-2.0
// Layout conversion between column-major and row-major, for n columns at a time.
//
// block    256 threads convert a tile of ROWS rows and COLUMNS columns through shared memory
// access   the column-major side moves ROWS consecutive numbers, the row-major side COLUMNS of them a row
// banks    the pitch puts the COLUMNS-fastest walk of a warp on 32 different banks
#include <cuda_runtime.h>
#include <stdint.h>

#include "executor/kernel_abi.h"

namespace {

constexpr int THREADS = 256;
constexpr int ROWS = 128;

template <typename T, int COLUMNS>
struct Tile {
    static constexpr int PITCH = ROWS + 32 / COLUMNS;
    static constexpr int STEPS = ROWS * COLUMNS / THREADS;
    T x[COLUMNS][PITCH];
};

template <typename T, int COLUMNS>
__global__ void __launch_bounds__(THREADS)
    rows_from_columns(int64_t rows, int64_t n, const T *__restrict__ src, int64_t lds, T *__restrict__ dst, int64_t ldd)
{
    __shared__ Tile<T, COLUMNS> tile;
    const int64_t row0 = (int64_t)blockIdx.x * ROWS, column0 = (int64_t)blockIdx.y * COLUMNS;
#pragma unroll
    for (int step = 0; step < tile.STEPS; step++) {
        const int index = step * THREADS + (int)threadIdx.x;
        const int64_t i = row0 + index % ROWS, j = column0 + index / ROWS;
        tile.x[index / ROWS][index % ROWS] = i < rows && j < n ? src[i + j * lds] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < tile.STEPS; step++) {
        const int index = step * THREADS + (int)threadIdx.x;
        const int64_t i = row0 + index / COLUMNS, j = column0 + index % COLUMNS;
        if (i < rows && j < ldd)
            dst[i * ldd + j] = tile.x[index % COLUMNS][index / COLUMNS];
    }
}

template <typename T, int COLUMNS>
__global__ void __launch_bounds__(THREADS)
    columns_from_rows(int64_t rows, int64_t n, const T *__restrict__ src, int64_t lds, T *__restrict__ dst, int64_t ldd,
                      T beta)
{
    __shared__ Tile<T, COLUMNS> tile;
    const int64_t row0 = (int64_t)blockIdx.x * ROWS, column0 = (int64_t)blockIdx.y * COLUMNS;
#pragma unroll
    for (int step = 0; step < tile.STEPS; step++) {
        const int index = step * THREADS + (int)threadIdx.x;
        const int64_t i = row0 + index / COLUMNS, j = column0 + index % COLUMNS;
        if (i < rows && j < n)
            tile.x[index % COLUMNS][index / COLUMNS] = src[i * lds + j];
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < tile.STEPS; step++) {
        const int index = step * THREADS + (int)threadIdx.x;
        const int64_t i = row0 + index % ROWS, j = column0 + index / ROWS;
        if (i < rows && j < n) {
            T *out = dst + i + j * ldd;
            const T value = tile.x[index / ROWS][index % ROWS];
            *out = beta != T(0) ? fma(beta, *out, value) : value;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    gather(uint32_t count, const uint32_t *__restrict__ map, const T *__restrict__ in, T *__restrict__ out)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = in[map[i]];
}

template <int COLUMNS>
dim3 tiles(int64_t rows, int64_t width)
{
    return dim3((unsigned)((rows + ROWS - 1) / ROWS), (unsigned)((width + COLUMNS - 1) / COLUMNS));
}

template <typename T, int COLUMNS>
int to_rows(int64_t rows, int64_t n, const void *src, int64_t lds, void *dst, int64_t ldd, void *stream)
{
    rows_from_columns<T, COLUMNS><<<tiles<COLUMNS>(rows, ldd), THREADS, 0, static_cast<cudaStream_t>(stream)>>>(
        rows, n, static_cast<const T *>(src), lds, static_cast<T *>(dst), ldd);
    return cudaGetLastError();
}

template <typename T, int COLUMNS>
int to_columns(int64_t rows, int64_t n, const void *src, int64_t lds, void *dst, int64_t ldd, double beta, void *stream)
{
    columns_from_rows<T, COLUMNS><<<tiles<COLUMNS>(rows, n), THREADS, 0, static_cast<cudaStream_t>(stream)>>>(
        rows, n, static_cast<const T *>(src), lds, static_cast<T *>(dst), ldd, static_cast<T>(beta));
    return cudaGetLastError();
}

}  // namespace

// Narrow matrices take narrow tiles, so that no thread idles on columns that do not exist.
#define FOR_WIDTH(width, call)                                                                      \
    ((width) <= 4    ? call<T, 4>                                                                   \
     : (width) <= 8  ? call<T, 8>                                                                   \
     : (width) <= 16 ? call<T, 16>                                                                  \
                     : call<T, 32>)

extern "C" int spmmi_rows_from_columns_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                                            int64_t ldd, void *cuda_stream)
{
    if (rows == 0 || ldd == 0)
        return cudaSuccess;
    if (dtype == 1) {
        using T = float;
        return FOR_WIDTH(ldd, to_rows)(rows, n, src, lds, dst, ldd, cuda_stream);
    }
    using T = double;
    return FOR_WIDTH(ldd, to_rows)(rows, n, src, lds, dst, ldd, cuda_stream);
}

extern "C" int spmmi_columns_from_rows_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                                            int64_t ldd, double beta, void *cuda_stream)
{
    if (rows == 0 || n == 0)
        return cudaSuccess;
    if (dtype == 1) {
        using T = float;
        return FOR_WIDTH(n, to_columns)(rows, n, src, lds, dst, ldd, beta, cuda_stream);
    }
    using T = double;
    return FOR_WIDTH(n, to_columns)(rows, n, src, lds, dst, ldd, beta, cuda_stream);
}

extern "C" int spmmi_gather_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                                 void *cuda_stream)
{
    if (count == 0)
        return cudaSuccess;
    const unsigned blocks = (count + THREADS - 1) / THREADS;
    const cudaStream_t stream = static_cast<cudaStream_t>(cuda_stream);
    if (dtype == 1)
        gather<<<blocks, THREADS, 0, stream>>>(count, map, static_cast<const float *>(in), static_cast<float *>(out));
    else
        gather<<<blocks, THREADS, 0, stream>>>(count, map, static_cast<const double *>(in), static_cast<double *>(out));
    return cudaGetLastError();
}
