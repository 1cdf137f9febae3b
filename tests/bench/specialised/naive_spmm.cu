// SPDX-License-Identifier: Apache-2.0
// See naive_spmm.h: Algorithm 1 of the paper in the blocks of its Algorithm 2. There, the first thread index
// is the row of C, so that the accesses of a warp have the stride of a row. The other order is the common
// one.
#include "naive_spmm.h"

#include <cuda_runtime.h>

namespace {

constexpr int SIDE = 16;

template <typename T, bool COALESCED> __global__ void multiply(naive_product p)
{
    const int x = (int)(blockIdx.x * SIDE + threadIdx.x), y = (int)(blockIdx.y * SIDE + threadIdx.y);
    const int row = COALESCED ? y : x, column = COALESCED ? x : y;
    if (row >= p.rows || column >= p.n)
        return;
    const T *values = static_cast<const T *>(p.values), *b = static_cast<const T *>(p.b);
    T sum = 0;
    for (int at = p.row_ptr[row]; at < p.row_ptr[row + 1]; at++)
        sum += values[at] * b[p.col_ind[at] * p.ldb + column];
    static_cast<T *>(p.c)[row * p.ldc + column] = sum;
}

unsigned blocks_for(int threads)
{
    return (unsigned)((threads + SIDE - 1) / SIDE);
}

template <typename T> void launch(const naive_product &p)
{
    const dim3 block(SIDE, SIDE);
    const unsigned rows = blocks_for(p.rows), columns = blocks_for(p.n);
    if (p.is_coalesced)
        multiply<T, true><<<dim3(columns, rows), block>>>(p);
    else
        multiply<T, false><<<dim3(rows, columns), block>>>(p);
}

} // namespace

const char *naive_spmm(const struct naive_product *product)
{
    if (product->is_double)
        launch<double>(*product);
    else
        launch<float>(*product);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
