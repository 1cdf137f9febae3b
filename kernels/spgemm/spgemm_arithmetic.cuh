// SPDX-License-Identifier: Apache-2.0
// The operations of sparse products. Each rounds once, as on the CPU.
#pragma once
#include <cuda_runtime.h>

namespace spmmi {

__device__ __forceinline__ float fused(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}

__device__ __forceinline__ double fused(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}

__device__ __forceinline__ float times(float a, float b)
{
    return __fmul_rn(a, b);
}

__device__ __forceinline__ double times(double a, double b)
{
    return __dmul_rn(a, b);
}

// Writes a sum to C: alpha * sum + beta * C. If beta is 0, C is not read.
template <typename Real> __device__ __forceinline__ void put(Real *c, Real alpha, Real sum, Real beta)
{
    *c = beta == Real(0) ? times(alpha, sum) : fused(alpha, sum, times(beta, *c));
}

} // namespace spmmi
