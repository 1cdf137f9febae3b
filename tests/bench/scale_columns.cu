// SPDX-License-Identifier: Apache-2.0
// See sparse_cusparse.h: computes A D with one thread per nonzero, as cuSPARSE has no diagonal between
// factors.
#include "sparse_cusparse.h"

#include <cuda_runtime.h>

namespace {

constexpr int THREADS = 256;

__global__ void scale_kernel(long long count, const double *values, const int *col_ind,
                             const double *diagonal, double *to)
{
    const long long q = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (q < count)
        to[q] = values[q] * diagonal[col_ind[q]];
}

} // namespace

extern "C" int scale_columns(const double *values, const int32_t *col_ind, const double *diagonal, double *to,
                             int64_t count)
{
    const unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
    scale_kernel<<<blocks, THREADS>>>((long long)count, values, col_ind, diagonal, to);
    return cudaGetLastError() == cudaSuccess;
}
