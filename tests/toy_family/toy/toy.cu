// SPDX-License-Identifier: Apache-2.0
// The toy family on a GPU: one thread per element of C adds the products of its row in the order of the
// nonzeros.
#include <cuda_runtime.h>

#include "toy_kernel.h"

namespace {

constexpr unsigned THREADS = 256;

template <typename T> __global__ void toy_kernel(const spmmi_toy_launch a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, row = i / a.n, j = i % a.n;
    if (row >= a.rows)
        return;
    const T *b = static_cast<const T *>(a.b) + j * a.b_column_step;
    T *c = static_cast<T *>(a.c) + row * a.c_row_step + j * a.c_column_step;
    T sum = 0;
    for (int64_t q = a.row_ptr[row]; q < a.row_ptr[row + 1] && a.alpha != 0; q++)
        sum += static_cast<const T *>(a.values)[a.map ? a.map[q] : q] * b[a.col_ind[q] * a.b_row_step];
    *c = (T)a.alpha * sum + (a.beta != 0 ? (T)a.beta * *c : (T)0);
}

} // namespace

int spmmi_toy_cuda_launch(const spmmi_toy_launch *args, void *stream)
{
    const int64_t blocks = (args->rows * args->n + THREADS - 1) / THREADS;
    const auto kernel = args->is_f64 ? toy_kernel<double> : toy_kernel<float>;
    kernel<<<(unsigned)blocks, THREADS, 0, static_cast<cudaStream_t>(stream)>>>(*args);
    return (int)cudaGetLastError();
}
