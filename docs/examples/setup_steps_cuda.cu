// SPDX-License-Identifier: Apache-2.0
// See setup_steps.h. Thread blocks have 256 threads. Steps on rows: one warp per row, each lane takes every 32nd entry;
// sums are added in pairs of lanes, as in setup_steps_cpu.c. gather: one thread per value.
#include "setup_steps.h"

#include <cuda_runtime.h>

namespace {

constexpr int THREADS = 256, WARP = SETUP_STEPS_LANES;
constexpr unsigned long long NOT_A_NUMBER = 0x7ff8000000000000ull;

// Positive doubles compare like their bits, and NaN is above all of them.
__global__ void diagonal_kernel(int rows, const int *row_ptr, const int *col_ind, const double *values,
                                double *inverse, unsigned long long *bound)
{
    const int row = (int)((blockIdx.x * THREADS + threadIdx.x) / WARP), lane = (int)threadIdx.x % WARP;
    if (row >= rows)
        return;
    double sum = 0, diagonal = 0;
    for (int p = row_ptr[row] + lane; p < row_ptr[row + 1]; p += WARP) {
        sum += fabs(values[p]);
        diagonal = col_ind[p] == row ? values[p] : diagonal;
    }
    for (int half = WARP / 2; half > 0; half /= 2) {
        sum += __shfl_down_sync(~0u, sum, half);
        diagonal += __shfl_down_sync(~0u, diagonal, half); // one lane has the value, the others have 0
    }
    if (lane > 0)
        return;
    inverse[row] = 1 / diagonal;
    const unsigned long long bits =
        diagonal > 0 ? (unsigned long long)__double_as_longlong(sum / diagonal) : NOT_A_NUMBER;
    // Most rows find that the bound is already larger, and skip the atomic operation on this one number.
    if (bits > *(volatile unsigned long long *)bound)
        atomicMax(bound, bits);
}

// Products and sums are rounded separately, as on the CPU.
__global__ void smooth_kernel(int rows, const int *row_ptr, const int *col_ind, const int *t_columns,
                              const double *inverse, const double *bound, double *values)
{
    const int row = (int)((blockIdx.x * THREADS + threadIdx.x) / WARP), lane = (int)threadIdx.x % WARP;
    if (row >= rows)
        return;
    const double factor = __dmul_rn(3 / *bound, inverse[row]);
    for (int q = row_ptr[row] + lane; q < row_ptr[row + 1]; q += WARP)
        values[q] = __dsub_rn(col_ind[q] == t_columns[row] ? 1.0 : 0.0, __dmul_rn(factor, values[q]));
}

__global__ void gather_kernel(long long count, const double *values, const int *from, double *to)
{
    const long long q = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (q < count)
        to[q] = values[from[q]];
}

// A grid without blocks would be an error.
unsigned blocks_for(int64_t threads)
{
    return (unsigned)(threads > 0 ? (threads + THREADS - 1) / THREADS : 1);
}

int diagonal_of(const spmm_csr_t *a, double *inverse, double *bound)
{
    if (cudaMemsetAsync(bound, 0, sizeof *bound, nullptr) != cudaSuccess)
        return 0;
    diagonal_kernel<<<blocks_for(a->rows * WARP), THREADS>>>(
        (int)a->rows, (const int *)a->row_ptr, (const int *)a->col_ind, (const double *)a->values, inverse,
        (unsigned long long *)bound);
    return cudaGetLastError() == cudaSuccess;
}

int smooth(const spmm_csr_t *p, const int32_t *t_columns, const double *inverse, const double *bound,
           double *values)
{
    smooth_kernel<<<blocks_for(p->rows * WARP), THREADS>>>(
        (int)p->rows, (const int *)p->row_ptr, (const int *)p->col_ind, t_columns, inverse, bound, values);
    return cudaGetLastError() == cudaSuccess;
}

int gather(const double *values, const int32_t *from, double *to, int64_t count)
{
    gather_kernel<<<blocks_for(count), THREADS>>>((long long)count, values, from, to);
    return cudaGetLastError() == cudaSuccess;
}

} // namespace

extern "C" const struct setup_steps *setup_steps_cuda(void)
{
    static const struct setup_steps steps = {diagonal_of, smooth, gather};
    return &steps;
}
